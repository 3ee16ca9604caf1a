// RUN: ROUNDTRIP

// CHECK-LABEL: @reduce_sum
// CHECK: %y = graph.reduce_sum %x {axes = array<i64: 0, -1>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
func.func @reduce_sum(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_sum %x {axes = array<i64: 0, -1>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  func.return
}

// CHECK-LABEL: @reduce_sum_keeps_axes
// CHECK: %y = graph.reduce_sum %x {axes = array<i64: 1>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
func.func @reduce_sum_keeps_axes(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_sum %x {axes = array<i64: 1>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  func.return
}

// CHECK-LABEL: @reduce_sum_without_axes
// CHECK: %y = graph.reduce_sum %x {axes = array<i64>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
func.func @reduce_sum_without_axes(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_sum %x {axes = array<i64>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: @reduce_mean
// CHECK: %y = graph.reduce_mean %x {axes = array<i64: 0, -1>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
func.func @reduce_mean(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_mean %x {axes = array<i64: 0, -1>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  func.return
}

// CHECK-LABEL: @reduce_mean_keeps_axes
// CHECK: %y = graph.reduce_mean %x {axes = array<i64: 1>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
func.func @reduce_mean_keeps_axes(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_mean %x {axes = array<i64: 1>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  func.return
}

// CHECK-LABEL: @reduce_mean_without_axes
// CHECK: %y = graph.reduce_mean %x {axes = array<i64>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
func.func @reduce_mean_without_axes(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_mean %x {axes = array<i64>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: @reduce_max
// CHECK: %y = graph.reduce_max %x {axes = array<i64: 0, -1>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
func.func @reduce_max(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_max %x {axes = array<i64: 0, -1>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  func.return
}

// CHECK-LABEL: @reduce_max_keeps_axes
// CHECK: %y = graph.reduce_max %x {axes = array<i64: 1>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
func.func @reduce_max_keeps_axes(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_max %x {axes = array<i64: 1>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  func.return
}

// CHECK-LABEL: @reduce_max_without_axes
// CHECK: %y = graph.reduce_max %x {axes = array<i64>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
func.func @reduce_max_without_axes(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_max %x {axes = array<i64>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: @reduce_min
// CHECK: %y = graph.reduce_min %x {axes = array<i64: 0, -1>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
func.func @reduce_min(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_min %x {axes = array<i64: 0, -1>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  func.return
}

// CHECK-LABEL: @reduce_min_keeps_axes
// CHECK: %y = graph.reduce_min %x {axes = array<i64: 1>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
func.func @reduce_min_keeps_axes(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_min %x {axes = array<i64: 1>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  func.return
}

// CHECK-LABEL: @reduce_min_without_axes
// CHECK: %y = graph.reduce_min %x {axes = array<i64>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
func.func @reduce_min_without_axes(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_min %x {axes = array<i64>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: @reduce_prod
// CHECK: %y = graph.reduce_prod %x {axes = array<i64: 0, -1>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
func.func @reduce_prod(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_prod %x {axes = array<i64: 0, -1>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  func.return
}

// CHECK-LABEL: @reduce_prod_keeps_axes
// CHECK: %y = graph.reduce_prod %x {axes = array<i64: 1>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
func.func @reduce_prod_keeps_axes(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_prod %x {axes = array<i64: 1>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  func.return
}

// CHECK-LABEL: @reduce_prod_without_axes
// CHECK: %y = graph.reduce_prod %x {axes = array<i64>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
func.func @reduce_prod_without_axes(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_prod %x {axes = array<i64>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: @reduce_l1
// CHECK: %y = graph.reduce_l1 %x {axes = array<i64: 0, -1>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
func.func @reduce_l1(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_l1 %x {axes = array<i64: 0, -1>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  func.return
}

// CHECK-LABEL: @reduce_l1_keeps_axes
// CHECK: %y = graph.reduce_l1 %x {axes = array<i64: 1>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
func.func @reduce_l1_keeps_axes(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_l1 %x {axes = array<i64: 1>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  func.return
}

// CHECK-LABEL: @reduce_l1_without_axes
// CHECK: %y = graph.reduce_l1 %x {axes = array<i64>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
func.func @reduce_l1_without_axes(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_l1 %x {axes = array<i64>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: @reduce_l2
// CHECK: %y = graph.reduce_l2 %x {axes = array<i64: 0, -1>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
func.func @reduce_l2(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_l2 %x {axes = array<i64: 0, -1>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  func.return
}

// CHECK-LABEL: @reduce_l2_keeps_axes
// CHECK: %y = graph.reduce_l2 %x {axes = array<i64: 1>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
func.func @reduce_l2_keeps_axes(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_l2 %x {axes = array<i64: 1>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  func.return
}

// CHECK-LABEL: @reduce_l2_without_axes
// CHECK: %y = graph.reduce_l2 %x {axes = array<i64>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
func.func @reduce_l2_without_axes(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_l2 %x {axes = array<i64>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: @reduce_sum_square
// CHECK: %y = graph.reduce_sum_square %x {axes = array<i64: 0, -1>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
func.func @reduce_sum_square(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_sum_square %x {axes = array<i64: 0, -1>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  func.return
}

// CHECK-LABEL: @reduce_sum_square_keeps_axes
// CHECK: %y = graph.reduce_sum_square %x {axes = array<i64: 1>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
func.func @reduce_sum_square_keeps_axes(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_sum_square %x {axes = array<i64: 1>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  func.return
}

// CHECK-LABEL: @reduce_sum_square_without_axes
// CHECK: %y = graph.reduce_sum_square %x {axes = array<i64>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
func.func @reduce_sum_square_without_axes(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_sum_square %x {axes = array<i64>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: @reduce_log_sum
// CHECK: %y = graph.reduce_log_sum %x {axes = array<i64: 0, -1>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
func.func @reduce_log_sum(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_log_sum %x {axes = array<i64: 0, -1>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  func.return
}

// CHECK-LABEL: @reduce_log_sum_keeps_axes
// CHECK: %y = graph.reduce_log_sum %x {axes = array<i64: 1>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
func.func @reduce_log_sum_keeps_axes(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_log_sum %x {axes = array<i64: 1>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  func.return
}

// CHECK-LABEL: @reduce_log_sum_without_axes
// CHECK: %y = graph.reduce_log_sum %x {axes = array<i64>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
func.func @reduce_log_sum_without_axes(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_log_sum %x {axes = array<i64>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: @reduce_log_sum_exp
// CHECK: %y = graph.reduce_log_sum_exp %x {axes = array<i64: 0, -1>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
func.func @reduce_log_sum_exp(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_log_sum_exp %x {axes = array<i64: 0, -1>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  func.return
}

// CHECK-LABEL: @reduce_log_sum_exp_keeps_axes
// CHECK: %y = graph.reduce_log_sum_exp %x {axes = array<i64: 1>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
func.func @reduce_log_sum_exp_keeps_axes(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_log_sum_exp %x {axes = array<i64: 1>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  func.return
}

// CHECK-LABEL: @reduce_log_sum_exp_without_axes
// CHECK: %y = graph.reduce_log_sum_exp %x {axes = array<i64>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
func.func @reduce_log_sum_exp_without_axes(%x: tensor<2x3x4xf32>) {
  %y = graph.reduce_log_sum_exp %x {axes = array<i64>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: @reduce_max_of_bools
// CHECK: %y = graph.reduce_max %x {axes = array<i64: 0, 1, 2>} : (tensor<2x3x4xi1>) -> tensor<i1>
func.func @reduce_max_of_bools(%x: tensor<2x3x4xi1>) {
  %y = graph.reduce_max %x {axes = array<i64: 0, 1, 2>} : (tensor<2x3x4xi1>) -> tensor<i1>
  func.return
}
