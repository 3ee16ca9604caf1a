// RUN: glow-opt %s -p fold-bias,dce | filecheck %s

// CHECK-LABEL: @vector_becomes_the_bias
// CHECK-NEXT:    [[Y:%.*]] = graph.matmul %a, %b bias %c {transpose_rhs} :
// CHECK-NEXT:    func.return [[Y]]
func.func @vector_becomes_the_bias(%a: tensor<2x3xf32>, %b: tensor<5x3xf32>, %c: tensor<5xf32>) -> tensor<2x5xf32> {
  %0 = graph.matmul %a, %b {transpose_rhs} : (tensor<2x3xf32>, tensor<5x3xf32>) -> tensor<2x5xf32>
  %1 = graph.add %0, %c : (tensor<2x5xf32>, tensor<5xf32>) -> tensor<2x5xf32>
  func.return %1 : tensor<2x5xf32>
}

// CHECK-LABEL: @on_the_left_with_batches_and_ones
// CHECK:         [[R:%.*]] = graph.reshape %c {shape = array<i64: 5>}
// CHECK-NEXT:    graph.matmul %a, %b bias [[R]] :
func.func @on_the_left_with_batches_and_ones(%a: tensor<7x2x3xi32>, %b: tensor<3x5xi32>, %c: tensor<1x1x5xi32>) -> tensor<7x2x5xi32> {
  %0 = graph.matmul %a, %b : (tensor<7x2x3xi32>, tensor<3x5xi32>) -> tensor<7x2x5xi32>
  %1 = graph.add %c, %0 : (tensor<1x1x5xi32>, tensor<7x2x5xi32>) -> tensor<7x2x5xi32>
  func.return %1 : tensor<7x2x5xi32>
}

// CHECK-LABEL: @tiled_and_expanded
// CHECK:         graph.matmul {{.*}} bias %{{.*}} : (tensor<2x3xf32>, tensor<3x5xf32>, tensor<5xf32>)
// CHECK:         graph.matmul {{.*}} bias %c : (tensor<2x3xf32>, tensor<3x5xf32>, tensor<5xf32>)
func.func @tiled_and_expanded(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>, %c: tensor<5xf32>, %d: tensor<1x5xf32>) -> (tensor<2x5xf32>, tensor<2x5xf32>) {
  %0 = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  %1 = graph.tile %d {repeats = array<i64: 2, 1>} : (tensor<1x5xf32>) -> tensor<2x5xf32>
  %2 = graph.add %0, %1 : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  %4 = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  %5 = graph.expand %c {shape = array<i64: 2, 5>} : (tensor<5xf32>) -> tensor<2x5xf32>
  %6 = graph.add %4, %5 : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  func.return %2, %6 : tensor<2x5xf32>, tensor<2x5xf32>
}

