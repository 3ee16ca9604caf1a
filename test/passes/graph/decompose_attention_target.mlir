// RUN: glow-opt %s --split-input-file -p 'decompose-attention{target=cpu}' | filecheck %s
// RUN: glow-opt %s --split-input-file -p decompose-attention | filecheck %s --check-prefix ALL
// RUN: glow-opt %s --split-input-file -p 'decompose-attention{target=reference}' | filecheck %s --check-prefix ALL

// ALL-NOT: graph.attention

// One query per head of a cache that says what is valid has a kernel of its own,
// CHECK-LABEL: @step
// CHECK:         graph.attention
// CHECK-NOT:     graph.matmul
func.func @step(%q: tensor<1x4x1x8xf32>, %k: tensor<1x2x16x8xf32>, %n: tensor<1xi64>) -> tensor<1x4x1x8xf32> {
  %y = graph.attention %q, %k, %k valid_length %n : tensor<1xi64>  : (tensor<1x4x1x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) -> tensor<1x4x1x8xf32>
  func.return %y : tensor<1x4x1x8xf32>
}

// -----

// and so have several,
// CHECK-LABEL: @several_queries
// CHECK:         graph.attention
// CHECK-NOT:     graph.matmul
func.func @several_queries(%q: tensor<1x4x2x8xf32>, %k: tensor<1x2x16x8xf32>, %n: tensor<1xi64>) -> tensor<1x4x2x8xf32> {
  %y = graph.attention %q, %k, %k valid_length %n : tensor<1xi64>  : (tensor<1x4x2x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) -> tensor<1x4x2x8xf32>
  func.return %y : tensor<1x4x2x8xf32>
}

// -----

// of floats of 16 bits, too,
// CHECK-LABEL: @narrow
// CHECK:         graph.attention
// CHECK-NOT:     graph.matmul
func.func @narrow(%q: tensor<1x2x1x8xbf16>, %k: tensor<1x2x16x8xbf16>) -> tensor<1x2x1x8xbf16> {
  %y = graph.attention %q, %k, %k  : (tensor<1x2x1x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>) -> tensor<1x2x1x8xbf16>
  func.return %y : tensor<1x2x1x8xbf16>
}

// -----

// one or two queries of a head of keys, whatever they see,
// CHECK-LABEL: @two_queries
// CHECK:         graph.attention
// CHECK-NOT:     graph.matmul
func.func @two_queries(%q: tensor<1x2x2x8xf32>, %k: tensor<1x2x16x8xf32>) -> tensor<1x2x2x8xf32> {
  %y = graph.attention %q, %k, %k  : (tensor<1x2x2x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) -> tensor<1x2x2x8xf32>
  func.return %y : tensor<1x2x2x8xf32>
}

// -----

// and all with many scores:
// CHECK-LABEL: @many
// CHECK:         graph.attention
// CHECK-NOT:     graph.matmul
func.func @many(%q: tensor<1x4x64x8xf32>, %k: tensor<1x2x64x8xf32>) -> tensor<1x4x64x8xf32> {
  %y = graph.attention %q, %k, %k  : (tensor<1x4x64x8xf32>, tensor<1x2x64x8xf32>, tensor<1x2x64x8xf32>) -> tensor<1x4x64x8xf32>
  func.return %y : tensor<1x4x64x8xf32>
}

// -----

// causal,
// CHECK-LABEL: @causal
// CHECK:         graph.attention
// CHECK-NOT:     graph.matmul
func.func @causal(%q: tensor<1x4x64x8xf32>, %k: tensor<1x2x64x8xf32>) -> tensor<1x4x64x8xf32> {
  %y = graph.attention %q, %k, %k {causal} : (tensor<1x4x64x8xf32>, tensor<1x2x64x8xf32>, tensor<1x2x64x8xf32>) -> tensor<1x4x64x8xf32>
  func.return %y : tensor<1x4x64x8xf32>
}

// -----

// with a mask,
// CHECK-LABEL: @masked
// CHECK:         graph.attention
// CHECK-NOT:     graph.matmul
func.func @masked(%q: tensor<1x4x64x8xf32>, %k: tensor<1x2x64x8xf32>, %m: tensor<64x64xi1>) -> tensor<1x4x64x8xf32> {
  %y = graph.attention %q, %k, %k mask %m : tensor<64x64xi1> {masked_score = -1.0e+04 : f64, unseen = "nan"} : (tensor<1x4x64x8xf32>, tensor<1x2x64x8xf32>, tensor<1x2x64x8xf32>) -> tensor<1x4x64x8xf32>
  func.return %y : tensor<1x4x64x8xf32>
}

// -----

