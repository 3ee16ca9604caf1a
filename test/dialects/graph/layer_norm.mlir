// RUN: ROUNDTRIP

// CHECK-LABEL: @layer_norm
// CHECK: %y = graph.layer_norm %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
func.func @layer_norm(%x: tensor<2x3x4xf32>) {
  %y = graph.layer_norm %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: @layer_norm_with_scale
// CHECK: %y = graph.layer_norm %x scale %s : tensor<4xf32> : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
func.func @layer_norm_with_scale(%x: tensor<2x3x4xf32>, %s: tensor<4xf32>) {
  %y = graph.layer_norm %x scale %s : tensor<4xf32> : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: @layer_norm_with_bias
// CHECK: %y = graph.layer_norm %x bias %b : tensor<f32> : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
func.func @layer_norm_with_bias(%x: tensor<2x3x4xf32>, %b: tensor<f32>) {
  %y = graph.layer_norm %x bias %b : tensor<f32> : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: @layer_norm_with_both
// CHECK: %y = graph.layer_norm %x scale %s : tensor<4xf32> bias %b : tensor<f32> {axis = 1 : i64, epsilon = 1.000000e-03 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
func.func @layer_norm_with_both(%x: tensor<2x3x4xf32>, %s: tensor<4xf32>, %b: tensor<f32>) {
  %y = graph.layer_norm %x scale %s : tensor<4xf32> bias %b : tensor<f32> {axis = 1 : i64, epsilon = 1.000000e-03 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: @layer_norm_with_statistics
// CHECK: %y, %m, %i = graph.layer_norm %x scale %s : tensor<4xf32> {with_statistics} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x1xf32>, tensor<2x3x1xf32>)
func.func @layer_norm_with_statistics(%x: tensor<2x3x4xf32>, %s: tensor<4xf32>) {
  %y, %m, %i = graph.layer_norm %x scale %s : tensor<4xf32> {with_statistics} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x1xf32>, tensor<2x3x1xf32>)
  func.return
}

// CHECK-LABEL: @rms_norm
// CHECK: %y = graph.rms_norm %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
func.func @rms_norm(%x: tensor<2x3x4xf32>) {
  %y = graph.rms_norm %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: @rms_norm_with_scale
// CHECK: %y = graph.rms_norm %x scale %s : tensor<4xf32> {axis = 1 : i64, epsilon = 1.000000e-03 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
func.func @rms_norm_with_scale(%x: tensor<2x3x4xf32>, %s: tensor<4xf32>) {
  %y = graph.rms_norm %x scale %s : tensor<4xf32> {axis = 1 : i64, epsilon = 1.000000e-03 : f64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return
}
