// RUN: ROUNDTRIP

// CHECK-LABEL: @one_hot
// CHECK-NEXT:    %y = graph.one_hot %i, %v {depth = 5 : i64} : (tensor<2x3xi64>, tensor<2xf32>) -> tensor<2x3x5xf32>
// CHECK-NEXT:    %z = graph.one_hot %i, %v {depth = 1 : i64, axis = 0 : i64} : (tensor<2x3xi64>, tensor<2xf32>) -> tensor<1x2x3xf32>
func.func @one_hot(%i: tensor<2x3xi64>, %v: tensor<2xf32>) {
  %y = graph.one_hot %i, %v {depth = 5 : i64} : (tensor<2x3xi64>, tensor<2xf32>) -> tensor<2x3x5xf32>
  %z = graph.one_hot %i, %v {depth = 1 : i64, axis = 0 : i64} : (tensor<2x3xi64>, tensor<2xf32>) -> tensor<1x2x3xf32>
  func.return
}
