// RUN: REFUSED

// CHECK: expected a float element type, got i32
func.func @input_has_a_float_type(%x: tensor<1x2x3x4xi32>, %c: tensor<9x2xi32>, %s: tensor<9x2xi32>, %p: tensor<1x3xi64>) {
  %y = graph.rotary_embedding %x, %c, %s positions %p : (tensor<1x2x3x4xi32>, tensor<9x2xi32>, tensor<9x2xi32>, tensor<1x3xi64>) -> tensor<1x2x3x4xi32>
  func.return
}

// -----

// CHECK: expected input of rank 3 or 4, got [3, 4]
func.func @input_has_heads(%x: tensor<3x4xf32>, %c: tensor<9x2xf32>, %s: tensor<9x2xf32>, %p: tensor<1x3xi64>) {
  %y = graph.rotary_embedding %x, %c, %s positions %p : (tensor<3x4xf32>, tensor<9x2xf32>, tensor<9x2xf32>, tensor<1x3xi64>) -> tensor<3x4xf32>
  func.return
}

// -----

// CHECK: expected num_heads, since input has rank 3
func.func @flat_input_needs_heads(%x: tensor<1x3x8xf32>, %c: tensor<9x2xf32>, %s: tensor<9x2xf32>, %p: tensor<1x3xi64>) {
  %y = graph.rotary_embedding %x, %c, %s positions %p : (tensor<1x3x8xf32>, tensor<9x2xf32>, tensor<9x2xf32>, tensor<1x3xi64>) -> tensor<1x3x8xf32>
  func.return
}

// -----

// CHECK: expected num_heads that divides 8 elements of input, got 3
func.func @heads_divide_the_input(%x: tensor<1x3x8xf32>, %c: tensor<9x2xf32>, %s: tensor<9x2xf32>, %p: tensor<1x3xi64>) {
  %y = graph.rotary_embedding %x, %c, %s positions %p {num_heads = 3 : i64} : (tensor<1x3x8xf32>, tensor<9x2xf32>, tensor<9x2xf32>, tensor<1x3xi64>) -> tensor<1x3x8xf32>
  func.return
}

// -----

// CHECK: expected num_heads only where input has rank 3
func.func @heads_are_told_once(%x: tensor<1x2x3x4xf32>, %c: tensor<9x2xf32>, %s: tensor<9x2xf32>, %p: tensor<1x3xi64>) {
  %y = graph.rotary_embedding %x, %c, %s positions %p {num_heads = 2 : i64} : (tensor<1x2x3x4xf32>, tensor<9x2xf32>, tensor<9x2xf32>, tensor<1x3xi64>) -> tensor<1x2x3x4xf32>
  func.return
}

// -----

// CHECK: expected an even rotary_embedding_dim of at most 5, got 5
func.func @turned_are_pairs(%x: tensor<1x2x3x5xf32>, %c: tensor<9x2xf32>, %s: tensor<9x2xf32>, %p: tensor<1x3xi64>) {
  %y = graph.rotary_embedding %x, %c, %s positions %p : (tensor<1x2x3x5xf32>, tensor<9x2xf32>, tensor<9x2xf32>, tensor<1x3xi64>) -> tensor<1x2x3x5xf32>
  func.return
}

// -----

// CHECK: expected an even rotary_embedding_dim of at most 4, got 6
func.func @turned_are_in_a_head(%x: tensor<1x2x3x4xf32>, %c: tensor<9x3xf32>, %s: tensor<9x3xf32>, %p: tensor<1x3xi64>) {
  %y = graph.rotary_embedding %x, %c, %s positions %p {rotary_embedding_dim = 6 : i64} : (tensor<1x2x3x4xf32>, tensor<9x3xf32>, tensor<9x3xf32>, tensor<1x3xi64>) -> tensor<1x2x3x4xf32>
  func.return
}

// -----

