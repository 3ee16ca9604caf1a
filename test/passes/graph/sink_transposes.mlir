// RUN: glow-opt %s -p sink-transposes --print-debuginfo | filecheck %s

// CHECK-LABEL: @unary
// CHECK-NEXT:    %{{.*}} = graph.exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("exp")
// CHECK-NEXT:    %[[Y:.*]] = graph.transpose
// CHECK-NEXT:    func.return %[[Y]]
func.func @unary(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = graph.exp %0 : (tensor<3x2xf32>) -> tensor<3x2xf32> loc("exp")
  func.return %1 : tensor<3x2xf32>
}

// CHECK-LABEL: @inverse_behind_a_cast
// CHECK-NEXT:    graph.cast %x
// CHECK-NEXT:    func.return
func.func @inverse_behind_a_cast(%x: tensor<2x3xf32>) -> tensor<2x3xf64> {
  %0 = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = graph.cast %0 {to = f64} : (tensor<3x2xf32>) -> tensor<3x2xf64>
  %2 = graph.transpose %1 {permutation = array<i64: 1, 0>} : (tensor<3x2xf64>) -> tensor<2x3xf64>
  func.return %2 : tensor<2x3xf64>
}

// It would move twice as many bytes.
// CHECK-LABEL: @larger_cast_is_not_passed
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    graph.cast
func.func @larger_cast_is_not_passed(%x: tensor<2x3xf32>) -> tensor<3x2xf64> {
  %0 = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = graph.cast %0 {to = f64} : (tensor<3x2xf32>) -> tensor<3x2xf64>
  func.return %1 : tensor<3x2xf64>
}

