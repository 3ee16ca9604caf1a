// RUN: REFUSED

// CHECK: expected a float element type, got i32
func.func @table_of_integers(%t: tensor<9x8xi32>, %i: tensor<2xi64>) {
  %y = graph.embedding %t, %i : (tensor<9x8xi32>, tensor<2xi64>) -> tensor<2x8xi32>
  func.return
}

// -----

// CHECK: expected an i32 or i64 element type, got f32
func.func @index_is_no_integer(%t: tensor<9x8xf32>, %i: tensor<2xf32>) {
  %y = graph.embedding %t, %i : (tensor<9x8xf32>, tensor<2xf32>) -> tensor<2x8xf32>
  func.return
}

// -----

// CHECK: expected a tensor of rank 2, got tensor<9xf32>
func.func @table_of_rank_1(%t: tensor<9xf32>, %i: tensor<2xi64>) {
  %y = graph.embedding %t, %i : (tensor<9xf32>, tensor<2xi64>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected a padding_idx in [-9, 8], got 9
func.func @padding_is_no_row(%t: tensor<9x8xf32>, %i: tensor<2xi64>) {
  %y = graph.embedding %t, %i {padding_idx = 9 : i64} : (tensor<9x8xf32>, tensor<2xi64>) -> tensor<2x8xf32>
  func.return
}

// -----

// CHECK: expected result tensor<2x8xf32>, got tensor<8xf32>
func.func @result_of_another_shape(%t: tensor<9x8xf32>, %i: tensor<2xi64>) {
  %y = graph.embedding %t, %i : (tensor<9x8xf32>, tensor<2xi64>) -> tensor<8xf32>
  func.return
}

// -----

// CHECK: expected a mode out of sum, mean, max, got "prod"
func.func @unknown_mode(%t: tensor<9x8xf32>, %i: tensor<2xi64>) {
  %y = graph.embedding_bag %t, %i {mode = "prod"} : (tensor<9x8xf32>, tensor<2xi64>) -> tensor<8xf32>
  func.return
}

// -----

// CHECK: expected weights of shape [2], got tensor<3xf32>
func.func @weights_of_another_shape(%t: tensor<9x8xf32>, %i: tensor<2xi64>, %w: tensor<3xf32>) {
  %y = graph.embedding_bag %t, %i weights %w : tensor<3xf32> : (tensor<9x8xf32>, tensor<2xi64>) -> tensor<8xf32>
  func.return
}

// -----

// CHECK: expected one element type, got f32, f64
func.func @weights_of_another_type(%t: tensor<9x8xf32>, %i: tensor<2xi64>, %w: tensor<2xf64>) {
  %y = graph.embedding_bag %t, %i weights %w : tensor<2xf64> : (tensor<9x8xf32>, tensor<2xi64>) -> tensor<8xf32>
  func.return
}

// -----

// CHECK: expected an i32 or i64 element type, got f32
func.func @offset_is_no_integer(%t: tensor<9x8xf32>, %i: tensor<2xi64>, %o: tensor<1xf32>) {
  %y = graph.embedding_bag %t, %i offsets %o : tensor<1xf32> : (tensor<9x8xf32>, tensor<2xi64>) -> tensor<1x8xf32>
  func.return
}

// -----

// CHECK: expected indices of rank 1, got tensor<2x3xi64>
func.func @offsets_in_a_matrix(%t: tensor<9x8xf32>, %i: tensor<2x3xi64>, %o: tensor<1xi64>) {
  %y = graph.embedding_bag %t, %i offsets %o : tensor<1xi64> : (tensor<9x8xf32>, tensor<2x3xi64>) -> tensor<1x8xf32>
  func.return
}

// -----

// CHECK: expected offsets of rank 1, got tensor<i64>
func.func @one_offset(%t: tensor<9x8xf32>, %i: tensor<2xi64>, %o: tensor<i64>) {
  %y = graph.embedding_bag %t, %i offsets %o : tensor<i64> : (tensor<9x8xf32>, tensor<2xi64>) -> tensor<1x8xf32>
  func.return
}

// -----

// CHECK: expected indices of rank 1 or more, got tensor<i64>
func.func @one_index(%t: tensor<9x8xf32>, %i: tensor<i64>) {
  %y = graph.embedding_bag %t, %i : (tensor<9x8xf32>, tensor<i64>) -> tensor<8xf32>
  func.return
}

// -----

// CHECK: expected offsets for include_last_offset, got none
func.func @last_of_no_offsets(%t: tensor<9x8xf32>, %i: tensor<2xi64>) {
  %y = graph.embedding_bag %t, %i {include_last_offset} : (tensor<9x8xf32>, tensor<2xi64>) -> tensor<8xf32>
  func.return
}

// -----

// CHECK: expected a last offset, got none
func.func @no_last_offset(%t: tensor<9x8xf32>, %i: tensor<2xi64>, %o: tensor<0xi64>) {
  %y = graph.embedding_bag %t, %i offsets %o : tensor<0xi64> {include_last_offset} : (tensor<9x8xf32>, tensor<2xi64>) -> tensor<0x8xf32>
  func.return
}

// -----

// CHECK: expected a padding_idx in [-9, 8], got -10
func.func @padding_of_bags_is_no_row(%t: tensor<9x8xf32>, %i: tensor<2xi64>) {
  %y = graph.embedding_bag %t, %i {padding_idx = -10 : i64} : (tensor<9x8xf32>, tensor<2xi64>) -> tensor<8xf32>
  func.return
}

// -----

// CHECK: expected lengths of rank 1, got tensor<2x1xi64>
func.func @lengths_in_a_matrix(%t: tensor<9x8xf32>, %i: tensor<2xi64>, %l: tensor<2x1xi64>) {
  %y = graph.sparse_lengths_sum %t, %i lengths %l : (tensor<9x8xf32>, tensor<2xi64>, tensor<2x1xi64>) -> tensor<2x8xf32>
  func.return
}

// -----

// CHECK: expected an i32 or i64 element type, got f32
func.func @length_is_no_integer(%t: tensor<9x8xf32>, %i: tensor<2xi64>, %l: tensor<2xf32>) {
  %y = graph.sparse_lengths_sum %t, %i lengths %l : (tensor<9x8xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<2x8xf32>
  func.return
}

// -----

// CHECK: expected weights of shape [2], got tensor<2x1xf32>
func.func @a_column_of_weights(%t: tensor<9x8xf32>, %i: tensor<2xi64>, %l: tensor<2xi64>, %w: tensor<2x1xf32>) {
  %y = graph.sparse_lengths_sum %t, %i lengths %l weights %w : tensor<2x1xf32> : (tensor<9x8xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x8xf32>
  func.return
}

// -----

// CHECK: expected a mode out of sum, mean, max, got "min"
func.func @unknown_mode_of_lengths(%t: tensor<9x8xf32>, %i: tensor<2xi64>, %l: tensor<2xi64>) {
  %y = graph.sparse_lengths_sum %t, %i lengths %l {mode = "min"} : (tensor<9x8xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x8xf32>
  func.return
}