// CHECK: expected an i32 or i64 element type, got f32
func.func @positions_are_integers(%x: tensor<1x2x3x4xf32>, %c: tensor<9x2xf32>, %s: tensor<9x2xf32>, %p: tensor<1x3xf32>) {
  %y = graph.rotary_embedding %x, %c, %s positions %p : (tensor<1x2x3x4xf32>, tensor<9x2xf32>, tensor<9x2xf32>, tensor<1x3xf32>) -> tensor<1x2x3x4xf32>
  func.return
}

// -----

// CHECK: expected positions of shape [1, 3], got tensor<1x2xi64>
func.func @positions_are_per_token(%x: tensor<1x2x3x4xf32>, %c: tensor<9x2xf32>, %s: tensor<9x2xf32>, %p: tensor<1x2xi64>) {
  %y = graph.rotary_embedding %x, %c, %s positions %p : (tensor<1x2x3x4xf32>, tensor<9x2xf32>, tensor<9x2xf32>, tensor<1x2xi64>) -> tensor<1x2x3x4xf32>
  func.return
}

// -----

// CHECK: expected cos of shape [rows, 2], got tensor<9x4xf32>
func.func @cos_has_rows(%x: tensor<1x2x3x4xf32>, %c: tensor<9x4xf32>, %s: tensor<9x2xf32>, %p: tensor<1x3xi64>) {
  %y = graph.rotary_embedding %x, %c, %s positions %p : (tensor<1x2x3x4xf32>, tensor<9x4xf32>, tensor<9x2xf32>, tensor<1x3xi64>) -> tensor<1x2x3x4xf32>
  func.return
}

// -----

// CHECK: expected sin of shape [rows, 2], got tensor<9x3x2xf32>
func.func @sin_has_rows(%x: tensor<1x2x3x4xf32>, %c: tensor<9x2xf32>, %s: tensor<9x3x2xf32>, %p: tensor<1x3xi64>) {
  %y = graph.rotary_embedding %x, %c, %s positions %p : (tensor<1x2x3x4xf32>, tensor<9x2xf32>, tensor<9x3x2xf32>, tensor<1x3xi64>) -> tensor<1x2x3x4xf32>
  func.return
}

// -----

// CHECK: expected cos of shape [1, 3, 2], got tensor<9x2xf32>
func.func @cos_is_per_token_without_positions(%x: tensor<1x2x3x4xf32>, %c: tensor<9x2xf32>, %s: tensor<9x2xf32>) {
  %y = graph.rotary_embedding %x, %c, %s : (tensor<1x2x3x4xf32>, tensor<9x2xf32>, tensor<9x2xf32>) -> tensor<1x2x3x4xf32>
  func.return
}

// -----

// CHECK: expected sin of shape [1, 3, 2], got tensor<1x3x1xf32>
func.func @sin_is_per_token_without_positions(%x: tensor<1x2x3x4xf32>, %c: tensor<1x3x2xf32>, %s: tensor<1x3x1xf32>) {
  %y = graph.rotary_embedding %x, %c, %s : (tensor<1x2x3x4xf32>, tensor<1x3x2xf32>, tensor<1x3x1xf32>) -> tensor<1x2x3x4xf32>
  func.return
}

// -----

// CHECK: expected one element type, got f32, f32, f64
func.func @angles_have_the_type(%x: tensor<1x2x3x4xf32>, %c: tensor<9x2xf32>, %s: tensor<9x2xf64>, %p: tensor<1x3xi64>) {
  %y = graph.rotary_embedding %x, %c, %s positions %p : (tensor<1x2x3x4xf32>, tensor<9x2xf32>, tensor<9x2xf64>, tensor<1x3xi64>) -> tensor<1x2x3x4xf32>
  func.return
}

// -----

// CHECK: expected result tensor<1x2x3x4xf32>, got tensor<1x2x3x2xf32>
func.func @result_is_as_input(%x: tensor<1x2x3x4xf32>, %c: tensor<9x2xf32>, %s: tensor<9x2xf32>, %p: tensor<1x3xi64>) {
  %y = graph.rotary_embedding %x, %c, %s positions %p : (tensor<1x2x3x4xf32>, tensor<9x2xf32>, tensor<9x2xf32>, tensor<1x3xi64>) -> tensor<1x2x3x2xf32>
  func.return
}
