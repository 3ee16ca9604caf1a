// RUN: ROUNDTRIP

// CHECK-LABEL: @matrices
// CHECK-NEXT:    %y = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
func.func @matrices(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  %y = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  func.return
}

// CHECK-LABEL: @everything_optional
// CHECK-NEXT:    %y = graph.matmul %a, %b bias %c {transpose_lhs, transpose_rhs} : (tensor<3x2xf32>, tensor<4x3xf32>, tensor<4xf32>) -> tensor<2x4xf32>
func.func @everything_optional(%a: tensor<3x2xf32>, %b: tensor<4x3xf32>, %c: tensor<4xf32>) {
  %y = graph.matmul %a, %b bias %c {transpose_lhs, transpose_rhs} : (tensor<3x2xf32>, tensor<4x3xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  func.return
}

// CHECK-LABEL: @batches_broadcast
// CHECK-NEXT:    %y = graph.matmul %a, %b : (tensor<5x1x2x3xf64>, tensor<6x3x4xf64>) -> tensor<5x6x2x4xf64>
func.func @batches_broadcast(%a: tensor<5x1x2x3xf64>, %b: tensor<6x3x4xf64>) {
  %y = graph.matmul %a, %b : (tensor<5x1x2x3xf64>, tensor<6x3x4xf64>) -> tensor<5x6x2x4xf64>
  func.return
}

// CHECK-LABEL: @vectors
// CHECK-NEXT:    %y = graph.matmul %a, %b : (tensor<3xi64>, tensor<3xi64>) -> tensor<i64>
func.func @vectors(%a: tensor<3xi64>, %b: tensor<3xi64>) {
  %y = graph.matmul %a, %b : (tensor<3xi64>, tensor<3xi64>) -> tensor<i64>
  func.return
}

// CHECK-LABEL: @bias_of_every_element
// CHECK-NEXT:    %y = graph.matmul %a, %b bias %c : (tensor<2x3xi32>, tensor<3xi32>, tensor<2xi32>) -> tensor<2xi32>
func.func @bias_of_every_element(%a: tensor<2x3xi32>, %b: tensor<3xi32>, %c: tensor<2xi32>) {
  %y = graph.matmul %a, %b bias %c : (tensor<2x3xi32>, tensor<3xi32>, tensor<2xi32>) -> tensor<2xi32>
  func.return
}
