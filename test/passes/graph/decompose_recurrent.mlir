// RUN: glow-opt %s -p decompose-recurrent | filecheck %s

// CHECK-LABEL: @two_steps(
// CHECK-COUNT-2: graph.matmul
// CHECK:         [[H:%.*]] = graph.tanh
// CHECK:         graph.matmul [[H]]
// CHECK:         graph.tanh
// CHECK:         graph.concat
// CHECK:         func.return
func.func @two_steps(%x: tensor<2x1x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) -> tensor<2x1x1x4xf32> {
  %y = graph.rnn %x, %w, %r : tensor<2x1x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32> y tensor<2x1x1x4xf32>
  func.return %y : tensor<2x1x1x4xf32>
}

// A sequence that has ended keeps its state.
// CHECK-LABEL: @lengths(
// CHECK:         graph.greater
// CHECK:         graph.where
// CHECK-NOT:     graph.gru
func.func @lengths(%x: tensor<2x1x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %l: tensor<1xi32>) -> tensor<1x1x4xf32> {
  %y = graph.gru %x, %w, %r sequence_lens %l : tensor<1xi32> : tensor<2x1x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32> y_h tensor<1x1x4xf32>
  func.return %y : tensor<1x1x4xf32>
}

// The state after no steps is 0, whatever it was before.
// CHECK-LABEL: @no_steps(
// CHECK:         [[Y:%.*]] = graph.{{.*}} -> tensor<0x1x1x4xf32>
// CHECK-NOT:     %h0
// CHECK:         func.return
func.func @no_steps(%x: tensor<0x1x3xf32>, %w: tensor<1x12x3xf32>, %r: tensor<1x12x4xf32>, %h0: tensor<1x1x4xf32>) -> (tensor<0x1x1x4xf32>, tensor<1x1x4xf32>) {
  %y, %h = graph.gru %x, %w, %r initial_h %h0 : tensor<1x1x4xf32> : tensor<0x1x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32> y tensor<0x1x1x4xf32> y_h tensor<1x1x4xf32>
  func.return %y, %h : tensor<0x1x1x4xf32>, tensor<1x1x4xf32>
}
