// RUN: ROUNDTRIP

// How all such ops print, test_declared_ops.py tests by table.

// CHECK-LABEL: @pow_to_an_integer
// CHECK: %c = graph.pow %a, %b : (tensor<4x1x3xf32>, tensor<2x1xi64>) -> tensor<4x2x3xf32>
func.func @pow_to_an_integer(%a: tensor<4x1x3xf32>, %b: tensor<2x1xi64>) {
  %c = graph.pow %a, %b : (tensor<4x1x3xf32>, tensor<2x1xi64>) -> tensor<4x2x3xf32>
  func.return
}

// A parameter that has the default is not printed; a flag without a value is.
// CHECK-LABEL: @some_parameters
// CHECK: %y = graph.elu %x : (tensor<2xf32>) -> tensor<2xf32>
// CHECK: %z = graph.is_inf %x {detect_positive} : (tensor<2xf32>) -> tensor<2xi1>
func.func @some_parameters(%x: tensor<2xf32>) {
  %y = graph.elu %x {alpha = 1.0 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  %z = graph.is_inf %x {detect_positive} : (tensor<2xf32>) -> tensor<2xi1>
  func.return
}
