// RUN: glow-opt %s -p sink-transposes,fold-constants,fold-movement,remove-identities | filecheck %s

// Pieces of networks whose authors wrote images in another order than convolutions do.

// A classifier of 1x1 images: nothing moves.
// CHECK-LABEL: @one_pixel
// CHECK-NEXT:    graph.reshape %x {shape = array<i64: 10, 1280>}
// CHECK-NEXT:    graph.matmul
// CHECK-NEXT:    func.return
func.func @one_pixel(%x: tensor<10x1280x1x1xf32>, %w: tensor<1280x8xf32>) -> tensor<10x8xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : (tensor<10x1280x1x1xf32>) -> tensor<10x1x1x1280xf32>
  %1 = graph.reshape %0 {shape = array<i64: 10, 1280>} : (tensor<10x1x1x1280xf32>) -> tensor<10x1280xf32>
  %2 = graph.matmul %1, %w : (tensor<10x1280xf32>, tensor<1280x8xf32>) -> tensor<10x8xf32>
  func.return %2 : tensor<10x8xf32>
}

// CHECK-LABEL: @blocks_between_transposes
// CHECK-NEXT:    graph.space_to_depth %x
// CHECK-NEXT:    graph.relu
// CHECK-NEXT:    graph.depth_to_space
// CHECK-NEXT:    func.return
func.func @blocks_between_transposes(%x: tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32>
  %2 = graph.space_to_depth %1 {block_size = 2 : i64} : (tensor<1x2x4x6xf32>) -> tensor<1x8x2x3xf32>
  %3 = graph.transpose %2 {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x8x2x3xf32>) -> tensor<1x2x3x8xf32>
  %4 = graph.relu %3 : (tensor<1x2x3x8xf32>) -> tensor<1x2x3x8xf32>
  %5 = graph.transpose %4 {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x2x3x8xf32>) -> tensor<1x8x2x3xf32>
  %6 = graph.depth_to_space %5 {block_size = 2 : i64} : (tensor<1x8x2x3xf32>) -> tensor<1x2x4x6xf32>
  %7 = graph.transpose %6 {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32>
  %8 = graph.transpose %7 {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32>
  func.return %8 : tensor<1x2x4x6xf32>
}

// Images in CHWN: a transpose at each end.
// CHECK-LABEL: @batch_last
// CHECK-NEXT:    graph.transpose %x {permutation = array<i64: 3, 0, 1, 2>}
// CHECK-NEXT:    graph.max_pool
// CHECK-NEXT:    graph.relu
// CHECK-NEXT:    graph.max_pool
// CHECK-NEXT:    graph.transpose %{{.*}} {permutation = array<i64: 1, 2, 3, 0>}
// CHECK-NEXT:    func.return
func.func @batch_last(%x: tensor<2x4x6x3xf32>) -> tensor<2x2x4x3xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 3, 0, 1, 2>} : (tensor<2x4x6x3xf32>) -> tensor<3x2x4x6xf32>
  %1 = graph.max_pool %0 {kernel_shape = array<i64: 2, 2>} : (tensor<3x2x4x6xf32>) -> tensor<3x2x3x5xf32>
  %2 = graph.transpose %1 {permutation = array<i64: 1, 2, 3, 0>} : (tensor<3x2x3x5xf32>) -> tensor<2x3x5x3xf32>
  %3 = graph.relu %2 : (tensor<2x3x5x3xf32>) -> tensor<2x3x5x3xf32>
  %4 = graph.transpose %3 {permutation = array<i64: 3, 0, 1, 2>} : (tensor<2x3x5x3xf32>) -> tensor<3x2x3x5xf32>
  %5 = graph.max_pool %4 {kernel_shape = array<i64: 2, 2>} : (tensor<3x2x3x5xf32>) -> tensor<3x2x2x4xf32>
  %6 = graph.transpose %5 {permutation = array<i64: 1, 2, 3, 0>} : (tensor<3x2x2x4xf32>) -> tensor<2x2x4x3xf32>
  func.return %6 : tensor<2x2x4x3xf32>
}

