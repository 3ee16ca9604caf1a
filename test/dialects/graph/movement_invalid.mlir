// RUN: REFUSED

// CHECK: expected a permutation of 2 axes, got [0, 0]
func.func @axis_named_twice(%x: tensor<2x3xf32>) {
  %y = graph.transpose %x {permutation = array<i64: 0, 0>} : (tensor<2x3xf32>) -> tensor<2x2xf32>
  func.return
}

// -----

// CHECK: expected a permutation of 2 axes, got [0]
func.func @axis_left_out(%x: tensor<2x3xf32>) {
  %y = graph.transpose %x {permutation = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected a supported element type, got f80
func.func @unknown_element(%x: tensor<2x3xf80>) {
  %y = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf80>) -> tensor<3x2xf80>
  func.return
}

// -----

// CHECK: expected a static shape, got tensor<?x3xf32>
func.func @dynamic_shape(%x: tensor<?x3xf32>) {
  %y = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<?x3xf32>) -> tensor<3x?xf32>
  func.return
}

// -----

// CHECK: expected a shape of 6 elements, got [4]
func.func @another_number_of_elements(%x: tensor<2x3xf32>) {
  %y = graph.reshape %x {shape = array<i64: 4>} : (tensor<2x3xf32>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: expected a shape of 6 elements, got [-1, -6]
func.func @extent_left_open(%x: tensor<2x3xf32>) {
  %y = graph.reshape %x {shape = array<i64: -1, -6>} : (tensor<2x3xf32>) -> tensor<1x6xf32>
  func.return
}

// -----

// CHECK: cannot broadcast tensor<2x3xf32> with [2, 4]
func.func @expand_to_another_extent(%x: tensor<2x3xf32>) {
  %y = graph.expand %x {shape = array<i64: 2, 4>} : (tensor<2x3xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

// CHECK: expected 2 repeats of at least 0, got [2]
func.func @repeats_too_few(%x: tensor<2x3xf32>) {
  %y = graph.tile %x {repeats = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<4x3xf32>
  func.return
}

// -----

// CHECK: expected 2 repeats of at least 0, got [1, -1]
func.func @negative_repeats(%x: tensor<2x3xf32>) {
  %y = graph.tile %x {repeats = array<i64: 1, -1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expected a block_size that divides 4 and 5, got 2
func.func @blocks_of_another_size(%x: tensor<1x3x4x5xf32>) {
  %y = graph.space_to_depth %x {block_size = 2 : i64} : (tensor<1x3x4x5xf32>) -> tensor<1x12x2x2xf32>
  func.return
}

// -----

// CHECK: expected a block_size that divides 4 and 4, got 0
func.func @blocks_of_no_size(%x: tensor<1x3x4x4xf32>) {
  %y = graph.space_to_depth %x {block_size = 0 : i64} : (tensor<1x3x4x4xf32>) -> tensor<1x12x2x2xf32>
  func.return
}

// -----

// CHECK: expected a tensor of rank 4, got tensor<3x4x4xf32>
func.func @blocks_of_another_rank(%x: tensor<3x4x4xf32>) {
  %y = graph.space_to_depth %x {block_size = 2 : i64} : (tensor<3x4x4xf32>) -> tensor<12x2x2xf32>
  func.return
}

// -----

// CHECK: expected a block_size whose square divides 6, got 2
func.func @too_few_channels(%x: tensor<1x6x4x4xf32>) {
  %y = graph.depth_to_space %x {block_size = 2 : i64} : (tensor<1x6x4x4xf32>) -> tensor<1x1x8x8xf32>
  func.return
}

// -----

// CHECK: expected a mode out of DCR, CRD, got "RDC"
func.func @unknown_mode(%x: tensor<1x4x4x4xf32>) {
  %y = graph.depth_to_space %x {block_size = 2 : i64, mode = "RDC"} : (tensor<1x4x4x4xf32>) -> tensor<1x1x8x8xf32>
  func.return
}
