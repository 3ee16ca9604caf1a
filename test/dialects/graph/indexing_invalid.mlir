// RUN: REFUSED

// CHECK: expected an i32 or i64 element type, got f32
func.func @indices_are_no_integers(%x: tensor<8xf32>, %i: tensor<2xf32>) {
  %y = graph.gather %x, %i : (tensor<8xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected an axis in [-1, 0], got 1
func.func @no_such_axis(%x: tensor<8xf32>, %i: tensor<2xi64>) {
  %y = graph.gather %x, %i {axis = 1 : i64} : (tensor<8xf32>, tensor<2xi64>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected an axis in [0, -1], got 0
func.func @scalars_have_no_axis(%x: tensor<f32>, %i: tensor<2xi64>) {
  %y = graph.gather %x, %i : (tensor<f32>, tensor<2xi64>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected result tensor<2x4xf32>, got tensor<8x2xf32>
func.func @result_of_another_shape(%x: tensor<8x4xf32>, %i: tensor<2xi64>) {
  %y = graph.gather %x, %i : (tensor<8x4xf32>, tensor<2xi64>) -> tensor<8x2xf32>
  func.return
}

// -----

// CHECK: expected indices of rank 2, got tensor<2xi64>
func.func @indices_of_another_rank(%x: tensor<8x4xf32>, %i: tensor<2xi64>) {
  %y = graph.gather_elements %x, %i : (tensor<8x4xf32>, tensor<2xi64>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected indices with at most 4 positions along axis 1, got 5
func.func @more_positions_than_data(%x: tensor<8x4xf32>, %i: tensor<9x5xi64>) {
  %y = graph.gather_elements %x, %i : (tensor<8x4xf32>, tensor<9x5xi64>) -> tensor<9x5xf32>
  func.return
}

// -----

// CHECK: expected an i32 or i64 element type, got f32
func.func @element_indices_are_no_integers(%x: tensor<8xf32>, %i: tensor<2xf32>) {
  %y = graph.gather_elements %x, %i : (tensor<8xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected an axis in [-1, 0], got 1
func.func @elements_along_no_axis(%x: tensor<8xf32>, %i: tensor<2xi64>) {
  %y = graph.gather_elements %x, %i {axis = 1 : i64} : (tensor<8xf32>, tensor<2xi64>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected tuples of 1 to 2 indices, got 3
func.func @long_tuples(%x: tensor<8x4xf32>, %i: tensor<2x3xi64>) {
  %y = graph.gather_nd %x, %i : (tensor<8x4xf32>, tensor<2x3xi64>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected tuples of 1 to 2 indices, got 0
func.func @empty_tuples(%x: tensor<8x4xf32>, %i: tensor<2x0xi64>) {
  %y = graph.gather_nd %x, %i : (tensor<8x4xf32>, tensor<2x0xi64>) -> tensor<2x8x4xf32>
  func.return
}

// -----

// CHECK: expected tuples of 1 to 1 indices, got 2
func.func @long_tuples_behind_a_batch(%x: tensor<8x4xf32>, %i: tensor<8x2xi64>) {
  %y = graph.gather_nd %x, %i {batch_dims = 1 : i64} : (tensor<8x4xf32>, tensor<8x2xi64>) -> tensor<8xf32>
  func.return
}

// -----

// CHECK: expected 1 equal batch axes, got tensor<8x4xf32>, tensor<2x1xi64>
func.func @batches_differ(%x: tensor<8x4xf32>, %i: tensor<2x1xi64>) {
  %y = graph.gather_nd %x, %i {batch_dims = 1 : i64} : (tensor<8x4xf32>, tensor<2x1xi64>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected batch_dims from 0 to below the ranks 2 of the data and 1 of the indices, got 1
func.func @nothing_but_batches(%x: tensor<8x4xf32>, %i: tensor<8xi64>) {
  %y = graph.gather_nd %x, %i {batch_dims = 1 : i64} : (tensor<8x4xf32>, tensor<8xi64>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: expected batch_dims from 0 to below the ranks 1 of the data and 1 of the indices, got -1
func.func @negative_batch_dims(%x: tensor<8xf32>, %i: tensor<1xi64>) {
  %y = graph.gather_nd %x, %i {batch_dims = -1 : i64} : (tensor<8xf32>, tensor<1xi64>) -> tensor<f32>
  func.return
}

// -----

// CHECK: expected an i32 or i64 element type, got ui8
func.func @narrow_indices(%x: tensor<4xf32>, %i: tensor<2xui8>) {
  %y = graph.gather %x, %i {axis = 0 : i64} : (tensor<4xf32>, tensor<2xui8>) -> tensor<2xf32>
  func.return
}