// A filter in HWIO, as TensorFlow has it.
// CHECK-LABEL: @transposed_filter
// CHECK-NEXT:    graph.literal dense<{{\[\[\[\[}}1.000000e+00]], {{\[\[}}3.000000e+00]]], {{\[\[\[}}2.000000e+00]], {{\[\[}}4.000000e+00]]]]> : tensor<2x2x1x1xf32>
// CHECK-NEXT:    graph.conv
// CHECK-NEXT:    func.return
func.func @transposed_filter(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = graph.literal dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32> : tensor<1x1x2x2xf32>
  %0 = graph.transpose %w {permutation = array<i64: 3, 2, 0, 1>} : (tensor<1x1x2x2xf32>) -> tensor<2x2x1x1xf32>
  %1 = graph.conv %x, %0 : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  func.return %1 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: @splat
// CHECK-NEXT:    graph.literal dense<1.000000e+00> : tensor<99x88xf32>
// CHECK-NEXT:    func.return
func.func @splat() -> tensor<99x88xf32> {
  %c = graph.literal dense<1.0> : tensor<88x99xf32> : tensor<88x99xf32>
  %0 = graph.transpose %c {permutation = array<i64: 1, 0>} : (tensor<88x99xf32>) -> tensor<99x88xf32>
  func.return %0 : tensor<99x88xf32>
}

// Channels are weighed by what their mean says (squeeze and excitation).
// CHECK-LABEL: @excitation
// CHECK-NEXT:    %[[M:.*]] = graph.reduce_mean %x {keepdims, axes = array<i64: 2, 3>}
// CHECK-NEXT:    %[[S:.*]] = graph.sigmoid %[[M]]
// CHECK-NEXT:    graph.mul %x, %[[S]]
// CHECK-NEXT:    func.return
func.func @excitation(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : (tensor<2x3x4x5xf32>) -> tensor<2x4x5x3xf32>
  %1 = graph.reduce_mean %0 {keepdims, axes = array<i64: 1, 2>} : (tensor<2x4x5x3xf32>) -> tensor<2x1x1x3xf32>
  %2 = graph.sigmoid %1 : (tensor<2x1x1x3xf32>) -> tensor<2x1x1x3xf32>
  %3 = graph.mul %0, %2 : (tensor<2x4x5x3xf32>, tensor<2x1x1x3xf32>) -> tensor<2x4x5x3xf32>
  %4 = graph.transpose %3 {permutation = array<i64: 0, 3, 1, 2>} : (tensor<2x4x5x3xf32>) -> tensor<2x3x4x5xf32>
  func.return %4 : tensor<2x3x4x5xf32>
}

// A mean over the last two axes is not a pool, and gets no transposes.
// CHECK-LABEL: @mean_of_rows
// CHECK-NEXT:    graph.reduce_mean %x
// CHECK-NEXT:    func.return
func.func @mean_of_rows(%x: tensor<2x3x4x5xf32>) -> tensor<2x3xf32> {
  %0 = graph.reduce_mean %x {axes = array<i64: 2, 3>} : (tensor<2x3x4x5xf32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// The weight of the classifier is made for CHW, as the image comes.
// CHECK-LABEL: @classifier_behind_a_pool
// CHECK:         graph.max_pool
// CHECK-NEXT:    graph.relu
// CHECK:         graph.reshape
// CHECK-NEXT:    graph.matmul
// CHECK-NEXT:    func.return
func.func @classifier_behind_a_pool(%x: tensor<1x2x3x3xf32>) -> tensor<1x2xf32> {
  %w = graph.literal dense<[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0], [0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]]> : tensor<8x2xf32> : tensor<8x2xf32>
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x2x3x3xf32>) -> tensor<1x2x2x2xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %2 = graph.relu %1 : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %3 = graph.reshape %2 {shape = array<i64: 1, 8>} : (tensor<1x2x2x2xf32>) -> tensor<1x8xf32>
  %4 = graph.matmul %3, %w : (tensor<1x8xf32>, tensor<8x2xf32>) -> tensor<1x2xf32>
  func.return %4 : tensor<1x2xf32>
}

// CHECK-LABEL: @division_of_integers
// CHECK:         graph.div %x, %{{.*}} : (tensor<2x3xi32>, tensor<2x1xi32>)
// CHECK-NEXT:    graph.transpose
func.func @division_of_integers(%x: tensor<2x3xi32>) -> tensor<3x2xi32> {
  %c = graph.literal dense<[2, 3]> : tensor<2xi32> : tensor<2xi32>
  %0 = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %1 = graph.div %0, %c : (tensor<3x2xi32>, tensor<2xi32>) -> tensor<3x2xi32>
  func.return %1 : tensor<3x2xi32>
}
