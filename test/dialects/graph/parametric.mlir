// RUN: ROUNDTRIP

// CHECK-LABEL: @prelu
// CHECK: %y = graph.prelu %x, %s : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
func.func @prelu(%x: tensor<2x3x4xf32>, %s: tensor<3x1xf32>) {
  %y = graph.prelu %x, %s : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: @prelu_of_integers
// CHECK: %y = graph.prelu %x, %s : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
func.func @prelu_of_integers(%x: tensor<2x3xi32>, %s: tensor<i32>) {
  %y = graph.prelu %x, %s : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  func.return
}
