// RUN: ROUNDTRIP

// CHECK-LABEL: @concat
// CHECK-NEXT:    %y = graph.concat %a, %b {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
func.func @concat(%a: tensor<2x3xf32>, %b: tensor<2x1xf32>) {
  %y = graph.concat %a, %b {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  func.return
}

// CHECK-LABEL: @concat_of_one
// CHECK-NEXT:    %y = graph.concat %a {axis = -1 : i64} : (tensor<2x3xi1>) -> tensor<2x3xi1>
func.func @concat_of_one(%a: tensor<2x3xi1>) {
  %y = graph.concat %a {axis = -1 : i64} : (tensor<2x3xi1>) -> tensor<2x3xi1>
  func.return
}

// CHECK-LABEL: @split
// CHECK-NEXT:    %y, %z = graph.split %x {sizes = array<i64: 3, 1>} : (tensor<4x2xf32>) -> (tensor<3x2xf32>, tensor<1x2xf32>)
func.func @split(%x: tensor<4x2xf32>) {
  %y, %z = graph.split %x {sizes = array<i64: 3, 1>} : (tensor<4x2xf32>) -> (tensor<3x2xf32>, tensor<1x2xf32>)
  func.return
}

// CHECK-LABEL: @split_into_one
// CHECK-NEXT:    %y = graph.split %x {axis = -1 : i64, sizes = array<i64: 4>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
func.func @split_into_one(%x: tensor<2x4xf32>) {
  %y = graph.split %x {axis = -1 : i64, sizes = array<i64: 4>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return
}

// CHECK-LABEL: @split_off_nothing
// CHECK-NEXT:    %y, %z = graph.split %x {axis = 1 : i64, sizes = array<i64: 0, 4>} : (tensor<2x4xf32>) -> (tensor<2x0xf32>, tensor<2x4xf32>)
func.func @split_off_nothing(%x: tensor<2x4xf32>) {
  %y, %z = graph.split %x {axis = 1 : i64, sizes = array<i64: 0, 4>} : (tensor<2x4xf32>) -> (tensor<2x0xf32>, tensor<2x4xf32>)
  func.return
}
