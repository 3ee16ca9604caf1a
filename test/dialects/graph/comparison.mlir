// RUN: ROUNDTRIP

// CHECK-LABEL: @equal
// CHECK: %y = graph.equal %a, %b : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xi1>
func.func @equal(%a: tensor<4x1x3xf32>, %b: tensor<2x1xf32>) {
  %y = graph.equal %a, %b : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xi1>
  func.return
}

// CHECK-LABEL: @equal_of_integers
// CHECK: %y = graph.equal %a, %b : (tensor<4x1x3xi64>, tensor<2x1xi64>) -> tensor<4x2x3xi1>
func.func @equal_of_integers(%a: tensor<4x1x3xi64>, %b: tensor<2x1xi64>) {
  %y = graph.equal %a, %b : (tensor<4x1x3xi64>, tensor<2x1xi64>) -> tensor<4x2x3xi1>
  func.return
}

// CHECK-LABEL: @equal_of_bools
// CHECK: %y = graph.equal %a, %b : (tensor<4x1x3xi1>, tensor<2x1xi1>) -> tensor<4x2x3xi1>
func.func @equal_of_bools(%a: tensor<4x1x3xi1>, %b: tensor<2x1xi1>) {
  %y = graph.equal %a, %b : (tensor<4x1x3xi1>, tensor<2x1xi1>) -> tensor<4x2x3xi1>
  func.return
}

// CHECK-LABEL: @less
// CHECK: %y = graph.less %a, %b : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xi1>
func.func @less(%a: tensor<4x1x3xf32>, %b: tensor<2x1xf32>) {
  %y = graph.less %a, %b : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xi1>
  func.return
}

// CHECK-LABEL: @less_of_integers
// CHECK: %y = graph.less %a, %b : (tensor<4x1x3xi64>, tensor<2x1xi64>) -> tensor<4x2x3xi1>
func.func @less_of_integers(%a: tensor<4x1x3xi64>, %b: tensor<2x1xi64>) {
  %y = graph.less %a, %b : (tensor<4x1x3xi64>, tensor<2x1xi64>) -> tensor<4x2x3xi1>
  func.return
}

// CHECK-LABEL: @less_or_equal
// CHECK: %y = graph.less_or_equal %a, %b : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xi1>
func.func @less_or_equal(%a: tensor<4x1x3xf32>, %b: tensor<2x1xf32>) {
  %y = graph.less_or_equal %a, %b : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xi1>
  func.return
}

// CHECK-LABEL: @less_or_equal_of_integers
// CHECK: %y = graph.less_or_equal %a, %b : (tensor<4x1x3xi64>, tensor<2x1xi64>) -> tensor<4x2x3xi1>
func.func @less_or_equal_of_integers(%a: tensor<4x1x3xi64>, %b: tensor<2x1xi64>) {
  %y = graph.less_or_equal %a, %b : (tensor<4x1x3xi64>, tensor<2x1xi64>) -> tensor<4x2x3xi1>
  func.return
}

// CHECK-LABEL: @greater
// CHECK: %y = graph.greater %a, %b : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xi1>
func.func @greater(%a: tensor<4x1x3xf32>, %b: tensor<2x1xf32>) {
  %y = graph.greater %a, %b : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xi1>
  func.return
}

// CHECK-LABEL: @greater_of_integers
// CHECK: %y = graph.greater %a, %b : (tensor<4x1x3xi64>, tensor<2x1xi64>) -> tensor<4x2x3xi1>
func.func @greater_of_integers(%a: tensor<4x1x3xi64>, %b: tensor<2x1xi64>) {
  %y = graph.greater %a, %b : (tensor<4x1x3xi64>, tensor<2x1xi64>) -> tensor<4x2x3xi1>
  func.return
}

// CHECK-LABEL: @greater_or_equal
// CHECK: %y = graph.greater_or_equal %a, %b : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xi1>
func.func @greater_or_equal(%a: tensor<4x1x3xf32>, %b: tensor<2x1xf32>) {
  %y = graph.greater_or_equal %a, %b : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xi1>
  func.return
}

// CHECK-LABEL: @greater_or_equal_of_integers
// CHECK: %y = graph.greater_or_equal %a, %b : (tensor<4x1x3xi64>, tensor<2x1xi64>) -> tensor<4x2x3xi1>
func.func @greater_or_equal_of_integers(%a: tensor<4x1x3xi64>, %b: tensor<2x1xi64>) {
  %y = graph.greater_or_equal %a, %b : (tensor<4x1x3xi64>, tensor<2x1xi64>) -> tensor<4x2x3xi1>
  func.return
}
