// RUN: REFUSED

// CHECK: expected a float element type, got i32
func.func @query_has_a_float_type(%q: tensor<1x4x3x8xi32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>) {
  %y = graph.attention %q, %k, %v : (tensor<1x4x3x8xi32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected key with elements of f32 like the query, got tensor<1x2x5x8xf64>
func.func @key_has_the_type(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf64>, %v: tensor<1x2x5x8xf64>) {
  %y = graph.attention %q, %k, %v : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf64>, tensor<1x2x5x8xf64>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected value with elements of f32 like the query, got tensor<1x2x5x8xf64>
func.func @value_has_the_type(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf64>) {
  %y = graph.attention %q, %k, %v : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf64>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected query, key and value of one rank, got ranks 4, 3, 3
func.func @ranks_are_equal(%q: tensor<1x4x3x8xf32>, %k: tensor<1x5x16xf32>, %v: tensor<1x5x16xf32>) {
  %y = graph.attention %q, %k, %v {kv_num_heads = 2 : i64} : (tensor<1x4x3x8xf32>, tensor<1x5x16xf32>, tensor<1x5x16xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected query of rank 3 or 4, got [3, 8]
func.func @query_has_heads(%q: tensor<3x8xf32>, %k: tensor<5x8xf32>, %v: tensor<5x8xf32>) {
  %y = graph.attention %q, %k, %v : (tensor<3x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected q_num_heads, since query has rank 3
func.func @flat_query_needs_heads(%q: tensor<1x3x32xf32>, %k: tensor<1x5x16xf32>, %v: tensor<1x5x16xf32>) {
  %y = graph.attention %q, %k, %v {kv_num_heads = 2 : i64} : (tensor<1x3x32xf32>, tensor<1x5x16xf32>, tensor<1x5x16xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected kv_num_heads, since key has rank 3
func.func @flat_key_needs_heads(%q: tensor<1x3x32xf32>, %k: tensor<1x5x16xf32>, %v: tensor<1x5x16xf32>) {
  %y = graph.attention %q, %k, %v {q_num_heads = 4 : i64} : (tensor<1x3x32xf32>, tensor<1x5x16xf32>, tensor<1x5x16xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected kv_num_heads that divides 16 elements of key, got 3
func.func @heads_divide_the_key(%q: tensor<1x3x32xf32>, %k: tensor<1x5x16xf32>, %v: tensor<1x5x16xf32>) {
  %y = graph.attention %q, %k, %v {q_num_heads = 4 : i64, kv_num_heads = 3 : i64} : (tensor<1x3x32xf32>, tensor<1x5x16xf32>, tensor<1x5x16xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected q_num_heads only where query has rank 3
func.func @heads_are_told_once(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>) {
  %y = graph.attention %q, %k, %v {q_num_heads = 4 : i64} : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected key of shape [1, 2, 5, 8] by batch, heads, length and elements of a head, got [1, 2, 5, 6]
func.func @key_fits_the_query(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x6xf32>, %v: tensor<1x2x5x6xf32>) {
  %y = graph.attention %q, %k, %v : (tensor<1x4x3x8xf32>, tensor<1x2x5x6xf32>, tensor<1x2x5x6xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected value of shape [1, 2, 5, 8] by batch, heads, length and elements of a head, got [1, 2, 4, 8]
func.func @value_fits_the_key(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x4x8xf32>) {
  %y = graph.attention %q, %k, %v : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x4x8xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected query heads in groups of equal size for 3 heads of key and value, got 4
func.func @heads_are_in_groups(%q: tensor<1x4x3x8xf32>, %k: tensor<1x3x5x8xf32>, %v: tensor<1x3x5x8xf32>) {
  %y = graph.attention %q, %k, %v : (tensor<1x4x3x8xf32>, tensor<1x3x5x8xf32>, tensor<1x3x5x8xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected a mask with elements of i1, got tensor<3x5xf32>
func.func @mask_is_of_booleans(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %m0: tensor<3x5xf32>) {
  %y = graph.attention %q, %k, %v mask %m0 : tensor<3x5xf32> : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected a mask that broadcasts to [1, 4, 3, 5], got tensor<3x4xi1>
func.func @mask_broadcasts(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %m0: tensor<3x4xi1>) {
  %y = graph.attention %q, %k, %v mask %m0 : tensor<3x4xi1> : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected bias with elements of f32 like the query, got tensor<3x5xi1>
func.func @bias_has_the_type(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %b0: tensor<3x5xi1>) {
  %y = graph.attention %q, %k, %v bias %b0 : tensor<3x5xi1> : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected a bias that broadcasts to [1, 4, 3, 5], got tensor<4x5xf32>
func.func @bias_broadcasts(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %b0: tensor<4x5xf32>) {
  %y = graph.attention %q, %k, %v bias %b0 : tensor<4x5xf32> : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected both past_key and past_value, got no past_value
func.func @past_key_is_not_alone(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %p0: tensor<1x2x4x8xf32>) {
  %y = graph.attention %q, %k, %v past_key %p0 : tensor<1x2x4x8xf32> : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected both past_key and past_value, got no past_key
func.func @past_value_is_not_alone(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %p0: tensor<1x2x4x8xf32>) {
  %y = graph.attention %q, %k, %v past_value %p0 : tensor<1x2x4x8xf32> : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected a tensor of rank 4, got tensor<2x4x8xf32>
func.func @past_key_has_four_axes(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %p0: tensor<2x4x8xf32>, %p1: tensor<1x2x4x8xf32>) {
  %y = graph.attention %q, %k, %v past_key %p0 : tensor<2x4x8xf32> past_value %p1 : tensor<1x2x4x8xf32> : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected past_key of shape [1, 2, 4, 8], got tensor<1x4x4x8xf32>
func.func @past_key_fits(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %p0: tensor<1x4x4x8xf32>, %p1: tensor<1x2x4x8xf32>) {
  %y = graph.attention %q, %k, %v past_key %p0 : tensor<1x4x4x8xf32> past_value %p1 : tensor<1x2x4x8xf32> : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected past_key with elements of f32 like the query, got tensor<1x2x4x8xf64>
func.func @past_key_has_the_type(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %p0: tensor<1x2x4x8xf64>, %p1: tensor<1x2x4x8xf32>) {
  %y = graph.attention %q, %k, %v past_key %p0 : tensor<1x2x4x8xf64> past_value %p1 : tensor<1x2x4x8xf32> : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected past_value of shape [1, 2, 4, 8], got tensor<1x2x3x8xf32>
func.func @past_value_fits(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %p0: tensor<1x2x4x8xf32>, %p1: tensor<1x2x3x8xf32>) {
  %y = graph.attention %q, %k, %v past_key %p0 : tensor<1x2x4x8xf32> past_value %p1 : tensor<1x2x3x8xf32> : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected an i32 or i64 element type, got f32
func.func @valid_length_is_an_integer(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %v0: tensor<1xf32>) {
  %y = graph.attention %q, %k, %v valid_length %v0 : tensor<1xf32> : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected valid_length of shape [1], got tensor<2xi64>
func.func @valid_length_is_per_batch(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %v0: tensor<2xi64>) {
  %y = graph.attention %q, %k, %v valid_length %v0 : tensor<2xi64> : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected no valid_length beside past_key
func.func @valid_length_or_past(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %p0: tensor<1x2x4x8xf32>, %p1: tensor<1x2x4x8xf32>, %v2: tensor<1xi64>) {
  %y = graph.attention %q, %k, %v past_key %p0 : tensor<1x2x4x8xf32> past_value %p1 : tensor<1x2x4x8xf32> valid_length %v2 : tensor<1xi64> : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected a softcap of at least 0, got -1.0
func.func @softcap_is_not_negative(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>) {
  %y = graph.attention %q, %k, %v {softcap = -1.0 : f64} : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected left_window_size of at least -1, got -2
func.func @left_window_is_a_size(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>) {
  %y = graph.attention %q, %k, %v {left_window_size = -2 : i64} : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected right_window_size of at least -1, got -3
func.func @right_window_is_a_size(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>) {
  %y = graph.attention %q, %k, %v {right_window_size = -3 : i64} : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected softmax_precision f32 or f64, got i32
func.func @softmax_is_of_floats(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>) {
  %y = graph.attention %q, %k, %v {softmax_precision = i32} : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected a scores_of out of product, softcapped, biased, weights, got "all"
func.func @scores_are_of_a_step(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>) {
  %y = graph.attention %q, %k, %v {scores_of = "all"} : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected result tensor<1x4x3x8xf32>, got tensor<1x4x5x8xf32>
func.func @result_fits(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>) {
  %y = graph.attention %q, %k, %v : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x5x8xf32>
  func.return
}

// -----

// CHECK: expected present_key tensor<1x2x5x8xf32>, got tensor<1x4x5x8xf32>
func.func @present_key_fits(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>) {
  %y, %r0 = graph.attention %q, %k, %v : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32> present_key tensor<1x4x5x8xf32>
  func.return
}

// -----

// CHECK: expected present_value tensor<1x2x5x6xf32>, got tensor<1x2x5x8xf32>
func.func @present_value_fits(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x6xf32>) {
  %y, %r0 = graph.attention %q, %k, %v : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x6xf32>) -> tensor<1x4x3x6xf32> present_value tensor<1x2x5x8xf32>
  func.return
}

// -----

// CHECK: expected scores tensor<1x4x3x5xf32>, got tensor<1x2x3x5xf32>
func.func @scores_fit(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>) {
  %y, %r0 = graph.attention %q, %k, %v : (tensor<1x4x3x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x3x8xf32> scores tensor<1x2x3x5xf32>
  func.return
}

// -----

// CHECK: expected a masked_score that is a number, got NaN
func.func @masked_score_is_a_number(%q: tensor<1x4x3x8xf32>) {
  %y = graph.attention %q, %q, %q {masked_score = 0x7FF8000000000000 : f64} : (tensor<1x4x3x8xf32>, tensor<1x4x3x8xf32>, tensor<1x4x3x8xf32>) -> tensor<1x4x3x8xf32>
  func.return
}

// -----

// CHECK: expected an unseen out of zero, nan, nan_to_zero, got "one"
func.func @unseen_is_known(%q: tensor<1x4x3x8xf32>) {
  %y = graph.attention %q, %q, %q {unseen = "one"} : (tensor<1x4x3x8xf32>, tensor<1x4x3x8xf32>, tensor<1x4x3x8xf32>) -> tensor<1x4x3x8xf32>
  func.return
}
