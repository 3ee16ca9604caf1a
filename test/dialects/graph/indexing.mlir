// RUN: ROUNDTRIP

// CHECK-LABEL: @rows
// CHECK-NEXT:    %y = graph.gather %x, %i : (tensor<8x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>
func.func @rows(%x: tensor<8x2xf32>, %i: tensor<3xi64>) {
  %y = graph.gather %x, %i : (tensor<8x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>
  func.return
}

// CHECK-LABEL: @columns
// CHECK-NEXT:    %y = graph.gather %x, %i {axis = -1 : i64} : (tensor<2x8xf32>, tensor<3x1xi32>) -> tensor<2x3x1xf32>
func.func @columns(%x: tensor<2x8xf32>, %i: tensor<3x1xi32>) {
  %y = graph.gather %x, %i {axis = -1 : i64} : (tensor<2x8xf32>, tensor<3x1xi32>) -> tensor<2x3x1xf32>
  func.return
}

// CHECK-LABEL: @one_element
// CHECK-NEXT:    %y = graph.gather %x, %i : (tensor<8xi1>, tensor<i64>) -> tensor<i1>
func.func @one_element(%x: tensor<8xi1>, %i: tensor<i64>) {
  %y = graph.gather %x, %i : (tensor<8xi1>, tensor<i64>) -> tensor<i1>
  func.return
}
