// RUN: REFUSED

// CHECK: expected an input of rank 3 or more, got tensor<1x4xf32>
func.func @rank_too_small(%x: tensor<1x4xf32>) {
  %y = graph.max_pool %x {kernel_shape = array<i64: 2>} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  func.return
}

// -----

// CHECK: expected 1 spatial axes as the kernel has, got 2
func.func @kernel_of_another_rank(%x: tensor<1x4x8x8xf32>) {
  %y = graph.max_pool %x {kernel_shape = array<i64: 2>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x8xf32>
  func.return
}

// -----

// CHECK: property 'kernel_shape' expected in operation 'graph.max_pool'
func.func @no_kernel(%x: tensor<1x4x8x8xf32>) {
  %y = graph.max_pool %x : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x8xf32>
  func.return
}

// -----

// CHECK: expected a kernel of at most 9 along spatial axis 0, got 10
func.func @kernel_larger_than_input(%x: tensor<1x4x8x8xf32>) {
  %y = graph.max_pool %x {kernel_shape = array<i64: 10, 1>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x1x8xf32>
  func.return
}

// -----

// CHECK: expected pads smaller than the kernel [2, 2], got [0, 2, 0, 0]
func.func @window_in_the_padding(%x: tensor<1x4x8x8xf32>) {
  %y = graph.max_pool %x {kernel_shape = array<i64: 2, 2>, pads = array<i64: 0, 2, 0, 0>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x9xf32>
  func.return
}

// -----

// CHECK: expected a storage_order of 0 or 1, got 2
func.func @unknown_storage_order(%x: tensor<1x4x8x8xf32>) {
  %y = graph.max_pool %x {kernel_shape = array<i64: 2, 2>, storage_order = 2 : i64} : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x7xf32>
  func.return
}

// -----

// CHECK: expected 2 results, got 1
func.func @indices_without_their_result(%x: tensor<1x4x8x8xf32>) {
  %y = graph.max_pool %x {kernel_shape = array<i64: 2, 2>, with_indices} : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x7xf32>
  func.return
}

// -----

// CHECK: expected a float or integer element type, got i1
func.func @bools_have_no_order(%x: tensor<1x4x8x8xi1>) {
  %y = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x4x8x8xi1>) -> tensor<1x4x7x7xi1>
  func.return
}

// -----

// CHECK: expected a float element type, got i64
func.func @integers_have_no_mean(%x: tensor<1x4x8x8xi64>) {
  %y = graph.avg_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x4x8x8xi64>) -> tensor<1x4x7x7xi64>
  func.return
}

// -----

// CHECK: expected pads smaller than the kernel [3, 1], got [0, 0, 3, 0]
func.func @mean_of_the_padding(%x: tensor<1x4x8x8xf32>) {
  %y = graph.avg_pool %x {kernel_shape = array<i64: 2, 1>, pads = array<i64: 0, 0, 3, 0>, dilations = array<i64: 2, 1>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x9x8xf32>
  func.return
}

// -----

// CHECK: expected result tensor<1x4x8x7xf32>, got tensor<1x4x7x7xf32>
func.func @mean_of_another_shape(%x: tensor<1x4x8x8xf32>) {
  %y = graph.avg_pool %x {kernel_shape = array<i64: 2, 2>, pads = array<i64: 1, 0, 0, 0>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x7xf32>
  func.return
}

// -----

// CHECK: expected a p of at least 1, got 0
func.func @norm_below_one(%x: tensor<1x4x8x8xf32>) {
  %y = graph.lp_pool %x {kernel_shape = array<i64: 2, 2>, p = 0 : i64} : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x7xf32>
  func.return
}

// -----

// CHECK: expected pads smaller than the kernel [2, 2], got [2, 0, 0, 0]
func.func @norm_of_the_padding(%x: tensor<1x4x8x8xf32>) {
  %y = graph.lp_pool %x {kernel_shape = array<i64: 2, 2>, pads = array<i64: 2, 0, 0, 0>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x9x7xf32>
  func.return
}
