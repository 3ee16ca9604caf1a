// RUN: REFUSED

// CHECK: expected an axis in [-2, 1], got 2
func.func @axis_is_out_of_range(%x: tensor<2x3xf32>) {
  %y = graph.reduce_sum %x {axes = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected distinct axes, got [1, -1]
func.func @axes_repeat(%x: tensor<2x3xf32>) {
  %y = graph.reduce_sum %x {axes = array<i64: 1, -1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected result tensor<2x1xf32>, got tensor<2xf32>
func.func @axis_is_kept(%x: tensor<2x3xf32>) {
  %y = graph.reduce_max %x {axes = array<i64: 1>, keepdims} : (tensor<2x3xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected a float or an integer of 32 or 64 bits element type, got i1
func.func @bools_have_no_sum(%x: tensor<2x3xi1>) {
  %y = graph.reduce_sum %x {axes = array<i64: 1>} : (tensor<2x3xi1>) -> tensor<2xi1>
  func.return
}

// -----

// CHECK: property 'axes' expected in operation 'graph.reduce_sum'
func.func @axes_are_given(%x: tensor<2x3xf32>) {
  %y = graph.reduce_sum %x : (tensor<2x3xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected a float or an integer of 32 or 64 bits element type, got ui8
func.func @narrow_sum(%x: tensor<2x3xui8>) {
  %y = graph.reduce_sum %x {axes = array<i64: 1>, keepdims} : (tensor<2x3xui8>) -> tensor<2x1xui8>
  func.return
}
