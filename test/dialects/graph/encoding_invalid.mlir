// RUN: REFUSED

// CHECK: expected an i32 or i64 element type, got f32
func.func @indices_are_no_integers(%i: tensor<3xf32>, %v: tensor<2xf32>) {
  %y = graph.one_hot %i, %v {depth = 5 : i64} : (tensor<3xf32>, tensor<2xf32>) -> tensor<3x5xf32>
  func.return
}

// -----

// CHECK: expected values of shape [2], got tensor<3xf32>
func.func @three_values(%i: tensor<3xi64>, %v: tensor<3xf32>) {
  %y = graph.one_hot %i, %v {depth = 5 : i64} : (tensor<3xi64>, tensor<3xf32>) -> tensor<3x5xf32>
  func.return
}

// -----

// CHECK: expected a depth of at least 1, got 0
func.func @no_depth(%i: tensor<3xi64>, %v: tensor<2xf32>) {
  %y = graph.one_hot %i, %v {depth = 0 : i64} : (tensor<3xi64>, tensor<2xf32>) -> tensor<3x0xf32>
  func.return
}

// -----

// CHECK: expected an axis in [-2, 1], got 2
func.func @no_such_axis(%i: tensor<3xi64>, %v: tensor<2xf32>) {
  %y = graph.one_hot %i, %v {depth = 5 : i64, axis = 2 : i64} : (tensor<3xi64>, tensor<2xf32>) -> tensor<3x5xf32>
  func.return
}

// -----

// CHECK: expected result tensor<3x5xf32>, got tensor<3x4xf32>
func.func @another_depth(%i: tensor<3xi64>, %v: tensor<2xf32>) {
  %y = graph.one_hot %i, %v {depth = 5 : i64} : (tensor<3xi64>, tensor<2xf32>) -> tensor<3x4xf32>
  func.return
}
