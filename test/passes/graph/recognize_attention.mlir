// RUN: glow-opt %s -p recognize-attention | filecheck %s

// As exporters of encoders write it: keys with their last axes swapped, scores divided.
// CHECK-LABEL: @transposed_keys(
// CHECK-NEXT:    [[K:%.*]] = graph.transpose %k {permutation = array<i64: 0, 2, 1, 3>}
// CHECK-NEXT:    [[Y:%.*]] = graph.attention %q, [[K]], %v {scale = 5.000000e-01 : f64} : (
// CHECK-NEXT:    func.return [[Y]]
func.func @transposed_keys(%q: tensor<1x2x3x4xf32>, %k: tensor<1x5x2x4xf32>, %v: tensor<1x2x5x6xf32>) -> tensor<1x2x3x6xf32> {
  %t = graph.transpose %k {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x5x2x4xf32>) -> tensor<1x2x4x5xf32>
  %0 = graph.matmul %q, %t : (tensor<1x2x3x4xf32>, tensor<1x2x4x5xf32>) -> tensor<1x2x3x5xf32>
  %two = graph.literal dense<2.0> : tensor<f32> : tensor<f32>
  %1 = graph.div %0, %two : (tensor<1x2x3x5xf32>, tensor<f32>) -> tensor<1x2x3x5xf32>
  %2 = graph.softmax %1 {axis = 3 : i64} : (tensor<1x2x3x5xf32>) -> tensor<1x2x3x5xf32>
  %3 = graph.matmul %2, %v : (tensor<1x2x3x5xf32>, tensor<1x2x5x6xf32>) -> tensor<1x2x3x6xf32>
  func.return %3 : tensor<1x2x3x6xf32>
}

