// RUN: ROUNDTRIP

// CHECK-LABEL: @slice
// CHECK-NEXT:    %y = graph.slice %x {starts = array<i64: 0, 4>, sizes = array<i64: 2, 3>, steps = array<i64: 1, -2>} : (tensor<2x5xf32>) -> tensor<2x3xf32>
func.func @slice(%x: tensor<2x5xf32>) {
  %y = graph.slice %x {starts = array<i64: 0, 4>, sizes = array<i64: 2, 3>, steps = array<i64: 1, -2>} : (tensor<2x5xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @slice_of_nothing
// CHECK-NEXT:    %y = graph.slice %x {starts = array<i64: 2>, sizes = array<i64: 0>, steps = array<i64: 1>} : (tensor<2xf32>) -> tensor<0xf32>
func.func @slice_of_nothing(%x: tensor<2xf32>) {
  %y = graph.slice %x {starts = array<i64: 2>, sizes = array<i64: 0>, steps = array<i64: 1>} : (tensor<2xf32>) -> tensor<0xf32>
  func.return
}

// CHECK-LABEL: @pad
// CHECK-NEXT:    %y = graph.pad %x {pads = array<i64: 0, 1, 0, 1>} : (tensor<2x4xi32>) -> tensor<2x6xi32>
func.func @pad(%x: tensor<2x4xi32>) {
  %y = graph.pad %x {pads = array<i64: 0, 1, 0, 1>} : (tensor<2x4xi32>) -> tensor<2x6xi32>
  func.return
}

// CHECK-LABEL: @pad_with_a_value
// CHECK-NEXT:    %y = graph.pad %x value %v {pads = array<i64: 1, 0, 0, 2>} : (tensor<2x4xf32>, tensor<f32>) -> tensor<3x6xf32>
func.func @pad_with_a_value(%x: tensor<2x4xf32>, %v: tensor<f32>) {
  %y = graph.pad %x value %v {pads = array<i64: 1, 0, 0, 2>} : (tensor<2x4xf32>, tensor<f32>) -> tensor<3x6xf32>
  func.return
}

// CHECK-LABEL: @pad_and_crop
// CHECK-NEXT:    %y = graph.pad %x {pads = array<i64: -1, 2, 0, -1>, mode = "reflect"} : (tensor<3x4xf32>) -> tensor<2x5xf32>
func.func @pad_and_crop(%x: tensor<3x4xf32>) {
  %y = graph.pad %x {pads = array<i64: -1, 2, 0, -1>, mode = "reflect"} : (tensor<3x4xf32>) -> tensor<2x5xf32>
  func.return
}
