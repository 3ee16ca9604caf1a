// RUN: glow-opt %s -p recognize-functions,dce | filecheck %s

// CHECK-LABEL: @layer_norm_of_exporters
// CHECK:         graph.layer_norm %x scale %s : tensor<8xf32> bias %b : tensor<8xf32> {axis = 2 : i64, epsilon = 9.99
func.func @layer_norm_of_exporters(%x: tensor<2x3x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.reduce_mean %x {axes = array<i64: 2>, keepdims} : (tensor<2x3x8xf32>) -> tensor<2x3x1xf32>
  %2 = graph.sub %x, %1 : (tensor<2x3x8xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  %3 = graph.literal dense<2.0> : tensor<f32> : tensor<f32>
  %4 = graph.pow %2, %3 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %5 = graph.reduce_mean %4 {axes = array<i64: 2>, keepdims} : (tensor<2x3x8xf32>) -> tensor<2x3x1xf32>
  %6 = graph.literal dense<1.0e-05> : tensor<f32> : tensor<f32>
  %7 = graph.add %5, %6 : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %8 = graph.sqrt %7 : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %9 = graph.div %2, %8 : (tensor<2x3x8xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  %10 = graph.mul %9, %s : (tensor<2x3x8xf32>, tensor<8xf32>) -> tensor<2x3x8xf32>
  %11 = graph.add %b, %10 : (tensor<8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  func.return %11 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @differences_that_are_written_twice
// CHECK:         graph.layer_norm %x {axis = 2 : i64, epsilon = 9.99
func.func @differences_that_are_written_twice(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.reduce_mean %x {axes = array<i64: 2>, keepdims} : (tensor<2x3x8xf32>) -> tensor<2x3x1xf32>
  %2 = graph.sub %x, %1 : (tensor<2x3x8xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  %3 = graph.sub %x, %1 : (tensor<2x3x8xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  %4 = graph.literal dense<2.0> : tensor<f32> : tensor<f32>
  %5 = graph.pow %2, %4 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %6 = graph.reduce_mean %5 {axes = array<i64: 2>, keepdims} : (tensor<2x3x8xf32>) -> tensor<2x3x1xf32>
  %7 = graph.literal dense<1.0e-05> : tensor<f32> : tensor<f32>
  %8 = graph.add %6, %7 : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %9 = graph.sqrt %8 : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %10 = graph.div %3, %9 : (tensor<2x3x8xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  func.return %10 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @products_with_the_reciprocal
// CHECK:         graph.layer_norm %x {axis = 2 : i64, epsilon = 9.99
func.func @products_with_the_reciprocal(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.reduce_mean %x {axes = array<i64: 2>, keepdims} : (tensor<2x3x8xf32>) -> tensor<2x3x1xf32>
  %2 = graph.sub %x, %1 : (tensor<2x3x8xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  %3 = graph.literal dense<2.0> : tensor<f32> : tensor<f32>
  %4 = graph.pow %2, %3 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %5 = graph.reduce_mean %4 {axes = array<i64: 2>, keepdims} : (tensor<2x3x8xf32>) -> tensor<2x3x1xf32>
  %6 = graph.literal dense<1.0e-05> : tensor<f32> : tensor<f32>
  %7 = graph.add %5, %6 : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %8 = graph.sqrt %7 : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %9 = graph.reciprocal %8 : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %10 = graph.mul %9, %2 : (tensor<2x3x1xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  func.return %10 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @products_with_a_quotient
// CHECK:         graph.layer_norm %x {axis = 1 : i64, epsilon = 0.001
func.func @products_with_a_quotient(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.reduce_mean %x {axes = array<i64: 1, 2>, keepdims} : (tensor<2x3x8xf32>) -> tensor<2x1x1xf32>
  %2 = graph.sub %x, %1 : (tensor<2x3x8xf32>, tensor<2x1x1xf32>) -> tensor<2x3x8xf32>
  %3 = graph.literal dense<2.0> : tensor<f32> : tensor<f32>
  %4 = graph.pow %2, %3 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %5 = graph.reduce_mean %4 {axes = array<i64: 1, 2>, keepdims} : (tensor<2x3x8xf32>) -> tensor<2x1x1xf32>
  %6 = graph.literal dense<1.0e-03> : tensor<f32> : tensor<f32>
  %7 = graph.add %5, %6 : (tensor<2x1x1xf32>, tensor<f32>) -> tensor<2x1x1xf32>
  %8 = graph.sqrt %7 : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  %9 = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %10 = graph.div %9, %8 : (tensor<f32>, tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  %11 = graph.mul %2, %10 : (tensor<2x3x8xf32>, tensor<2x1x1xf32>) -> tensor<2x3x8xf32>
  func.return %11 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @rms_norm_of_exporters
// CHECK:         graph.rms_norm %x scale %s : tensor<8xf32> {axis = 2 : i64, epsilon = 
func.func @rms_norm_of_exporters(%x: tensor<2x3x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.literal dense<2.0> : tensor<f32> : tensor<f32>
  %2 = graph.pow %x, %1 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %3 = graph.reduce_mean %2 {axes = array<i64: 2>, keepdims} : (tensor<2x3x8xf32>) -> tensor<2x3x1xf32>
  %4 = graph.literal dense<1.0e-06> : tensor<f32> : tensor<f32>
  %5 = graph.add %4, %3 : (tensor<f32>, tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %6 = graph.sqrt %5 : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %7 = graph.reciprocal %6 : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %8 = graph.mul %x, %7 : (tensor<2x3x8xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  %9 = graph.mul %s, %8 : (tensor<8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  func.return %9 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @powers_of_minus_a_half
// CHECK:         graph.rms_norm %x {axis = 2 : i64
func.func @powers_of_minus_a_half(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.mul %x, %x : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %2 = graph.reduce_mean %1 {axes = array<i64: 2>, keepdims} : (tensor<2x3x8xf32>) -> tensor<2x3x1xf32>
  %3 = graph.literal dense<1.0e-06> : tensor<f32> : tensor<f32>
  %4 = graph.add %3, %2 : (tensor<f32>, tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %5 = graph.literal dense<-0.5> : tensor<f32> : tensor<f32>
  %6 = graph.pow %4, %5 : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %7 = graph.mul %x, %6 : (tensor<2x3x8xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  func.return %7 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @other_axes_than_the_last_are_kept
// CHECK-NOT:     norm
// CHECK:         graph.sqrt
func.func @other_axes_than_the_last_are_kept(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.reduce_mean %x {axes = array<i64: 1>, keepdims} : (tensor<2x3x8xf32>) -> tensor<2x1x8xf32>
  %2 = graph.sub %x, %1 : (tensor<2x3x8xf32>, tensor<2x1x8xf32>) -> tensor<2x3x8xf32>
  %3 = graph.literal dense<2.0> : tensor<f32> : tensor<f32>
  %4 = graph.pow %2, %3 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %5 = graph.reduce_mean %4 {axes = array<i64: 1>, keepdims} : (tensor<2x3x8xf32>) -> tensor<2x1x8xf32>
  %6 = graph.literal dense<1.0e-05> : tensor<f32> : tensor<f32>
  %7 = graph.add %5, %6 : (tensor<2x1x8xf32>, tensor<f32>) -> tensor<2x1x8xf32>
  %8 = graph.sqrt %7 : (tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %9 = graph.div %2, %8 : (tensor<2x3x8xf32>, tensor<2x1x8xf32>) -> tensor<2x3x8xf32>
  func.return %9 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @axes_that_differ_are_no_layer_norm
// CHECK:         graph.sub
// CHECK:         graph.rms_norm %{{.*}} {axis = 1 : i64
func.func @axes_that_differ_are_no_layer_norm(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.reduce_mean %x {axes = array<i64: 2>, keepdims} : (tensor<2x3x8xf32>) -> tensor<2x3x1xf32>
  %2 = graph.sub %x, %1 : (tensor<2x3x8xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  %3 = graph.mul %2, %2 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %4 = graph.reduce_mean %3 {axes = array<i64: 1, 2>, keepdims} : (tensor<2x3x8xf32>) -> tensor<2x1x1xf32>
  %5 = graph.literal dense<1.0e-05> : tensor<f32> : tensor<f32>
  %6 = graph.add %4, %5 : (tensor<2x1x1xf32>, tensor<f32>) -> tensor<2x1x1xf32>
  %7 = graph.sqrt %6 : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  %8 = graph.div %2, %7 : (tensor<2x3x8xf32>, tensor<2x1x1xf32>) -> tensor<2x3x8xf32>
  func.return %8 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @the_mean_of_another_value_is_kept
// CHECK:         graph.sub
// CHECK:         graph.rms_norm
func.func @the_mean_of_another_value_is_kept(%x: tensor<2x3x8xf32>, %y: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.reduce_mean %y {axes = array<i64: 2>, keepdims} : (tensor<2x3x8xf32>) -> tensor<2x3x1xf32>
  %2 = graph.sub %x, %1 : (tensor<2x3x8xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  %3 = graph.mul %2, %2 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %4 = graph.reduce_mean %3 {axes = array<i64: 2>, keepdims} : (tensor<2x3x8xf32>) -> tensor<2x3x1xf32>
  %5 = graph.literal dense<1.0e-06> : tensor<f32> : tensor<f32>
  %6 = graph.add %5, %4 : (tensor<f32>, tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %7 = graph.sqrt %6 : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %8 = graph.div %2, %7 : (tensor<2x3x8xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  func.return %8 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @the_square_of_another_value_is_kept
// CHECK-NOT:     norm
// CHECK:         graph.div
func.func @the_square_of_another_value_is_kept(%x: tensor<2x3x8xf32>, %y: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.mul %y, %y : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %2 = graph.reduce_mean %1 {axes = array<i64: 2>, keepdims} : (tensor<2x3x8xf32>) -> tensor<2x3x1xf32>
  %3 = graph.literal dense<1.0e-05> : tensor<f32> : tensor<f32>
  %4 = graph.add %2, %3 : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %5 = graph.sqrt %4 : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %6 = graph.div %x, %5 : (tensor<2x3x8xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  func.return %6 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @a_cube_is_kept
// CHECK-NOT:     norm
// CHECK:         graph.div
func.func @a_cube_is_kept(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.literal dense<3.0> : tensor<f32> : tensor<f32>
  %2 = graph.pow %x, %1 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %3 = graph.reduce_mean %2 {axes = array<i64: 2>, keepdims} : (tensor<2x3x8xf32>) -> tensor<2x3x1xf32>
  %4 = graph.literal dense<1.0e-05> : tensor<f32> : tensor<f32>
  %5 = graph.add %3, %4 : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %6 = graph.sqrt %5 : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %7 = graph.div %x, %6 : (tensor<2x3x8xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  func.return %7 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @an_unknown_epsilon_is_kept
// CHECK-NOT:     norm
// CHECK:         graph.div
func.func @an_unknown_epsilon_is_kept(%x: tensor<2x3x8xf32>, %e: tensor<f32>) -> tensor<2x3x8xf32> {
  %1 = graph.mul %x, %x : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %2 = graph.reduce_mean %1 {axes = array<i64: 2>, keepdims} : (tensor<2x3x8xf32>) -> tensor<2x3x1xf32>
  %3 = graph.add %2, %e : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %4 = graph.sqrt %3 : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %5 = graph.div %x, %4 : (tensor<2x3x8xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  func.return %5 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @a_product_with_the_root_is_kept
// CHECK-NOT:     norm
// CHECK:         graph.sqrt
func.func @a_product_with_the_root_is_kept(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.mul %x, %x : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %2 = graph.reduce_mean %1 {axes = array<i64: 2>, keepdims} : (tensor<2x3x8xf32>) -> tensor<2x3x1xf32>
  %3 = graph.literal dense<1.0e-05> : tensor<f32> : tensor<f32>
  %4 = graph.add %2, %3 : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %5 = graph.sqrt %4 : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %6 = graph.mul %x, %5 : (tensor<2x3x8xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  func.return %6 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @a_scale_along_other_axes_is_kept
// CHECK:         graph.rms_norm %x {axis
// CHECK:         graph.mul
func.func @a_scale_along_other_axes_is_kept(%x: tensor<2x3x8xf32>, %s: tensor<3x1xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.mul %x, %x : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %2 = graph.reduce_mean %1 {axes = array<i64: 2>, keepdims} : (tensor<2x3x8xf32>) -> tensor<2x3x1xf32>
  %3 = graph.literal dense<1.0e-06> : tensor<f32> : tensor<f32>
  %4 = graph.add %3, %2 : (tensor<f32>, tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %5 = graph.sqrt %4 : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %6 = graph.div %x, %5 : (tensor<2x3x8xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  %7 = graph.mul %6, %s : (tensor<2x3x8xf32>, tensor<3x1xf32>) -> tensor<2x3x8xf32>
  func.return %7 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @a_scale_behind_the_bias_is_kept
// CHECK:         graph.layer_norm %x bias %b
// CHECK:         graph.mul
func.func @a_scale_behind_the_bias_is_kept(%x: tensor<2x3x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.reduce_mean %x {axes = array<i64: 2>, keepdims} : (tensor<2x3x8xf32>) -> tensor<2x3x1xf32>
  %2 = graph.sub %x, %1 : (tensor<2x3x8xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  %3 = graph.literal dense<2.0> : tensor<f32> : tensor<f32>
  %4 = graph.pow %2, %3 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %5 = graph.reduce_mean %4 {axes = array<i64: 2>, keepdims} : (tensor<2x3x8xf32>) -> tensor<2x3x1xf32>
  %6 = graph.literal dense<1.0e-05> : tensor<f32> : tensor<f32>
  %7 = graph.add %5, %6 : (tensor<2x3x1xf32>, tensor<f32>) -> tensor<2x3x1xf32>
  %8 = graph.sqrt %7 : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %9 = graph.div %2, %8 : (tensor<2x3x8xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  %10 = graph.add %9, %b : (tensor<2x3x8xf32>, tensor<8xf32>) -> tensor<2x3x8xf32>
  %11 = graph.mul %10, %s : (tensor<2x3x8xf32>, tensor<8xf32>) -> tensor<2x3x8xf32>
  func.return %11 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @a_second_scale_is_kept
// CHECK:         graph.rms_norm %x scale %s
// CHECK:         graph.mul
func.func @a_second_scale_is_kept(%x: tensor<2x3x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.mul %x, %x : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %2 = graph.reduce_mean %1 {axes = array<i64: 2>, keepdims} : (tensor<2x3x8xf32>) -> tensor<2x3x1xf32>
  %3 = graph.literal dense<1.0e-06> : tensor<f32> : tensor<f32>
  %4 = graph.add %3, %2 : (tensor<f32>, tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %5 = graph.sqrt %4 : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %6 = graph.div %x, %5 : (tensor<2x3x8xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  %7 = graph.mul %6, %s : (tensor<2x3x8xf32>, tensor<8xf32>) -> tensor<2x3x8xf32>
  %8 = graph.mul %7, %b : (tensor<2x3x8xf32>, tensor<8xf32>) -> tensor<2x3x8xf32>
  func.return %8 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @a_norm_that_others_read_is_kept
// CHECK:         graph.rms_norm %x {axis
// CHECK:         graph.mul
// CHECK:         graph.add
func.func @a_norm_that_others_read_is_kept(%x: tensor<2x3x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.mul %x, %x : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %2 = graph.reduce_mean %1 {axes = array<i64: 2>, keepdims} : (tensor<2x3x8xf32>) -> tensor<2x3x1xf32>
  %3 = graph.literal dense<1.0e-06> : tensor<f32> : tensor<f32>
  %4 = graph.add %3, %2 : (tensor<f32>, tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %5 = graph.sqrt %4 : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %6 = graph.div %x, %5 : (tensor<2x3x8xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  %7 = graph.mul %6, %s : (tensor<2x3x8xf32>, tensor<8xf32>) -> tensor<2x3x8xf32>
  %8 = graph.add %7, %6 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  func.return %8 : tensor<2x3x8xf32>
}
