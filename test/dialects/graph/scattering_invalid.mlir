// RUN: REFUSED

// CHECK: expected a reduction out of none, add, mul, max, min, got "sub"
func.func @unknown_reduction(%x: tensor<8x4xf32>, %i: tensor<2x4xi64>, %u: tensor<2x4xf32>) {
  %y = graph.scatter_elements %x, %i, %u {reduction = "sub"} : (tensor<8x4xf32>, tensor<2x4xi64>, tensor<2x4xf32>) -> tensor<8x4xf32>
  func.return
}

// -----

// CHECK: expected a float or integer element type, got i1
func.func @sum_of_bools(%x: tensor<8x4xi1>, %i: tensor<2x4xi64>, %u: tensor<2x4xi1>) {
  %y = graph.scatter_elements %x, %i, %u {reduction = "add"} : (tensor<8x4xi1>, tensor<2x4xi64>, tensor<2x4xi1>) -> tensor<8x4xi1>
  func.return
}

// -----

// CHECK: expected updates of shape [2, 4], got tensor<2x3xf32>
func.func @updates_of_another_shape(%x: tensor<8x4xf32>, %i: tensor<2x4xi64>, %u: tensor<2x3xf32>) {
  %y = graph.scatter_elements %x, %i, %u : (tensor<8x4xf32>, tensor<2x4xi64>, tensor<2x3xf32>) -> tensor<8x4xf32>
  func.return
}

// -----

// CHECK: expected one element type, got f32, f64
func.func @updates_of_another_type(%x: tensor<8x4xf32>, %i: tensor<2x4xi64>, %u: tensor<2x4xf64>) {
  %y = graph.scatter_elements %x, %i, %u : (tensor<8x4xf32>, tensor<2x4xi64>, tensor<2x4xf64>) -> tensor<8x4xf32>
  func.return
}

// -----

// CHECK: expected indices with at most 4 positions along axis 1, got 5
func.func @too_many_positions(%x: tensor<8x4xf32>, %i: tensor<2x5xi64>, %u: tensor<2x5xf32>) {
  %y = graph.scatter_elements %x, %i, %u : (tensor<8x4xf32>, tensor<2x5xi64>, tensor<2x5xf32>) -> tensor<8x4xf32>
  func.return
}

// -----

// CHECK: expected result tensor<8x4xf32>, got tensor<2x4xf32>
func.func @result_of_another_shape(%x: tensor<8x4xf32>, %i: tensor<2x4xi64>, %u: tensor<2x4xf32>) {
  %y = graph.scatter_elements %x, %i, %u : (tensor<8x4xf32>, tensor<2x4xi64>, tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

// CHECK: expected updates of shape [2, 4], got tensor<2x8xf32>
func.func @slices_of_another_shape(%x: tensor<8x4xf32>, %i: tensor<2x1xi64>, %u: tensor<2x8xf32>) {
  %y = graph.scatter_nd %x, %i, %u : (tensor<8x4xf32>, tensor<2x1xi64>, tensor<2x8xf32>) -> tensor<8x4xf32>
  func.return
}

// -----

// CHECK: expected tuples of 1 to 2 indices, got 3
func.func @long_tuples(%x: tensor<8x4xf32>, %i: tensor<2x3xi64>, %u: tensor<2xf32>) {
  %y = graph.scatter_nd %x, %i, %u : (tensor<8x4xf32>, tensor<2x3xi64>, tensor<2xf32>) -> tensor<8x4xf32>
  func.return
}

// -----

// CHECK: expected a reduction out of none, add, mul, max, min, got "mean"
func.func @unknown_reduction_of_slices(%x: tensor<8x4xf32>, %i: tensor<2x1xi64>, %u: tensor<2x4xf32>) {
  %y = graph.scatter_nd %x, %i, %u {reduction = "mean"} : (tensor<8x4xf32>, tensor<2x1xi64>, tensor<2x4xf32>) -> tensor<8x4xf32>
  func.return
}

// -----

// CHECK: expected a mode out of linear, circular, got "ring"
func.func @unknown_mode(%x: tensor<2x8x4xf32>, %u: tensor<2x1x4xf32>) {
  %y = graph.tensor_scatter %x, %u {mode = "ring"} : (tensor<2x8x4xf32>, tensor<2x1x4xf32>) -> tensor<2x8x4xf32>
  func.return
}

// -----

// CHECK: expected an axis other than the batch axis, got 0
func.func @along_the_batch(%x: tensor<2x8x4xf32>, %u: tensor<2x1x4xf32>) {
  %y = graph.tensor_scatter %x, %u {axis = 0 : i64} : (tensor<2x8x4xf32>, tensor<2x1x4xf32>) -> tensor<2x8x4xf32>
  func.return
}

// -----

// CHECK: expected updates of at most 8 places along axis 1, got 9
func.func @more_than_the_cache(%x: tensor<2x8x4xf32>, %u: tensor<2x9x4xf32>) {
  %y = graph.tensor_scatter %x, %u : (tensor<2x8x4xf32>, tensor<2x9x4xf32>) -> tensor<2x8x4xf32>
  func.return
}

// -----

// CHECK: expected updates of shape [2, 1, 4], got tensor<2x1x5xf32>
func.func @wider_than_the_cache(%x: tensor<2x8x4xf32>, %u: tensor<2x1x5xf32>) {
  %y = graph.tensor_scatter %x, %u : (tensor<2x8x4xf32>, tensor<2x1x5xf32>) -> tensor<2x8x4xf32>
  func.return
}

// -----

// CHECK: expected updates of shape [2, 0, 4], got tensor<2x4xf32>
func.func @updates_of_another_rank(%x: tensor<2x8x4xf32>, %u: tensor<2x4xf32>) {
  %y = graph.tensor_scatter %x, %u : (tensor<2x8x4xf32>, tensor<2x4xf32>) -> tensor<2x8x4xf32>
  func.return
}

// -----

// CHECK: expected write_indices of shape [2], got tensor<1xi64>
func.func @an_index_for_all(%x: tensor<2x8x4xf32>, %u: tensor<2x1x4xf32>, %i: tensor<1xi64>) {
  %y = graph.tensor_scatter %x, %u at %i : (tensor<2x8x4xf32>, tensor<2x1x4xf32>, tensor<1xi64>) -> tensor<2x8x4xf32>
  func.return
}

// -----

// CHECK: expected an i32 or i64 element type, got f32
func.func @index_is_no_integer(%x: tensor<2x8x4xf32>, %u: tensor<2x1x4xf32>, %i: tensor<2xf32>) {
  %y = graph.tensor_scatter %x, %u at %i : (tensor<2x8x4xf32>, tensor<2x1x4xf32>, tensor<2xf32>) -> tensor<2x8x4xf32>
  func.return
}
