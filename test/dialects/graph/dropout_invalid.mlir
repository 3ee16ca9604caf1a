// RUN: REFUSED

// CHECK: expected a scalar ratio, got tensor<2x3xf32>
func.func @ratio_has_axes(%x: tensor<2x3xf32>) {
  %y = graph.dropout %x ratio %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expected a float element type, got i64
func.func @ratio_is_whole(%x: tensor<2x3xf32>, %r: tensor<i64>) {
  %y = graph.dropout %x ratio %r : (tensor<2x3xf32>, tensor<i64>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expected 1 results, got 2
func.func @mask_is_announced(%x: tensor<2x3xf32>) {
  %y, %m = graph.dropout %x : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi1>)
  func.return
}

// -----

// CHECK: expected mask tensor<2x3xi1>, got tensor<2x3xf32>
func.func @mask_is_of_truth_values(%x: tensor<2x3xf32>) {
  %y, %m = graph.dropout %x {with_mask} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  func.return
}