// CHECK-LABEL: @two_alike
// CHECK-NEXT:    %[[L:.*]] = graph.less %x, %y
// CHECK-NEXT:    graph.transpose %[[L]] {permutation = array<i64: 1, 0>} : (tensor<2x3xi1>) -> tensor<3x2xi1>
// CHECK-NEXT:    func.return
func.func @two_alike(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<3x2xi1> {
  %0 = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = graph.transpose %y {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %2 = graph.less %0, %1 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xi1>
  func.return %2 : tensor<3x2xi1>
}

// The other takes back what the first did.
// CHECK-LABEL: @two_that_differ
// CHECK-NEXT:    %[[Y:.*]] = graph.transpose %y {permutation = array<i64: 0, 2, 1>} : (tensor<2x4x3xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT:    %[[S:.*]] = graph.add %x, %[[Y]]
// CHECK-NEXT:    graph.transpose %[[S]]
// CHECK-NEXT:    func.return
func.func @two_that_differ(%x: tensor<2x3x4xf32>, %y: tensor<2x4x3xf32>) -> tensor<3x4x2xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = graph.transpose %y {permutation = array<i64: 2, 1, 0>} : (tensor<2x4x3xf32>) -> tensor<3x4x2xf32>
  %2 = graph.add %0, %1 : (tensor<3x4x2xf32>, tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  func.return %2 : tensor<3x4x2xf32>
}

// CHECK-LABEL: @layouts_are_kept
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    graph.relu
func.func @layouts_are_kept(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x4x3xf32, #layout.physical<NHWC>> {
  %0 = graph.transpose %x {permutation = array<i64: 0, 1, 3, 2>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x4x3xf32>
  %1 = graph.relu %0 : (tensor<1x2x4x3xf32>) -> tensor<1x2x4x3xf32, #layout.physical<NHWC>>
  func.return %1 : tensor<1x2x4x3xf32, #layout.physical<NHWC>>
}

// CHECK-LABEL: @constant
// CHECK-NEXT:    %[[C:.*]] = graph.literal dense<{{\[\[}}1.000000e+00, 3.000000e+00, 5.000000e+00], [2.000000e+00, 4.000000e+00, 6.000000e+00]]> : tensor<2x3xf32>
// CHECK-NEXT:    %[[S:.*]] = graph.sub %[[C]], %x
// CHECK-NEXT:    graph.transpose %[[S]]
func.func @constant(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %c = graph.literal dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32> : tensor<3x2xf32>
  %0 = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = graph.sub %c, %0 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  func.return %1 : tensor<3x2xf32>
}

// A row becomes a column, with a rank more.
// CHECK-LABEL: @channels
// CHECK-NEXT:    %[[C:.*]] = graph.literal dense<{{\[\[\[}}1.000000e+00]], {{\[\[}}2.000000e+00]]]> : tensor<2x1x1xf32>
// CHECK-NEXT:    graph.mul %x, %[[C]]
func.func @channels(%x: tensor<1x2x3x4xf32>) -> tensor<1x3x4x2xf32> {
  %c = graph.literal dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x3x4x2xf32>
  %1 = graph.mul %0, %c : (tensor<1x3x4x2xf32>, tensor<2xf32>) -> tensor<1x3x4x2xf32>
  func.return %1 : tensor<1x3x4x2xf32>
}

// Of what runs along channels alone, no element moves.
// CHECK-LABEL: @channels_of_the_run
// CHECK-NEXT:    %[[C:.*]] = graph.reshape %c {shape = array<i64: 2, 1, 1>}
// CHECK-NEXT:    graph.mul %x, %[[C]]
func.func @channels_of_the_run(%x: tensor<1x2x3x4xf32>, %c: tensor<2xf32>) -> tensor<1x3x4x2xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x3x4x2xf32>
  %1 = graph.mul %0, %c : (tensor<1x3x4x2xf32>, tensor<2xf32>) -> tensor<1x3x4x2xf32>
  func.return %1 : tensor<1x3x4x2xf32>
}

// CHECK-LABEL: @where_with_a_scalar_and_a_constant
// CHECK:         graph.where %c, %x, %{{.*}} : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x1xf32>)
// CHECK-NEXT:    graph.transpose
func.func @where_with_a_scalar_and_a_constant(%c: tensor<2x3xi1>, %x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %l = graph.literal dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %0 = graph.transpose %c {permutation = array<i64: 1, 0>} : (tensor<2x3xi1>) -> tensor<3x2xi1>
  %1 = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %2 = graph.where %0, %1, %l : (tensor<3x2xi1>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  func.return %2 : tensor<3x2xf32>
}

// CHECK-LABEL: @clip_bounds_stay
// CHECK-NEXT:    graph.clip %x min %low : tensor<f32> max %high : tensor<f32>
func.func @clip_bounds_stay(%x: tensor<2x3xf32>, %low: tensor<f32>, %high: tensor<f32>) -> tensor<3x2xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = graph.clip %0 min %low : tensor<f32> max %high : tensor<f32> : (tensor<3x2xf32>) -> tensor<3x2xf32>
  func.return %1 : tensor<3x2xf32>
}

// CHECK-LABEL: @concat
// CHECK-NEXT:    graph.concat %x, %y {axis = 0 : i64} : (tensor<2x3x4xf32>, tensor<1x3x4xf32>) -> tensor<3x3x4xf32>
// CHECK-NEXT:    graph.transpose
func.func @concat(%x: tensor<2x3x4xf32>, %y: tensor<1x3x4xf32>) -> tensor<4x3x3xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 2, 1, 0>} : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
  %1 = graph.transpose %y {permutation = array<i64: 2, 1, 0>} : (tensor<1x3x4xf32>) -> tensor<4x3x1xf32>
  %2 = graph.concat %0, %1 {axis = -1 : i64} : (tensor<4x3x2xf32>, tensor<4x3x1xf32>) -> tensor<4x3x3xf32>
  func.return %2 : tensor<4x3x3xf32>
}

// CHECK-LABEL: @split_that_meets_inverses
// CHECK-NEXT:    %[[A:.*]], %[[B:.*]] = graph.split %x {axis = 1 : i64, sizes = array<i64: 1, 2>}
// CHECK-NEXT:    %[[R:.*]] = graph.relu %[[A]]
// CHECK-NEXT:    func.return %[[R]], %[[B]]
func.func @split_that_meets_inverses(%x: tensor<2x3x4xf32>) -> (tensor<2x1x4xf32>, tensor<2x2x4xf32>) {
  %0 = graph.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1, %2 = graph.split %0 {axis = 2 : i64, sizes = array<i64: 1, 2>} : (tensor<4x2x3xf32>) -> (tensor<4x2x1xf32>, tensor<4x2x2xf32>)
  %3 = graph.relu %1 : (tensor<4x2x1xf32>) -> tensor<4x2x1xf32>
  %4 = graph.transpose %3 {permutation = array<i64: 1, 2, 0>} : (tensor<4x2x1xf32>) -> tensor<2x1x4xf32>
  %5 = graph.transpose %2 {permutation = array<i64: 1, 2, 0>} : (tensor<4x2x2xf32>) -> tensor<2x2x4xf32>
  func.return %4, %5 : tensor<2x1x4xf32>, tensor<2x2x4xf32>
}

