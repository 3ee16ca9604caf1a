// RUN: ROUNDTRIP

// CHECK-LABEL: @elements
// CHECK-NEXT:    %y = graph.scatter_elements %x, %i, %u : (tensor<2x8xf32>, tensor<1x3xi64>, tensor<1x3xf32>) -> tensor<2x8xf32>
// CHECK-NEXT:    %z = graph.scatter_elements %x, %i, %u {axis = -1 : i64, reduction = "add"} : (tensor<2x8xf32>, tensor<1x3xi64>, tensor<1x3xf32>) -> tensor<2x8xf32>
func.func @elements(%x: tensor<2x8xf32>, %i: tensor<1x3xi64>, %u: tensor<1x3xf32>) {
  %y = graph.scatter_elements %x, %i, %u : (tensor<2x8xf32>, tensor<1x3xi64>, tensor<1x3xf32>) -> tensor<2x8xf32>
  %z = graph.scatter_elements %x, %i, %u {axis = -1 : i64, reduction = "add"} : (tensor<2x8xf32>, tensor<1x3xi64>, tensor<1x3xf32>) -> tensor<2x8xf32>
  func.return
}

// CHECK-LABEL: @tuples
// CHECK-NEXT:    %y = graph.scatter_nd %x, %i, %u : (tensor<2x8xi1>, tensor<3x1xi32>, tensor<3x8xi1>) -> tensor<2x8xi1>
func.func @tuples(%x: tensor<2x8xi1>, %i: tensor<3x1xi32>, %u: tensor<3x8xi1>) {
  %y = graph.scatter_nd %x, %i, %u : (tensor<2x8xi1>, tensor<3x1xi32>, tensor<3x8xi1>) -> tensor<2x8xi1>
  func.return
}

// CHECK-LABEL: @cache
// CHECK-NEXT:    %y = graph.tensor_scatter %x, %u : (tensor<2x8x4xf32>, tensor<2x1x4xf32>) -> tensor<2x8x4xf32>
// CHECK-NEXT:    %z = graph.tensor_scatter %x, %u at %i {axis = 1 : i64, mode = "circular"} : (tensor<2x8x4xf32>, tensor<2x1x4xf32>, tensor<2xi64>) -> tensor<2x8x4xf32>
func.func @cache(%x: tensor<2x8x4xf32>, %u: tensor<2x1x4xf32>, %i: tensor<2xi64>) {
  %y = graph.tensor_scatter %x, %u : (tensor<2x8x4xf32>, tensor<2x1x4xf32>) -> tensor<2x8x4xf32>
  %z = graph.tensor_scatter %x, %u at %i {axis = 1 : i64, mode = "circular"} : (tensor<2x8x4xf32>, tensor<2x1x4xf32>, tensor<2xi64>) -> tensor<2x8x4xf32>
  func.return
}
