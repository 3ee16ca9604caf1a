// RUN: glow-opt %s -p fold-batch-norm --print-debuginfo | filecheck %s

// factor = scale / sqrt(variance + epsilon) = (1, 3); shift = bias - mean * factor = (-1, 3).
// CHECK-LABEL: @convolution(
// CHECK:         [[W:%.*]] = graph.literal dense<{{.*}}2.000000e+00{{.*}}3.000000e+00{{.*}}1.200000e+01{{.*}}1.500000e+01{{.*}} : tensor<2x2x1x1xf32> : {{.*}} loc(fused["conv", "bn"])
// CHECK-NEXT:    [[B:%.*]] = graph.literal dense<[-1.000000e+00, 6.000000e+00]> : tensor<2xf32>
// CHECK-NEXT:    [[Y:%.*]] = graph.conv %x, [[W]] bias [[B]]{{.*}} loc(fused["conv", "bn"])
// CHECK-NEXT:    func.return [[Y]]
func.func @convolution(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = graph.literal dense<[[[[2.0]], [[3.0]]], [[[4.0]], [[5.0]]]]> : tensor<2x2x1x1xf32> : tensor<2x2x1x1xf32>
  %b = graph.literal dense<[0.0, 1.0]> : tensor<2xf32> : tensor<2xf32>
  %s = graph.literal dense<[2.0, 9.0]> : tensor<2xf32> : tensor<2xf32>
  %t = graph.literal dense<[-1.0, 9.0]> : tensor<2xf32> : tensor<2xf32>
  %m = graph.literal dense<[0.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %v = graph.literal dense<[3.0, 8.0]> : tensor<2xf32> : tensor<2xf32>
  %0 = graph.conv %x, %w bias %b : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32> loc("conv")
  %1 = graph.batch_norm %0, %m, %v scale %s : tensor<2xf32> bias %t : tensor<2xf32> {epsilon = 1.0} : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32> loc("bn")
  func.return %1 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: @convolution_without_bias(
// CHECK:         [[B:%.*]] = graph.literal dense<[-1.000000e+00, 3.000000e+00]>
// CHECK-NEXT:    graph.conv %x, %{{.*}} bias [[B]]
// CHECK-NEXT:    func.return
func.func @convolution_without_bias(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = graph.literal dense<2.0> : tensor<2x2x1x1xf32> : tensor<2x2x1x1xf32>
  %s = graph.literal dense<[2.0, 9.0]> : tensor<2xf32> : tensor<2xf32>
  %t = graph.literal dense<[-1.0, 9.0]> : tensor<2xf32> : tensor<2xf32>
  %m = graph.literal dense<[0.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %v = graph.literal dense<[3.0, 8.0]> : tensor<2xf32> : tensor<2xf32>
  %0 = graph.conv %x, %w : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = graph.batch_norm %0, %m, %v scale %s : tensor<2xf32> bias %t : tensor<2xf32> {epsilon = 1.0} : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  func.return %1 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: @scale_and_shift_fold_one_after_the_other(
// CHECK:         graph.literal dense<{{.*}}8.000000e+00{{.*}}8.000000e+00{{.*}}1.600000e+01{{.*}}1.600000e+01{{.*}} : tensor<2x2x1x1xf32>
// CHECK-NEXT:    graph.literal dense<-1.000000e+00> : tensor<2xf32>
// CHECK-NEXT:    graph.conv
// CHECK-NEXT:    func.return
func.func @scale_and_shift_fold_one_after_the_other(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = graph.literal dense<2.0> : tensor<2x2x1x1xf32> : tensor<2x2x1x1xf32>
  %0 = graph.conv %x, %w : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %s = graph.literal dense<[[[2.0]], [[4.0]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  %t = graph.literal dense<0.5> : tensor<f32> : tensor<f32>
  %1 = graph.mul %s, %0 : (tensor<2x1x1xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %2 = graph.sub %1, %t : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %3 = graph.div %2, %t : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  func.return %3 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: @groups_of_a_transposed_convolution(
// CHECK:         graph.literal dense<{{.*}}2.000000e+00{{.*}}4.000000e+00{{.*}} : tensor<2x1x1x1xf32>
// CHECK-NEXT:    graph.literal dense<0.000000e+00> : tensor<2xf32>
// CHECK-NEXT:    graph.conv_transpose
// CHECK-NEXT:    func.return
func.func @groups_of_a_transposed_convolution(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = graph.literal dense<1.0> : tensor<2x1x1x1xf32> : tensor<2x1x1x1xf32>
  %0 = graph.conv_transpose %x, %w {group = 2} : (tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %s = graph.literal dense<[[[2.0]], [[4.0]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  %1 = graph.mul %0, %s : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  func.return %1 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: @columns_of_a_product(
// CHECK:         graph.literal dense<{{.*}}2.000000e+00, 2.000000e+01], [6.000000e+00, 4.000000e+01]]>
// CHECK:         graph.matmul
// CHECK-NEXT:    func.return
func.func @columns_of_a_product(%a: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %w = graph.literal dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  %0 = graph.matmul %a, %w : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %s = graph.literal dense<[2.0, 10.0]> : tensor<2xf32> : tensor<2xf32>
  %1 = graph.mul %0, %s : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  func.return %1 : tensor<3x2xf32>
}

// CHECK-LABEL: @rows_of_a_transposed_weight(
// CHECK:         graph.literal dense<{{.*}}2.000000e+00, 4.000000e+00], [3.000000e+01, 4.000000e+01]]>
// CHECK:         graph.matmul {{.*}} {transpose_rhs}
// CHECK-NEXT:    func.return
func.func @rows_of_a_transposed_weight(%a: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %w = graph.literal dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  %0 = graph.matmul %a, %w {transpose_rhs} : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %s = graph.literal dense<[2.0, 10.0]> : tensor<2xf32> : tensor<2xf32>
  %1 = graph.mul %0, %s : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  func.return %1 : tensor<3x2xf32>
}

// CHECK-LABEL: @batch_norm_of_a_product(
// CHECK:         graph.matmul {{.*}} bias
// CHECK-NEXT:    func.return
func.func @batch_norm_of_a_product(%a: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %w = graph.literal dense<1.0> : tensor<2x2xf32> : tensor<2x2xf32>
  %s = graph.literal dense<[2.0, 9.0]> : tensor<2xf32> : tensor<2xf32>
  %t = graph.literal dense<[-1.0, 9.0]> : tensor<2xf32> : tensor<2xf32>
  %m = graph.literal dense<[0.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %v = graph.literal dense<[3.0, 8.0]> : tensor<2xf32> : tensor<2xf32>
  %0 = graph.matmul %a, %w : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %1 = graph.batch_norm %0, %m, %v scale %s : tensor<2xf32> bias %t : tensor<2xf32> : (tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  func.return %1 : tensor<3x2xf32>
}

// CHECK-LABEL: @shift_needs_no_weight(
// CHECK:         [[B:%.*]] = graph.literal dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-NEXT:    graph.matmul %a, %w bias [[B]]
// CHECK-NEXT:    func.return
func.func @shift_needs_no_weight(%a: tensor<3x2xf32>, %w: tensor<2x2xf32>) -> tensor<3x2xf32> {
  %0 = graph.matmul %a, %w : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %t = graph.literal dense<[[1.0, 2.0]]> : tensor<1x2xf32> : tensor<1x2xf32>
  %1 = graph.add %t, %0 : (tensor<1x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  func.return %1 : tensor<3x2xf32>
}

// What must stay as it is.

// CHECK-LABEL: @unknown_weight_is_kept(
// CHECK:         graph.conv
// CHECK:         graph.batch_norm
func.func @unknown_weight_is_kept(%x: tensor<1x2x4x4xf32>, %w: tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32> {
  %0 = graph.conv %x, %w : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %s = graph.literal dense<[2.0, 9.0]> : tensor<2xf32> : tensor<2xf32>
  %t = graph.literal dense<[-1.0, 9.0]> : tensor<2xf32> : tensor<2xf32>
  %m = graph.literal dense<[0.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %v = graph.literal dense<[3.0, 8.0]> : tensor<2xf32> : tensor<2xf32>
  %1 = graph.batch_norm %0, %m, %v scale %s : tensor<2xf32> bias %t : tensor<2xf32> {epsilon = 1.0} : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  func.return %1 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: @unknown_bias_is_kept(
// CHECK:         graph.conv
// CHECK:         graph.batch_norm
func.func @unknown_bias_is_kept(%x: tensor<1x2x4x4xf32>, %b: tensor<2xf32>) -> tensor<1x2x4x4xf32> {
  %w = graph.literal dense<2.0> : tensor<2x2x1x1xf32> : tensor<2x2x1x1xf32>
  %0 = graph.conv %x, %w bias %b : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  %s = graph.literal dense<[2.0, 9.0]> : tensor<2xf32> : tensor<2xf32>
  %t = graph.literal dense<[-1.0, 9.0]> : tensor<2xf32> : tensor<2xf32>
  %m = graph.literal dense<[0.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %v = graph.literal dense<[3.0, 8.0]> : tensor<2xf32> : tensor<2xf32>
  %1 = graph.batch_norm %0, %m, %v scale %s : tensor<2xf32> bias %t : tensor<2xf32> {epsilon = 1.0} : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  func.return %1 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: @unknown_bias_of_a_matrix_product_is_kept(
// CHECK:         graph.matmul
// CHECK:         graph.mul
func.func @unknown_bias_of_a_matrix_product_is_kept(%a: tensor<3x2xf32>, %b: tensor<2xf32>) -> tensor<3x2xf32> {
  %w = graph.literal dense<1.0> : tensor<2x2xf32> : tensor<2x2xf32>
  %t = graph.literal dense<2.0> : tensor<f32> : tensor<f32>
  %0 = graph.matmul %a, %w bias %b : (tensor<3x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  %1 = graph.mul %0, %t : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  func.return %1 : tensor<3x2xf32>
}

// CHECK-LABEL: @unknown_statistics_are_kept(
// CHECK:         graph.conv
// CHECK:         graph.batch_norm
func.func @unknown_statistics_are_kept(%x: tensor<1x2x4x4xf32>, %v: tensor<2xf32>) -> tensor<1x2x4x4xf32> {
  %w = graph.literal dense<2.0> : tensor<2x2x1x1xf32> : tensor<2x2x1x1xf32>
  %0 = graph.conv %x, %w : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %s = graph.literal dense<[2.0, 9.0]> : tensor<2xf32> : tensor<2xf32>
  %t = graph.literal dense<[-1.0, 9.0]> : tensor<2xf32> : tensor<2xf32>
  %m = graph.literal dense<[0.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %1 = graph.batch_norm %0, %m, %v scale %s : tensor<2xf32> bias %t : tensor<2xf32> {epsilon = 1.0} : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  func.return %1 : tensor<1x2x4x4xf32>
}

// A bias per row is not a bias per column.
// CHECK-LABEL: @varying_bias_is_kept(
// CHECK:         graph.matmul
// CHECK:         graph.mul
func.func @varying_bias_is_kept(%a: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %w = graph.literal dense<1.0> : tensor<2x2xf32> : tensor<2x2xf32>
  %b = graph.literal dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32> : tensor<3x1xf32>
  %t = graph.literal dense<2.0> : tensor<f32> : tensor<f32>
  %0 = graph.matmul %a, %w bias %b : (tensor<3x2xf32>, tensor<2x2xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
  %1 = graph.mul %0, %t : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  func.return %1 : tensor<3x2xf32>
}

// CHECK-LABEL: @product_with_two_readers_is_kept(
// CHECK:         graph.conv
// CHECK:         graph.batch_norm
func.func @product_with_two_readers_is_kept(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %w = graph.literal dense<2.0> : tensor<2x2x1x1xf32> : tensor<2x2x1x1xf32>
  %0 = graph.conv %x, %w : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %s = graph.literal dense<[2.0, 9.0]> : tensor<2xf32> : tensor<2xf32>
  %t = graph.literal dense<[-1.0, 9.0]> : tensor<2xf32> : tensor<2xf32>
  %m = graph.literal dense<[0.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %v = graph.literal dense<[3.0, 8.0]> : tensor<2xf32> : tensor<2xf32>
  %1 = graph.batch_norm %0, %m, %v scale %s : tensor<2xf32> bias %t : tensor<2xf32> {epsilon = 1.0} : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  func.return %0, %1 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// What nothing reads is no second reader.
// CHECK-LABEL: @dead_reader_is_none(
// CHECK:         [[Y:%.*]] = graph.conv %x, {{%.*}} bias
// CHECK-NEXT:    func.return [[Y]]
func.func @dead_reader_is_none(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = graph.literal dense<2.0> : tensor<2x2x1x1xf32> : tensor<2x2x1x1xf32>
  %0 = graph.conv %x, %w : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %dead = graph.exp %0 : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %s = graph.literal dense<[2.0, 9.0]> : tensor<2xf32> : tensor<2xf32>
  %t = graph.literal dense<[-1.0, 9.0]> : tensor<2xf32> : tensor<2xf32>
  %m = graph.literal dense<[0.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %v = graph.literal dense<[3.0, 8.0]> : tensor<2xf32> : tensor<2xf32>
  %1 = graph.batch_norm %0, %m, %v scale %s : tensor<2xf32> bias %t : tensor<2xf32> {epsilon = 1.0} : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  func.return %1 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: @shift_along_another_axis_is_kept(
// CHECK:         graph.conv
// CHECK:         graph.add
func.func @shift_along_another_axis_is_kept(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = graph.literal dense<2.0> : tensor<2x2x1x1xf32> : tensor<2x2x1x1xf32>
  %0 = graph.conv %x, %w : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %t = graph.literal dense<[[[[1.0, 2.0, 3.0, 4.0]]]]> : tensor<1x1x1x4xf32> : tensor<1x1x1x4xf32>
  %1 = graph.add %0, %t : (tensor<1x2x4x4xf32>, tensor<1x1x1x4xf32>) -> tensor<1x2x4x4xf32>
  func.return %1 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: @scale_per_row_is_kept(
// CHECK:         graph.matmul
// CHECK:         graph.mul
func.func @scale_per_row_is_kept(%a: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %w = graph.literal dense<1.0> : tensor<2x2xf32> : tensor<2x2xf32>
  %0 = graph.matmul %a, %w : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %s = graph.literal dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32> : tensor<3x1xf32>
  %1 = graph.mul %0, %s : (tensor<3x2xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
  func.return %1 : tensor<3x2xf32>
}

// Its result has no axis of columns.
// CHECK-LABEL: @product_with_a_vector_is_kept(
// CHECK:         graph.matmul
// CHECK:         graph.mul
func.func @product_with_a_vector_is_kept(%a: tensor<3x2xf32>) -> tensor<3xf32> {
  %w = graph.literal dense<1.0> : tensor<2xf32> : tensor<2xf32>
  %0 = graph.matmul %a, %w : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3xf32>
  %s = graph.literal dense<2.0> : tensor<f32> : tensor<f32>
  %1 = graph.mul %0, %s : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  func.return %1 : tensor<3xf32>
}

// CHECK-LABEL: @shift_that_adds_elements_is_kept(
// CHECK:         graph.conv
// CHECK:         graph.add
func.func @shift_that_adds_elements_is_kept(%x: tensor<1x2x4x4xf32>) -> tensor<3x2x4x4xf32> {
  %w = graph.literal dense<2.0> : tensor<2x2x1x1xf32> : tensor<2x2x1x1xf32>
  %0 = graph.conv %x, %w : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %t = graph.literal dense<1.0> : tensor<3x1x1x1xf32> : tensor<3x1x1x1xf32>
  %1 = graph.add %0, %t : (tensor<1x2x4x4xf32>, tensor<3x1x1x1xf32>) -> tensor<3x2x4x4xf32>
  func.return %1 : tensor<3x2x4x4xf32>
}

// CHECK-LABEL: @difference_from_a_constant_is_kept(
// CHECK:         graph.conv
// CHECK:         graph.sub
func.func @difference_from_a_constant_is_kept(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = graph.literal dense<2.0> : tensor<2x2x1x1xf32> : tensor<2x2x1x1xf32>
  %0 = graph.conv %x, %w : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %t = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %1 = graph.sub %t, %0 : (tensor<f32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  func.return %1 : tensor<1x2x4x4xf32>
}

// 0 / 0 is NaN, 0 * inf in the weight would spread it.
// CHECK-LABEL: @division_by_zero_is_kept(
// CHECK:         graph.conv
// CHECK:         graph.div
func.func @division_by_zero_is_kept(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = graph.literal dense<2.0> : tensor<2x2x1x1xf32> : tensor<2x2x1x1xf32>
  %0 = graph.conv %x, %w : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %t = graph.literal dense<0.0> : tensor<f32> : tensor<f32>
  %1 = graph.div %0, %t : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  func.return %1 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: @integers_are_kept(
// CHECK:         graph.matmul
// CHECK:         graph.div
func.func @integers_are_kept(%a: tensor<3x2xi32>) -> tensor<3x2xi32> {
  %w = graph.literal dense<1> : tensor<2x2xi32> : tensor<2x2xi32>
  %0 = graph.matmul %a, %w : (tensor<3x2xi32>, tensor<2x2xi32>) -> tensor<3x2xi32>
  %s = graph.literal dense<2> : tensor<i32> : tensor<i32>
  %1 = graph.div %0, %s : (tensor<3x2xi32>, tensor<i32>) -> tensor<3x2xi32>
  func.return %1 : tensor<3x2xi32>
}

// CHECK-LABEL: @change_of_layout_is_kept(
// CHECK:         graph.conv
// CHECK:         graph.add
func.func @change_of_layout_is_kept(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32, #layout.physical<NHWC>> {
  %w = graph.literal dense<2.0> : tensor<2x2x1x1xf32> : tensor<2x2x1x1xf32>
  %0 = graph.conv %x, %w : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %t = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %1 = graph.add %0, %t : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32, #layout.physical<NHWC>>
  func.return %1 : tensor<1x2x4x4xf32, #layout.physical<NHWC>>
}

// CHECK-LABEL: @lone_batch_norm_is_kept(
// CHECK:         graph.batch_norm
func.func @lone_batch_norm_is_kept(%0: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %s = graph.literal dense<[2.0, 9.0]> : tensor<2xf32> : tensor<2xf32>
  %t = graph.literal dense<[-1.0, 9.0]> : tensor<2xf32> : tensor<2xf32>
  %m = graph.literal dense<[0.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %v = graph.literal dense<[3.0, 8.0]> : tensor<2xf32> : tensor<2xf32>
  %1 = graph.batch_norm %0, %m, %v scale %s : tensor<2xf32> bias %t : tensor<2xf32> {epsilon = 1.0} : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  func.return %1 : tensor<1x2x4x4xf32>
}

// Each part of a product has a norm of its own; what nothing reads is no reader.
// CHECK-LABEL: @parts_of_a_product(
// CHECK:         [[W:%.*]] = graph.literal dense<{{\[\[\[\[}}2.000000e+00]]], {{\[\[\[}}3.000000e+00]]], {{\[\[\[}}4.000000e+00]]]]> : tensor<3x1x1x1xf32>
// CHECK-NEXT:    [[B:%.*]] = graph.literal dense<[0.000000e+00, 1.000000e+00, 0.000000e+00]> : tensor<3xf32>
// CHECK-NEXT:    [[Y:%.*]] = graph.conv %x, [[W]] bias [[B]]
// CHECK-NEXT:    [[P:%.*]], [[Q:%.*]] = graph.split [[Y]]
// CHECK-NEXT:    func.return [[P]], [[Q]]
func.func @parts_of_a_product(%x: tensor<1x1x4x4xf32>) -> (tensor<1x1x4x4xf32>, tensor<1x2x4x4xf32>) {
  %w = graph.literal dense<1.0> : tensor<3x1x1x1xf32> : tensor<3x1x1x1xf32>
  %0 = graph.conv %x, %w : (tensor<1x1x4x4xf32>, tensor<3x1x1x1xf32>) -> tensor<1x3x4x4xf32>
  %a, %b = graph.split %0 {axis = 1 : i64, sizes = array<i64: 1, 2>} : (tensor<1x3x4x4xf32>) -> (tensor<1x1x4x4xf32>, tensor<1x2x4x4xf32>)
  %s = graph.literal dense<2.0> : tensor<f32> : tensor<f32>
  %t = graph.literal dense<[[[3.0]], [[4.0]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  %u = graph.literal dense<[[[1.0]], [[0.0]]]> : tensor<2x1x1xf32> : tensor<2x1x1xf32>
  %1 = graph.mul %a, %s : (tensor<1x1x4x4xf32>, tensor<f32>) -> tensor<1x1x4x4xf32>
  %2 = graph.mul %b, %t : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %3 = graph.add %2, %u : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %dead = graph.neg %0 : (tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
  %gone = graph.neg %b : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  func.return %1, %3 : tensor<1x1x4x4xf32>, tensor<1x2x4x4xf32>
}

// Parts of rows have a part of the result each, and no channel of their own.
// CHECK-LABEL: @parts_of_rows_are_kept(
// CHECK:         graph.matmul %x, %{{.*}} : (
// CHECK-NEXT:    [[A:%.*]], %{{.*}} = graph.split
// CHECK:         graph.mul [[A]]
func.func @parts_of_rows_are_kept(%x: tensor<4x2xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %w = graph.literal dense<1.0> : tensor<2x3xf32> : tensor<2x3xf32>
  %0 = graph.matmul %x, %w : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %a, %b = graph.split %0 {axis = 0 : i64, sizes = array<i64: 2, 2>} : (tensor<4x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  %s = graph.literal dense<2.0> : tensor<f32> : tensor<f32>
  %1 = graph.mul %a, %s : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  func.return %1, %b : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: @parts_with_other_readers_are_kept(
// CHECK:         graph.conv %x, %w : (
// CHECK:         graph.mul
func.func @parts_with_other_readers_are_kept(%x: tensor<1x1x4x4xf32>) -> (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>) {
  %w = graph.literal dense<1.0> : tensor<2x1x1x1xf32> : tensor<2x1x1x1xf32>
  %0 = graph.conv %x, %w : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %a, %b = graph.split %0 {axis = 1 : i64, sizes = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>) -> (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>)
  %s = graph.literal dense<2.0> : tensor<f32> : tensor<f32>
  %1 = graph.mul %a, %s : (tensor<1x1x4x4xf32>, tensor<f32>) -> tensor<1x1x4x4xf32>
  func.return %1, %a : tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>
}
