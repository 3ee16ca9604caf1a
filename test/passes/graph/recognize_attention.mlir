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

// Scaled before the product, and with a bias, which may leave a query nothing but NaN.
// CHECK-LABEL: @scaled_factors_and_bias(
// CHECK:         [[B:%.*]] = graph.literal dense<{{.*}}> : tensor<2x2xf32>
// CHECK-NEXT:    [[Y:%.*]] = graph.attention %q, %k, %k bias [[B]] : tensor<2x2xf32> {scale = 2.500000e-01 : f64, unseen = "nan"}
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

// As TorchDynamo writes them, keys pass by rank 3 on their way.
// CHECK-LABEL: @repeated_keys_by_rank_3(
// CHECK-NOT:     graph.expand
// CHECK:         graph.attention %q, %{{.*}}, %{{.*}} : (tensor<1x4x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x6xf32>)
func.func @repeated_keys_by_rank_3(%q: tensor<1x4x3x4xf32>, %k: tensor<1x2x1x5x4xf32>, %v: tensor<1x2x1x5x6xf32>) -> tensor<1x4x3x6xf32> {
  %k2 = graph.expand %k {shape = array<i64: 1, 2, 2, 5, 4>} : (tensor<1x2x1x5x4xf32>) -> tensor<1x2x2x5x4xf32>
  %k3 = graph.reshape %k2 {shape = array<i64: 1, 4, 5, 4>} : (tensor<1x2x2x5x4xf32>) -> tensor<1x4x5x4xf32>
  %k4 = graph.reshape %k3 {shape = array<i64: 4, 5, 4>} : (tensor<1x4x5x4xf32>) -> tensor<4x5x4xf32>
  %k5 = graph.transpose %k4 {permutation = array<i64: 0, 2, 1>} : (tensor<4x5x4xf32>) -> tensor<4x4x5xf32>
  %k6 = graph.reshape %k5 {shape = array<i64: 1, 4, 4, 5>} : (tensor<4x4x5xf32>) -> tensor<1x4x4x5xf32>
  %v2 = graph.expand %v {shape = array<i64: 1, 2, 2, 5, 6>} : (tensor<1x2x1x5x6xf32>) -> tensor<1x2x2x5x6xf32>
  %v3 = graph.reshape %v2 {shape = array<i64: 1, 4, 5, 6>} : (tensor<1x2x2x5x6xf32>) -> tensor<1x4x5x6xf32>
  %0 = graph.matmul %q, %k6 : (tensor<1x4x3x4xf32>, tensor<1x4x4x5xf32>) -> tensor<1x4x3x5xf32>
  %c = graph.literal dense<0.5> : tensor<f32> : tensor<f32>
  %1 = graph.mul %0, %c : (tensor<1x4x3x5xf32>, tensor<f32>) -> tensor<1x4x3x5xf32>
  %2 = graph.softmax %1 : (tensor<1x4x3x5xf32>) -> tensor<1x4x3x5xf32>
  %3 = graph.matmul %2, %v3 : (tensor<1x4x3x5xf32>, tensor<1x4x5x6xf32>) -> tensor<1x4x3x6xf32>
  func.return %3 : tensor<1x4x3x6xf32>
}

// Repeated along the length, not by head.
// CHECK-LABEL: @other_repeats_are_kept(
// CHECK:         graph.attention %q, %k, %v {{.*}} : (tensor<1x4x3x4xf32>, tensor<1x4x6x4xf32>, tensor<1x4x6x6xf32>)
func.func @other_repeats_are_kept(%q: tensor<1x4x3x4xf32>, %a: tensor<1x4x1x3x4xf32>, %b: tensor<1x4x1x3x6xf32>) -> tensor<1x4x3x6xf32> {
  %k0 = graph.expand %a {shape = array<i64: 1, 4, 2, 3, 4>} : (tensor<1x4x1x3x4xf32>) -> tensor<1x4x2x3x4xf32>
  %k = graph.reshape %k0 {shape = array<i64: 1, 4, 6, 4>} : (tensor<1x4x2x3x4xf32>) -> tensor<1x4x6x4xf32>
  %v0 = graph.expand %b {shape = array<i64: 1, 4, 2, 3, 6>} : (tensor<1x4x1x3x6xf32>) -> tensor<1x4x2x3x6xf32>
  %v = graph.reshape %v0 {shape = array<i64: 1, 4, 6, 6>} : (tensor<1x4x2x3x6xf32>) -> tensor<1x4x6x6xf32>
  %0 = graph.matmul %q, %k {transpose_rhs} : (tensor<1x4x3x4xf32>, tensor<1x4x6x4xf32>) -> tensor<1x4x3x6xf32>
  %1 = graph.softmax %0 : (tensor<1x4x3x6xf32>) -> tensor<1x4x3x6xf32>
  %2 = graph.matmul %1, %v : (tensor<1x4x3x6xf32>, tensor<1x4x6x6xf32>) -> tensor<1x4x3x6xf32>
  func.return %2 : tensor<1x4x3x6xf32>
}

