// RUN: ROUNDTRIP

// CHECK-LABEL: @absent
// CHECK: %y = graph.binary_cross_entropy_with_logits_loss %x, %t : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<f32>
func.func @absent(%x: tensor<3x5xf32>, %t: tensor<3x5xf32>, %w: tensor<3x1xf32>, %p: tensor<5xf32>) {
  %y = graph.binary_cross_entropy_with_logits_loss %x, %t : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<f32>
  func.return
}

// CHECK-LABEL: @weight
// CHECK: %y = graph.binary_cross_entropy_with_logits_loss %x, %t weight %w : tensor<3x1xf32> {reduction = "sum"} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<f32>
func.func @weight(%x: tensor<3x5xf32>, %t: tensor<3x5xf32>, %w: tensor<3x1xf32>, %p: tensor<5xf32>) {
  %y = graph.binary_cross_entropy_with_logits_loss %x, %t weight %w : tensor<3x1xf32> {reduction = "sum"} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<f32>
  func.return
}

// CHECK-LABEL: @pos_weight
// CHECK: %y = graph.binary_cross_entropy_with_logits_loss %x, %t pos_weight %p : tensor<5xf32> {reduction = "none"} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
func.func @pos_weight(%x: tensor<3x5xf32>, %t: tensor<3x5xf32>, %w: tensor<3x1xf32>, %p: tensor<5xf32>) {
  %y = graph.binary_cross_entropy_with_logits_loss %x, %t pos_weight %p : tensor<5xf32> {reduction = "none"} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  func.return
}

// CHECK-LABEL: @both
// CHECK: %y = graph.binary_cross_entropy_with_logits_loss %x, %t weight %w : tensor<3x1xf32> pos_weight %p : tensor<5xf32> {reduction = "none"} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
func.func @both(%x: tensor<3x5xf32>, %t: tensor<3x5xf32>, %w: tensor<3x1xf32>, %p: tensor<5xf32>) {
  %y = graph.binary_cross_entropy_with_logits_loss %x, %t weight %w : tensor<3x1xf32> pos_weight %p : tensor<5xf32> {reduction = "none"} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  func.return
}
