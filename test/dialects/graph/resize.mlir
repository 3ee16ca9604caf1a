// RUN: ROUNDTRIP

// CHECK-LABEL: @by_scales
// CHECK-NEXT:    %y = graph.resize %x {scales = array<f64: 2.000000e+00, 1.500000e+00>, axes = array<i64: 2, -1>} : (tensor<1x2x4x5xi1>) -> tensor<1x2x8x7xi1>
func.func @by_scales(%x: tensor<1x2x4x5xi1>) {
  %y = graph.resize %x {scales = array<f64: 2.0, 1.5>, axes = array<i64: 2, -1>} : (tensor<1x2x4x5xi1>) -> tensor<1x2x8x7xi1>
  func.return
}

// CHECK-LABEL: @by_sizes
// CHECK-NEXT:    %y = graph.resize %x {sizes = array<i64: 3, 9>, mode = "cubic", coordinate_transformation_mode = "align_corners", cubic_coeff_a = -5.000000e-01 : f64, exclude_outside, antialias} : (tensor<4x5xf32>) -> tensor<3x9xf32>
// CHECK-NEXT:    %z = graph.resize %x {sizes = array<i64: 3, 9>, scales = array<f64: 8.000000e-01, 1.800000e+00>, mode = "linear"} : (tensor<4x5xf32>) -> tensor<3x9xf32>
func.func @by_sizes(%x: tensor<4x5xf32>) {
  %y = graph.resize %x {sizes = array<i64: 3, 9>, mode = "cubic", coordinate_transformation_mode = "align_corners", cubic_coeff_a = -0.5, exclude_outside, antialias} : (tensor<4x5xf32>) -> tensor<3x9xf32>
  %z = graph.resize %x {sizes = array<i64: 3, 9>, scales = array<f64: 0.8, 1.8>, mode = "linear"} : (tensor<4x5xf32>) -> tensor<3x9xf32>
  func.return
}

// CHECK-LABEL: @by_region
// CHECK-NEXT:    %y = graph.resize %x roi %r {sizes = array<i64: 3, 9>, coordinate_transformation_mode = "tf_crop_and_resize", nearest_mode = "ceil", extrapolation_value = 7.500000e+00 : f64} : (tensor<4x5xf32>, tensor<4xf32>) -> tensor<3x9xf32>
func.func @by_region(%x: tensor<4x5xf32>, %r: tensor<4xf32>) {
  %y = graph.resize %x roi %r {sizes = array<i64: 3, 9>, coordinate_transformation_mode = "tf_crop_and_resize", nearest_mode = "ceil", extrapolation_value = 7.5} : (tensor<4x5xf32>, tensor<4xf32>) -> tensor<3x9xf32>
  func.return
}