// A bias for each key stays one, and is no longer one for each pair.
// CHECK-LABEL: @expanded_bias(
// CHECK-NOT:     graph.expand
// CHECK:         graph.attention %q, %q, %q bias %b : tensor<1x1x1x3xf32>
func.func @expanded_bias(%q: tensor<1x2x3x4xf32>, %b: tensor<1x1x1x3xf32>) -> tensor<1x2x3x4xf32> {
  %e = graph.expand %b {shape = array<i64: 1, 2, 3, 3>} : (tensor<1x1x1x3xf32>) -> tensor<1x2x3x3xf32>
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %1 = graph.add %0, %e : (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %w = graph.softmax %1 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %y = graph.matmul %w, %q : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// As TorchDynamo writes attention without a mask; no query sees nothing then.
// CHECK-LABEL: @bias_of_zeros_and_nan_replaced(
// CHECK:         graph.attention %q, %q, %q {scale = 1.000000e+00 : f64} :
func.func @bias_of_zeros_and_nan_replaced(%q: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %b = graph.literal dense<0.0> : tensor<3x3xf32> : tensor<3x3xf32>
  %z = graph.literal dense<0.0> : tensor<f32> : tensor<f32>
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %1 = graph.add %0, %b : (tensor<1x2x3x3xf32>, tensor<3x3xf32>) -> tensor<1x2x3x3xf32>
  %2 = graph.softmax %1 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %3 = graph.is_nan %2 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xi1>
  %w = graph.where %3, %z, %2 : (tensor<1x2x3x3xi1>, tensor<f32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %y = graph.matmul %w, %q : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// As TorchDynamo writes opset 23.
// CHECK-LABEL: @op_with_repeats(
// CHECK-NOT:     graph.expand
// CHECK:         [[K:%.*]] = graph.reshape %k {shape = array<i64: 1, 2, 5, 4>}
// CHECK-NEXT:    [[V:%.*]] = graph.reshape %v {shape = array<i64: 1, 2, 5, 6>}
// CHECK-NEXT:    graph.attention %q, [[K]], [[V]] mask %m : tensor<1x1x1x5xi1> {scale = 5.000000e-01 : f64}
func.func @op_with_repeats(%q: tensor<1x4x3x4xf32>, %k: tensor<1x2x1x5x4xf32>, %v: tensor<1x2x1x5x6xf32>, %m: tensor<1x1x1x5xi1>) -> tensor<1x4x3x6xf32> {
  %k2 = graph.expand %k {shape = array<i64: 1, 2, 2, 5, 4>} : (tensor<1x2x1x5x4xf32>) -> tensor<1x2x2x5x4xf32>
  %k3 = graph.reshape %k2 {shape = array<i64: 1, 4, 5, 4>} : (tensor<1x2x2x5x4xf32>) -> tensor<1x4x5x4xf32>
  %v2 = graph.expand %v {shape = array<i64: 1, 2, 2, 5, 6>} : (tensor<1x2x1x5x6xf32>) -> tensor<1x2x2x5x6xf32>
  %v3 = graph.reshape %v2 {shape = array<i64: 1, 4, 5, 6>} : (tensor<1x2x2x5x6xf32>) -> tensor<1x4x5x6xf32>
  %e = graph.expand %m {shape = array<i64: 1, 1, 3, 5>} : (tensor<1x1x1x5xi1>) -> tensor<1x1x3x5xi1>
  %y = graph.attention %q, %k3, %v3 mask %e : tensor<1x1x3x5xi1> {scale = 0.5} : (tensor<1x4x3x4xf32>, tensor<1x4x5x4xf32>, tensor<1x4x5x6xf32>) -> tensor<1x4x3x6xf32>
  func.return %y : tensor<1x4x3x6xf32>
}

// CHECK-LABEL: @op_with_repeated_keys_alone(
// CHECK:         graph.attention %q, %{{.*}}, %v : (tensor<1x4x3x4xf32>, tensor<1x4x5x4xf32>, tensor<1x4x5x6xf32>)
func.func @op_with_repeated_keys_alone(%q: tensor<1x4x3x4xf32>, %k: tensor<1x2x1x5x4xf32>, %v: tensor<1x4x5x6xf32>) -> tensor<1x4x3x6xf32> {
  %k2 = graph.expand %k {shape = array<i64: 1, 2, 2, 5, 4>} : (tensor<1x2x1x5x4xf32>) -> tensor<1x2x2x5x4xf32>
  %k3 = graph.reshape %k2 {shape = array<i64: 1, 4, 5, 4>} : (tensor<1x2x2x5x4xf32>) -> tensor<1x4x5x4xf32>
  %y = graph.attention %q, %k3, %v : (tensor<1x4x3x4xf32>, tensor<1x4x5x4xf32>, tensor<1x4x5x6xf32>) -> tensor<1x4x3x6xf32>
  func.return %y : tensor<1x4x3x6xf32>
}

// The caller gets keys as they are, repeated.
// CHECK-LABEL: @op_that_returns_its_keys(
// CHECK:         graph.attention {{.*}} tensor<1x4x5x4xf32>, tensor<1x4x5x6xf32>)
func.func @op_that_returns_its_keys(%q: tensor<1x4x3x4xf32>, %k: tensor<1x2x1x5x4xf32>, %v: tensor<1x2x1x5x6xf32>) -> (tensor<1x4x3x6xf32>, tensor<1x4x5x4xf32>) {
  %k2 = graph.expand %k {shape = array<i64: 1, 2, 2, 5, 4>} : (tensor<1x2x1x5x4xf32>) -> tensor<1x2x2x5x4xf32>
  %k3 = graph.reshape %k2 {shape = array<i64: 1, 4, 5, 4>} : (tensor<1x2x2x5x4xf32>) -> tensor<1x4x5x4xf32>
  %v2 = graph.expand %v {shape = array<i64: 1, 2, 2, 5, 6>} : (tensor<1x2x1x5x6xf32>) -> tensor<1x2x2x5x6xf32>
  %v3 = graph.reshape %v2 {shape = array<i64: 1, 4, 5, 6>} : (tensor<1x2x2x5x6xf32>) -> tensor<1x4x5x6xf32>
  %y, %p = graph.attention %q, %k3, %v3 : (tensor<1x4x3x4xf32>, tensor<1x4x5x4xf32>, tensor<1x4x5x6xf32>) -> tensor<1x4x3x6xf32> present_key tensor<1x4x5x4xf32>
  func.return %y, %p : tensor<1x4x3x6xf32>, tensor<1x4x5x4xf32>
}

// CHECK-LABEL: @op_with_a_past(
// CHECK:         graph.attention {{.*}} tensor<1x4x5x4xf32>, tensor<1x4x5x4xf32>)
func.func @op_with_a_past(%q: tensor<1x4x3x4xf32>, %k: tensor<1x2x1x5x4xf32>, %p: tensor<1x4x2x4xf32>) -> tensor<1x4x3x4xf32> {
  %k2 = graph.expand %k {shape = array<i64: 1, 2, 2, 5, 4>} : (tensor<1x2x1x5x4xf32>) -> tensor<1x2x2x5x4xf32>
  %k3 = graph.reshape %k2 {shape = array<i64: 1, 4, 5, 4>} : (tensor<1x2x2x5x4xf32>) -> tensor<1x4x5x4xf32>
  %y = graph.attention %q, %k3, %k3 past_key %p : tensor<1x4x2x4xf32> past_value %p : tensor<1x4x2x4xf32> : (tensor<1x4x3x4xf32>, tensor<1x4x5x4xf32>, tensor<1x4x5x4xf32>) -> tensor<1x4x3x4xf32>
  func.return %y : tensor<1x4x3x4xf32>
}

// CHECK-LABEL: @op_with_heads_in_rows(
// CHECK:         graph.attention {{.*}} tensor<1x5x16xf32>, tensor<1x5x16xf32>)
func.func @op_with_heads_in_rows(%q: tensor<1x3x16xf32>, %k: tensor<1x5x1x16xf32>) -> tensor<1x3x16xf32> {
  %k2 = graph.expand %k {shape = array<i64: 1, 5, 1, 16>} : (tensor<1x5x1x16xf32>) -> tensor<1x5x1x16xf32>
  %k3 = graph.reshape %k2 {shape = array<i64: 1, 5, 16>} : (tensor<1x5x1x16xf32>) -> tensor<1x5x16xf32>
  %y = graph.attention %q, %k3, %k3 {q_num_heads = 4, kv_num_heads = 4} : (tensor<1x3x16xf32>, tensor<1x5x16xf32>, tensor<1x5x16xf32>) -> tensor<1x3x16xf32>
  func.return %y : tensor<1x3x16xf32>
}

// As torch.nn.MultiheadAttention has them: a bias for each key, repeated by head.
// CHECK-LABEL: @expanded_bias_with_heads_and_batch_joined(
// CHECK:         graph.attention {{.*}} bias %b : tensor<2x1x1x3xf32>
func.func @expanded_bias_with_heads_and_batch_joined(%q: tensor<2x3x3x4xf32>, %b: tensor<2x1x1x3xf32>) -> tensor<2x3x3x4xf32> {
  %e = graph.expand %b {shape = array<i64: 2, 3, 1, 3>} : (tensor<2x1x1x3xf32>) -> tensor<2x3x1x3xf32>
  %r = graph.reshape %e {shape = array<i64: 6, 1, 3>} : (tensor<2x3x1x3xf32>) -> tensor<6x1x3xf32>
  %p = graph.matmul %q, %q {transpose_rhs} : (tensor<2x3x3x4xf32>, tensor<2x3x3x4xf32>) -> tensor<2x3x3x3xf32>
  %0 = graph.reshape %p {shape = array<i64: 6, 3, 3>} : (tensor<2x3x3x3xf32>) -> tensor<6x3x3xf32>
  %1 = graph.add %0, %r : (tensor<6x3x3xf32>, tensor<6x1x3xf32>) -> tensor<6x3x3xf32>
  %2 = graph.reshape %1 {shape = array<i64: 2, 3, 3, 3>} : (tensor<6x3x3xf32>) -> tensor<2x3x3x3xf32>
  %w = graph.softmax %2 : (tensor<2x3x3x3xf32>) -> tensor<2x3x3x3xf32>
  %y = graph.matmul %w, %q : (tensor<2x3x3x3xf32>, tensor<2x3x3x4xf32>) -> tensor<2x3x3x4xf32>
  func.return %y : tensor<2x3x3x4xf32>
}

// As DeBERTa has them: a bias for each head of each batch, and a mask by batch.
// CHECK-LABEL: @bias_with_heads_and_batch_joined(
// CHECK:         [[B:%.*]] = graph.reshape %b {shape = array<i64: 2, 3, 3, 3>}
// CHECK:         graph.attention {{.*}} mask %m : tensor<2x1x1x3xi1> bias {{.*}} : tensor<2x3x3x3xf32>
func.func @bias_with_heads_and_batch_joined(%q: tensor<6x3x4xf32>, %b: tensor<6x3x3xf32>, %m: tensor<2x1x1x3xi1>) -> tensor<6x3x4xf32> {
  %c = graph.literal dense<-1.0e4> : tensor<f32> : tensor<f32>
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<6x3x4xf32>, tensor<6x3x4xf32>) -> tensor<6x3x3xf32>
  %1 = graph.add %0, %b : (tensor<6x3x3xf32>, tensor<6x3x3xf32>) -> tensor<6x3x3xf32>
  %2 = graph.reshape %1 {shape = array<i64: 2, 3, 3, 3>} : (tensor<6x3x3xf32>) -> tensor<2x3x3x3xf32>
  %3 = graph.where %m, %2, %c : (tensor<2x1x1x3xi1>, tensor<2x3x3x3xf32>, tensor<f32>) -> tensor<2x3x3x3xf32>
  %w = graph.softmax %3 : (tensor<2x3x3x3xf32>) -> tensor<2x3x3x3xf32>
  %v = graph.reshape %w {shape = array<i64: 6, 3, 3>} : (tensor<2x3x3x3xf32>) -> tensor<6x3x3xf32>
  %y = graph.matmul %v, %q : (tensor<6x3x3xf32>, tensor<6x3x4xf32>) -> tensor<6x3x4xf32>
  func.return %y : tensor<6x3x4xf32>
}

// CHECK-LABEL: @bias_of_all_heads_and_batches(
// CHECK:         [[B:%.*]] = graph.reshape %b {shape = array<i64: 1, 1, 3, 3>}
// CHECK:         graph.attention {{.*}} bias {{.*}} : tensor<2x1x3x3xf32>
func.func @bias_of_all_heads_and_batches(%q: tensor<6x3x4xf32>, %b: tensor<3x3xf32>, %m: tensor<2x1x1x3xf32>) -> tensor<6x3x4xf32> {
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<6x3x4xf32>, tensor<6x3x4xf32>) -> tensor<6x3x3xf32>
  %1 = graph.add %0, %b : (tensor<6x3x3xf32>, tensor<3x3xf32>) -> tensor<6x3x3xf32>
  %2 = graph.reshape %1 {shape = array<i64: 2, 3, 3, 3>} : (tensor<6x3x3xf32>) -> tensor<2x3x3x3xf32>
  %3 = graph.add %2, %m : (tensor<2x3x3x3xf32>, tensor<2x1x1x3xf32>) -> tensor<2x3x3x3xf32>
  %w = graph.softmax %3 : (tensor<2x3x3x3xf32>) -> tensor<2x3x3x3xf32>
  %v = graph.reshape %w {shape = array<i64: 6, 3, 3>} : (tensor<2x3x3x3xf32>) -> tensor<6x3x3xf32>
  %y = graph.matmul %v, %q : (tensor<6x3x3xf32>, tensor<6x3x4xf32>) -> tensor<6x3x4xf32>
  func.return %y : tensor<6x3x4xf32>
}

// As padding is written for BERT: numbers that are added, known in the run.
// CHECK-LABEL: @bias_of_the_run(
// CHECK:         graph.attention %q, %q, %q bias %b : tensor<1x1x1x3xf32> {scale = 1.000000e+00 : f64, unseen = "nan"}
func.func @bias_of_the_run(%q: tensor<1x2x3x4xf32>, %b: tensor<1x1x1x3xf32>) -> tensor<1x2x3x4xf32> {
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %1 = graph.add %0, %b : (tensor<1x2x3x3xf32>, tensor<1x1x1x3xf32>) -> tensor<1x2x3x3xf32>
  %w = graph.softmax %1 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %y = graph.matmul %w, %q : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// As causal masks are written for GPT-2: what is hidden gets a number.
// CHECK-LABEL: @mask_of_the_run(
// CHECK:         graph.attention %q, %q, %q mask %m : tensor<3x3xi1> {scale = 1.000000e+00 : f64, masked_score = -1.000000e+04 : f64, unseen = "nan"}
func.func @mask_of_the_run(%q: tensor<1x2x3x4xf32>, %m: tensor<3x3xi1>) -> tensor<1x2x3x4xf32> {
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %c = graph.literal dense<-1.0e+04> : tensor<f32> : tensor<f32>
  %1 = graph.where %m, %0, %c : (tensor<3x3xi1>, tensor<1x2x3x3xf32>, tensor<f32>) -> tensor<1x2x3x3xf32>
  %w = graph.softmax %1 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %y = graph.matmul %w, %q : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// As PyTorch fills where a mask is true.
// CHECK-LABEL: @hidden_keys(
// CHECK:         [[M:%.*]] = graph.not %m
// CHECK-NEXT:    graph.attention %q, %q, %q mask [[M]] : tensor<3x3xi1> {scale = 1.000000e+00 : f64, unseen = "nan"}
func.func @hidden_keys(%q: tensor<1x2x3x4xf32>, %m: tensor<3x3xi1>) -> tensor<1x2x3x4xf32> {
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %c = graph.literal dense<0xff800000> : tensor<f32> : tensor<f32>
  %1 = graph.where %m, %c, %0 : (tensor<3x3xi1>, tensor<f32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %w = graph.softmax %1 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %y = graph.matmul %w, %q : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @hidden_keys_of_an_inverse(
// CHECK:         graph.attention %q, %q, %q mask %m : tensor<3x3xi1> {scale = 1.000000e+00 : f64, unseen = "nan"}
func.func @hidden_keys_of_an_inverse(%q: tensor<1x2x3x4xf32>, %m: tensor<3x3xi1>) -> tensor<1x2x3x4xf32> {
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %n = graph.not %m : (tensor<3x3xi1>) -> tensor<3x3xi1>
  %c = graph.literal dense<0xff800000> : tensor<f32> : tensor<f32>
  %1 = graph.where %n, %c, %0 : (tensor<3x3xi1>, tensor<f32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %w = graph.softmax %1 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %y = graph.matmul %w, %q : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// A mask, and two biases behind it, are one mask and one bias.
// CHECK-LABEL: @mask_then_biases(
// CHECK:         [[B:%.*]] = graph.add %b, %d
// CHECK-NEXT:    graph.attention %q, %q, %q mask %m : tensor<3x3xi1> bias [[B]] : tensor<2x3x3xf32> {scale = 1.000000e+00 : f64, masked_score = -1.000000e+04 : f64, unseen = "nan"}
func.func @mask_then_biases(%q: tensor<1x2x3x4xf32>, %m: tensor<3x3xi1>, %b: tensor<3x3xf32>, %d: tensor<2x1x1xf32>) -> tensor<1x2x3x4xf32> {
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %c = graph.literal dense<-1.0e+04> : tensor<f32> : tensor<f32>
  %1 = graph.where %m, %0, %c : (tensor<3x3xi1>, tensor<1x2x3x3xf32>, tensor<f32>) -> tensor<1x2x3x3xf32>
  %2 = graph.add %1, %b : (tensor<1x2x3x3xf32>, tensor<3x3xf32>) -> tensor<1x2x3x3xf32>
  %3 = graph.add %d, %2 : (tensor<2x1x1xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %w = graph.softmax %3 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %y = graph.matmul %w, %q : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// A bias counts where a mask behind it is true; two masks are one.
// CHECK-LABEL: @bias_then_masks(
// CHECK:         [[Z:%.*]] = graph.literal dense<0.000000e+00>
// CHECK-NEXT:    [[B:%.*]] = graph.where %m, %b, [[Z]] : (tensor<3x3xi1>, tensor<1x2x1x1xf32>, tensor<f32>) -> tensor<1x2x3x3xf32>
// CHECK-NEXT:    [[Z2:%.*]] = graph.literal
// CHECK-NEXT:    [[B2:%.*]] = graph.where %n, [[B]], [[Z2]]
// CHECK-NEXT:    [[M:%.*]] = graph.and %m, %n
// CHECK-NEXT:    graph.attention %q, %q, %q mask [[M]] : tensor<3x3xi1> bias [[B2]] : tensor<1x2x3x3xf32>
func.func @bias_then_masks(%q: tensor<1x2x3x4xf32>, %m: tensor<3x3xi1>, %n: tensor<1x3xi1>, %b: tensor<1x2x1x1xf32>) -> tensor<1x2x3x4xf32> {
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %c = graph.literal dense<-1.0e+04> : tensor<f32> : tensor<f32>
  %1 = graph.add %0, %b : (tensor<1x2x3x3xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x3x3xf32>
  %2 = graph.where %m, %1, %c : (tensor<3x3xi1>, tensor<1x2x3x3xf32>, tensor<f32>) -> tensor<1x2x3x3xf32>
  %3 = graph.where %n, %2, %c : (tensor<1x3xi1>, tensor<1x2x3x3xf32>, tensor<f32>) -> tensor<1x2x3x3xf32>
  %w = graph.softmax %3 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %y = graph.matmul %w, %q : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// As PyTorch writes masks of booleans: weights that are NaN become 0.
// CHECK-LABEL: @nan_is_replaced(
// CHECK:         [[B:%.*]] = graph.where %m, %z, %i
// CHECK-NEXT:    graph.attention %q, %q, %q bias [[B]] : tensor<3x3xf32> {scale = 1.000000e+00 : f64, unseen = "nan_to_zero"}
func.func @nan_is_replaced(%q: tensor<1x2x3x4xf32>, %m: tensor<3x3xi1>) -> tensor<1x2x3x4xf32> {
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %z = graph.literal dense<0.0> : tensor<f32> : tensor<f32>
  %i = graph.literal dense<0xff800000> : tensor<f32> : tensor<f32>
  %b = graph.where %m, %z, %i : (tensor<3x3xi1>, tensor<f32>, tensor<f32>) -> tensor<3x3xf32>
  %1 = graph.add %0, %b : (tensor<1x2x3x3xf32>, tensor<3x3xf32>) -> tensor<1x2x3x3xf32>
  %w = graph.softmax %1 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %n = graph.is_nan %w : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xi1>
  %x = graph.where %n, %z, %w : (tensor<1x2x3x3xi1>, tensor<f32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %y = graph.matmul %x, %q : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// As BART and OPT write it: heads are one axis with the batch, but for the mask.
// CHECK-LABEL: @heads_with_the_batch(
// CHECK:         [[Q:%.*]] = graph.reshape %q {shape = array<i64: 2, 3, 3, 4>}
// CHECK:         [[Y:%.*]] = graph.attention %{{.*}} bias %b : tensor<2x1x3x3xf32>
// CHECK-NEXT:    [[R:%.*]] = graph.reshape [[Y]] {shape = array<i64: 6, 3, 4>}
// CHECK-NEXT:    func.return [[R]]
func.func @heads_with_the_batch(%q: tensor<6x3x4xf32>, %b: tensor<2x1x3x3xf32>) -> tensor<6x3x4xf32> {
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<6x3x4xf32>, tensor<6x3x4xf32>) -> tensor<6x3x3xf32>
  %1 = graph.reshape %0 {shape = array<i64: 2, 3, 3, 3>} : (tensor<6x3x3xf32>) -> tensor<2x3x3x3xf32>
  %2 = graph.add %1, %b : (tensor<2x3x3x3xf32>, tensor<2x1x3x3xf32>) -> tensor<2x3x3x3xf32>
  %3 = graph.reshape %2 {shape = array<i64: 6, 3, 3>} : (tensor<2x3x3x3xf32>) -> tensor<6x3x3xf32>
  %w = graph.softmax %3 : (tensor<6x3x3xf32>) -> tensor<6x3x3xf32>
  %y = graph.matmul %w, %q : (tensor<6x3x3xf32>, tensor<6x3x4xf32>) -> tensor<6x3x4xf32>
  func.return %y : tensor<6x3x4xf32>
}

// CHECK-LABEL: @heads_with_the_batch_alone(
// CHECK:         graph.attention {{.*}} : (tensor<1x6x3x4xf32>, tensor<1x6x3x4xf32>, tensor<1x6x3x4xf32>)
func.func @heads_with_the_batch_alone(%q: tensor<6x3x4xf32>) -> tensor<6x3x4xf32> {
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<6x3x4xf32>, tensor<6x3x4xf32>) -> tensor<6x3x3xf32>
  %w = graph.softmax %0 : (tensor<6x3x3xf32>) -> tensor<6x3x3xf32>
  %y = graph.matmul %w, %q : (tensor<6x3x3xf32>, tensor<6x3x4xf32>) -> tensor<6x3x4xf32>
  func.return %y : tensor<6x3x4xf32>
}

// As Swin writes it: an axis of one more for the bias of windows.
// CHECK-LABEL: @windows(
// CHECK:         graph.attention %q, %q, %q bias %{{.*}} : tensor<1x2x1x3xf32>
func.func @windows(%q: tensor<1x2x3x4xf32>, %b: tensor<2x1x3xf32>) -> tensor<1x2x3x4xf32> {
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %1 = graph.reshape %0 {shape = array<i64: 1, 1, 2, 3, 3>} : (tensor<1x2x3x3xf32>) -> tensor<1x1x2x3x3xf32>
  %2 = graph.add %1, %b : (tensor<1x1x2x3x3xf32>, tensor<2x1x3xf32>) -> tensor<1x1x2x3x3xf32>
  %3 = graph.reshape %2 {shape = array<i64: 1, 2, 3, 3>} : (tensor<1x1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %w = graph.softmax %3 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %y = graph.matmul %w, %q : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// As PyTorch swaps axes of keys by way of three axes.
// CHECK-LABEL: @keys_swapped_in_rank_3(
// CHECK-NOT:     graph.transpose
// CHECK:         graph.attention %q, %{{.*}}, %q
func.func @keys_swapped_in_rank_3(%q: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %a = graph.reshape %q {shape = array<i64: 2, 3, 4>} : (tensor<1x2x3x4xf32>) -> tensor<2x3x4xf32>
  %b = graph.transpose %a {permutation = array<i64: 0, 2, 1>} : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  %c = graph.reshape %b {shape = array<i64: 1, 2, 4, 3>} : (tensor<2x4x3xf32>) -> tensor<1x2x4x3xf32>
  %0 = graph.matmul %q, %c : (tensor<1x2x3x4xf32>, tensor<1x2x4x3xf32>) -> tensor<1x2x3x3xf32>
  %w = graph.softmax %0 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %y = graph.matmul %w, %q : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @masks_of_two_scores_are_kept(
// CHECK-NOT:     graph.attention
// CHECK:         func.return
func.func @masks_of_two_scores_are_kept(%q: tensor<1x2x3x4xf32>, %m: tensor<3x3xi1>, %n: tensor<1x3xi1>) -> tensor<1x2x3x4xf32> {
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %c = graph.literal dense<-1.0e+04> : tensor<f32> : tensor<f32>
  %d = graph.literal dense<-1.0e+09> : tensor<f32> : tensor<f32>
  %2 = graph.where %m, %0, %c : (tensor<3x3xi1>, tensor<1x2x3x3xf32>, tensor<f32>) -> tensor<1x2x3x3xf32>
  %3 = graph.where %n, %2, %d : (tensor<1x3xi1>, tensor<1x2x3x3xf32>, tensor<f32>) -> tensor<1x2x3x3xf32>
  %w = graph.softmax %3 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %y = graph.matmul %w, %q : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @mask_with_many_scores_is_kept(
// CHECK-NOT:     graph.attention
// CHECK:         func.return
func.func @mask_with_many_scores_is_kept(%q: tensor<1x2x3x4xf32>, %m: tensor<3x3xi1>, %c: tensor<3x3xf32>) -> tensor<1x2x3x4xf32> {
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %2 = graph.where %m, %0, %c : (tensor<3x3xi1>, tensor<1x2x3x3xf32>, tensor<3x3xf32>) -> tensor<1x2x3x3xf32>
  %w = graph.softmax %2 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %y = graph.matmul %w, %q : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @mask_with_nan_is_kept(
// CHECK-NOT:     graph.attention
// CHECK:         func.return
func.func @mask_with_nan_is_kept(%q: tensor<1x2x3x4xf32>, %m: tensor<3x3xi1>) -> tensor<1x2x3x4xf32> {
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %c = graph.literal dense<0x7fc00000> : tensor<f32> : tensor<f32>
  %2 = graph.where %m, %0, %c : (tensor<3x3xi1>, tensor<1x2x3x3xf32>, tensor<f32>) -> tensor<1x2x3x3xf32>
  %w = graph.softmax %2 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %y = graph.matmul %w, %q : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @scores_with_two_readers_are_kept(
// CHECK-NOT:     graph.attention
// CHECK:         func.return
func.func @scores_with_two_readers_are_kept(%q: tensor<1x2x3x4xf32>, %b: tensor<3x3xf32>) -> tensor<1x2x3x4xf32> {
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %1 = graph.add %0, %b : (tensor<1x2x3x3xf32>, tensor<3x3xf32>) -> tensor<1x2x3x3xf32>
  %2 = graph.add %1, %0 : (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %w = graph.softmax %2 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %y = graph.matmul %w, %q : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @nan_that_becomes_one_is_kept(
// CHECK-NOT:     graph.attention
// CHECK:         func.return
func.func @nan_that_becomes_one_is_kept(%q: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %z = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %w = graph.softmax %0 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %n = graph.is_nan %w : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xi1>
  %x = graph.where %n, %z, %w : (tensor<1x2x3x3xi1>, tensor<f32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %y = graph.matmul %x, %q : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @nan_of_others_is_kept(
// CHECK-NOT:     graph.attention
// CHECK:         func.return
func.func @nan_of_others_is_kept(%q: tensor<1x2x3x4xf32>, %o: tensor<1x2x3x3xf32>) -> tensor<1x2x3x4xf32> {
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x3xf32>
  %z = graph.literal dense<0.0> : tensor<f32> : tensor<f32>
  %w = graph.softmax %0 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %n = graph.is_nan %o : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xi1>
  %x = graph.where %n, %z, %w : (tensor<1x2x3x3xi1>, tensor<f32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %y = graph.matmul %x, %q : (tensor<1x2x3x3xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @softmax_over_joined_keys_is_kept(
// CHECK-NOT:     graph.attention
// CHECK:         func.return
func.func @softmax_over_joined_keys_is_kept(%q: tensor<6x3x4xf32>) -> tensor<6x3x4xf32> {
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<6x3x4xf32>, tensor<6x3x4xf32>) -> tensor<6x3x3xf32>
  %1 = graph.reshape %0 {shape = array<i64: 6, 9>} : (tensor<6x3x3xf32>) -> tensor<6x9xf32>
  %v = graph.softmax %1 : (tensor<6x9xf32>) -> tensor<6x9xf32>
  %w = graph.reshape %v {shape = array<i64: 6, 3, 3>} : (tensor<6x9xf32>) -> tensor<6x3x3xf32>
  %y = graph.matmul %w, %q : (tensor<6x3x3xf32>, tensor<6x3x4xf32>) -> tensor<6x3x4xf32>
  func.return %y : tensor<6x3x4xf32>
}

// CHECK-LABEL: @bias_of_joined_rows_is_kept(
// CHECK-NOT:     graph.attention
// CHECK:         func.return
func.func @bias_of_joined_rows_is_kept(%q: tensor<6x3x4xf32>, %b: tensor<18x3xf32>) -> tensor<6x3x4xf32> {
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<6x3x4xf32>, tensor<6x3x4xf32>) -> tensor<6x3x3xf32>
  %1 = graph.reshape %0 {shape = array<i64: 18, 3>} : (tensor<6x3x3xf32>) -> tensor<18x3xf32>
  %2 = graph.add %1, %b : (tensor<18x3xf32>, tensor<18x3xf32>) -> tensor<18x3xf32>
  %3 = graph.reshape %2 {shape = array<i64: 6, 3, 3>} : (tensor<18x3xf32>) -> tensor<6x3x3xf32>
  %w = graph.softmax %3 : (tensor<6x3x3xf32>) -> tensor<6x3x3xf32>
  %y = graph.matmul %w, %q : (tensor<6x3x3xf32>, tensor<6x3x4xf32>) -> tensor<6x3x4xf32>
  func.return %y : tensor<6x3x4xf32>
}

// CHECK-LABEL: @weights_of_other_rows_are_kept(
// CHECK-NOT:     graph.attention
// CHECK:         func.return
func.func @weights_of_other_rows_are_kept(%q: tensor<6x3x4xf32>) -> tensor<6x3x4xf32> {
  %0 = graph.matmul %q, %q {transpose_rhs} : (tensor<6x3x4xf32>, tensor<6x3x4xf32>) -> tensor<6x3x3xf32>
  %w = graph.softmax %0 : (tensor<6x3x3xf32>) -> tensor<6x3x3xf32>
  %x = graph.reshape %w {shape = array<i64: 3, 6, 3>} : (tensor<6x3x3xf32>) -> tensor<3x6x3xf32>
  %v = graph.reshape %q {shape = array<i64: 3, 3, 8>} : (tensor<6x3x4xf32>) -> tensor<3x3x8xf32>
  %z = graph.matmul %x, %v : (tensor<3x6x3xf32>, tensor<3x3x8xf32>) -> tensor<3x6x8xf32>
  %y = graph.slice %z {starts = array<i64: 0, 0, 0>, sizes = array<i64: 3, 6, 4>, steps = array<i64: 1, 1, 1>} : (tensor<3x6x8xf32>) -> tensor<3x6x4xf32>
  %u = graph.reshape %y {shape = array<i64: 6, 3, 4>} : (tensor<3x6x4xf32>) -> tensor<6x3x4xf32>
  func.return %u : tensor<6x3x4xf32>
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
