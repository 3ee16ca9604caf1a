// RUN: REFUSED

// CHECK: expected a float element type, got i32
func.func @integers(%x: tensor<1x4x8x8xi32>, %w: tensor<6x4x3x3xi32>) {
  %y = graph.conv %x, %w : (tensor<1x4x8x8xi32>, tensor<6x4x3x3xi32>) -> tensor<1x6x6x6xi32>
  func.return
}

// -----

// CHECK: expected an input and a filter of one rank of at least 3, got tensor<1x4x8x8xf32> and tensor<6x4x3xf32>
func.func @ranks_differ(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3xf32>) {
  %y = graph.conv %x, %w : (tensor<1x4x8x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6x6xf32>
  func.return
}

// -----

// CHECK: expected 1 to 3 spatial axes, got 0
func.func @no_spatial_axis(%x: tensor<1x4xf32>, %w: tensor<6x4xf32>) {
  %y = graph.conv %x, %w : (tensor<1x4xf32>, tensor<6x4xf32>) -> tensor<1x6xf32>
  func.return
}

// -----

// CHECK: expected 1 to 3 spatial axes, got 4
func.func @four_spatial_axes(%x: tensor<1x1x1x1x1x1xf32>, %w: tensor<1x1x1x1x1x1xf32>) {
  %y = graph.conv %x, %w : (tensor<1x1x1x1x1x1xf32>, tensor<1x1x1x1x1x1xf32>) -> tensor<1x1x1x1x1x1xf32>
  func.return
}

// -----

// CHECK: expected a filter of 4 / 1 input channels, got 3
func.func @channels_differ(%x: tensor<1x4x8x8xf32>, %w: tensor<6x3x3x3xf32>) {
  %y = graph.conv %x, %w : (tensor<1x4x8x8xf32>, tensor<6x3x3x3xf32>) -> tensor<1x6x6x6xf32>
  func.return
}

// -----

// CHECK: expected output channels that 2 groups divide, got 5
func.func @group_does_not_divide_outputs(%x: tensor<1x4x8x8xf32>, %w: tensor<5x2x3x3xf32>) {
  %y = graph.conv %x, %w {group = 2 : i64} : (tensor<1x4x8x8xf32>, tensor<5x2x3x3xf32>) -> tensor<1x5x6x6xf32>
  func.return
}

// -----

// CHECK: expected a group of at least 1, got 0
func.func @no_group(%x: tensor<1x4x8x8xf32>, %w: tensor<5x2x3x3xf32>) {
  %y = graph.conv %x, %w {group = 0 : i64} : (tensor<1x4x8x8xf32>, tensor<5x2x3x3xf32>) -> tensor<1x5x6x6xf32>
  func.return
}

// -----

// CHECK: expected a bias of shape [6], got tensor<4xf32>
func.func @bias_of_another_shape(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<4xf32>) {
  %y = graph.conv %x, %w bias %b : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>, tensor<4xf32>) -> tensor<1x6x6x6xf32>
  func.return
}

// -----

// CHECK: expected a kernel of at most 8 along spatial axis 1, got 9
func.func @kernel_larger_than_input(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x5xf32>) {
  %y = graph.conv %x, %w {dilations = array<i64: 1, 2>} : (tensor<1x4x8x8xf32>, tensor<6x4x3x5xf32>) -> tensor<1x6x6x1xf32>
  func.return
}

// -----

// CHECK: expected strides of 2 entries, got [2]
func.func @strides_too_few(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  %y = graph.conv %x, %w {strides = array<i64: 2>} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x3x3xf32>
  func.return
}

// -----

// CHECK: expected strides of at least 1, got [1, 0]
func.func @stride_of_zero(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  %y = graph.conv %x, %w {strides = array<i64: 1, 0>} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  func.return
}

// -----

// CHECK: expected pads of 4 entries, got [1, 1]
func.func @pads_too_few(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  %y = graph.conv %x, %w {pads = array<i64: 1, 1>} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x8x8xf32>
  func.return
}

// -----

// CHECK: expected pads of at least 0, got [0, 0, -1, 0]
func.func @negative_pads(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  %y = graph.conv %x, %w {pads = array<i64: 0, 0, -1, 0>} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x5x6xf32>
  func.return
}

// -----

// CHECK: expected dilations of at least 1, got [0, 1]
func.func @dilation_of_zero(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  %y = graph.conv %x, %w {dilations = array<i64: 0, 1>} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x8x6xf32>
  func.return
}

// -----

// CHECK: expected a kernel of at least 1, got [0, 3]
func.func @empty_kernel(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x0x3xf32>) {
  %y = graph.conv %x, %w : (tensor<1x4x8x8xf32>, tensor<6x4x0x3xf32>) -> tensor<1x6x8x6xf32>
  func.return
}

// -----

// CHECK: expected result tensor<1x6x6x6xf32>, got tensor<1x6x8x8xf32>
func.func @result_of_another_shape(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  %y = graph.conv %x, %w : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x8x8xf32>
  func.return
}

// -----

// CHECK: expected a filter of 4 input channels, got 3
func.func @transposed_channels_differ(%x: tensor<1x4x8x8xf32>, %w: tensor<3x6x3x3xf32>) {
  %y = graph.conv_transpose %x, %w : (tensor<1x4x8x8xf32>, tensor<3x6x3x3xf32>) -> tensor<1x6x10x10xf32>
  func.return
}

// -----

// CHECK: expected input channels that 3 groups divide, got 4
func.func @transposed_group_does_not_divide(%x: tensor<1x4x8x8xf32>, %w: tensor<4x6x3x3xf32>) {
  %y = graph.conv_transpose %x, %w {group = 3 : i64} : (tensor<1x4x8x8xf32>, tensor<4x6x3x3xf32>) -> tensor<1x18x10x10xf32>
  func.return
}

// -----

// CHECK: expected a bias of shape [12], got tensor<6xf32>
func.func @transposed_bias_of_another_shape(%x: tensor<1x4x8x8xf32>, %w: tensor<4x6x3x3xf32>, %b: tensor<6xf32>) {
  %y = graph.conv_transpose %x, %w bias %b {group = 2 : i64} : (tensor<1x4x8x8xf32>, tensor<4x6x3x3xf32>, tensor<6xf32>) -> tensor<1x12x10x10xf32>
  func.return
}

// -----

// CHECK: expected output_padding of 2 entries of at least 0, got [1]
func.func @output_padding_too_short(%x: tensor<1x4x8x8xf32>, %w: tensor<4x6x3x3xf32>) {
  %y = graph.conv_transpose %x, %w {output_padding = array<i64: 1>} : (tensor<1x4x8x8xf32>, tensor<4x6x3x3xf32>) -> tensor<1x6x10x10xf32>
  func.return
}

// -----

// CHECK: expected output_padding of 2 entries of at least 0, got [0, -1]
func.func @negative_output_padding(%x: tensor<1x4x8x8xf32>, %w: tensor<4x6x3x3xf32>) {
  %y = graph.conv_transpose %x, %w {output_padding = array<i64: 0, -1>} : (tensor<1x4x8x8xf32>, tensor<4x6x3x3xf32>) -> tensor<1x6x10x9xf32>
  func.return
}

// -----

// CHECK: expected pads that leave something, got extents [0, 10]
func.func @pads_leave_nothing(%x: tensor<1x4x8x8xf32>, %w: tensor<4x6x3x3xf32>) {
  %y = graph.conv_transpose %x, %w {pads = array<i64: 5, 0, 5, 0>} : (tensor<1x4x8x8xf32>, tensor<4x6x3x3xf32>) -> tensor<1x6x0x10xf32>
  func.return
}