// One transpose would become two.
// CHECK-LABEL: @split_is_not_passed_for_nothing
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    graph.split
// CHECK-NEXT:    func.return
func.func @split_is_not_passed_for_nothing(%x: tensor<2x3x4xf32>) -> (tensor<4x2x1xf32>, tensor<4x2x2xf32>) {
  %0 = graph.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1, %2 = graph.split %0 {axis = 2 : i64, sizes = array<i64: 1, 2>} : (tensor<4x2x3xf32>) -> (tensor<4x2x1xf32>, tensor<4x2x2xf32>)
  func.return %1, %2 : tensor<4x2x1xf32>, tensor<4x2x2xf32>
}

// CHECK-LABEL: @slice
// CHECK-NEXT:    graph.slice %x {starts = array<i64: 1, 0>, sizes = array<i64: 1, 2>, steps = array<i64: -1, 2>}
// CHECK-NEXT:    func.return
func.func @slice(%x: tensor<2x3xf32>) -> tensor<1x2xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = graph.slice %0 {starts = array<i64: 0, 1>, sizes = array<i64: 2, 1>, steps = array<i64: 2, -1>} : (tensor<3x2xf32>) -> tensor<2x1xf32>
  %2 = graph.transpose %1 {permutation = array<i64: 1, 0>} : (tensor<2x1xf32>) -> tensor<1x2xf32>
  func.return %2 : tensor<1x2xf32>
}

// CHECK-LABEL: @pad_that_meets_an_inverse
// CHECK-NEXT:    graph.pad %x value %v {pads = array<i64: 0, 0, 1, 2, 0, 0, 3, 4>}
// CHECK-NEXT:    graph.relu
// CHECK-NEXT:    func.return
func.func @pad_that_meets_an_inverse(%x: tensor<1x2x3x4xf32>, %v: tensor<f32>) -> tensor<1x2x7x10xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x3x4x2xf32>
  %1 = graph.pad %0 value %v {pads = array<i64: 0, 1, 2, 0, 0, 3, 4, 0>} : (tensor<1x3x4x2xf32>, tensor<f32>) -> tensor<1x7x10x2xf32>
  %2 = graph.relu %1 : (tensor<1x7x10x2xf32>) -> tensor<1x7x10x2xf32>
  %3 = graph.transpose %2 {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x7x10x2xf32>) -> tensor<1x2x7x10xf32>
  func.return %3 : tensor<1x2x7x10xf32>
}

// CHECK-LABEL: @tile_grows
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    graph.tile
func.func @tile_grows(%x: tensor<2x3xf32>) -> tensor<6x2xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = graph.tile %0 {repeats = array<i64: 2, 1>} : (tensor<3x2xf32>) -> tensor<6x2xf32>
  func.return %1 : tensor<6x2xf32>
}

// CHECK-LABEL: @tile_that_meets_an_inverse
// CHECK-NEXT:    graph.tile %x {repeats = array<i64: 1, 2>}
// CHECK-NEXT:    func.return
func.func @tile_that_meets_an_inverse(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = graph.tile %0 {repeats = array<i64: 2, 1>} : (tensor<3x2xf32>) -> tensor<6x2xf32>
  %2 = graph.transpose %1 {permutation = array<i64: 1, 0>} : (tensor<6x2xf32>) -> tensor<2x6xf32>
  func.return %2 : tensor<2x6xf32>
}

