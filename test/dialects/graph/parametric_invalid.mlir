// RUN: REFUSED

// CHECK: expected a float or integer element type, got i1
func.func @bools_have_no_prelu(%x: tensor<2x3xi1>) {
  %y = graph.prelu %x, %x : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  func.return
}

// -----

// CHECK: expected a slope that broadcasts to [2, 3], got tensor<4x2x3xf32>
func.func @slope_has_more_axes(%x: tensor<2x3xf32>, %s: tensor<4x2x3xf32>) {
  %y = graph.prelu %x, %s : (tensor<2x3xf32>, tensor<4x2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expected a slope that broadcasts to [1, 3], got tensor<2x3xf32>
func.func @slope_has_more_rows(%x: tensor<1x3xf32>, %s: tensor<2x3xf32>) {
  %y = graph.prelu %x, %s : (tensor<1x3xf32>, tensor<2x3xf32>) -> tensor<1x3xf32>
  func.return
}

// -----

// CHECK: expected one element type, got f32, f64
func.func @element_types_differ(%x: tensor<2x3xf32>, %s: tensor<3xf64>) {
  %y = graph.prelu %x, %s : (tensor<2x3xf32>, tensor<3xf64>) -> tensor<2x3xf32>
  func.return
}
