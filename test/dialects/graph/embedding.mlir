// RUN: ROUNDTRIP

// CHECK-LABEL: @rows
// CHECK-NEXT:    %y = graph.embedding %t, %i : (tensor<9x8xf32>, tensor<2x3xi64>) -> tensor<2x3x8xf32>
// CHECK-NEXT:    %z = graph.embedding %t, %i {padding_idx = 0 : i64} : (tensor<9x8xf32>, tensor<2x3xi64>) -> tensor<2x3x8xf32>
func.func @rows(%t: tensor<9x8xf32>, %i: tensor<2x3xi64>) {
  %y = graph.embedding %t, %i : (tensor<9x8xf32>, tensor<2x3xi64>) -> tensor<2x3x8xf32>
  %z = graph.embedding %t, %i {padding_idx = 0 : i64} : (tensor<9x8xf32>, tensor<2x3xi64>) -> tensor<2x3x8xf32>
  func.return
}

// Either optional operand, both, and none: who is absent is never mixed up.
// CHECK-LABEL: @bags
// CHECK-NEXT:    %a = graph.embedding_bag %t, %i : (tensor<9x8xf32>, tensor<5xi64>) -> tensor<8xf32>
// CHECK-NEXT:    %b = graph.embedding_bag %t, %i offsets %o : tensor<2xi32> {mode = "mean", include_last_offset} : (tensor<9x8xf32>, tensor<5xi64>) -> tensor<1x8xf32>
// CHECK-NEXT:    %c = graph.embedding_bag %t, %i weights %w : tensor<5xf32> {mode = "max"} : (tensor<9x8xf32>, tensor<5xi64>) -> tensor<8xf32>
// CHECK-NEXT:    %d = graph.embedding_bag %t, %i offsets %o : tensor<2xi32> weights %w : tensor<5xf32> {padding_idx = -1 : i64} : (tensor<9x8xf32>, tensor<5xi64>) -> tensor<2x8xf32>
func.func @bags(%t: tensor<9x8xf32>, %i: tensor<5xi64>, %o: tensor<2xi32>, %w: tensor<5xf32>) {
  %a = graph.embedding_bag %t, %i : (tensor<9x8xf32>, tensor<5xi64>) -> tensor<8xf32>
  %b = graph.embedding_bag %t, %i offsets %o : tensor<2xi32> {mode = "mean", include_last_offset} : (tensor<9x8xf32>, tensor<5xi64>) -> tensor<1x8xf32>
  %c = graph.embedding_bag %t, %i weights %w : tensor<5xf32> {mode = "max"} : (tensor<9x8xf32>, tensor<5xi64>) -> tensor<8xf32>
  %d = graph.embedding_bag %t, %i offsets %o : tensor<2xi32> weights %w : tensor<5xf32> {mode = "sum", padding_idx = -1 : i64} : (tensor<9x8xf32>, tensor<5xi64>) -> tensor<2x8xf32>
  func.return
}

// Without offsets, the last axis of the indices is a bag.
// CHECK-LABEL: @even_bags
// CHECK-NEXT:    %y = graph.embedding_bag %t, %i weights %w : tensor<2x3x4xf64> : (tensor<9x8xf64>, tensor<2x3x4xi32>) -> tensor<2x3x8xf64>
func.func @even_bags(%t: tensor<9x8xf64>, %i: tensor<2x3x4xi32>, %w: tensor<2x3x4xf64>) {
  %y = graph.embedding_bag %t, %i weights %w : tensor<2x3x4xf64> : (tensor<9x8xf64>, tensor<2x3x4xi32>) -> tensor<2x3x8xf64>
  func.return
}

// CHECK-LABEL: @lengths
// CHECK-NEXT:    %y = graph.sparse_lengths_sum %t, %i lengths %l : (tensor<9x8xf32>, tensor<5xi64>, tensor<2xi32>) -> tensor<2x8xf32>
// CHECK-NEXT:    %z = graph.sparse_lengths_sum %t, %i lengths %l weights %w : tensor<5xf32> {mode = "mean", padding_idx = 3 : i64} : (tensor<9x8xf32>, tensor<5xi64>, tensor<2xi32>) -> tensor<2x8xf32>
func.func @lengths(%t: tensor<9x8xf32>, %i: tensor<5xi64>, %l: tensor<2xi32>, %w: tensor<5xf32>) {
  %y = graph.sparse_lengths_sum %t, %i lengths %l : (tensor<9x8xf32>, tensor<5xi64>, tensor<2xi32>) -> tensor<2x8xf32>
  %z = graph.sparse_lengths_sum %t, %i lengths %l weights %w : tensor<5xf32> {mode = "mean", padding_idx = 3 : i64} : (tensor<9x8xf32>, tensor<5xi64>, tensor<2xi32>) -> tensor<2x8xf32>
  func.return
}
