// RUN: glow-opt %s --split-input-file -p 'decompose-attention{target=cpu}' | filecheck %s
// RUN: glow-opt %s --split-input-file -p decompose-attention | filecheck %s --check-prefix ALL
// RUN: glow-opt %s --split-input-file -p 'decompose-attention{target=reference}' | filecheck %s --check-prefix ALL

// ALL-NOT: graph.attention

// One query per head of a cache that says what is valid has a kernel of its own.
// CHECK-LABEL: @step
// CHECK:         graph.attention
// CHECK-NOT:     graph.matmul
func.func @step(%q: tensor<1x4x1x8xf32>, %k: tensor<1x2x16x8xf32>, %n: tensor<1xi64>) -> tensor<1x4x1x8xf32> {
  %y = graph.attention %q, %k, %k valid_length %n : tensor<1xi64> : (tensor<1x4x1x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) -> tensor<1x4x1x8xf32>
  func.return %y : tensor<1x4x1x8xf32>
}

// -----

// CHECK-LABEL: @causal_step
// CHECK:         graph.attention
func.func @causal_step(%q: tensor<1x4x1x8xf32>, %k: tensor<1x2x16x8xf32>, %n: tensor<1xi64>) -> tensor<1x4x1x8xf32> {
  %y = graph.attention %q, %k, %k valid_length %n : tensor<1xi64> {causal} : (tensor<1x4x1x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) -> tensor<1x4x1x8xf32>
  func.return %y : tensor<1x4x1x8xf32>
}

// -----

// Several queries of a head.
// CHECK-LABEL: @several_queries
// CHECK-NOT:     graph.attention
// CHECK:         graph.matmul
func.func @several_queries(%q: tensor<1x4x2x8xf32>, %k: tensor<1x2x16x8xf32>, %n: tensor<1xi64>) -> tensor<1x4x2x8xf32> {
  %y = graph.attention %q, %k, %k valid_length %n : tensor<1xi64> : (tensor<1x4x2x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) -> tensor<1x4x2x8xf32>
  func.return %y : tensor<1x4x2x8xf32>
}

// -----

// All keys are valid.
// CHECK-LABEL: @all_keys
// CHECK-NOT:     graph.attention
// CHECK:         graph.matmul
func.func @all_keys(%q: tensor<1x4x1x8xf32>, %k: tensor<1x2x16x8xf32>, %n: tensor<1xi64>) -> tensor<1x4x1x8xf32> {
  %y = graph.attention %q, %k, %k : (tensor<1x4x1x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) -> tensor<1x4x1x8xf32>
  func.return %y : tensor<1x4x1x8xf32>
}

// -----

// A mask.
// CHECK-LABEL: @masked
// CHECK-NOT:     graph.attention
// CHECK:         graph.matmul
func.func @masked(%q: tensor<1x4x1x8xf32>, %k: tensor<1x2x16x8xf32>, %n: tensor<1xi64>, %m: tensor<1x16xi1>) -> tensor<1x4x1x8xf32> {
  %y = graph.attention %q, %k, %k mask %m : tensor<1x16xi1> valid_length %n : tensor<1xi64> : (tensor<1x4x1x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) -> tensor<1x4x1x8xf32>
  func.return %y : tensor<1x4x1x8xf32>
}

// -----

// A bias.
// CHECK-LABEL: @biased
// CHECK-NOT:     graph.attention
// CHECK:         graph.matmul
func.func @biased(%q: tensor<1x4x1x8xf32>, %k: tensor<1x2x16x8xf32>, %n: tensor<1xi64>, %m: tensor<1x16xf32>) -> tensor<1x4x1x8xf32> {
  %y = graph.attention %q, %k, %k bias %m : tensor<1x16xf32> valid_length %n : tensor<1xi64> : (tensor<1x4x1x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) -> tensor<1x4x1x8xf32>
  func.return %y : tensor<1x4x1x8xf32>
}

// -----

// Scores that are capped.
// CHECK-LABEL: @capped
// CHECK-NOT:     graph.attention
// CHECK:         graph.matmul
func.func @capped(%q: tensor<1x4x1x8xf32>, %k: tensor<1x2x16x8xf32>, %n: tensor<1xi64>) -> tensor<1x4x1x8xf32> {
  %y = graph.attention %q, %k, %k valid_length %n : tensor<1xi64> {softcap = 2.0 : f64} : (tensor<1x4x1x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) -> tensor<1x4x1x8xf32>
  func.return %y : tensor<1x4x1x8xf32>
}

// -----

// A window.
// CHECK-LABEL: @windowed
// CHECK-NOT:     graph.attention
// CHECK:         graph.matmul
func.func @windowed(%q: tensor<1x4x1x8xf32>, %k: tensor<1x2x16x8xf32>, %n: tensor<1xi64>) -> tensor<1x4x1x8xf32> {
  %y = graph.attention %q, %k, %k valid_length %n : tensor<1xi64> {left_window_size = 4 : i64} : (tensor<1x4x1x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) -> tensor<1x4x1x8xf32>
  func.return %y : tensor<1x4x1x8xf32>
}

// -----

// Heads within the last axis.
// CHECK-LABEL: @flat
// CHECK-NOT:     graph.attention
// CHECK:         graph.matmul
func.func @flat(%q: tensor<1x1x32xf32>, %k: tensor<1x16x16xf32>, %n: tensor<1xi64>) -> tensor<1x1x32xf32> {
  %y = graph.attention %q, %k, %k valid_length %n : tensor<1xi64> {q_num_heads = 4 : i64, kv_num_heads = 2 : i64} : (tensor<1x1x32xf32>, tensor<1x16x16xf32>, tensor<1x16x16xf32>) -> tensor<1x1x32xf32>
  func.return %y : tensor<1x1x32xf32>
}

// -----

// Another type.
// CHECK-LABEL: @wide
// CHECK-NOT:     graph.attention
// CHECK:         graph.matmul
func.func @wide(%q: tensor<1x4x1x8xf64>, %k: tensor<1x2x16x8xf64>, %n: tensor<1xi64>) -> tensor<1x4x1x8xf64> {
  %y = graph.attention %q, %k, %k valid_length %n : tensor<1xi64> : (tensor<1x4x1x8xf64>, tensor<1x2x16x8xf64>, tensor<1x2x16x8xf64>) -> tensor<1x4x1x8xf64>
  func.return %y : tensor<1x4x1x8xf64>
}

// -----

// A softmax of another type.
// CHECK-LABEL: @precise
// CHECK-NOT:     graph.attention
// CHECK:         graph.matmul
func.func @precise(%q: tensor<1x4x1x8xf32>, %k: tensor<1x2x16x8xf32>, %n: tensor<1xi64>) -> tensor<1x4x1x8xf32> {
  %y = graph.attention %q, %k, %k valid_length %n : tensor<1xi64> {softmax_precision = f64} : (tensor<1x4x1x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) -> tensor<1x4x1x8xf32>
  func.return %y : tensor<1x4x1x8xf32>
}
