// RUN: ROUNDTRIP

// CHECK-LABEL: @one_axis
// CHECK-NEXT:    %y = graph.conv %x, %w : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
func.func @one_axis(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>) {
  %y = graph.conv %x, %w : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  func.return
}

// CHECK-LABEL: @everything_optional
// CHECK-NEXT:    %y = graph.conv %x, %w bias %b {strides = array<i64: 2, 1>, pads = array<i64: 1, 0, 1, 2>, dilations = array<i64: 1, 2>, group = 2 : i64} : (tensor<1x4x9x9xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<1x6x5x7xf32>
func.func @everything_optional(%x: tensor<1x4x9x9xf32>, %w: tensor<6x2x3x3xf32>, %b: tensor<6xf32>) {
  %y = graph.conv %x, %w bias %b {strides = array<i64: 2, 1>, pads = array<i64: 1, 0, 1, 2>, dilations = array<i64: 1, 2>, group = 2 : i64} : (tensor<1x4x9x9xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<1x6x5x7xf32>
  func.return
}

// CHECK-LABEL: @three_axes
// CHECK-NEXT:    %y = graph.conv %x, %w : (tensor<1x1x4x4x4xf64>, tensor<1x1x2x2x2xf64>) -> tensor<1x1x3x3x3xf64>
func.func @three_axes(%x: tensor<1x1x4x4x4xf64>, %w: tensor<1x1x2x2x2xf64>) {
  %y = graph.conv %x, %w : (tensor<1x1x4x4x4xf64>, tensor<1x1x2x2x2xf64>) -> tensor<1x1x3x3x3xf64>
  func.return
}

// CHECK-LABEL: @layouts_are_no_business_of_shapes
// CHECK-NEXT:    %y = graph.conv %x, %w : (tensor<1x3x8x8xf32, #layout.physical<NHWC>>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32, #layout.physical<NHWC>>
func.func @layouts_are_no_business_of_shapes(%x: tensor<1x3x8x8xf32, #layout.physical<NHWC>>, %w: tensor<4x3x3x3xf32>) {
  %y = graph.conv %x, %w : (tensor<1x3x8x8xf32, #layout.physical<NHWC>>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32, #layout.physical<NHWC>>
  func.return
}

// CHECK-LABEL: @transposed
// CHECK-NEXT:    %y = graph.conv_transpose %x, %w {strides = array<i64: 2, 2>} : (tensor<1x3x4x4xf32>, tensor<3x5x2x2xf32>) -> tensor<1x5x8x8xf32>
func.func @transposed(%x: tensor<1x3x4x4xf32>, %w: tensor<3x5x2x2xf32>) {
  %y = graph.conv_transpose %x, %w {strides = array<i64: 2, 2>} : (tensor<1x3x4x4xf32>, tensor<3x5x2x2xf32>) -> tensor<1x5x8x8xf32>
  func.return
}

// CHECK-LABEL: @transposed_with_everything
// CHECK-NEXT:    %y = graph.conv_transpose %x, %w bias %b {strides = array<i64: 3>, pads = array<i64: 1, 0>, dilations = array<i64: 2>, group = 2 : i64, output_padding = array<i64: 1>} : (tensor<1x4x4xf32>, tensor<4x3x3xf32>, tensor<6xf32>) -> tensor<1x6x14xf32>
func.func @transposed_with_everything(%x: tensor<1x4x4xf32>, %w: tensor<4x3x3xf32>, %b: tensor<6xf32>) {
  %y = graph.conv_transpose %x, %w bias %b {strides = array<i64: 3>, pads = array<i64: 1, 0>, dilations = array<i64: 2>, group = 2 : i64, output_padding = array<i64: 1>} : (tensor<1x4x4xf32>, tensor<4x3x3xf32>, tensor<6xf32>) -> tensor<1x6x14xf32>
  func.return
}