// a bias,
// CHECK-LABEL: @biased
// CHECK:         graph.attention
// CHECK-NOT:     graph.matmul
func.func @biased(%q: tensor<1x4x64x8xf32>, %k: tensor<1x2x64x8xf32>, %b: tensor<64xf32>) -> tensor<1x4x64x8xf32> {
  %y = graph.attention %q, %k, %k bias %b : tensor<64xf32>  : (tensor<1x4x64x8xf32>, tensor<1x2x64x8xf32>, tensor<1x2x64x8xf32>) -> tensor<1x4x64x8xf32>
  func.return %y : tensor<1x4x64x8xf32>
}

// -----

// a cap,
// CHECK-LABEL: @capped
// CHECK:         graph.attention
// CHECK-NOT:     graph.matmul
func.func @capped(%q: tensor<1x4x64x8xf32>, %k: tensor<1x2x64x8xf32>) -> tensor<1x4x64x8xf32> {
  %y = graph.attention %q, %k, %k {softcap = 2.0 : f64} : (tensor<1x4x64x8xf32>, tensor<1x2x64x8xf32>, tensor<1x2x64x8xf32>) -> tensor<1x4x64x8xf32>
  func.return %y : tensor<1x4x64x8xf32>
}

// -----

// or windows.
// CHECK-LABEL: @windowed
// CHECK:         graph.attention
// CHECK-NOT:     graph.matmul
func.func @windowed(%q: tensor<1x4x64x8xf32>, %k: tensor<1x2x64x8xf32>) -> tensor<1x4x64x8xf32> {
  %y = graph.attention %q, %k, %k {left_window_size = 4 : i64, right_window_size = 2 : i64} : (tensor<1x4x64x8xf32>, tensor<1x2x64x8xf32>, tensor<1x2x64x8xf32>) -> tensor<1x4x64x8xf32>
  func.return %y : tensor<1x4x64x8xf32>
}

// -----

// Few scores stay in the caches anyway;
// CHECK-LABEL: @few_scores
// CHECK-NOT:     graph.attention
// CHECK:         graph.matmul
func.func @few_scores(%q: tensor<1x2x16x8xf32>, %k: tensor<1x2x64x8xf32>) -> tensor<1x2x16x8xf32> {
  %y = graph.attention %q, %k, %k  : (tensor<1x2x16x8xf32>, tensor<1x2x64x8xf32>, tensor<1x2x64x8xf32>) -> tensor<1x2x16x8xf32>
  func.return %y : tensor<1x2x16x8xf32>
}

// -----

// of causal ones, these are few.
// CHECK-LABEL: @few_causal_scores
// CHECK-NOT:     graph.attention
// CHECK:         graph.matmul
func.func @few_causal_scores(%q: tensor<1x1x64x8xf32>, %k: tensor<1x1x64x8xf32>) -> tensor<1x1x64x8xf32> {
  %y = graph.attention %q, %k, %k {causal} : (tensor<1x1x64x8xf32>, tensor<1x1x64x8xf32>, tensor<1x1x64x8xf32>) -> tensor<1x1x64x8xf32>
  func.return %y : tensor<1x1x64x8xf32>
}

// -----

// Another type.
// CHECK-LABEL: @wide
// CHECK-NOT:     graph.attention
// CHECK:         graph.matmul
func.func @wide(%q: tensor<1x4x64x8xf64>, %k: tensor<1x2x64x8xf64>) -> tensor<1x4x64x8xf64> {
  %y = graph.attention %q, %k, %k  : (tensor<1x4x64x8xf64>, tensor<1x2x64x8xf64>, tensor<1x2x64x8xf64>) -> tensor<1x4x64x8xf64>
  func.return %y : tensor<1x4x64x8xf64>
}

// -----

// A softmax of another type.
// CHECK-LABEL: @precise
// CHECK-NOT:     graph.attention
// CHECK:         graph.matmul
func.func @precise(%q: tensor<1x4x64x8xf32>, %k: tensor<1x2x64x8xf32>) -> tensor<1x4x64x8xf32> {
  %y = graph.attention %q, %k, %k {softmax_precision = f64} : (tensor<1x4x64x8xf32>, tensor<1x2x64x8xf32>, tensor<1x2x64x8xf32>) -> tensor<1x4x64x8xf32>
  func.return %y : tensor<1x4x64x8xf32>
}

// -----

// No keys.
// CHECK-LABEL: @no_keys
// CHECK-NOT:     graph.attention
// CHECK:         graph.matmul
func.func @no_keys(%q: tensor<1x4x64x8xf32>, %k: tensor<1x2x0x8xf32>, %n: tensor<1xi64>) -> tensor<1x4x64x8xf32> {
  %y = graph.attention %q, %k, %k valid_length %n : tensor<1xi64>  : (tensor<1x4x64x8xf32>, tensor<1x2x0x8xf32>, tensor<1x2x0x8xf32>) -> tensor<1x4x64x8xf32>
  func.return %y : tensor<1x4x64x8xf32>
}

// -----

