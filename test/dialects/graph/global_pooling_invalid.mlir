// RUN: REFUSED

// CHECK: expected an input of rank 3 or more, got tensor<1x4xf32>
func.func @rank_too_small(%x: tensor<1x4xf32>) {
  %y = graph.global_avg_pool %x : (tensor<1x4xf32>) -> tensor<1x4xf32>
  func.return
}

// -----

// CHECK: expected a float element type, got i64
func.func @integers_have_no_mean(%x: tensor<1x4x8xi64>) {
  %y = graph.global_avg_pool %x : (tensor<1x4x8xi64>) -> tensor<1x4x1xi64>
  func.return
}

// -----

// CHECK: expected spatial extents above 0, got tensor<1x4x0xf32>
func.func @nothing_has_no_maximum(%x: tensor<1x4x0xf32>) {
  %y = graph.global_max_pool %x : (tensor<1x4x0xf32>) -> tensor<1x4x1xf32>
  func.return
}

// -----

// CHECK: expected a float or integer element type, got i1
func.func @bools_have_no_order(%x: tensor<1x4x8xi1>) {
  %y = graph.global_max_pool %x : (tensor<1x4x8xi1>) -> tensor<1x4x1xi1>
  func.return
}

// -----

// CHECK: expected a p of at least 1, got -1
func.func @norm_below_one(%x: tensor<1x4x8x8xf32>) {
  %y = graph.global_lp_pool %x {p = -1 : i64} : (tensor<1x4x8x8xf32>) -> tensor<1x4x1x1xf32>
  func.return
}

// -----

// CHECK: expected result tensor<1x4x1x1xf32>, got tensor<1x4xf32>
func.func @axes_stay(%x: tensor<1x4x8x8xf32>) {
  %y = graph.global_avg_pool %x : (tensor<1x4x8x8xf32>) -> tensor<1x4xf32>
  func.return
}
