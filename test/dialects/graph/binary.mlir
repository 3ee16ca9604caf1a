// RUN: ROUNDTRIP

// CHECK-LABEL: @add
// CHECK: %y = graph.add %a, %b : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xf32>
func.func @add(%a: tensor<4x1x3xf32>, %b: tensor<2x1xf32>) {
  %y = graph.add %a, %b : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xf32>
  func.return
}

// CHECK-LABEL: @add_of_integers
// CHECK: %y = graph.add %a, %b : (tensor<4x1x3xi64>, tensor<2x1xi64>) -> tensor<4x2x3xi64>
func.func @add_of_integers(%a: tensor<4x1x3xi64>, %b: tensor<2x1xi64>) {
  %y = graph.add %a, %b : (tensor<4x1x3xi64>, tensor<2x1xi64>) -> tensor<4x2x3xi64>
  func.return
}

// CHECK-LABEL: @sub
// CHECK: %y = graph.sub %a, %b : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xf32>
func.func @sub(%a: tensor<4x1x3xf32>, %b: tensor<2x1xf32>) {
  %y = graph.sub %a, %b : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xf32>
  func.return
}

// CHECK-LABEL: @sub_of_integers
// CHECK: %y = graph.sub %a, %b : (tensor<4x1x3xi64>, tensor<2x1xi64>) -> tensor<4x2x3xi64>
func.func @sub_of_integers(%a: tensor<4x1x3xi64>, %b: tensor<2x1xi64>) {
  %y = graph.sub %a, %b : (tensor<4x1x3xi64>, tensor<2x1xi64>) -> tensor<4x2x3xi64>
  func.return
}

// CHECK-LABEL: @mul
// CHECK: %y = graph.mul %a, %b : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xf32>
func.func @mul(%a: tensor<4x1x3xf32>, %b: tensor<2x1xf32>) {
  %y = graph.mul %a, %b : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xf32>
  func.return
}

// CHECK-LABEL: @mul_of_integers
// CHECK: %y = graph.mul %a, %b : (tensor<4x1x3xi64>, tensor<2x1xi64>) -> tensor<4x2x3xi64>
func.func @mul_of_integers(%a: tensor<4x1x3xi64>, %b: tensor<2x1xi64>) {
  %y = graph.mul %a, %b : (tensor<4x1x3xi64>, tensor<2x1xi64>) -> tensor<4x2x3xi64>
  func.return
}

// CHECK-LABEL: @div
// CHECK: %y = graph.div %a, %b : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xf32>
func.func @div(%a: tensor<4x1x3xf32>, %b: tensor<2x1xf32>) {
  %y = graph.div %a, %b : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xf32>
  func.return
}

// CHECK-LABEL: @div_of_integers
// CHECK: %y = graph.div %a, %b : (tensor<4x1x3xi64>, tensor<2x1xi64>) -> tensor<4x2x3xi64>
func.func @div_of_integers(%a: tensor<4x1x3xi64>, %b: tensor<2x1xi64>) {
  %y = graph.div %a, %b : (tensor<4x1x3xi64>, tensor<2x1xi64>) -> tensor<4x2x3xi64>
  func.return
}

// CHECK-LABEL: @pow
// CHECK: %y = graph.pow %a, %b : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xf32>
func.func @pow(%a: tensor<4x1x3xf32>, %b: tensor<2x1xf32>) {
  %y = graph.pow %a, %b : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xf32>
  func.return
}

// CHECK-LABEL: @pow_to_an_integer
// CHECK: %y = graph.pow %a, %b : (tensor<4x1x3xf32>, tensor<2x1xi64>) -> tensor<4x2x3xf32>
func.func @pow_to_an_integer(%a: tensor<4x1x3xf32>, %b: tensor<2x1xi64>) {
  %y = graph.pow %a, %b : (tensor<4x1x3xf32>, tensor<2x1xi64>) -> tensor<4x2x3xf32>
  func.return
}

// CHECK-LABEL: @pow_of_integers
// CHECK: %y = graph.pow %a, %b : (tensor<4x1x3xi32>, tensor<2x1xi32>) -> tensor<4x2x3xi32>
func.func @pow_of_integers(%a: tensor<4x1x3xi32>, %b: tensor<2x1xi32>) {
  %y = graph.pow %a, %b : (tensor<4x1x3xi32>, tensor<2x1xi32>) -> tensor<4x2x3xi32>
  func.return
}

// CHECK-LABEL: @mod
// CHECK: %y = graph.mod %a, %b {fmod} : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xf32>
func.func @mod(%a: tensor<4x1x3xf32>, %b: tensor<2x1xf32>) {
  %y = graph.mod %a, %b {fmod} : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xf32>
  func.return
}

// CHECK-LABEL: @mod_of_integers
// CHECK: %y = graph.mod %a, %b : (tensor<4x1x3xi64>, tensor<2x1xi64>) -> tensor<4x2x3xi64>
func.func @mod_of_integers(%a: tensor<4x1x3xi64>, %b: tensor<2x1xi64>) {
  %y = graph.mod %a, %b : (tensor<4x1x3xi64>, tensor<2x1xi64>) -> tensor<4x2x3xi64>
  func.return
}

// CHECK-LABEL: @mod_of_integers_with_sign_of_lhs
// CHECK: %y = graph.mod %a, %b {fmod} : (tensor<4x1x3xi32>, tensor<2x1xi32>) -> tensor<4x2x3xi32>
func.func @mod_of_integers_with_sign_of_lhs(%a: tensor<4x1x3xi32>, %b: tensor<2x1xi32>) {
  %y = graph.mod %a, %b {fmod} : (tensor<4x1x3xi32>, tensor<2x1xi32>) -> tensor<4x2x3xi32>
  func.return
}

// CHECK-LABEL: @max
// CHECK: %y = graph.max %a, %b : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xf32>
func.func @max(%a: tensor<4x1x3xf32>, %b: tensor<2x1xf32>) {
  %y = graph.max %a, %b : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xf32>
  func.return
}

// CHECK-LABEL: @max_of_integers
// CHECK: %y = graph.max %a, %b : (tensor<4x1x3xi64>, tensor<2x1xi64>) -> tensor<4x2x3xi64>
func.func @max_of_integers(%a: tensor<4x1x3xi64>, %b: tensor<2x1xi64>) {
  %y = graph.max %a, %b : (tensor<4x1x3xi64>, tensor<2x1xi64>) -> tensor<4x2x3xi64>
  func.return
}

// CHECK-LABEL: @min
// CHECK: %y = graph.min %a, %b : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xf32>
func.func @min(%a: tensor<4x1x3xf32>, %b: tensor<2x1xf32>) {
  %y = graph.min %a, %b : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xf32>
  func.return
}

// CHECK-LABEL: @min_of_integers
// CHECK: %y = graph.min %a, %b : (tensor<4x1x3xi64>, tensor<2x1xi64>) -> tensor<4x2x3xi64>
func.func @min_of_integers(%a: tensor<4x1x3xi64>, %b: tensor<2x1xi64>) {
  %y = graph.min %a, %b : (tensor<4x1x3xi64>, tensor<2x1xi64>) -> tensor<4x2x3xi64>
  func.return
}
