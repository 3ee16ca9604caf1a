// RUN: ROUNDTRIP

// CHECK-LABEL: @batch_norm
// CHECK: %y = graph.batch_norm %x, %m, %v scale %s : tensor<3xf32> bias %b : tensor<3xf32> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
func.func @batch_norm(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %b: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) {
  %y = graph.batch_norm %x, %m, %v scale %s : tensor<3xf32> bias %b : tensor<3xf32> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: @batch_norm_with_epsilon
// CHECK: %y = graph.batch_norm %x, %m, %v scale %s : tensor<3xf32> bias %b : tensor<3xf32> {epsilon = 1.000000e-03 : f64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
func.func @batch_norm_with_epsilon(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %b: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) {
  %y = graph.batch_norm %x, %m, %v scale %s : tensor<3xf32> bias %b : tensor<3xf32> {epsilon = 1.000000e-03 : f64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: @batch_norm_without
// CHECK: graph.batch_norm %x, %m, %v : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
// CHECK: graph.batch_norm %x, %m, %v scale %a : tensor<3xf32> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
// CHECK: graph.batch_norm %x, %m, %v bias %a : tensor<3xf32> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
func.func @batch_norm_without(%x: tensor<2x3x4xf32>, %a: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) {
  %0 = graph.batch_norm %x, %m, %v : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  %1 = graph.batch_norm %x, %m, %v scale %a : tensor<3xf32> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  %2 = graph.batch_norm %x, %m, %v bias %a : tensor<3xf32> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: @lrn
// CHECK: %y = graph.lrn %x {size = 5 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
func.func @lrn(%x: tensor<2x3x4xf32>) {
  %y = graph.lrn %x {size = 5 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: @lrn_with_parameters
// CHECK: %y = graph.lrn %x {size = 5 : i64, alpha = 2.500000e-01 : f64, beta = 5.000000e-01 : f64, bias = 2.000000e+00 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
func.func @lrn_with_parameters(%x: tensor<2x3x4xf32>) {
  %y = graph.lrn %x {size = 5 : i64, alpha = 2.500000e-01 : f64, beta = 5.000000e-01 : f64, bias = 2.000000e+00 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: @softmax
// CHECK: %y = graph.softmax %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
func.func @softmax(%x: tensor<2x3x4xf32>) {
  %y = graph.softmax %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: @softmax_along_the_first_axis
// CHECK: %y = graph.softmax %x {axis = 0 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
func.func @softmax_along_the_first_axis(%x: tensor<2x3x4xf32>) {
  %y = graph.softmax %x {axis = 0 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: @log_softmax
// CHECK: %y = graph.log_softmax %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
func.func @log_softmax(%x: tensor<2x3x4xf32>) {
  %y = graph.log_softmax %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: @log_softmax_along_the_first_axis
// CHECK: %y = graph.log_softmax %x {axis = 0 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
func.func @log_softmax_along_the_first_axis(%x: tensor<2x3x4xf32>) {
  %y = graph.log_softmax %x {axis = 0 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return
}
