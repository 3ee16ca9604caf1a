// RUN: REFUSED

// CHECK: expected result tensor<2xi1>, got tensor<2xf32>
func.func @result_is_bool(%a: tensor<2xf32>, %b: tensor<2xf32>) {
  %c = graph.less %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected a float or integer element type, got i1
func.func @bools_have_no_order(%a: tensor<2xi1>, %b: tensor<2xi1>) {
  %c = graph.greater %a, %b : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  func.return
}

// -----

// CHECK: expected one element type, got i32, i64
func.func @elements_differ(%a: tensor<2xi32>, %b: tensor<2xi64>) {
  %c = graph.equal %a, %b : (tensor<2xi32>, tensor<2xi64>) -> tensor<2xi1>
  func.return
}
