// RUN: ROUNDTRIP

// CHECK-LABEL: @max
// CHECK-NEXT:    %y = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x3x8x8xf32>) -> tensor<1x3x7x7xf32>
func.func @max(%x: tensor<1x3x8x8xf32>) {
  %y = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x3x8x8xf32>) -> tensor<1x3x7x7xf32>
  func.return
}

// CHECK-LABEL: @max_with_everything
// CHECK-NEXT:    %y, %z = graph.max_pool %x {kernel_shape = array<i64: 2>, strides = array<i64: 3>, pads = array<i64: 1, 0>, dilations = array<i64: 2>, ceil_mode, storage_order = 1 : i64, with_indices} : (tensor<1x3x9xf32>) -> (tensor<1x3x4xf32>, tensor<1x3x4xi64>)
func.func @max_with_everything(%x: tensor<1x3x9xf32>) {
  %y, %z = graph.max_pool %x {kernel_shape = array<i64: 2>, strides = array<i64: 3>, pads = array<i64: 1, 0>, dilations = array<i64: 2>, ceil_mode, storage_order = 1 : i64, with_indices} : (tensor<1x3x9xf32>) -> (tensor<1x3x4xf32>, tensor<1x3x4xi64>)
  func.return
}

// CHECK-LABEL: @avg
// CHECK-NEXT:    %y = graph.avg_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x3x8x8xf32>) -> tensor<1x3x7x7xf32>
func.func @avg(%x: tensor<1x3x8x8xf32>) {
  %y = graph.avg_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x3x8x8xf32>) -> tensor<1x3x7x7xf32>
  func.return
}

// CHECK-LABEL: @avg_with_everything
// CHECK-NEXT:    %y = graph.avg_pool %x {kernel_shape = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>, pads = array<i64: 0, 0, 1, 0, 0, 1>, dilations = array<i64: 1, 1, 2>, ceil_mode, count_include_pad} : (tensor<1x1x4x4x4xf32>) -> tensor<1x1x2x2x3xf32>
func.func @avg_with_everything(%x: tensor<1x1x4x4x4xf32>) {
  %y = graph.avg_pool %x {kernel_shape = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>, pads = array<i64: 0, 0, 1, 0, 0, 1>, dilations = array<i64: 1, 1, 2>, ceil_mode, count_include_pad} : (tensor<1x1x4x4x4xf32>) -> tensor<1x1x2x2x3xf32>
  func.return
}

// CHECK-LABEL: @lp
// CHECK-NEXT:    %y = graph.lp_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x3x8x8xf64>) -> tensor<1x3x7x7xf64>
func.func @lp(%x: tensor<1x3x8x8xf64>) {
  %y = graph.lp_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x3x8x8xf64>) -> tensor<1x3x7x7xf64>
  func.return
}

// CHECK-LABEL: @lp_with_everything
// CHECK-NEXT:    %y = graph.lp_pool %x {kernel_shape = array<i64: 3>, strides = array<i64: 2>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, ceil_mode, p = 1 : i64} : (tensor<1x3x8xf32>) -> tensor<1x3x5xf32>
func.func @lp_with_everything(%x: tensor<1x3x8xf32>) {
  %y = graph.lp_pool %x {kernel_shape = array<i64: 3>, strides = array<i64: 2>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, ceil_mode, p = 1 : i64} : (tensor<1x3x8xf32>) -> tensor<1x3x5xf32>
  func.return
}
