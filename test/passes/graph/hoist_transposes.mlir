// RUN: glow-opt %s -p hoist-transposes --print-debuginfo | filecheck %s
// RUN: glow-opt %s -p hoist-transposes,fold-movement,remove-identities,hoist-transposes --print-debuginfo | filecheck %s

// CHECK-LABEL: @unary
// CHECK-NEXT:    %[[T:.*]] = graph.transpose %x
// CHECK-NEXT:    %{{.*}} = graph.exp %[[T]] : (tensor<3x2xf32>) -> tensor<3x2xf32> loc("exp")
// CHECK-NEXT:    func.return
func.func @unary(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = graph.exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("exp")
  %1 = graph.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  func.return %1 : tensor<3x2xf32>
}

// CHECK-LABEL: @constant
// CHECK-NEXT:    graph.literal dense<{{\[\[}}1.000000e+00, 3.000000e+00, 5.000000e+00], [2.000000e+00, 4.000000e+00, 6.000000e+00]]>
// CHECK-NEXT:    graph.add
// CHECK-NEXT:    func.return
func.func @constant(%x: tensor<f32>) -> tensor<2x3xf32> {
  %c = graph.literal dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32> : tensor<3x2xf32>
  %0 = graph.add %c, %x : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  func.return %1 : tensor<2x3xf32>
}

// What is tiled is smaller.
// CHECK-LABEL: @tile
// CHECK-NEXT:    graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>)
// CHECK-NEXT:    graph.tile %{{.*}} {repeats = array<i64: 5, 1>}
func.func @tile(%x: tensor<2x3xf32>) -> tensor<15x2xf32> {
  %0 = graph.tile %x {repeats = array<i64: 1, 5>} : (tensor<2x3xf32>) -> tensor<2x15xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<2x15xf32>) -> tensor<15x2xf32>
  func.return %1 : tensor<15x2xf32>
}

// CHECK-LABEL: @reduction_of_more
// CHECK-NEXT:    graph.reduce_sum
// CHECK-NEXT:    graph.transpose
func.func @reduction_of_more(%x: tensor<2x3x4xf32>) -> tensor<3x2xf32> {
  %0 = graph.reduce_sum %x {axes = array<i64: 2>} : (tensor<2x3x4xf32>) -> tensor<2x3xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  func.return %1 : tensor<3x2xf32>
}

// CHECK-LABEL: @reduction_of_a_transpose
// CHECK-NEXT:    graph.reduce_sum %x {axes = array<i64: 2>} : (tensor<3x2x4xf32>) -> tensor<3x2xf32>
// CHECK-NEXT:    func.return
func.func @reduction_of_a_transpose(%x: tensor<3x2x4xf32>) -> tensor<3x2xf32> {
  %t = graph.transpose %x {permutation = array<i64: 1, 0, 2>} : (tensor<3x2x4xf32>) -> tensor<2x3x4xf32>
  %0 = graph.reduce_sum %t {axes = array<i64: 2>} : (tensor<2x3x4xf32>) -> tensor<2x3xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  func.return %1 : tensor<3x2xf32>
}

// One transpose would become two.
// CHECK-LABEL: @two_operands
// CHECK-NEXT:    graph.add
// CHECK-NEXT:    graph.transpose
func.func @two_operands(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = graph.add %x, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  func.return %1 : tensor<3x2xf32>
}

// CHECK-LABEL: @other_reader
// CHECK-NEXT:    graph.exp
// CHECK-NEXT:    graph.transpose
func.func @other_reader(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3x2xf32>) {
  %0 = graph.exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  func.return %0, %1 : tensor<2x3xf32>, tensor<3x2xf32>
}

// CHECK-LABEL: @other_result
// CHECK-NEXT:    graph.split
// CHECK-NEXT:    graph.transpose
func.func @other_result(%x: tensor<2x4xf32>) -> (tensor<3x2xf32>, tensor<2x1xf32>) {
  %0, %1 = graph.split %x {axis = 1 : i64, sizes = array<i64: 3, 1>} : (tensor<2x4xf32>) -> (tensor<2x3xf32>, tensor<2x1xf32>)
  %2 = graph.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  func.return %2, %1 : tensor<3x2xf32>, tensor<2x1xf32>
}

// Through more than one op, to where the larger of two is transposed already.
// CHECK-LABEL: @through_ops_that_join
// CHECK-NEXT:    graph.sigmoid %x
// CHECK-NEXT:    graph.mul
// CHECK-NEXT:    func.return
func.func @through_ops_that_join(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = graph.sigmoid %0 : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %2 = graph.mul %1, %0 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %3 = graph.transpose %2 {permutation = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  func.return %3 : tensor<2x3xf32>
}

// CHECK-LABEL: @reshape_that_merges_whole_axes
// CHECK-NEXT:    graph.transpose %x {permutation = array<i64: 0, 2, 3, 1>}
// CHECK-NEXT:    graph.reshape %{{.*}} {shape = array<i64: 2, 20, 3>}
func.func @reshape_that_merges_whole_axes(%x: tensor<2x3x4x5xf32>) -> tensor<2x20x3xf32> {
  %0 = graph.reshape %x {shape = array<i64: 2, 3, 20>} : (tensor<2x3x4x5xf32>) -> tensor<2x3x20xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 0, 2, 1>} : (tensor<2x3x20xf32>) -> tensor<2x20x3xf32>
  func.return %1 : tensor<2x20x3xf32>
}

// CHECK-LABEL: @reshape_that_mixes_axes
// CHECK-NEXT:    graph.reshape
// CHECK-NEXT:    graph.transpose
func.func @reshape_that_mixes_axes(%x: tensor<6x4xf32>) -> tensor<8x3xf32> {
  %0 = graph.reshape %x {shape = array<i64: 3, 8>} : (tensor<6x4xf32>) -> tensor<3x8xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<3x8xf32>) -> tensor<8x3xf32>
  func.return %1 : tensor<8x3xf32>
}

// CHECK-LABEL: @layouts_are_kept
// CHECK-NEXT:    graph.relu
// CHECK-NEXT:    graph.transpose
func.func @layouts_are_kept(%x: tensor<1x2x4x3xf32, #layout.physical<NHWC>>) -> tensor<1x2x3x4xf32> {
  %0 = graph.relu %x : (tensor<1x2x4x3xf32, #layout.physical<NHWC>>) -> tensor<1x2x4x3xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 0, 1, 3, 2>} : (tensor<1x2x4x3xf32>) -> tensor<1x2x3x4xf32>
  func.return %1 : tensor<1x2x3x4xf32>
}
