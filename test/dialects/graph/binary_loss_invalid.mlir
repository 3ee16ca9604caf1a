// RUN: REFUSED

// CHECK: expected a target of shape [3, 5], got tensor<3xf32>
func.func @target_has_every_place(%x: tensor<3x5xf32>, %t: tensor<3xf32>) {
  %y = graph.binary_cross_entropy_with_logits_loss %x, %t : (tensor<3x5xf32>, tensor<3xf32>) -> tensor<f32>
  func.return
}

// -----

// CHECK: expected a float element type, got i32
func.func @logits_are_floats(%x: tensor<3xi32>, %t: tensor<3xi32>) {
  %y = graph.binary_cross_entropy_with_logits_loss %x, %t : (tensor<3xi32>, tensor<3xi32>) -> tensor<f32>
  func.return
}

// -----

// CHECK: expected one element type, got f32, f64
func.func @elements_are_of_one_type(%x: tensor<3x5xf32>, %t: tensor<3x5xf64>) {
  %y = graph.binary_cross_entropy_with_logits_loss %x, %t : (tensor<3x5xf32>, tensor<3x5xf64>) -> tensor<f32>
  func.return
}

// -----

// CHECK: expected a weight that broadcasts to [3, 5], got tensor<3xf32>
func.func @weight_broadcasts(%x: tensor<3x5xf32>, %t: tensor<3x5xf32>, %w: tensor<3xf32>) {
  %y = graph.binary_cross_entropy_with_logits_loss %x, %t weight %w : tensor<3xf32> : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<f32>
  func.return
}

// -----

// CHECK: expected a pos_weight that broadcasts to [3, 5], got tensor<2x3x5xf32>
func.func @pos_weight_broadcasts(%x: tensor<3x5xf32>, %t: tensor<3x5xf32>, %w: tensor<2x3x5xf32>) {
  %y = graph.binary_cross_entropy_with_logits_loss %x, %t pos_weight %w : tensor<2x3x5xf32> : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<f32>
  func.return
}

// -----

// CHECK: expected a reduction out of none, sum, mean, got "max"
func.func @reduction_is_known(%x: tensor<3x5xf32>, %t: tensor<3x5xf32>) {
  %y = graph.binary_cross_entropy_with_logits_loss %x, %t {reduction = "max"} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<f32>
  func.return
}

// -----

// CHECK: expected result tensor<3x5xf32>, got tensor<f32>
func.func @result_is_per_target(%x: tensor<3x5xf32>, %t: tensor<3x5xf32>) {
  %y = graph.binary_cross_entropy_with_logits_loss %x, %t {reduction = "none"} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<f32>
  func.return
}