// CHECK-LABEL: @expand_that_meets_an_inverse
// CHECK-NEXT:    graph.expand %x {shape = array<i64: 2, 5, 3>} : (tensor<2x1x3xf32>)
// CHECK-NEXT:    func.return
func.func @expand_that_meets_an_inverse(%x: tensor<2x1x3xf32>) -> tensor<2x5x3xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 2, 1, 0>} : (tensor<2x1x3xf32>) -> tensor<3x1x2xf32>
  %1 = graph.expand %0 {shape = array<i64: 5, 1>} : (tensor<3x1x2xf32>) -> tensor<3x5x2xf32>
  %2 = graph.transpose %1 {permutation = array<i64: 2, 1, 0>} : (tensor<3x5x2xf32>) -> tensor<2x5x3xf32>
  func.return %2 : tensor<2x5x3xf32>
}

// CHECK-LABEL: @reduction
// CHECK-NEXT:    graph.reduce_mean %x {keepdims, axes = array<i64: 2, 3>} : (tensor<2x3x4x5xf32>) -> tensor<2x3x1x1xf32>
// CHECK-NEXT:    graph.reshape %{{.*}} {shape = array<i64: 2, 1, 1, 3>}
// CHECK-NEXT:    func.return
func.func @reduction(%x: tensor<2x3x4x5xf32>) -> tensor<2x1x1x3xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : (tensor<2x3x4x5xf32>) -> tensor<2x4x5x3xf32>
  %1 = graph.reduce_mean %0 {keepdims, axes = array<i64: 1, 2>} : (tensor<2x4x5x3xf32>) -> tensor<2x1x1x3xf32>
  func.return %1 : tensor<2x1x1x3xf32>
}

// CHECK-LABEL: @reduction_without_its_axes
// CHECK-NEXT:    graph.reduce_sum %x {axes = array<i64: 2>} : (tensor<2x3x4x5xf32>) -> tensor<2x3x5xf32>
// CHECK-NEXT:    graph.transpose %{{.*}} {permutation = array<i64: 2, 0, 1>}
func.func @reduction_without_its_axes(%x: tensor<2x3x4x5xf32>) -> tensor<5x2x3xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 3, 2, 0, 1>} : (tensor<2x3x4x5xf32>) -> tensor<5x4x2x3xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: -3>} : (tensor<5x4x2x3xf32>) -> tensor<5x2x3xf32>
  func.return %1 : tensor<5x2x3xf32>
}

// CHECK-LABEL: @arg_max
// CHECK-NEXT:    graph.arg_max %x {axis = 1 : i64, keepdims} : (tensor<1x2x3x4xf32>) -> tensor<1x1x3x4xi64>
// CHECK-NEXT:    graph.reshape %{{.*}} {shape = array<i64: 1, 3, 4, 1>}
func.func @arg_max(%x: tensor<1x2x3x4xf32>) -> tensor<1x3x4x1xi64> {
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x3x4x2xf32>
  %1 = graph.arg_max %0 {axis = -1 : i64, keepdims} : (tensor<1x3x4x2xf32>) -> tensor<1x3x4x1xi64>
  func.return %1 : tensor<1x3x4x1xi64>
}

// CHECK-LABEL: @softmax
// CHECK-NEXT:    graph.softmax %x {axis = 1 : i64}
func.func @softmax(%x: tensor<1x2x3x4xf32>) -> tensor<1x3x4x2xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x3x4x2xf32>
  %1 = graph.softmax %0 : (tensor<1x3x4x2xf32>) -> tensor<1x3x4x2xf32>
  func.return %1 : tensor<1x3x4x2xf32>
}

// CHECK-LABEL: @layer_norm
// CHECK-NEXT:    graph.layer_norm %x scale %s
// CHECK-NEXT:    graph.transpose
func.func @layer_norm(%x: tensor<2x3x4xf32>, %s: tensor<4xf32>) -> tensor<3x2x4xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 1, 0, 2>} : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
  %1 = graph.layer_norm %0 scale %s : tensor<4xf32> : (tensor<3x2x4xf32>) -> tensor<3x2x4xf32>
  func.return %1 : tensor<3x2x4xf32>
}

// CHECK-LABEL: @layer_norm_over_another_axis
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    graph.layer_norm
func.func @layer_norm_over_another_axis(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>) -> tensor<2x4x3xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 1>} : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  %1 = graph.layer_norm %0 scale %s : tensor<3xf32> : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  func.return %1 : tensor<2x4x3xf32>
}

