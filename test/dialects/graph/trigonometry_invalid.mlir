// RUN: REFUSED

// CHECK: expected a float element type, got i32
func.func @integers_have_no_sine(%x: tensor<2x3xi32>) {
  %y = graph.sin %x : (tensor<2x3xi32>) -> tensor<2x3xi32>
  func.return
}

// -----

// CHECK: expected result tensor<2x3xf32>, got tensor<6xf32>
func.func @result_has_another_shape(%x: tensor<2x3xf32>) {
  %y = graph.tanh %x : (tensor<2x3xf32>) -> tensor<6xf32>
  func.return
}
