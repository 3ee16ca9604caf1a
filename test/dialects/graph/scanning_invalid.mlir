// RUN: REFUSED

// CHECK: expected a float or an integer of 32 or 64 bits element type, got i1
func.func @sum_of_bools(%x: tensor<8xi1>) {
  %y = graph.cumsum %x : (tensor<8xi1>) -> tensor<8xi1>
  func.return
}

// -----

// CHECK: expected an axis in [-1, 0], got 1
func.func @no_such_axis(%x: tensor<8xf32>) {
  %y = graph.cumsum %x {axis = 1 : i64} : (tensor<8xf32>) -> tensor<8xf32>
  func.return
}

// -----

// CHECK: expected result tensor<8xf32>, got tensor<9xf32>
func.func @sums_of_another_shape(%x: tensor<8xf32>) {
  %y = graph.cumsum %x : (tensor<8xf32>) -> tensor<9xf32>
  func.return
}

// -----

// CHECK: expected an input of rank 2 or more, got tensor<8xf32>
func.func @no_matrix(%x: tensor<8xf32>) {
  %y = graph.trilu %x : (tensor<8xf32>) -> tensor<8xf32>
  func.return
}

// -----

// CHECK: expected a k of one element, got tensor<2xi64>
func.func @two_diagonals(%x: tensor<8x8xf32>, %k: tensor<2xi64>) {
  %y = graph.trilu %x diagonal %k : (tensor<8x8xf32>, tensor<2xi64>) -> tensor<8x8xf32>
  func.return
}

// -----

// CHECK: expected an i32 or i64 element type, got f32
func.func @diagonal_is_no_integer(%x: tensor<8x8xf32>, %k: tensor<f32>) {
  %y = graph.trilu %x diagonal %k : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  func.return
}
