// RUN: REFUSED

// CHECK: expected starts, sizes and steps of 2 entries, got [0], [2] and [1]
func.func @entries_too_few(%x: tensor<2x3xf32>) {
  %y = graph.slice %x {starts = array<i64: 0>, sizes = array<i64: 2>, steps = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expected a step other than 0 along axis 0
func.func @step_of_zero(%x: tensor<2xf32>) {
  %y = graph.slice %x {starts = array<i64: 0>, sizes = array<i64: 2>, steps = array<i64: 0>} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected a size of at least 0, got -1
func.func @negative_size(%x: tensor<2xf32>) {
  %y = graph.slice %x {starts = array<i64: 0>, sizes = array<i64: -1>, steps = array<i64: 1>} : (tensor<2xf32>) -> tensor<1xf32>
  func.return
}

// -----

// CHECK: expected elements within [0, 1] along axis 0, got -1 to 0
func.func @start_outside(%x: tensor<2xf32>) {
  %y = graph.slice %x {starts = array<i64: -1>, sizes = array<i64: 2>, steps = array<i64: 1>} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected elements within [0, 4] along axis 0, got 1 to -1
func.func @end_outside(%x: tensor<5xf32>) {
  %y = graph.slice %x {starts = array<i64: 1>, sizes = array<i64: 2>, steps = array<i64: -2>} : (tensor<5xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected elements within [0, 1] along axis 0, got 3 to 2
func.func @nothing_from_outside(%x: tensor<2xf32>) {
  %y = graph.slice %x {starts = array<i64: 3>, sizes = array<i64: 0>, steps = array<i64: 1>} : (tensor<2xf32>) -> tensor<0xf32>
  func.return
}

// -----

// CHECK: expected pads of 4 entries, got [1, 1]
func.func @pads_too_few(%x: tensor<2x3xf32>) {
  %y = graph.pad %x {pads = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<4x3xf32>
  func.return
}

// -----

// CHECK: expected a mode out of constant, reflect, edge, wrap, got "mirror"
func.func @unknown_mode(%x: tensor<2xf32>) {
  %y = graph.pad %x {pads = array<i64: 1, 1>, mode = "mirror"} : (tensor<2xf32>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: expected a value of one element, got tensor<2xf32>
func.func @value_is_no_scalar(%x: tensor<2xf32>, %v: tensor<2xf32>) {
  %y = graph.pad %x value %v {pads = array<i64: 1, 1>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: expected no value in mode edge
func.func @value_has_no_place(%x: tensor<2xf32>, %v: tensor<f32>) {
  %y = graph.pad %x value %v {pads = array<i64: 1, 1>, mode = "edge"} : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: expected one element type, got f32, f64
func.func @value_of_another_type(%x: tensor<2xf32>, %v: tensor<f64>) {
  %y = graph.pad %x value %v {pads = array<i64: 1, 1>} : (tensor<2xf32>, tensor<f64>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: expected a crop of at most 2 along axis 0, got 1 and 2
func.func @crop_of_too_much(%x: tensor<2xf32>) {
  %y = graph.pad %x {pads = array<i64: -1, -2>} : (tensor<2xf32>) -> tensor<0xf32>
  func.return
}

// -----

// CHECK: expected reflecting pads below 2 along axis 0, got 2
func.func @mirror_too_narrow(%x: tensor<3xf32>) {
  %y = graph.pad %x {pads = array<i64: 2, -1>, mode = "reflect"} : (tensor<3xf32>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: nothing to repeat along axis 0
func.func @edge_of_nothing(%x: tensor<0xf32>) {
  %y = graph.pad %x {pads = array<i64: 1, 0>, mode = "edge"} : (tensor<0xf32>) -> tensor<1xf32>
  func.return
}
