// RUN: REFUSED

// CHECK: expected a float element type, got i32
func.func @integers_have_no_sigmoid(%x: tensor<2x3xi32>) {
  %y = graph.sigmoid %x : (tensor<2x3xi32>) -> tensor<2x3xi32>
  func.return
}

// -----

// CHECK: expected a float or integer element type, got i1
func.func @bools_have_no_relu(%x: tensor<2x3xi1>) {
  %y = graph.relu %x : (tensor<2x3xi1>) -> tensor<2x3xi1>
  func.return
}

// -----

// CHECK: expected result tensor<2x3xf32>, got tensor<3x2xf32>
func.func @result_has_another_shape(%x: tensor<2x3xf32>) {
  %y = graph.relu %x : (tensor<2x3xf32>) -> tensor<3x2xf32>
  func.return
}

// -----

// CHECK: expected result tensor<2x3xf32>, got tensor<2x3xf64>
func.func @result_has_another_element(%x: tensor<2x3xf32>) {
  %y = graph.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf64>
  func.return
}

// -----

// CHECK: expected a static shape, got tensor<?x3xf32>
func.func @extents_are_dynamic(%x: tensor<?x3xf32>) {
  %y = graph.relu %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  func.return
}

// -----

// CHECK: expected approximate "none" or "tanh", got "sigmoid"
func.func @gelu_knows_two_forms(%x: tensor<2x3xf32>) {
  %y = graph.gelu %x {approximate = "sigmoid"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: Expected attribute f64 but got f32
func.func @alpha_is_f64(%x: tensor<2x3xf32>) {
  %y = graph.elu %x {alpha = 1.0 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}
