// RUN: ROUNDTRIP

// CHECK-LABEL: @everything_absent
// CHECK-NEXT:    %y = graph.attention %q, %k, %v : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x6xf32>) -> tensor<1x4x3x6xf32>
func.func @everything_absent(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x6xf32>) {
  %y = graph.attention %q, %k, %v : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x6xf32>) -> tensor<1x4x3x6xf32>
  func.return
}

// CHECK-LABEL: @everything_that_goes_together
// CHECK-NEXT:    %y, %pk, %pv, %s = graph.attention %q, %k, %v mask %m : tensor<3x9xi1> bias %b : tensor<1x1x3x9xf32> past_key %c : tensor<1x2x4x8xf32> past_value %d : tensor<1x2x4x6xf32>
// CHECK-SAME:      {q_num_heads = 4 : i64, kv_num_heads = 2 : i64, scale = 5.000000e-01 : f64, softcap = 2.000000e+00 : f64, causal, left_window_size = 3 : i64, right_window_size = 1 : i64, softmax_precision = f64, scores_of = "weights"}
// CHECK-SAME:      : (tensor<1x3x32xf32>, tensor<1x5x16xf32>, tensor<1x5x12xf32>) -> tensor<1x3x24xf32> present_key tensor<1x2x9x8xf32> present_value tensor<1x2x9x6xf32> scores tensor<1x4x3x9xf32>
func.func @everything_that_goes_together(%q: tensor<1x3x32xf32>, %k: tensor<1x5x16xf32>, %v: tensor<1x5x12xf32>, %m: tensor<3x9xi1>, %b: tensor<1x1x3x9xf32>, %c: tensor<1x2x4x8xf32>, %d: tensor<1x2x4x6xf32>) {
  %y, %pk, %pv, %s = graph.attention %q, %k, %v mask %m : tensor<3x9xi1> bias %b : tensor<1x1x3x9xf32> past_key %c : tensor<1x2x4x8xf32> past_value %d : tensor<1x2x4x6xf32> {q_num_heads = 4 : i64, kv_num_heads = 2 : i64, scale = 5.000000e-01 : f64, softcap = 2.000000e+00 : f64, causal, left_window_size = 3 : i64, right_window_size = 1 : i64, softmax_precision = f64, scores_of = "weights"} : (tensor<1x3x32xf32>, tensor<1x5x16xf32>, tensor<1x5x12xf32>) -> tensor<1x3x24xf32> present_key tensor<1x2x9x8xf32> present_value tensor<1x2x9x6xf32> scores tensor<1x4x3x9xf32>
  func.return
}

// Neighbors of what is absent are not taken for it.
// CHECK-LABEL: @some_of_them
// CHECK-NEXT:    %0 = graph.attention %q, %k, %k mask %m : tensor<3x5xi1> : (
// CHECK-NEXT:    %1 = graph.attention %q, %k, %k bias %b : tensor<f32> : (
// CHECK-NEXT:    %2 = graph.attention %q, %k, %k valid_length %n : tensor<1xi32> : (
// CHECK-NEXT:    %3, %4 = graph.attention %q, %k, %k : {{.*}} -> tensor<1x4x3x8xf32> present_key tensor<1x2x5x8xf32>
// CHECK-NEXT:    %5, %6 = graph.attention %q, %k, %k : {{.*}} -> tensor<1x4x3x8xf32> present_value tensor<1x2x5x8xf32>
// CHECK-NEXT:    %7, %8 = graph.attention %q, %k, %k : {{.*}} -> tensor<1x4x3x8xf32> scores tensor<1x4x3x5xf32>
func.func @some_of_them(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %m: tensor<3x5xi1>, %b: tensor<f32>, %n: tensor<1xi32>) {
  %0 = graph.attention %q, %k, %k mask %m : tensor<3x5xi1> : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32>
  %1 = graph.attention %q, %k, %k bias %b : tensor<f32> : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32>
  %2 = graph.attention %q, %k, %k valid_length %n : tensor<1xi32> : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32>
  %3, %4 = graph.attention %q, %k, %k : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32> present_key tensor<1x2x5x8xf32>
  %5, %6 = graph.attention %q, %k, %k : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32> present_value tensor<1x2x5x8xf32>
  %7, %8 = graph.attention %q, %k, %k : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32> scores tensor<1x4x3x5xf32>
  func.return
}

// CHECK-LABEL: @without_keys
// CHECK-NEXT:    graph.attention %q, %k, %k mask %m : tensor<3x5xi1> {masked_score = -1.000000e+04 : f64, unseen = "nan_to_zero"}
// CHECK-NEXT:    graph.attention %q, %k, %k mask %m : tensor<3x5xi1> {unseen = "nan"}
func.func @without_keys(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %m: tensor<3x5xi1>) {
  %0 = graph.attention %q, %k, %k mask %m : tensor<3x5xi1> {masked_score = -10000.0 : f64, unseen = "nan_to_zero"} : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32>
  %1 = graph.attention %q, %k, %k mask %m : tensor<3x5xi1> {masked_score = 0xFFF0000000000000 : f64, unseen = "nan"} : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32>
  func.return
}