// Scores that are a result.
// CHECK-LABEL: @with_scores
// CHECK-NOT:     graph.attention
// CHECK:         graph.matmul
func.func @with_scores(%q: tensor<1x4x64x8xf32>, %k: tensor<1x2x64x8xf32>) -> tensor<1x4x64x64xf32> {
  %y, %s = graph.attention %q, %k, %k : (tensor<1x4x64x8xf32>, tensor<1x2x64x8xf32>, tensor<1x2x64x8xf32>) -> tensor<1x4x64x8xf32> scores tensor<1x4x64x64xf32>
  func.return %s : tensor<1x4x64x64xf32>
}

// -----

// Heads within the last axis get one of their own.
// CHECK-LABEL: @flat
// CHECK:         [[Q:%.*]] = graph.transpose {{.*}} -> tensor<1x4x64x8xf32>
// CHECK:         [[Y:%.*]] = graph.attention [[Q]], {{.*}} {scale = 5.000000e-01 : f64, softcap = 2.000000e+00 : f64, unseen = "nan"} : {{.*}} -> tensor<1x4x64x8xf32>
// CHECK-NEXT:    [[T:%.*]] = graph.transpose [[Y]] {{.*}} -> tensor<1x64x4x8xf32>
// CHECK-NEXT:    graph.reshape [[T]] {{.*}} -> tensor<1x64x32xf32>
func.func @flat(%q: tensor<1x64x32xf32>, %k: tensor<1x64x16xf32>) -> tensor<1x64x32xf32> {
  %y = graph.attention %q, %k, %k {q_num_heads = 4 : i64, kv_num_heads = 2 : i64, scale = 0.5 : f64, softcap = 2.0 : f64, unseen = "nan"} : (tensor<1x64x32xf32>, tensor<1x64x16xf32>, tensor<1x64x16xf32>) -> tensor<1x64x32xf32>
  func.return %y : tensor<1x64x32xf32>
}

// -----

// A past is joined with what is new; positions count from its start.
// CHECK-LABEL: @grown
// CHECK:         [[K:%.*]] = graph.concat %p, %k
// CHECK:         [[Y:%.*]] = graph.attention %q, [[K]], {{.*}} {left_window_size = 4 : i64, right_window_size = 8 : i64}
// CHECK-NEXT:    func.return [[Y]], [[K]]
func.func @grown(%q: tensor<1x2x64x8xf32>, %k: tensor<1x2x64x8xf32>, %p: tensor<1x2x8x8xf32>) -> (tensor<1x2x64x8xf32>, tensor<1x2x72x8xf32>) {
  %y, %c = graph.attention %q, %k, %k past_key %p : tensor<1x2x8x8xf32> past_value %p : tensor<1x2x8x8xf32> {causal, left_window_size = 12 : i64} : (tensor<1x2x64x8xf32>, tensor<1x2x64x8xf32>, tensor<1x2x64x8xf32>) -> tensor<1x2x64x8xf32> present_key tensor<1x2x72x8xf32>
  func.return %y, %c : tensor<1x2x64x8xf32>, tensor<1x2x72x8xf32>
}

// -----

// A window that ends nowhere is none.
// CHECK-LABEL: @sees_all
// CHECK:         graph.attention
// CHECK-NOT:     window
// CHECK:         func.return
func.func @sees_all(%q: tensor<1x2x64x8xf32>, %k: tensor<1x2x64x8xf32>, %p: tensor<1x2x8x8xf32>) -> (tensor<1x2x64x8xf32>, tensor<1x2x72x8xf32>) {
  %y, %c = graph.attention %q, %k, %k past_key %p : tensor<1x2x8x8xf32> past_value %p : tensor<1x2x8x8xf32> {left_window_size = 71 : i64, right_window_size = 63 : i64} : (tensor<1x2x64x8xf32>, tensor<1x2x64x8xf32>, tensor<1x2x64x8xf32>) -> tensor<1x2x64x8xf32> present_key tensor<1x2x72x8xf32>
  func.return %y, %c : tensor<1x2x64x8xf32>, tensor<1x2x72x8xf32>
}

// -----

// One that ends in the past has no such form.
// CHECK-LABEL: @ends_in_the_past
// CHECK-NOT:     graph.attention
// CHECK:         graph.matmul
func.func @ends_in_the_past(%q: tensor<1x2x64x8xf32>, %k: tensor<1x2x64x8xf32>, %p: tensor<1x2x8x8xf32>) -> (tensor<1x2x64x8xf32>, tensor<1x2x72x8xf32>) {
  %y, %c = graph.attention %q, %k, %k past_key %p : tensor<1x2x8x8xf32> past_value %p : tensor<1x2x8x8xf32> {left_window_size = 7 : i64} : (tensor<1x2x64x8xf32>, tensor<1x2x64x8xf32>, tensor<1x2x64x8xf32>) -> tensor<1x2x64x8xf32> present_key tensor<1x2x72x8xf32>
  func.return %y, %c : tensor<1x2x64x8xf32>, tensor<1x2x72x8xf32>
}
