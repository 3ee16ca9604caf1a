// RUN: REFUSED

// CHECK: expected scores of rank 2 or more, got tensor<3xf32>
func.func @scores_have_classes(%x: tensor<3xf32>, %t: tensor<3xi64>) {
  %y = graph.negative_log_likelihood_loss %x, %t : (tensor<3xf32>, tensor<3xi64>) -> tensor<f32>
  func.return
}

// -----

// CHECK: expected a target of shape [3, 2], got tensor<3xi64>
func.func @target_has_every_place(%x: tensor<3x5x2xf32>, %t: tensor<3xi64>) {
  %y = graph.negative_log_likelihood_loss %x, %t : (tensor<3x5x2xf32>, tensor<3xi64>) -> tensor<f32>
  func.return
}

// -----

// CHECK: expected weights of shape [5] per class, got tensor<3xf32>
func.func @weights_are_per_class(%x: tensor<3x5xf32>, %t: tensor<3xi64>, %w: tensor<3xf32>) {
  %y = graph.cross_entropy_loss %x, %t weights %w : (tensor<3x5xf32>, tensor<3xi64>, tensor<3xf32>) -> tensor<f32>
  func.return
}

// -----

// CHECK: expected a reduction out of none, sum, mean, got "max"
func.func @reduction_is_known(%x: tensor<3x5xf32>, %t: tensor<3xi64>) {
  %y = graph.negative_log_likelihood_loss %x, %t {reduction = "max"} : (tensor<3x5xf32>, tensor<3xi64>) -> tensor<f32>
  func.return
}

// -----

// CHECK: expected result tensor<3xf32>, got tensor<f32>
func.func @result_is_per_target(%x: tensor<3x5xf32>, %t: tensor<3xi64>) {
  %y = graph.negative_log_likelihood_loss %x, %t {reduction = "none"} : (tensor<3x5xf32>, tensor<3xi64>) -> tensor<f32>
  func.return
}

// -----

// CHECK: expected 1 results, got 2
func.func @log_prob_is_announced(%x: tensor<3x5xf32>, %t: tensor<3xi64>) {
  %y, %p = graph.cross_entropy_loss %x, %t : (tensor<3x5xf32>, tensor<3xi64>) -> (tensor<f32>, tensor<3x5xf32>)
  func.return
}
