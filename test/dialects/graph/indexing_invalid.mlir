// RUN: REFUSED

// CHECK: expected an integer element type, got f32
func.func @indices_are_no_integers(%x: tensor<8xf32>, %i: tensor<2xf32>) {
  %y = graph.gather %x, %i : (tensor<8xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected an axis in [-1, 0], got 1
func.func @no_such_axis(%x: tensor<8xf32>, %i: tensor<2xi64>) {
  %y = graph.gather %x, %i {axis = 1 : i64} : (tensor<8xf32>, tensor<2xi64>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected an axis in [0, -1], got 0
func.func @scalars_have_no_axis(%x: tensor<f32>, %i: tensor<2xi64>) {
  %y = graph.gather %x, %i : (tensor<f32>, tensor<2xi64>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected result tensor<2x4xf32>, got tensor<8x2xf32>
func.func @result_of_another_shape(%x: tensor<8x4xf32>, %i: tensor<2xi64>) {
  %y = graph.gather %x, %i : (tensor<8x4xf32>, tensor<2xi64>) -> tensor<8x2xf32>
  func.return
}
