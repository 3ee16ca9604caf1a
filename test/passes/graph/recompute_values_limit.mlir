// RUN: glow-opt %s -p 'recompute-values{memory_bytes=100000}' | filecheck %s
// RUN: glow-opt %s -p 'recompute-values{memory_bytes=1000000}' | filecheck --check-prefix=WITHIN %s
// RUN: glow-opt %s --stop-after graph --memory-bytes 100000 | filecheck --check-prefix OPTION %s
// RUN: glow-opt %s --stop-after graph --memory-bytes 1000000 | filecheck --check-prefix WITHIN %s
// RUN: glow-opt %s --memory-report --memory-bytes 100000 | filecheck --check-prefix REPORT %s
// RUN: not glow-opt %s --memory-report --stop-after loops 2>&1 | filecheck --check-prefix MISPLACED %s

// OPTION: graph.exp
// OPTION: graph.exp

// REPORT:      bytes made by from becomes because
// REPORT-NEXT: 65,536 graph.exp {{.*}} recomputed it follows from what is kept
// REPORT-NEXT: 65,536 graph.matmul {{.*}} kept its op takes longer than it takes to keep it
// REPORT-EMPTY:
// REPORT-NEXT: kept: 65,536 bytes, in 1 value
// REPORT-NEXT: recomputed: 65,536 bytes, in 1 value
// REPORT-NEXT: alive at once: 131,072 bytes, 196,608 if all are kept

// MISPLACED: error: expected --stop-after graph with --memory-report, got loops

// WITHIN: graph.exp
// WITHIN-NOT: graph.exp
// WITHIN: func.return

// With a limit, exponentials are computed again too.
// CHECK-LABEL: func.func @main
// CHECK:         [[Y:%.*]] = graph.matmul
// CHECK-NEXT:    graph.exp [[Y]]
// CHECK:         graph.exp [[Y]]
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
