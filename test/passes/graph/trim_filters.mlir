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

// Of six windows, the last two read the first tap, and the first two the last one.
// CHECK-LABEL: @split(
// CHECK:         [[ALL:%.*]] = graph.conv %x, {{%.*}} bias %b {{.*}}pads = array<i64: 0, 0>{{.*}} -> tensor<1x1x6xf32>
// CHECK:         [[IN0:%.*]] = graph.slice %x {starts = array<i64: 0, 0, 0>, sizes = array<i64: 1, 64, 2>
// CHECK:         [[C0:%.*]] = graph.conv [[IN0]], {{.*}} -> tensor<1x1x2xf32>
// CHECK-NEXT:    [[LAST:%.*]] = graph.pad [[C0]] {pads = array<i64: 0, 0, 4, 0, 0, 0>}
// CHECK-NEXT:    [[SUM:%.*]] = graph.add [[ALL]], [[LAST]]
// CHECK:         [[IN1:%.*]] = graph.slice %x {starts = array<i64: 0, 0, 4>, sizes = array<i64: 1, 64, 2>
// CHECK:         [[C1:%.*]] = graph.conv [[IN1]], {{.*}} -> tensor<1x1x2xf32>
// CHECK-NEXT:    [[FIRST:%.*]] = graph.pad [[C1]] {pads = array<i64: 0, 0, 0, 0, 0, 4>}
// CHECK-NEXT:    [[Y:%.*]] = graph.add [[SUM]], [[FIRST]]
// CHECK-NEXT:    func.return [[Y]]
func.func @split(%x: tensor<1x64x6xf32>, %b: tensor<1xf32>) -> tensor<1x1x6xf32> {
  %w = graph.literal dense<2.0> : tensor<1x64x3xf32> : tensor<1x64x3xf32>
  %0 = graph.conv %x, %w bias %b {pads = array<i64: 4, 4>, dilations = array<i64: 4>} : (tensor<1x64x6xf32>, tensor<1x64x3xf32>, tensor<1xf32>) -> tensor<1x1x6xf32>
  func.return %0 : tensor<1x1x6xf32>
}

// Taps that all windows but one read stay together.
// CHECK-LABEL: @most_windows_read_all(
// CHECK:         graph.conv {{.*}}tensor<1x64x3xf32>
// CHECK-NEXT:    func.return
func.func @most_windows_read_all(%x: tensor<1x64x12xf32>) -> tensor<1x1x12xf32> {
  %w = graph.literal dense<2.0> : tensor<1x64x3xf32> : tensor<1x64x3xf32>
  %0 = graph.conv %x, %w {pads = array<i64: 2, 2>, dilations = array<i64: 2>} : (tensor<1x64x12xf32>, tensor<1x64x3xf32>) -> tensor<1x1x12xf32>
  func.return %0 : tensor<1x1x12xf32>
}

// CHECK-LABEL: @no_dilation(
// CHECK:         graph.conv {{.*}}tensor<1x64x3xf32>
func.func @no_dilation(%x: tensor<1x64x2xf32>) -> tensor<1x1x2xf32> {
  %w = graph.literal dense<2.0> : tensor<1x64x3xf32> : tensor<1x64x3xf32>
  %0 = graph.conv %x, %w {pads = array<i64: 1, 1>} : (tensor<1x64x2xf32>, tensor<1x64x3xf32>) -> tensor<1x1x2xf32>
  func.return %0 : tensor<1x1x2xf32>
}

// An addition takes as long as the few products that are left out.
// CHECK-LABEL: @few_products(
// CHECK:         graph.conv {{.*}}tensor<1x8x3xf32>
func.func @few_products(%x: tensor<1x8x6xf32>) -> tensor<1x1x6xf32> {
  %w = graph.literal dense<2.0> : tensor<1x8x3xf32> : tensor<1x8x3xf32>
  %0 = graph.conv %x, %w {pads = array<i64: 4, 4>, dilations = array<i64: 4>} : (tensor<1x8x6xf32>, tensor<1x8x3xf32>) -> tensor<1x1x6xf32>
  func.return %0 : tensor<1x1x6xf32>
}

// CHECK-LABEL: @infinity_in_many(
// CHECK:         graph.conv {{.*}}tensor<1x64x3xf32>
func.func @infinity_in_many(%x: tensor<1x64x6xf32>) -> tensor<1x1x6xf32> {
  %w = graph.literal dense<0x7F800000> : tensor<1x64x3xf32> : tensor<1x64x3xf32>
  %0 = graph.conv %x, %w {pads = array<i64: 4, 4>, dilations = array<i64: 4>} : (tensor<1x64x6xf32>, tensor<1x64x3xf32>) -> tensor<1x1x6xf32>
  func.return %0 : tensor<1x1x6xf32>
}

// CHECK-LABEL: @unknown_filter_of_many(
// CHECK:         graph.conv {{.*}}tensor<1x64x3xf32>
func.func @unknown_filter_of_many(%x: tensor<1x64x6xf32>, %w: tensor<1x64x3xf32>) -> tensor<1x1x6xf32> {
  %0 = graph.conv %x, %w {pads = array<i64: 4, 4>, dilations = array<i64: 4>} : (tensor<1x64x6xf32>, tensor<1x64x3xf32>) -> tensor<1x1x6xf32>
  func.return %0 : tensor<1x1x6xf32>
}

// Partial sums would be rounded to f16.
// CHECK-LABEL: @half_precision(
// CHECK:         graph.conv {{.*}}tensor<1x64x3xf16>
func.func @half_precision(%x: tensor<1x64x6xf16>) -> tensor<1x1x6xf16> {
  %w = graph.literal dense<2.0> : tensor<1x64x3xf16> : tensor<1x64x3xf16>
  %0 = graph.conv %x, %w {pads = array<i64: 4, 4>, dilations = array<i64: 4>} : (tensor<1x64x6xf16>, tensor<1x64x3xf16>) -> tensor<1x1x6xf16>
  func.return %0 : tensor<1x1x6xf16>
}