// Scaled before the product, and with a known bias that leaves each query a key.
// CHECK-LABEL: @scaled_factors_and_bias(
// CHECK:         [[B:%.*]] = graph.literal dense<{{.*}}> : tensor<2x2xf32>
// CHECK-NEXT:    [[Y:%.*]] = graph.attention %q, %k, %k bias [[B]] : tensor<2x2xf32> {scale = 2.500000e-01 : f64}
// CHECK-NEXT:    func.return [[Y]]
func.func @scaled_factors_and_bias(%q: tensor<1x2x2x4xf32>, %k: tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32> {
  %half = graph.literal dense<0.5> : tensor<f32> : tensor<f32>
  %0 = graph.mul %q, %half : (tensor<1x2x2x4xf32>, tensor<f32>) -> tensor<1x2x2x4xf32>
  %t = graph.transpose %k {permutation = array<i64: 0, 1, 3, 2>} : (tensor<1x2x2x4xf32>) -> tensor<1x2x4x2xf32>
  %1 = graph.mul %half, %t : (tensor<f32>, tensor<1x2x4x2xf32>) -> tensor<1x2x4x2xf32>
  %2 = graph.matmul %0, %1 : (tensor<1x2x2x4xf32>, tensor<1x2x4x2xf32>) -> tensor<1x2x2x2xf32>
  %bias = graph.literal dense<[[0.0, 0xff800000], [0.0, 0.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  %3 = graph.add %2, %bias : (tensor<1x2x2x2xf32>, tensor<2x2xf32>) -> tensor<1x2x2x2xf32>
  %4 = graph.softmax %3 : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %5 = graph.matmul %4, %k : (tensor<1x2x2x2xf32>, tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  func.return %5 : tensor<1x2x2x4xf32>
}

// CHECK-LABEL: @capped(
// CHECK:         graph.attention %q, %k, %k {scale = 1.000000e+00 : f64, softcap = 2.000000e+00 : f64}
func.func @capped(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>) -> tensor<1x2x3x4xf32> {
  %0 = graph.matmul %q, %k {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>) -> tensor<1x2x3x5xf32>
  %two = graph.literal dense<2.0> : tensor<f32> : tensor<f32>
  %1 = graph.div %0, %two : (tensor<1x2x3x5xf32>, tensor<f32>) -> tensor<1x2x3x5xf32>
  %2 = graph.tanh %1 : (tensor<1x2x3x5xf32>) -> tensor<1x2x3x5xf32>
  %3 = graph.mul %2, %two : (tensor<1x2x3x5xf32>, tensor<f32>) -> tensor<1x2x3x5xf32>
  %4 = graph.softmax %3 : (tensor<1x2x3x5xf32>) -> tensor<1x2x3x5xf32>
  %5 = graph.matmul %4, %k : (tensor<1x2x3x5xf32>, tensor<1x2x5x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %5 : tensor<1x2x3x4xf32>
}

// Keys and values that were repeated for groups of heads are no longer.
// CHECK-LABEL: @repeated_keys_and_values(
// CHECK-NOT:     graph.expand
// CHECK:         [[K:%.*]] = graph.reshape %{{.*}} {shape = array<i64: 1, 2, 5, 4>}
// CHECK-NEXT:    [[V:%.*]] = graph.reshape %{{.*}} {shape = array<i64: 1, 2, 5, 6>}
// CHECK-NEXT:    graph.attention %q, [[K]], [[V]] {scale = 1.000000e+00 : f64} : (tensor<1x4x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x6xf32>)
func.func @repeated_keys_and_values(%q: tensor<1x4x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x6xf32>) -> tensor<1x4x3x6xf32> {
  %k1 = graph.reshape %k {shape = array<i64: 1, 2, 1, 5, 4>} : (tensor<1x2x5x4xf32>) -> tensor<1x2x1x5x4xf32>
  %k2 = graph.expand %k1 {shape = array<i64: 1, 2, 2, 5, 4>} : (tensor<1x2x1x5x4xf32>) -> tensor<1x2x2x5x4xf32>
  %k3 = graph.reshape %k2 {shape = array<i64: 1, 4, 5, 4>} : (tensor<1x2x2x5x4xf32>) -> tensor<1x4x5x4xf32>
  %v1 = graph.reshape %v {shape = array<i64: 1, 2, 1, 5, 6>} : (tensor<1x2x5x6xf32>) -> tensor<1x2x1x5x6xf32>
  %v2 = graph.expand %v1 {shape = array<i64: 1, 2, 2, 5, 6>} : (tensor<1x2x1x5x6xf32>) -> tensor<1x2x2x5x6xf32>
  %v3 = graph.reshape %v2 {shape = array<i64: 1, 4, 5, 6>} : (tensor<1x2x2x5x6xf32>) -> tensor<1x4x5x6xf32>
  %t = graph.transpose %k3 {permutation = array<i64: 0, 1, 3, 2>} : (tensor<1x4x5x4xf32>) -> tensor<1x4x4x5xf32>
  %0 = graph.matmul %q, %t : (tensor<1x4x3x4xf32>, tensor<1x4x4x5xf32>) -> tensor<1x4x3x5xf32>
  %1 = graph.softmax %0 : (tensor<1x4x3x5xf32>) -> tensor<1x4x3x5xf32>
  %2 = graph.matmul %1, %v3 : (tensor<1x4x3x5xf32>, tensor<1x4x5x6xf32>) -> tensor<1x4x3x6xf32>
  func.return %2 : tensor<1x4x3x6xf32>
}

// Without a key a query gives NaN here: a mask that may leave it none is kept.
// CHECK-LABEL: @unknown_bias_is_kept(
// CHECK-NOT:     graph.attention
// CHECK:         func.return
func.func @unknown_bias_is_kept(%q: tensor<1x2x3x4xf32>, %b: tensor<3x3xf32>) -> tensor<1x2x3x4xf32> {
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %1 = graph.add %0, %b : (tensor<1x2x3x3xf32>, tensor<3x3xf32>) -> tensor<1x2x3x3xf32>
  %2 = graph.softmax %1 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %3 = graph.matmul %2, %q : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %3 : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @bias_without_a_key_is_kept(
// CHECK-NOT:     graph.attention
// CHECK:         func.return
func.func @bias_without_a_key_is_kept(%q: tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32> {
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>) -> tensor<1x2x2x2xf32>
  %bias = graph.literal dense<[[0xff800000, 0xff800000], [0.0, 0.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  %1 = graph.add %0, %bias : (tensor<1x2x2x2xf32>, tensor<2x2xf32>) -> tensor<1x2x2x2xf32>
  %2 = graph.softmax %1 : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %3 = graph.matmul %2, %q : (tensor<1x2x2x2xf32>, tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  func.return %3 : tensor<1x2x2x4xf32>
}

// CHECK-LABEL: @weights_with_two_readers_are_kept(
// CHECK-NOT:     graph.attention
// CHECK:         func.return
func.func @weights_with_two_readers_are_kept(%q: tensor<1x2x3x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3x3xf32>) {
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %1 = graph.softmax %0 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %2 = graph.matmul %1, %q : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %2, %1 : tensor<1x2x3x4xf32>, tensor<1x2x3x3xf32>
}

// CHECK-LABEL: @softmax_over_queries_is_kept(
// CHECK-NOT:     graph.attention
// CHECK:         func.return
func.func @softmax_over_queries_is_kept(%q: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %1 = graph.softmax %0 {axis = 2 : i64} : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %2 = graph.matmul %1, %q : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %2 : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @keys_that_broadcast_are_kept(
// CHECK-NOT:     graph.attention
// CHECK:         func.return
func.func @keys_that_broadcast_are_kept(%q: tensor<1x2x3x4xf32>, %k: tensor<1x1x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %0 = graph.matmul %q, %k {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x1x3x4xf32>) -> tensor<1x2x3x3xf32>
  %1 = graph.softmax %0 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %2 = graph.matmul %1, %q : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %2 : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @nothing_is_kept(
// CHECK-NOT:     graph.attention
// CHECK:         func.return
func.func @nothing_is_kept(%q: tensor<1x0x3x4xf32>) -> tensor<1x0x3x4xf32> {
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<1x0x3x4xf32>, tensor<1x0x3x4xf32>) -> tensor<1x0x3x3xf32>
  %1 = graph.softmax %0 : (tensor<1x0x3x3xf32>) -> tensor<1x0x3x3xf32>
  %2 = graph.matmul %1, %q : (tensor<1x0x3x3xf32>, tensor<1x0x3x4xf32>) -> tensor<1x0x3x4xf32>
  func.return %2 : tensor<1x0x3x4xf32>
}