// CHECK-LABEL: @rows_that_are_the_same
// CHECK:         [[B:%.*]] = graph.literal dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
// CHECK-NEXT:    graph.matmul %a, %b bias [[B]] :
func.func @rows_that_are_the_same(%a: tensor<2x3xf32>, %b: tensor<3x3xf32>) -> tensor<2x3xf32> {
  %c = graph.literal dense<[[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]> : tensor<2x3xf32> : tensor<2x3xf32>
  %0 = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %1 = graph.add %0, %c : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %1 : tensor<2x3xf32>
}

// CHECK-LABEL: @channels_of_a_convolution
// CHECK:         [[R:%.*]] = graph.reshape %c {shape = array<i64: 4>}
// CHECK-NEXT:    graph.conv %x, %w bias [[R]]
func.func @channels_of_a_convolution(%x: tensor<1x3x4x4xf32>, %w: tensor<4x3x1x1xf32>, %c: tensor<1x4x1x1xf32>) -> tensor<1x4x4x4xf32> {
  %0 = graph.conv %x, %w {pads = array<i64: 0, 0, 0, 0>} : (tensor<1x3x4x4xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x4x4xf32>
  %1 = graph.add %0, %c : (tensor<1x4x4x4xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x4x4xf32>
  func.return %1 : tensor<1x4x4x4xf32>
}

// Its last axis is not a channel.
// CHECK-LABEL: @columns_of_a_convolution_are_kept
// CHECK:         graph.conv %x, %w {
// CHECK:         graph.add
func.func @columns_of_a_convolution_are_kept(%x: tensor<1x3x4x4xf32>, %w: tensor<4x3x1x1xf32>, %c: tensor<4xf32>) -> tensor<1x4x4x4xf32> {
  %0 = graph.conv %x, %w {pads = array<i64: 0, 0, 0, 0>} : (tensor<1x3x4x4xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x4x4xf32>
  %1 = graph.add %0, %c : (tensor<1x4x4x4xf32>, tensor<4xf32>) -> tensor<1x4x4x4xf32>
  func.return %1 : tensor<1x4x4x4xf32>
}

// CHECK-LABEL: @matrix_is_kept
// CHECK:         graph.add
func.func @matrix_is_kept(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>, %c: tensor<2x5xf32>) -> tensor<2x5xf32> {
  %0 = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  %1 = graph.add %0, %c : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  func.return %1 : tensor<2x5xf32>
}

// CHECK-LABEL: @rows_that_differ_are_kept
// CHECK:         graph.add
func.func @rows_that_differ_are_kept(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %c = graph.literal dense<[[0.0, 2.0], [-0.0, 2.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  %0 = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %1 = graph.add %0, %c : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  func.return %1 : tensor<2x2xf32>
}

// CHECK-LABEL: @column_and_scalar_are_kept
// CHECK:         graph.add
// CHECK:         graph.add
func.func @column_and_scalar_are_kept(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>, %c: tensor<2x1xf32>, %d: tensor<f32>) -> (tensor<2x5xf32>, tensor<2x5xf32>) {
  %0 = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  %1 = graph.add %0, %c : (tensor<2x5xf32>, tensor<2x1xf32>) -> tensor<2x5xf32>
  %2 = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  %3 = graph.add %2, %d : (tensor<2x5xf32>, tensor<f32>) -> tensor<2x5xf32>
  func.return %1, %3 : tensor<2x5xf32>, tensor<2x5xf32>
}

// CHECK-LABEL: @tile_of_the_columns_is_kept
// CHECK:         graph.add
func.func @tile_of_the_columns_is_kept(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<1x2xf32>) -> tensor<2x4xf32> {
  %0 = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = graph.tile %c {repeats = array<i64: 2, 2>} : (tensor<1x2xf32>) -> tensor<2x4xf32>
  %2 = graph.add %0, %1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return %2 : tensor<2x4xf32>
}

// CHECK-LABEL: @second_bias_is_kept
// CHECK:         graph.matmul %a, %b bias %c
// CHECK-NEXT:    graph.add
func.func @second_bias_is_kept(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>, %c: tensor<5xf32>, %d: tensor<5xf32>) -> tensor<2x5xf32> {
  %0 = graph.matmul %a, %b bias %c : (tensor<2x3xf32>, tensor<3x5xf32>, tensor<5xf32>) -> tensor<2x5xf32>
  %1 = graph.add %0, %d : (tensor<2x5xf32>, tensor<5xf32>) -> tensor<2x5xf32>
  func.return %1 : tensor<2x5xf32>
}

// CHECK-LABEL: @product_that_others_read_is_kept
// CHECK:         graph.matmul %a, %b :
// CHECK-NEXT:    graph.add
func.func @product_that_others_read_is_kept(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>, %c: tensor<5xf32>) -> (tensor<2x5xf32>, tensor<2x5xf32>) {
  %0 = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  %1 = graph.add %0, %c : (tensor<2x5xf32>, tensor<5xf32>) -> tensor<2x5xf32>
  func.return %0, %1 : tensor<2x5xf32>, tensor<2x5xf32>
}

// A row of numbers has no channels to add to.
// CHECK-LABEL: @product_with_a_vector_is_kept
// CHECK:         graph.add
func.func @product_with_a_vector_is_kept(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<2xf32>) -> tensor<2xf32> {
  %0 = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
  %1 = graph.add %0, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %1 : tensor<2xf32>
}

// What is added broadcasts the product, not the other way round.
// CHECK-LABEL: @larger_result_is_kept
// CHECK:         graph.add
func.func @larger_result_is_kept(%a: tensor<1x3xf32>, %b: tensor<3x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = graph.matmul %a, %b : (tensor<1x3xf32>, tensor<3x5xf32>) -> tensor<1x5xf32>
  %1 = graph.add %0, %c : (tensor<1x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  func.return %1 : tensor<4x5xf32>
}

// What nothing reads is no second reader.
// CHECK-LABEL: @dead_reader_is_none
// CHECK-NEXT:    [[Y:%.*]] = graph.matmul %x, %w bias %b
// CHECK-NEXT:    func.return [[Y]]
func.func @dead_reader_is_none(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = graph.matmul %x, %w : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  %dead = graph.exp %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = graph.add %0, %b : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  func.return %1 : tensor<2x4xf32>
}
