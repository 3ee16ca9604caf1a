// RUN: glow-opt %s -p recompute-values --split-input-file | filecheck %s

// %y is kept for the last product, and gives %r once more.
// CHECK-LABEL: func.func @main
// CHECK:         [[Y:%.*]] = graph.matmul
// CHECK-NEXT:    graph.relu [[Y]]
// CHECK:         [[R:%.*]] = graph.relu [[Y]]
// CHECK-NEXT:    graph.mul [[R]]
func.func @main(%x: tensor<128x128xf32>, %w: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %y = graph.matmul %x, %w : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %r = graph.relu %y : (tensor<128x128xf32>) -> tensor<128x128xf32>
  %p = graph.matmul %r, %w : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %s0 = graph.reduce_sum %p {axes = array<i64: 0>} : (tensor<128x128xf32>) -> tensor<128xf32>
  %s1 = graph.tanh %s0 : (tensor<128xf32>) -> tensor<128xf32>
  %s2 = graph.tanh %s1 : (tensor<128xf32>) -> tensor<128xf32>
  %s3 = graph.tanh %s2 : (tensor<128xf32>) -> tensor<128xf32>
  %s4 = graph.tanh %s3 : (tensor<128xf32>) -> tensor<128xf32>
  %s5 = graph.tanh %s4 : (tensor<128xf32>) -> tensor<128xf32>
  %s6 = graph.tanh %s5 : (tensor<128xf32>) -> tensor<128xf32>
  %s7 = graph.tanh %s6 : (tensor<128xf32>) -> tensor<128xf32>
  %s8 = graph.tanh %s7 : (tensor<128xf32>) -> tensor<128xf32>
  %s9 = graph.tanh %s8 : (tensor<128xf32>) -> tensor<128xf32>
  %s10 = graph.tanh %s9 : (tensor<128xf32>) -> tensor<128xf32>
  %s11 = graph.tanh %s10 : (tensor<128xf32>) -> tensor<128xf32>
  %s12 = graph.tanh %s11 : (tensor<128xf32>) -> tensor<128xf32>
  %s13 = graph.tanh %s12 : (tensor<128xf32>) -> tensor<128xf32>
  %a = graph.mul %r, %s13 : (tensor<128x128xf32>, tensor<128xf32>) -> tensor<128x128xf32>
  %c = graph.matmul %a, %w : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %z = graph.mul %y, %c : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  func.return %z : tensor<128x128xf32>
}

// -----

// %r alone is needed later: %y takes as much memory.
// CHECK-LABEL: func.func @main
// CHECK:         graph.relu
// CHECK-NOT:     graph.relu
// CHECK:         func.return
func.func @main(%x: tensor<128x128xf32>, %w: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %y = graph.matmul %x, %w : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %r = graph.relu %y : (tensor<128x128xf32>) -> tensor<128x128xf32>
  %p = graph.matmul %r, %w : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %s0 = graph.reduce_sum %p {axes = array<i64: 0>} : (tensor<128x128xf32>) -> tensor<128xf32>
  %s1 = graph.tanh %s0 : (tensor<128xf32>) -> tensor<128xf32>
  %s2 = graph.tanh %s1 : (tensor<128xf32>) -> tensor<128xf32>
  %s3 = graph.tanh %s2 : (tensor<128xf32>) -> tensor<128xf32>
  %s4 = graph.tanh %s3 : (tensor<128xf32>) -> tensor<128xf32>
  %s5 = graph.tanh %s4 : (tensor<128xf32>) -> tensor<128xf32>
  %s6 = graph.tanh %s5 : (tensor<128xf32>) -> tensor<128xf32>
  %s7 = graph.tanh %s6 : (tensor<128xf32>) -> tensor<128xf32>
  %s8 = graph.tanh %s7 : (tensor<128xf32>) -> tensor<128xf32>
  %s9 = graph.tanh %s8 : (tensor<128xf32>) -> tensor<128xf32>
  %s10 = graph.tanh %s9 : (tensor<128xf32>) -> tensor<128xf32>
  %s11 = graph.tanh %s10 : (tensor<128xf32>) -> tensor<128xf32>
  %s12 = graph.tanh %s11 : (tensor<128xf32>) -> tensor<128xf32>
  %s13 = graph.tanh %s12 : (tensor<128xf32>) -> tensor<128xf32>
  %z = graph.mul %r, %s13 : (tensor<128x128xf32>, tensor<128xf32>) -> tensor<128x128xf32>
  func.return %z : tensor<128x128xf32>
}

// -----

// Only few ops are between the uses of %r.
// CHECK-LABEL: func.func @main
// CHECK:         graph.relu
// CHECK-NOT:     graph.relu
// CHECK:         func.return
func.func @main(%x: tensor<128x128xf32>, %w: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %y = graph.matmul %x, %w : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %r = graph.relu %y : (tensor<128x128xf32>) -> tensor<128x128xf32>
  %p = graph.matmul %r, %w : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %s0 = graph.reduce_sum %p {axes = array<i64: 0>} : (tensor<128x128xf32>) -> tensor<128xf32>
  %s1 = graph.tanh %s0 : (tensor<128xf32>) -> tensor<128xf32>
  %s2 = graph.tanh %s1 : (tensor<128xf32>) -> tensor<128xf32>
  %s3 = graph.tanh %s2 : (tensor<128xf32>) -> tensor<128xf32>
  %s4 = graph.tanh %s3 : (tensor<128xf32>) -> tensor<128xf32>
  %s5 = graph.tanh %s4 : (tensor<128xf32>) -> tensor<128xf32>
  %a = graph.mul %r, %s5 : (tensor<128x128xf32>, tensor<128xf32>) -> tensor<128x128xf32>
  %c = graph.matmul %a, %w : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %z = graph.mul %y, %c : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  func.return %z : tensor<128x128xf32>
}