// CHECK-LABEL: @gather
// CHECK-NEXT:    graph.gather %x, %i {axis = 1 : i64} : (tensor<2x3x4xf32>, tensor<5xi64>) -> tensor<2x5x4xf32>
// CHECK-NEXT:    func.return
func.func @gather(%x: tensor<2x3x4xf32>, %i: tensor<5xi64>) -> tensor<2x5x4xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = graph.gather %0, %i {axis = 2 : i64} : (tensor<4x2x3xf32>, tensor<5xi64>) -> tensor<4x2x5xf32>
  %2 = graph.transpose %1 {permutation = array<i64: 1, 2, 0>} : (tensor<4x2x5xf32>) -> tensor<2x5x4xf32>
  func.return %2 : tensor<2x5x4xf32>
}

// CHECK-LABEL: @batch_norm_keeps_channels
// CHECK-NEXT:    graph.batch_norm %x, %s, %s scale %s : tensor<3xf32> bias %s : tensor<3xf32>
// CHECK-NEXT:    graph.transpose
func.func @batch_norm_keeps_channels(%x: tensor<2x3x4x5xf32>, %s: tensor<3xf32>) -> tensor<2x3x5x4xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 0, 1, 3, 2>} : (tensor<2x3x4x5xf32>) -> tensor<2x3x5x4xf32>
  %1 = graph.batch_norm %0, %s, %s scale %s : tensor<3xf32> bias %s : tensor<3xf32> : (tensor<2x3x5x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x5x4xf32>
  func.return %1 : tensor<2x3x5x4xf32>
}

// CHECK-LABEL: @batch_norm_over_another_axis
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    graph.batch_norm
func.func @batch_norm_over_another_axis(%x: tensor<2x4x3xf32>, %s: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 1>} : (tensor<2x4x3xf32>) -> tensor<2x3x4xf32>
  %1 = graph.batch_norm %0, %s, %s scale %s : tensor<3xf32> bias %s : tensor<3xf32> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  func.return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @reshape_that_merges_whole_axes
// CHECK-NEXT:    graph.reshape %x {shape = array<i64: 2, 3, 20>}
// CHECK-NEXT:    graph.transpose %{{.*}} {permutation = array<i64: 0, 2, 1>}
func.func @reshape_that_merges_whole_axes(%x: tensor<2x3x4x5xf32>) -> tensor<2x20x3xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : (tensor<2x3x4x5xf32>) -> tensor<2x4x5x3xf32>
  %1 = graph.reshape %0 {shape = array<i64: 2, 20, 3>} : (tensor<2x4x5x3xf32>) -> tensor<2x20x3xf32>
  func.return %1 : tensor<2x20x3xf32>
}

// CHECK-LABEL: @reshape_that_splits_an_axis
// CHECK-NEXT:    graph.reshape %x {shape = array<i64: 2, 3, 2, 2>}
// CHECK-NEXT:    graph.transpose %{{.*}} {permutation = array<i64: 1, 2, 3, 0>}
func.func @reshape_that_splits_an_axis(%x: tensor<2x3x4xf32>) -> tensor<3x2x2x2xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = graph.reshape %0 {shape = array<i64: 3, 2, 2, 2>} : (tensor<3x4x2xf32>) -> tensor<3x2x2x2xf32>
  func.return %1 : tensor<3x2x2x2xf32>
}

// CHECK-LABEL: @reshape_that_mixes_axes
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    graph.reshape
func.func @reshape_that_mixes_axes(%x: tensor<2x3x4xf32>) -> tensor<2x12xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 1>} : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  %1 = graph.reshape %0 {shape = array<i64: 2, 12>} : (tensor<2x4x3xf32>) -> tensor<2x12xf32>
  func.return %1 : tensor<2x12xf32>
}

// The axes of a pool have a meaning.
// CHECK-LABEL: @pool_is_not_passed
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    graph.max_pool
func.func @pool_is_not_passed(%x: tensor<1x2x3x4xf32>) -> tensor<1x3x3x1xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x3x4x2xf32>
  %1 = graph.max_pool %0 {kernel_shape = array<i64: 2, 2>} : (tensor<1x3x4x2xf32>) -> tensor<1x3x3x1xf32>
  func.return %1 : tensor<1x3x3x1xf32>
}
