// RUN: ROUNDTRIP

// CHECK-LABEL: @by_position
// CHECK-NEXT:    %y = graph.rotary_embedding %x, %c, %s positions %p : (tensor<1x2x3x4xf32>, tensor<9x2xf32>, tensor<9x2xf32>, tensor<1x3xi64>) -> tensor<1x2x3x4xf32>
func.func @by_position(%x: tensor<1x2x3x4xf32>, %c: tensor<9x2xf32>, %s: tensor<9x2xf32>, %p: tensor<1x3xi64>) {
  %y = graph.rotary_embedding %x, %c, %s positions %p : (tensor<1x2x3x4xf32>, tensor<9x2xf32>, tensor<9x2xf32>, tensor<1x3xi64>) -> tensor<1x2x3x4xf32>
  func.return
}

// CHECK-LABEL: @without_positions
// CHECK-NEXT:    %y = graph.rotary_embedding %x, %c, %s {interleaved, num_heads = 2 : i64, rotary_embedding_dim = 2 : i64} : (tensor<2x3x8xf64>, tensor<2x3x1xf64>, tensor<2x3x1xf64>) -> tensor<2x3x8xf64>
func.func @without_positions(%x: tensor<2x3x8xf64>, %c: tensor<2x3x1xf64>, %s: tensor<2x3x1xf64>) {
  %y = graph.rotary_embedding %x, %c, %s {interleaved, num_heads = 2 : i64, rotary_embedding_dim = 2 : i64} : (tensor<2x3x8xf64>, tensor<2x3x1xf64>, tensor<2x3x1xf64>) -> tensor<2x3x8xf64>
  func.return
}

// CHECK-LABEL: @once_for_the_batch
// CHECK-NEXT:    %y = graph.rotary_embedding %x, %c, %c : (tensor<2x2x3x4xf32>, tensor<1x3x2xf32>, tensor<1x3x2xf32>) -> tensor<2x2x3x4xf32>
func.func @once_for_the_batch(%x: tensor<2x2x3x4xf32>, %c: tensor<1x3x2xf32>) {
  %y = graph.rotary_embedding %x, %c, %c : (tensor<2x2x3x4xf32>, tensor<1x3x2xf32>, tensor<1x3x2xf32>) -> tensor<2x2x3x4xf32>
  func.return
}