// -----

// It would save less than 64 KiB.
// CHECK-LABEL: func.func @main
// CHECK:         graph.relu
// CHECK-NOT:     graph.relu
// CHECK:         func.return
func.func @main(%x: tensor<96x128xf32>, %w: tensor<128x128xf32>) -> tensor<96x128xf32> {
  %y = graph.matmul %x, %w : (tensor<96x128xf32>, tensor<128x128xf32>) -> tensor<96x128xf32>
  %r = graph.relu %y : (tensor<96x128xf32>) -> tensor<96x128xf32>
  %p = graph.matmul %r, %w : (tensor<96x128xf32>, tensor<128x128xf32>) -> tensor<96x128xf32>
  %s0 = graph.reduce_sum %p {axes = array<i64: 0>} : (tensor<96x128xf32>) -> tensor<128xf32>
  %s1 = graph.tanh %s0 : (tensor<128xf32>) -> tensor<128xf32>
  %s2 = graph.tanh %s1 : (tensor<128xf32>) -> tensor<128xf32>
  %s3 = graph.tanh %s2 : (tensor<128xf32>) -> tensor<128xf32>
  %s4 = graph.tanh %s3 : (tensor<128xf32>) -> tensor<128xf32>
  %s5 = graph.tanh %s4 : (tensor<128xf32>) -> tensor<128xf32>
  %s6 = graph.tanh %s5 : (tensor<128xf32>) -> tensor<128xf32>
  %s7 = graph.tanh %s6 : (tensor<128xf32>) -> tensor<128xf32>
  %s8 = graph.tanh %s7 : (tensor<128xf32>) -> tensor<128xf32>
  %s9 = graph.tanh %s8 : (tensor<128xf32>) -> tensor<128xf32>
  %s10 = graph.tanh %s9 : (tensor<128xf32>) -> tensor<128xf32>
  %s11 = graph.tanh %s10 : (tensor<128xf32>) -> tensor<128xf32>
  %s12 = graph.tanh %s11 : (tensor<128xf32>) -> tensor<128xf32>
  %s13 = graph.tanh %s12 : (tensor<128xf32>) -> tensor<128xf32>
  %a = graph.mul %r, %s13 : (tensor<96x128xf32>, tensor<128xf32>) -> tensor<96x128xf32>
  %c = graph.matmul %a, %w : (tensor<96x128xf32>, tensor<128x128xf32>) -> tensor<96x128xf32>
  %z = graph.mul %y, %c : (tensor<96x128xf32>, tensor<96x128xf32>) -> tensor<96x128xf32>
  func.return %z : tensor<96x128xf32>
}

// -----

// An exponential takes longer than to read what was kept.
// CHECK-LABEL: func.func @main
// CHECK:         graph.exp
// CHECK-NOT:     graph.exp
// CHECK:         func.return
func.func @main(%x: tensor<128x128xf32>, %w: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %y = graph.matmul %x, %w : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %r = graph.exp %y : (tensor<128x128xf32>) -> tensor<128x128xf32>
  %p = graph.matmul %r, %w : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %s0 = graph.reduce_sum %p {axes = array<i64: 0>} : (tensor<128x128xf32>) -> tensor<128xf32>
  %s1 = graph.tanh %s0 : (tensor<128xf32>) -> tensor<128xf32>
  %s2 = graph.tanh %s1 : (tensor<128xf32>) -> tensor<128xf32>
  %s3 = graph.tanh %s2 : (tensor<128xf32>) -> tensor<128xf32>
  %s4 = graph.tanh %s3 : (tensor<128xf32>) -> tensor<128xf32>
  %s5 = graph.tanh %s4 : (tensor<128xf32>) -> tensor<128xf32>
  %s6 = graph.tanh %s5 : (tensor<128xf32>) -> tensor<128xf32>
  %s7 = graph.tanh %s6 : (tensor<128xf32>) -> tensor<128xf32>
  %s8 = graph.tanh %s7 : (tensor<128xf32>) -> tensor<128xf32>
  %s9 = graph.tanh %s8 : (tensor<128xf32>) -> tensor<128xf32>
  %s10 = graph.tanh %s9 : (tensor<128xf32>) -> tensor<128xf32>
  %s11 = graph.tanh %s10 : (tensor<128xf32>) -> tensor<128xf32>
  %s12 = graph.tanh %s11 : (tensor<128xf32>) -> tensor<128xf32>
  %s13 = graph.tanh %s12 : (tensor<128xf32>) -> tensor<128xf32>
  %a = graph.mul %r, %s13 : (tensor<128x128xf32>, tensor<128xf32>) -> tensor<128x128xf32>
  %c = graph.matmul %a, %w : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %z = graph.mul %y, %c : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  func.return %z : tensor<128x128xf32>
}
