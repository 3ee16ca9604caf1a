// RUN: REFUSED

// CHECK: expected an i1 element type, got i32
func.func @condition_is_bool(%c: tensor<2xi32>, %x: tensor<2xf32>) {
  %y = graph.where %c, %x, %x : (tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected one element type, got f32, f64
func.func @branches_differ(%c: tensor<2xi1>, %x: tensor<2xf32>, %z: tensor<2xf64>) {
  %y = graph.where %c, %x, %z : (tensor<2xi1>, tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: cannot broadcast tensor<3xi1> with tensor<2xf32> with tensor<2xf32>
func.func @condition_does_not_broadcast(%c: tensor<3xi1>, %x: tensor<2xf32>) {
  %y = graph.where %c, %x, %x : (tensor<3xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected an element type out of f16, bf16, f32, f64, i8, {{.*}}, i1, got f80
func.func @cast_goes_to_known_types(%x: tensor<2x3xf32>) {
  %y = graph.cast %x {to = f80} : (tensor<2x3xf32>) -> tensor<2x3xf80>
  func.return
}

// -----

// CHECK: expected result tensor<2x3xi32>, got tensor<2x3xi64>
func.func @cast_gives_what_it_says(%x: tensor<2x3xf32>) {
  %y = graph.cast %x {to = i32} : (tensor<2x3xf32>) -> tensor<2x3xi64>
  func.return
}

// -----

// CHECK: expected a scalar bound, got tensor<1xf32>
func.func @bound_is_a_scalar(%x: tensor<2x3xf32>, %a: tensor<1xf32>) {
  %y = graph.clip %x min %a : tensor<1xf32> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expected one element type, got f32, f64
func.func @bound_has_another_element(%x: tensor<2x3xf32>, %a: tensor<f64>) {
  %y = graph.clip %x max %a : tensor<f64> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expected a float or integer element type, got i1
func.func @bools_have_no_bounds(%x: tensor<2x3xi1>) {
  %y = graph.clip %x : (tensor<2x3xi1>) -> tensor<2x3xi1>
  func.return
}

// -----

// CHECK: expected an element type as wide as f32, got f64
func.func @bitcast_of_another_width(%x: tensor<2xf32>) {
  %y = graph.bitcast %x {to = f64} : (tensor<2xf32>) -> tensor<2xf64>
  func.return
}

// -----

// CHECK: expected an element type as wide as i1, got i32
func.func @bitcast_of_bools(%x: tensor<2xi1>) {
  %y = graph.bitcast %x {to = i32} : (tensor<2xi1>) -> tensor<2xi32>
  func.return
}

// -----

// CHECK: expected a float or integer element type, got i1
func.func @bitcast_to_bools(%x: tensor<2xf32>) {
  %y = graph.bitcast %x {to = i1} : (tensor<2xf32>) -> tensor<2xi1>
  func.return
}

// -----

// CHECK: expected a supported element type, got si8
func.func @signed_by_name(%x: tensor<2x3xsi8>) {
  %y = graph.cast %x {to = i32} : (tensor<2x3xsi8>) -> tensor<2x3xi32>
  func.return
}

// -----

// CHECK: expected an element type as wide as ui8, got i16
func.func @bitcast_of_narrow(%x: tensor<2x3xui8>) {
  %y = graph.bitcast %x {to = i16} : (tensor<2x3xui8>) -> tensor<2x3xi16>
  func.return
}
