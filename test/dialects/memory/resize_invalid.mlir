// RUN: REFUSED

// CHECK: expected a region or a roi, got both
func.func @region_twice(%x: memref<4xf32>, %y: memref<8xf32>, %r: memref<2xf32>, %p: memref<24xi32>, %w: memref<16xf32>) {
  memory.resize ins(%x : memref<4xf32> roi %r : memref<2xf32>) outs(%y : memref<8xf32>) positions %p : memref<24xi32> {axes = array<i64: 0>, scales = array<f64: 2.0>, region = array<f64: 0.0, 1.0>, mode = "nearest", coordinates = "tf_crop_and_resize", rounding = "floor", cubic_coeff_a = -0.75 : f64, extrapolation_value = 1.0 : f64}
  func.return
}

// -----

// CHECK: expected positions with a roi
func.func @nowhere_to_write(%x: memref<4xf32>, %y: memref<8xf32>, %r: memref<2xf32>, %p: memref<24xi32>, %w: memref<16xf32>) {
  memory.resize ins(%x : memref<4xf32> roi %r : memref<2xf32>) outs(%y : memref<8xf32>) {axes = array<i64: 0>, scales = array<f64: 2.0>, mode = "nearest", coordinates = "tf_crop_and_resize", rounding = "floor", cubic_coeff_a = -0.75 : f64, extrapolation_value = 1.0 : f64}
  func.return
}

// -----

// CHECK: expected no positions without a roi
func.func @positions_of_nothing(%x: memref<4xf32>, %y: memref<8xf32>, %r: memref<2xf32>, %p: memref<24xi32>, %w: memref<16xf32>) {
  memory.resize ins(%x : memref<4xf32>) outs(%y : memref<8xf32>) positions %p : memref<24xi32> {axes = array<i64: 0>, scales = array<f64: 2.0>, region = array<f64: 0.0, 1.0>, mode = "nearest", coordinates = "tf_crop_and_resize", rounding = "floor", cubic_coeff_a = -0.75 : f64, extrapolation_value = 1.0 : f64}
  func.return
}

// -----

// CHECK: expected weights beside these positions
func.func @no_weights(%x: memref<4xf32>, %y: memref<8xf32>, %r: memref<2xf32>, %p: memref<24xi32>, %w: memref<16xf32>) {
  memory.resize ins(%x : memref<4xf32> roi %r : memref<2xf32>) outs(%y : memref<8xf32>) positions %p : memref<24xi32> {axes = array<i64: 0>, scales = array<f64: 2.0>, mode = "linear", coordinates = "tf_crop_and_resize", rounding = "floor", cubic_coeff_a = -0.75 : f64, extrapolation_value = 1.0 : f64}
  func.return
}

// -----

// CHECK: expected no weights beside these positions
func.func @weights_of_one(%x: memref<4xf32>, %y: memref<8xf32>, %r: memref<2xf32>, %p: memref<24xi32>, %w: memref<16xf32>) {
  memory.resize ins(%x : memref<4xf32> roi %r : memref<2xf32>) outs(%y : memref<8xf32>) positions %p : memref<24xi32> weights %w : memref<16xf32> {axes = array<i64: 0>, scales = array<f64: 2.0>, mode = "nearest", coordinates = "tf_crop_and_resize", rounding = "floor", cubic_coeff_a = -0.75 : f64, extrapolation_value = 1.0 : f64}
  func.return
}
