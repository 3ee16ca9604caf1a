// RUN: ROUNDTRIP

// CHECK-LABEL: @transpose
// CHECK-NEXT:    %y = graph.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
func.func @transpose(%x: tensor<2x3x4xf32>) {
  %y = graph.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  func.return
}

// CHECK-LABEL: @transpose_of_a_scalar
// CHECK-NEXT:    %y = graph.transpose %x {permutation = array<i64>} : (tensor<f32>) -> tensor<f32>
func.func @transpose_of_a_scalar(%x: tensor<f32>) {
  %y = graph.transpose %x {permutation = array<i64>} : (tensor<f32>) -> tensor<f32>
  func.return
}

// CHECK-LABEL: @reshape
// CHECK-NEXT:    %y = graph.reshape %x {shape = array<i64: 6, 4>} : (tensor<2x3x4xi1>) -> tensor<6x4xi1>
func.func @reshape(%x: tensor<2x3x4xi1>) {
  %y = graph.reshape %x {shape = array<i64: 6, 4>} : (tensor<2x3x4xi1>) -> tensor<6x4xi1>
  func.return
}

// CHECK-LABEL: @reshape_to_a_scalar
// CHECK-NEXT:    %y = graph.reshape %x {shape = array<i64>} : (tensor<1x1xf32>) -> tensor<f32>
func.func @reshape_to_a_scalar(%x: tensor<1x1xf32>) {
  %y = graph.reshape %x {shape = array<i64>} : (tensor<1x1xf32>) -> tensor<f32>
  func.return
}

// CHECK-LABEL: @reshape_of_nothing
// CHECK-NEXT:    %y = graph.reshape %x {shape = array<i64: 2, 0>} : (tensor<0x3xf32>) -> tensor<2x0xf32>
func.func @reshape_of_nothing(%x: tensor<0x3xf32>) {
  %y = graph.reshape %x {shape = array<i64: 2, 0>} : (tensor<0x3xf32>) -> tensor<2x0xf32>
  func.return
}

// CHECK-LABEL: @expand
// CHECK-NEXT:    %y = graph.expand %x {shape = array<i64: 2, 3, 4>} : (tensor<3x1xf32>) -> tensor<2x3x4xf32>
func.func @expand(%x: tensor<3x1xf32>) {
  %y = graph.expand %x {shape = array<i64: 2, 3, 4>} : (tensor<3x1xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: @expand_by_a_smaller_shape
// CHECK-NEXT:    %y = graph.expand %x {shape = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @expand_by_a_smaller_shape(%x: tensor<2x3xf32>) {
  %y = graph.expand %x {shape = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @tile
// CHECK-NEXT:    %y = graph.tile %x {repeats = array<i64: 1, 2>} : (tensor<2x3xi64>) -> tensor<2x6xi64>
func.func @tile(%x: tensor<2x3xi64>) {
  %y = graph.tile %x {repeats = array<i64: 1, 2>} : (tensor<2x3xi64>) -> tensor<2x6xi64>
  func.return
}

// CHECK-LABEL: @space_to_depth
// CHECK-NEXT:    %y = graph.space_to_depth %x {block_size = 2 : i64} : (tensor<1x3x4x6xf32>) -> tensor<1x12x2x3xf32>
func.func @space_to_depth(%x: tensor<1x3x4x6xf32>) {
  %y = graph.space_to_depth %x {block_size = 2 : i64} : (tensor<1x3x4x6xf32>) -> tensor<1x12x2x3xf32>
  func.return
}

// CHECK-LABEL: @depth_to_space
// CHECK-NEXT:    %y = graph.depth_to_space %x {block_size = 2 : i64} : (tensor<1x12x2x3xf32>) -> tensor<1x3x4x6xf32>
func.func @depth_to_space(%x: tensor<1x12x2x3xf32>) {
  %y = graph.depth_to_space %x {block_size = 2 : i64} : (tensor<1x12x2x3xf32>) -> tensor<1x3x4x6xf32>
  func.return
}

// CHECK-LABEL: @depth_to_space_column_first
// CHECK-NEXT:    %y = graph.depth_to_space %x {block_size = 2 : i64, mode = "CRD"} : (tensor<1x12x2x3xf32>) -> tensor<1x3x4x6xf32>
func.func @depth_to_space_column_first(%x: tensor<1x12x2x3xf32>) {
  %y = graph.depth_to_space %x {block_size = 2 : i64, mode = "CRD"} : (tensor<1x12x2x3xf32>) -> tensor<1x3x4x6xf32>
  func.return
}
