// RUN: glow-opt %s -p trim-filters,dce --print-debuginfo | filecheck %s

// CHECK-LABEL: @middle_tap(
// CHECK:         [[W:%.*]] = graph.literal dense<5.000000e+00> : tensor<1x1x1x1xf32>
// CHECK:         graph.conv %x, [[W]] bias %b
// CHECK-NOT:     pads = array<i64: 4
// CHECK-NOT:     dilations = array<i64: 4
// CHECK-SAME:    loc("conv")
func.func @middle_tap(%x: tensor<1x1x4x4xf32>, %b: tensor<1xf32>) -> tensor<1x1x4x4xf32> {
  %w = graph.literal dense<[[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]]> : tensor<1x1x3x3xf32> : tensor<1x1x3x3xf32>
  %0 = graph.conv %x, %w bias %b {pads = array<i64: 4, 4, 4, 4>, dilations = array<i64: 4, 4>} : (tensor<1x1x4x4xf32>, tensor<1x1x3x3xf32>, tensor<1xf32>) -> tensor<1x1x4x4xf32> loc("conv")
  func.return %0 : tensor<1x1x4x4xf32>
}

// Rows of 5 elements are read by all taps along the second axis; of the first, one is.
// CHECK-LABEL: @one_axis(
// CHECK:         [[W:%.*]] = graph.literal dense<{{.*}}4.000000e+00, 5.000000e+00, 6.000000e+00{{.*}}> : tensor<1x1x1x3xf32>
// CHECK:         graph.conv %x, [[W]] {{.*}}pads = array<i64: 0, 4, 0, 4>
func.func @one_axis(%x: tensor<1x1x4x5xf32>) -> tensor<1x1x4x5xf32> {
  %w = graph.literal dense<[[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]]> : tensor<1x1x3x3xf32> : tensor<1x1x3x3xf32>
  %0 = graph.conv %x, %w {pads = array<i64: 4, 4, 4, 4>, dilations = array<i64: 4, 4>} : (tensor<1x1x4x5xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x4x5xf32>
  func.return %0 : tensor<1x1x4x5xf32>
}

// CHECK-LABEL: @padding_smaller_than_a_dilation(
// CHECK:         graph.conv {{.*}}tensor<1x1x3xf32>
func.func @padding_smaller_than_a_dilation(%x: tensor<1x1x4xf32>) -> tensor<1x1x2xf32> {
  %w = graph.literal dense<[[[1.0, 2.0, 3.0]]]> : tensor<1x1x3xf32> : tensor<1x1x3xf32>
  %0 = graph.conv %x, %w {pads = array<i64: 4, 4>, dilations = array<i64: 5>} : (tensor<1x1x4xf32>, tensor<1x1x3xf32>) -> tensor<1x1x2xf32>
  func.return %0 : tensor<1x1x2xf32>
}

// Infinity times the zero of padding is NaN.
// CHECK-LABEL: @infinity(
// CHECK:         graph.conv {{.*}}tensor<1x1x3xf32>
func.func @infinity(%x: tensor<1x1x4xf32>) -> tensor<1x1x4xf32> {
  %w = graph.literal dense<[[[0x7F800000, 2.0, 3.0]]]> : tensor<1x1x3xf32> : tensor<1x1x3xf32>
  %0 = graph.conv %x, %w {pads = array<i64: 4, 4>, dilations = array<i64: 4>} : (tensor<1x1x4xf32>, tensor<1x1x3xf32>) -> tensor<1x1x4xf32>
  func.return %0 : tensor<1x1x4xf32>
}

// CHECK-LABEL: @unknown_filter(
// CHECK:         graph.conv {{.*}}tensor<1x1x3xf32>
func.func @unknown_filter(%x: tensor<1x1x4xf32>, %w: tensor<1x1x3xf32>) -> tensor<1x1x4xf32> {
  %0 = graph.conv %x, %w {pads = array<i64: 4, 4>, dilations = array<i64: 4>} : (tensor<1x1x4xf32>, tensor<1x1x3xf32>) -> tensor<1x1x4xf32>
  func.return %0 : tensor<1x1x4xf32>
}

// CHECK-LABEL: @padding_alone(
// CHECK:         graph.conv {{.*}}tensor<1x1x2xf32>
func.func @padding_alone(%x: tensor<1x1x1xf32>) -> tensor<1x1x1xf32> {
  %w = graph.literal dense<[[[1.0, 2.0]]]> : tensor<1x1x2xf32> : tensor<1x1x2xf32>
  %0 = graph.conv %x, %w {pads = array<i64: 1, 2>, dilations = array<i64: 3>, strides = array<i64: 2>} : (tensor<1x1x1xf32>, tensor<1x1x2xf32>) -> tensor<1x1x1xf32>
  func.return %0 : tensor<1x1x1xf32>
}
