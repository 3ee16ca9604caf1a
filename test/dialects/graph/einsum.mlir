// RUN: ROUNDTRIP

// CHECK-LABEL: @einsum
// CHECK: %y = graph.einsum %a, %b {equation = "bij,bjk->bik"} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
func.func @einsum(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  %y = graph.einsum %a, %b {equation = "bij,bjk->bik"} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  func.return
}

// Without an arrow, what stands once is left, by the alphabet, behind the ellipsis.
// CHECK-LABEL: @implicit
// CHECK: %y = graph.einsum %a, %b {equation = "...zj, ...ja"} : (tensor<7x1x3x4xi32>, tensor<2x4x5xi32>) -> tensor<7x2x5x3xi32>
func.func @implicit(%a: tensor<7x1x3x4xi32>, %b: tensor<2x4x5xi32>) {
  %y = graph.einsum %a, %b {equation = "...zj, ...ja"} : (tensor<7x1x3x4xi32>, tensor<2x4x5xi32>) -> tensor<7x2x5x3xi32>
  func.return
}

// CHECK-LABEL: @diagonal
// CHECK: %y = graph.einsum %a {equation = "ii...->...i"} : (tensor<3x3x2xf64>) -> tensor<2x3xf64>
func.func @diagonal(%a: tensor<3x3x2xf64>) {
  %y = graph.einsum %a {equation = "ii...->...i"} : (tensor<3x3x2xf64>) -> tensor<2x3xf64>
  func.return
}
