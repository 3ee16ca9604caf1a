// RUN: REFUSED

// CHECK: expected one element type, got f32, f64
func.func @another_float(%x: tensor<8x4xf32>, %r: tensor<1xi32>, %l: tensor<3xi32>, %t: tensor<3xf64>, %w: tensor<3x2xf32>) {
  %y = graph.tree_ensemble %x, %r, %l, %t, %w {shift = 2 : i64, depth = 1 : i64, aggregate = "sum"} : (tensor<8x4xf32>, tensor<1xi32>, tensor<3xi32>, tensor<3xf64>, tensor<3x2xf32>) -> tensor<8x2xf32>
  func.return
}

// -----

// CHECK: expected roots [T] of i32, got tensor<1xi64>
func.func @roots_of_i64(%x: tensor<8x4xf32>, %r: tensor<1xi64>, %l: tensor<3xi32>, %t: tensor<3xf32>, %w: tensor<3x2xf32>) {
  %y = graph.tree_ensemble %x, %r, %l, %t, %w {shift = 2 : i64, depth = 1 : i64, aggregate = "sum"} : (tensor<8x4xf32>, tensor<1xi64>, tensor<3xi32>, tensor<3xf32>, tensor<3x2xf32>) -> tensor<8x2xf32>
  func.return
}

// -----

// CHECK: expected an i32 or i64 element type, got f32
func.func @links_of_floats(%x: tensor<8x4xf32>, %r: tensor<1xi32>, %l: tensor<3xf32>, %t: tensor<3xf32>, %w: tensor<3x2xf32>) {
  %y = graph.tree_ensemble %x, %r, %l, %t, %w {shift = 2 : i64, depth = 1 : i64, aggregate = "sum"} : (tensor<8x4xf32>, tensor<1xi32>, tensor<3xf32>, tensor<3xf32>, tensor<3x2xf32>) -> tensor<8x2xf32>
  func.return
}

// -----

// CHECK: expected a float element type, got i32
func.func @weights_of_integers(%x: tensor<8x4xf32>, %r: tensor<1xi32>, %l: tensor<3xi32>, %t: tensor<3xf32>, %w: tensor<3x2xi32>) {
  %y = graph.tree_ensemble %x, %r, %l, %t, %w {shift = 2 : i64, depth = 1 : i64, aggregate = "sum"} : (tensor<8x4xf32>, tensor<1xi32>, tensor<3xi32>, tensor<3xf32>, tensor<3x2xi32>) -> tensor<8x2xi32>
  func.return
}

// -----

// CHECK: expected links of shape [3], got tensor<2xi32>
func.func @fewer_links(%x: tensor<8x4xf32>, %r: tensor<1xi32>, %l: tensor<2xi32>, %t: tensor<3xf32>, %w: tensor<3x2xf32>) {
  %y = graph.tree_ensemble %x, %r, %l, %t, %w {shift = 2 : i64, depth = 1 : i64, aggregate = "sum"} : (tensor<8x4xf32>, tensor<1xi32>, tensor<2xi32>, tensor<3xf32>, tensor<3x2xf32>) -> tensor<8x2xf32>
  func.return
}

// -----

// CHECK: expected thresholds of shape [3], got tensor<2xf32>
func.func @fewer_thresholds(%x: tensor<8x4xf32>, %r: tensor<1xi32>, %l: tensor<3xi32>, %t: tensor<2xf32>, %w: tensor<3x2xf32>) {
  %y = graph.tree_ensemble %x, %r, %l, %t, %w {shift = 2 : i64, depth = 1 : i64, aggregate = "sum"} : (tensor<8x4xf32>, tensor<1xi32>, tensor<3xi32>, tensor<2xf32>, tensor<3x2xf32>) -> tensor<8x2xf32>
  func.return
}

// -----

// CHECK: expected at least one feature, at least one node and fewer than 2^31 weights, got 0, 3 and 6
func.func @no_feature(%x: tensor<8x0xf32>, %r: tensor<1xi32>, %l: tensor<3xi32>, %t: tensor<3xf32>, %w: tensor<3x2xf32>) {
  %y = graph.tree_ensemble %x, %r, %l, %t, %w {shift = 2 : i64, depth = 1 : i64, aggregate = "sum"} : (tensor<8x0xf32>, tensor<1xi32>, tensor<3xi32>, tensor<3xf32>, tensor<3x2xf32>) -> tensor<8x2xf32>
  func.return
}

// -----

// CHECK: expected a shift in [0, 31] and a depth from 1, got -1 and 1
func.func @negative_shift(%x: tensor<8x4xf32>, %r: tensor<1xi32>, %l: tensor<3xi32>, %t: tensor<3xf32>, %w: tensor<3x2xf32>) {
  %y = graph.tree_ensemble %x, %r, %l, %t, %w {shift = -1 : i64, depth = 1 : i64, aggregate = "sum"} : (tensor<8x4xf32>, tensor<1xi32>, tensor<3xi32>, tensor<3xf32>, tensor<3x2xf32>) -> tensor<8x2xf32>
  func.return
}

// -----

// CHECK: expected a shift in [0, 31] and a depth from 1, got 2 and 0
func.func @no_step(%x: tensor<8x4xf32>, %r: tensor<1xi32>, %l: tensor<3xi32>, %t: tensor<3xf32>, %w: tensor<3x2xf32>) {
  %y = graph.tree_ensemble %x, %r, %l, %t, %w {shift = 2 : i64, depth = 0 : i64, aggregate = "sum"} : (tensor<8x4xf32>, tensor<1xi32>, tensor<3xi32>, tensor<3xf32>, tensor<3x2xf32>) -> tensor<8x2xf32>
  func.return
}

// -----

// CHECK: expected an aggregate out of sum, min, max, got "mean"
func.func @another_aggregate(%x: tensor<8x4xf32>, %r: tensor<1xi32>, %l: tensor<3xi32>, %t: tensor<3xf32>, %w: tensor<3x2xf32>) {
  %y = graph.tree_ensemble %x, %r, %l, %t, %w {shift = 2 : i64, depth = 1 : i64, aggregate = "mean"} : (tensor<8x4xf32>, tensor<1xi32>, tensor<3xi32>, tensor<3xf32>, tensor<3x2xf32>) -> tensor<8x2xf32>
  func.return
}
