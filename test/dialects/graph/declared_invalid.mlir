// RUN: REFUSED

// What all such ops refuse, test_declared_ops.py tests by table.

// CHECK: expected a static shape, got tensor<?x3xf32>
func.func @extents_are_dynamic(%x: tensor<?x3xf32>) {
  %y = graph.relu %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  func.return
}

// -----

// CHECK: Expected attribute f64 but got f32
func.func @alpha_is_f64(%x: tensor<2x3xf32>) {
  %y = graph.elu %x {alpha = 1.0 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
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

// -----

// CHECK: expected an axis in [-2, 1], got 2
func.func @axis_is_out_of_range(%x: tensor<2x3xf32>) {
  %y = graph.reduce_sum %x {axes = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected distinct axes, got [1, -1]
func.func @axes_repeat(%x: tensor<2x3xf32>) {
  %y = graph.reduce_sum %x {axes = array<i64: 1, -1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected result tensor<2x1xf32>, got tensor<2xf32>
func.func @axis_is_kept(%x: tensor<2x3xf32>) {
  %y = graph.reduce_max %x {axes = array<i64: 1>, keepdims} : (tensor<2x3xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: property 'axes' expected in operation 'graph.reduce_sum'
func.func @axes_are_given(%x: tensor<2x3xf32>) {
  %y = graph.reduce_sum %x : (tensor<2x3xf32>) -> tensor<2xf32>
  func.return
}
