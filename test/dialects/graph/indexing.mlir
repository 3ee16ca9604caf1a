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

// CHECK-LABEL: @elements
// CHECK-NEXT:    %y = graph.gather_elements %x, %i {axis = -1 : i64} : (tensor<2x8xf32>, tensor<2x9xi32>) -> tensor<2x9xf32>
// Fewer positions than data has; the axis is 0.
// CHECK-NEXT:    %z = graph.gather_elements %x, %j : (tensor<2x8xf32>, tensor<5x3xi64>) -> tensor<5x3xf32>
func.func @elements(%x: tensor<2x8xf32>, %i: tensor<2x9xi32>, %j: tensor<5x3xi64>) {
  %y = graph.gather_elements %x, %i {axis = -1 : i64} : (tensor<2x8xf32>, tensor<2x9xi32>) -> tensor<2x9xf32>
  %z = graph.gather_elements %x, %j : (tensor<2x8xf32>, tensor<5x3xi64>) -> tensor<5x3xf32>
  func.return
}

// CHECK-LABEL: @tuples
// CHECK-NEXT:    %y = graph.gather_nd %x, %i : (tensor<2x8x4xi1>, tensor<3x2xi64>) -> tensor<3x4xi1>
// CHECK-NEXT:    %z = graph.gather_nd %x, %j {batch_dims = 1 : i64} : (tensor<2x8x4xi1>, tensor<2x1xi32>) -> tensor<2x4xi1>
func.func @tuples(%x: tensor<2x8x4xi1>, %i: tensor<3x2xi64>, %j: tensor<2x1xi32>) {
  %y = graph.gather_nd %x, %i : (tensor<2x8x4xi1>, tensor<3x2xi64>) -> tensor<3x4xi1>
  %z = graph.gather_nd %x, %j {batch_dims = 1 : i64} : (tensor<2x8x4xi1>, tensor<2x1xi32>) -> tensor<2x4xi1>
  func.return
}
