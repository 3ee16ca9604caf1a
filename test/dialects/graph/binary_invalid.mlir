// RUN: REFUSED

// CHECK: cannot broadcast tensor<2x3xf32> with tensor<4xf32>
func.func @extents_do_not_broadcast(%a: tensor<2x3xf32>, %b: tensor<4xf32>) {
  %c = graph.add %a, %b : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expected one element type, got f32, f64
func.func @elements_differ(%a: tensor<2x3xf32>, %b: tensor<2x3xf64>) {
  %c = graph.mul %a, %b : (tensor<2x3xf32>, tensor<2x3xf64>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expected a float or integer element type, got i1
func.func @bools_do_not_add(%a: tensor<2xi1>, %b: tensor<2xi1>) {
  %c = graph.add %a, %b : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  func.return
}

// -----

// CHECK: expected result tensor<2x3xf32>, got tensor<3xf32>
func.func @result_is_not_broadcast(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  %c = graph.sub %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  func.return
}

// -----

// CHECK: expected result tensor<2xf32>, got tensor<2xi32>
func.func @power_has_the_type_of_lhs(%a: tensor<2xf32>, %b: tensor<2xi32>) {
  %c = graph.pow %a, %b : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xi32>
  func.return
}

// -----

// CHECK: expected a float or integer element type, got i1
func.func @power_of_bools(%a: tensor<2xi1>, %b: tensor<2xi32>) {
  %c = graph.pow %a, %b : (tensor<2xi1>, tensor<2xi32>) -> tensor<2xi1>
  func.return
}

// -----

// CHECK: expected fmod with f32 elements
func.func @floats_need_fmod(%a: tensor<2xf32>, %b: tensor<2xf32>) {
  %c = graph.mod %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected one element type, got i8, ui8
func.func @signs_differ(%a: tensor<3xi8>, %b: tensor<3xui8>) {
  %c = graph.add %a, %b : (tensor<3xi8>, tensor<3xui8>) -> tensor<3xi8>
  func.return
}
