// RUN: ROUNDTRIP

// CHECK-LABEL: @resize
func.func @resize(%x: memref<1x8x4x4xf32>, %y: memref<1x8x8x3xf32>, %r: memref<4xf32>, %p: memref<22xi32>, %w: memref<22xf32>) {
  // CHECK: memory.resize ins(%x : memref<1x8x4x4xf32>) outs(%y : memref<1x8x8x3xf32>) {axes = array<i64: 2, 3>, scales = array<f64: 2.000000e+00, 8.000000e-01>, mode = "nearest", coordinates = "half_pixel", rounding = "floor", cubic_coeff_a = -7.500000e-01 : f64, extrapolation_value = 0.000000e+00 : f64}
  memory.resize ins(%x : memref<1x8x4x4xf32>) outs(%y : memref<1x8x8x3xf32>) {axes = array<i64: 2, 3>, scales = array<f64: 2.0, 0.8>, mode = "nearest", coordinates = "half_pixel", rounding = "floor", cubic_coeff_a = -0.75 : f64, extrapolation_value = 0.0 : f64}
  // CHECK: memory.resize ins(%x : memref<1x8x4x4xf32>) outs(%y : memref<1x8x8x3xf32>) {axes = array<i64: 2, 3>, scales = array<f64: 2.000000e+00, 8.000000e-01>, region = array<f64: 1.000000e-01, 2.000000e-01, 9.000000e-01, 8.000000e-01>, mode = "cubic", coordinates = "tf_crop_and_resize", rounding = "floor", cubic_coeff_a = -7.500000e-01 : f64, exclude_outside, antialias, extrapolation_value = 1.000000e+00 : f64}
  memory.resize ins(%x : memref<1x8x4x4xf32>) outs(%y : memref<1x8x8x3xf32>) {axes = array<i64: 2, 3>, scales = array<f64: 2.0, 0.8>, region = array<f64: 0.1, 0.2, 0.9, 0.8>, mode = "cubic", coordinates = "tf_crop_and_resize", rounding = "floor", cubic_coeff_a = -0.75 : f64, exclude_outside, antialias, extrapolation_value = 1.0 : f64}
  // CHECK: memory.resize ins(%x : memref<1x8x4x4xf32> roi %r : memref<4xf32>) outs(%y : memref<1x8x8x3xf32>) positions %p : memref<22xi32> {axes
  memory.resize ins(%x : memref<1x8x4x4xf32> roi %r : memref<4xf32>) outs(%y : memref<1x8x8x3xf32>) positions %p : memref<22xi32> {axes = array<i64: 2, 3>, scales = array<f64: 2.0, 0.8>, mode = "nearest", coordinates = "tf_crop_and_resize", rounding = "floor", cubic_coeff_a = -0.75 : f64, extrapolation_value = 1.0 : f64}
  // CHECK: memory.resize ins(%x : memref<1x8x4x4xf32> roi %r : memref<4xf32>) outs(%y : memref<1x8x8x3xf32>) positions %p : memref<22xi32> weights %w : memref<22xf32> {axes
  memory.resize ins(%x : memref<1x8x4x4xf32> roi %r : memref<4xf32>) outs(%y : memref<1x8x8x3xf32>) positions %p : memref<22xi32> weights %w : memref<22xf32> {axes = array<i64: 2, 3>, scales = array<f64: 2.0, 0.8>, mode = "linear", coordinates = "tf_crop_and_resize", rounding = "floor", cubic_coeff_a = -0.75 : f64, extrapolation_value = 1.0 : f64}
  func.return
}
