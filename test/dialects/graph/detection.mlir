// RUN: ROUNDTRIP

// CHECK-LABEL: @regions
// CHECK-NEXT:    %y = graph.roi_align %x, %r, %b : (tensor<2x4x8x8xf32>, tensor<5x4xf32>, tensor<5xi64>) -> tensor<5x4x1x1xf32>
// CHECK-NEXT:    %z = graph.roi_align %x, %r, %b {output_height = 2 : i64, output_width = 3 : i64, sampling_ratio = 2 : i64, spatial_scale = 5.000000e-01 : f64, mode = "max", coordinate_transformation_mode = "half_pixel"} : (tensor<2x4x8x8xf32>, tensor<5x4xf32>, tensor<5xi64>) -> tensor<5x4x2x3xf32>
func.func @regions(%x: tensor<2x4x8x8xf32>, %r: tensor<5x4xf32>, %b: tensor<5xi64>) {
  %y = graph.roi_align %x, %r, %b : (tensor<2x4x8x8xf32>, tensor<5x4xf32>, tensor<5xi64>) -> tensor<5x4x1x1xf32>
  %z = graph.roi_align %x, %r, %b {output_height = 2 : i64, output_width = 3 : i64, sampling_ratio = 2 : i64, spatial_scale = 5.000000e-01 : f64, mode = "max", coordinate_transformation_mode = "half_pixel"} : (tensor<2x4x8x8xf32>, tensor<5x4xf32>, tensor<5xi64>) -> tensor<5x4x2x3xf32>
  func.return
}

// CHECK-LABEL: @boxes
// CHECK-NEXT:    %i, %n = graph.non_max_suppression %b, %s {max_output = 3 : i64} : (tensor<1x6x4xf32>, tensor<1x2x6xf32>) -> (tensor<6x3xi64>, tensor<i64>)
// CHECK-NEXT:    %j, %m = graph.non_max_suppression %b, %s {max_output = 9 : i64, iou_threshold = 5.000000e-01 : f64, score_threshold = 0.000000e+00 : f64, center_point_box} : (tensor<1x6x4xf32>, tensor<1x2x6xf32>) -> (tensor<12x3xi64>, tensor<i64>)
func.func @boxes(%b: tensor<1x6x4xf32>, %s: tensor<1x2x6xf32>) {
  %i, %n = graph.non_max_suppression %b, %s {max_output = 3 : i64} : (tensor<1x6x4xf32>, tensor<1x2x6xf32>) -> (tensor<6x3xi64>, tensor<i64>)
  %j, %m = graph.non_max_suppression %b, %s {max_output = 9 : i64, iou_threshold = 5.000000e-01 : f64, score_threshold = 0.000000e+00 : f64, center_point_box} : (tensor<1x6x4xf32>, tensor<1x2x6xf32>) -> (tensor<12x3xi64>, tensor<i64>)
  func.return
}
