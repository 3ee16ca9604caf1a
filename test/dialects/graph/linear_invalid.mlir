// RUN: REFUSED

// CHECK: lhs has 3 columns but rhs has 5 rows
func.func @columns_and_rows_differ(%a: tensor<2x3xf32>, %b: tensor<5x4xf32>) {
  %y = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<5x4xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

// CHECK: expected one element type, got f32, f64
func.func @elements_differ(%a: tensor<2x3xf32>, %b: tensor<3x4xf64>) {
  %y = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<3x4xf64>) -> tensor<2x4xf32>
  func.return
}

// -----

// CHECK: expected a float or an integer of 32 or 64 bits element type, got i1
func.func @bools_have_no_product(%a: tensor<2x3xi1>, %b: tensor<3x4xi1>) {
  %y = graph.matmul %a, %b : (tensor<2x3xi1>, tensor<3x4xi1>) -> tensor<2x4xi1>
  func.return
}

// -----

// CHECK: expected a rank of at least 1, got tensor<f32>
func.func @scalars_have_no_product(%a: tensor<f32>, %b: tensor<3x4xf32>) {
  %y = graph.matmul %a, %b : (tensor<f32>, tensor<3x4xf32>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: cannot transpose tensor<3xf32>
func.func @vectors_have_no_transpose(%a: tensor<3xf32>, %b: tensor<3x4xf32>) {
  %y = graph.matmul %a, %b {transpose_lhs} : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: cannot broadcast the batches of tensor<5x2x3xf32> and tensor<6x3x4xf32>
func.func @batches_do_not_broadcast(%a: tensor<5x2x3xf32>, %b: tensor<6x3x4xf32>) {
  %y = graph.matmul %a, %b : (tensor<5x2x3xf32>, tensor<6x3x4xf32>) -> tensor<5x2x4xf32>
  func.return
}

// -----

// CHECK: expected a bias that broadcasts to [2, 4], got tensor<2xf32>
func.func @bias_does_not_broadcast(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<2xf32>) {
  %y = graph.matmul %a, %b bias %c : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<2xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

// CHECK: expected a bias that broadcasts to [1, 4], got tensor<2x4xf32>
func.func @bias_does_not_widen(%a: tensor<1x3xf32>, %b: tensor<3x4xf32>, %c: tensor<2x4xf32>) {
  %y = graph.matmul %a, %b bias %c : (tensor<1x3xf32>, tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

// CHECK: expected result tensor<2x4xf32>, got tensor<4x2xf32>
func.func @result_has_another_shape(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  %y = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>
  func.return
}

// -----

// CHECK: expected a float or an integer of 32 or 64 bits element type, got i8
func.func @narrow_product(%a: tensor<2x3xi8>, %b: tensor<3x4xi8>) {
  %c = graph.matmul %a, %b : (tensor<2x3xi8>, tensor<3x4xi8>) -> tensor<2x4xi8>
  func.return
}
