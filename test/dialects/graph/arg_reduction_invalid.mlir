// RUN: REFUSED

// CHECK: expected an axis in [-2, 1], got 3
func.func @axis_is_out_of_range(%x: tensor<2x3xf32>) {
  %y = graph.arg_max %x {axis = 3} : (tensor<2x3xf32>) -> tensor<2xi64>
  func.return
}

// -----

// CHECK: expected elements along axis 0, got none
func.func @nothing_is_largest(%x: tensor<0x3xf32>) {
  %y = graph.arg_max %x : (tensor<0x3xf32>) -> tensor<3xi64>
  func.return
}

// -----

// CHECK: expected result tensor<3xi64>, got tensor<3xf32>
func.func @index_is_i64(%x: tensor<2x3xf32>) {
  %y = graph.arg_min %x : (tensor<2x3xf32>) -> tensor<3xf32>
  func.return
}

// -----

// CHECK: expected a float or integer element type, got i1
func.func @bools_have_no_order(%x: tensor<2x3xi1>) {
  %y = graph.arg_min %x : (tensor<2x3xi1>) -> tensor<3xi64>
  func.return
}
