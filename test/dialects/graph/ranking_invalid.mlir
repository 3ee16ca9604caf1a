// RUN: REFUSED

// CHECK: expected a k from 0 to 8, got 9
func.func @more_than_there_are(%x: tensor<2x8xf32>) {
  %v = graph.top_k %x {k = 9 : i64} : tensor<2x8xf32> values tensor<2x9xf32>
  func.return
}

// -----

// CHECK: expected a k from 0 to 8, got -1
func.func @less_than_none(%x: tensor<2x8xf32>) {
  %v = graph.top_k %x {k = -1 : i64} : tensor<2x8xf32> values tensor<2x8xf32>
  func.return
}

// -----

// CHECK: expected an axis in [-2, 1], got 2
func.func @no_such_axis(%x: tensor<2x8xf32>) {
  %v = graph.top_k %x {k = 1 : i64, axis = 2 : i64} : tensor<2x8xf32> values tensor<2x1xf32>
  func.return
}

// -----

// CHECK: expected a float or integer element type, got i1
func.func @bools(%x: tensor<2x8xi1>) {
  %v = graph.top_k %x {k = 1 : i64} : tensor<2x8xi1> values tensor<2x1xi1>
  func.return
}

// -----

// CHECK: expected a result out of values, indices, got none
func.func @no_result(%x: tensor<2x8xf32>) {
  graph.top_k %x {k = 1 : i64} : tensor<2x8xf32>
  func.return
}

// -----

// An absent neighbor does not shift the other: these are not indices.
// CHECK: expected values tensor<2x1xf32>, got tensor<2x1xi64>
func.func @indices_as_values(%x: tensor<2x8xf32>) {
  %v = graph.top_k %x {k = 1 : i64} : tensor<2x8xf32> values tensor<2x1xi64>
  func.return
}

// -----

// CHECK: expected indices tensor<2x1xi64>, got tensor<1x8xi64>
func.func @indices_of_another_shape(%x: tensor<2x8xf32>) {
  %i = graph.top_k %x {k = 1 : i64} : tensor<2x8xf32> indices tensor<1x8xi64>
  func.return
}
