// RUN: ROUNDTRIP

// CHECK-LABEL: @negative_log_likelihood_loss
// CHECK: %y = graph.negative_log_likelihood_loss %x, %t : (tensor<3x5x2xf32>, tensor<3x2xi64>) -> tensor<f32>
func.func @negative_log_likelihood_loss(%x: tensor<3x5x2xf32>, %t: tensor<3x2xi64>) {
  %y = graph.negative_log_likelihood_loss %x, %t : (tensor<3x5x2xf32>, tensor<3x2xi64>) -> tensor<f32>
  func.return
}

// CHECK-LABEL: @negative_log_likelihood_loss_with_weights
// CHECK: %y = graph.negative_log_likelihood_loss %x, %t weights %w {reduction = "none", ignore_index = -1 : i64} : (tensor<3x5x2xf32>, tensor<3x2xi64>, tensor<5xf32>) -> tensor<3x2xf32>
func.func @negative_log_likelihood_loss_with_weights(%x: tensor<3x5x2xf32>, %t: tensor<3x2xi64>, %w: tensor<5xf32>) {
  %y = graph.negative_log_likelihood_loss %x, %t weights %w {reduction = "none", ignore_index = -1 : i64} : (tensor<3x5x2xf32>, tensor<3x2xi64>, tensor<5xf32>) -> tensor<3x2xf32>
  func.return
}

// CHECK-LABEL: @cross_entropy_loss
// CHECK: %y = graph.cross_entropy_loss %x, %t : (tensor<3x5x2xf32>, tensor<3x2xi64>) -> tensor<f32>
func.func @cross_entropy_loss(%x: tensor<3x5x2xf32>, %t: tensor<3x2xi64>) {
  %y = graph.cross_entropy_loss %x, %t : (tensor<3x5x2xf32>, tensor<3x2xi64>) -> tensor<f32>
  func.return
}

// CHECK-LABEL: @cross_entropy_loss_with_weights
// CHECK: %y = graph.cross_entropy_loss %x, %t weights %w {reduction = "none", ignore_index = -1 : i64} : (tensor<3x5x2xf32>, tensor<3x2xi64>, tensor<5xf32>) -> tensor<3x2xf32>
func.func @cross_entropy_loss_with_weights(%x: tensor<3x5x2xf32>, %t: tensor<3x2xi64>, %w: tensor<5xf32>) {
  %y = graph.cross_entropy_loss %x, %t weights %w {reduction = "none", ignore_index = -1 : i64} : (tensor<3x5x2xf32>, tensor<3x2xi64>, tensor<5xf32>) -> tensor<3x2xf32>
  func.return
}

// CHECK-LABEL: @cross_entropy_loss_with_log_prob
// CHECK: %y, %p = graph.cross_entropy_loss %x, %t {with_log_prob} : (tensor<3x5x2xf32>, tensor<3x2xi64>) -> (tensor<f32>, tensor<3x5x2xf32>)
func.func @cross_entropy_loss_with_log_prob(%x: tensor<3x5x2xf32>, %t: tensor<3x2xi64>) {
  %y, %p = graph.cross_entropy_loss %x, %t {with_log_prob} : (tensor<3x5x2xf32>, tensor<3x2xi64>) -> (tensor<f32>, tensor<3x5x2xf32>)
  func.return
}
