// RUN: REFUSED

// CHECK: expected an i1 element type, got i32
func.func @integers_are_no_bools(%a: tensor<2xi32>, %b: tensor<2xi32>) {
  %c = graph.and %a, %b : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  func.return
}

// -----

// CHECK: expected an integer element type, got i1
func.func @bools_have_no_bits(%a: tensor<2xi1>, %b: tensor<2xi1>) {
  %c = graph.bitwise_and %a, %b : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  func.return
}

// -----

// CHECK: expected an integer element type, got f32
func.func @floats_have_no_bits(%a: tensor<2xf32>, %b: tensor<2xf32>) {
  %c = graph.bit_shift %a, %b {direction = "LEFT"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected direction "LEFT" or "RIGHT", got "UP"
func.func @direction_is_left_or_right(%a: tensor<2xi32>, %b: tensor<2xi32>) {
  %c = graph.bit_shift %a, %b {direction = "UP"} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  func.return
}

// -----

// CHECK: expected an i1 element type, got i32
func.func @not_takes_bools(%x: tensor<2x3xi32>) {
  %y = graph.not %x : (tensor<2x3xi32>) -> tensor<2x3xi32>
  func.return
}

// -----

// CHECK: expected an integer element type, got f32
func.func @bitwise_not_takes_integers(%x: tensor<2x3xf32>) {
  %y = graph.bitwise_not %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}
