// RUN: ROUNDTRIP

// CHECK-LABEL: @not
// CHECK: %y = graph.not %x : (tensor<2x3xi1>) -> tensor<2x3xi1>
func.func @not(%x: tensor<2x3xi1>) {
  %y = graph.not %x : (tensor<2x3xi1>) -> tensor<2x3xi1>
  func.return
}

// CHECK-LABEL: @bitwise_not
// CHECK: %y = graph.bitwise_not %x : (tensor<2x3xi32>) -> tensor<2x3xi32>
func.func @bitwise_not(%x: tensor<2x3xi32>) {
  %y = graph.bitwise_not %x : (tensor<2x3xi32>) -> tensor<2x3xi32>
  func.return
}

// CHECK-LABEL: @bitwise_and
// CHECK: %y = graph.bitwise_and %a, %b : (tensor<4x1x3xi32>, tensor<2x1xi32>) -> tensor<4x2x3xi32>
func.func @bitwise_and(%a: tensor<4x1x3xi32>, %b: tensor<2x1xi32>) {
  %y = graph.bitwise_and %a, %b : (tensor<4x1x3xi32>, tensor<2x1xi32>) -> tensor<4x2x3xi32>
  func.return
}

// CHECK-LABEL: @bitwise_or
// CHECK: %y = graph.bitwise_or %a, %b : (tensor<4x1x3xi32>, tensor<2x1xi32>) -> tensor<4x2x3xi32>
func.func @bitwise_or(%a: tensor<4x1x3xi32>, %b: tensor<2x1xi32>) {
  %y = graph.bitwise_or %a, %b : (tensor<4x1x3xi32>, tensor<2x1xi32>) -> tensor<4x2x3xi32>
  func.return
}

// CHECK-LABEL: @bitwise_xor
// CHECK: %y = graph.bitwise_xor %a, %b : (tensor<4x1x3xi32>, tensor<2x1xi32>) -> tensor<4x2x3xi32>
func.func @bitwise_xor(%a: tensor<4x1x3xi32>, %b: tensor<2x1xi32>) {
  %y = graph.bitwise_xor %a, %b : (tensor<4x1x3xi32>, tensor<2x1xi32>) -> tensor<4x2x3xi32>
  func.return
}

// CHECK-LABEL: @bit_shift_left
// CHECK: %y = graph.bit_shift %a, %b {direction = "LEFT"} : (tensor<4x1x3xi32>, tensor<2x1xi32>) -> tensor<4x2x3xi32>
func.func @bit_shift_left(%a: tensor<4x1x3xi32>, %b: tensor<2x1xi32>) {
  %y = graph.bit_shift %a, %b {direction = "LEFT"} : (tensor<4x1x3xi32>, tensor<2x1xi32>) -> tensor<4x2x3xi32>
  func.return
}

// CHECK-LABEL: @bit_shift_right
// CHECK: %y = graph.bit_shift %a, %b {direction = "RIGHT"} : (tensor<4x1x3xi32>, tensor<2x1xi32>) -> tensor<4x2x3xi32>
func.func @bit_shift_right(%a: tensor<4x1x3xi32>, %b: tensor<2x1xi32>) {
  %y = graph.bit_shift %a, %b {direction = "RIGHT"} : (tensor<4x1x3xi32>, tensor<2x1xi32>) -> tensor<4x2x3xi32>
  func.return
}

// CHECK-LABEL: @and
// CHECK: %y = graph.and %a, %b : (tensor<4x1x3xi1>, tensor<2x1xi1>) -> tensor<4x2x3xi1>
func.func @and(%a: tensor<4x1x3xi1>, %b: tensor<2x1xi1>) {
  %y = graph.and %a, %b : (tensor<4x1x3xi1>, tensor<2x1xi1>) -> tensor<4x2x3xi1>
  func.return
}

// CHECK-LABEL: @or
// CHECK: %y = graph.or %a, %b : (tensor<4x1x3xi1>, tensor<2x1xi1>) -> tensor<4x2x3xi1>
func.func @or(%a: tensor<4x1x3xi1>, %b: tensor<2x1xi1>) {
  %y = graph.or %a, %b : (tensor<4x1x3xi1>, tensor<2x1xi1>) -> tensor<4x2x3xi1>
  func.return
}

// CHECK-LABEL: @xor
// CHECK: %y = graph.xor %a, %b : (tensor<4x1x3xi1>, tensor<2x1xi1>) -> tensor<4x2x3xi1>
func.func @xor(%a: tensor<4x1x3xi1>, %b: tensor<2x1xi1>) {
  %y = graph.xor %a, %b : (tensor<4x1x3xi1>, tensor<2x1xi1>) -> tensor<4x2x3xi1>
  func.return
}
