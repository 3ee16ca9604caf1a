// RUN: ROUNDTRIP

// CHECK-LABEL: @instance_norm
// CHECK: %y = graph.instance_norm %x : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
func.func @instance_norm(%x: tensor<2x4x3xf32>) {
  %y = graph.instance_norm %x : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  func.return
}

// CHECK-LABEL: @instance_norm_with_scale
// CHECK: %y = graph.instance_norm %x scale %s : tensor<4xf32> : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
func.func @instance_norm_with_scale(%x: tensor<2x4x3xf32>, %s: tensor<4xf32>) {
  %y = graph.instance_norm %x scale %s : tensor<4xf32> : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  func.return
}

// CHECK-LABEL: @instance_norm_with_bias
// CHECK: %y = graph.instance_norm %x bias %s : tensor<4xf32> : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
func.func @instance_norm_with_bias(%x: tensor<2x4x3xf32>, %s: tensor<4xf32>) {
  %y = graph.instance_norm %x bias %s : tensor<4xf32> : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  func.return
}

// CHECK-LABEL: @instance_norm_with_both
// CHECK: %y = graph.instance_norm %x scale %s : tensor<4xf32> bias %b : tensor<4xf32> {epsilon = 1.000000e-03 : f64} : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
func.func @instance_norm_with_both(%x: tensor<2x4x3xf32>, %s: tensor<4xf32>, %b: tensor<4xf32>) {
  %y = graph.instance_norm %x scale %s : tensor<4xf32> bias %b : tensor<4xf32> {epsilon = 1.000000e-03 : f64} : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  func.return
}

// CHECK-LABEL: @group_norm
// CHECK: %y = graph.group_norm %x {num_groups = 2 : i64} : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
func.func @group_norm(%x: tensor<2x4x3xf32>) {
  %y = graph.group_norm %x {num_groups = 2 : i64} : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  func.return
}

// CHECK-LABEL: @group_norm_with_scale
// CHECK: %y = graph.group_norm %x scale %s : tensor<4xf32> {num_groups = 2 : i64} : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
func.func @group_norm_with_scale(%x: tensor<2x4x3xf32>, %s: tensor<4xf32>) {
  %y = graph.group_norm %x scale %s : tensor<4xf32> {num_groups = 2 : i64} : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  func.return
}

// CHECK-LABEL: @group_norm_with_bias
// CHECK: %y = graph.group_norm %x bias %s : tensor<4xf32> {num_groups = 2 : i64} : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
func.func @group_norm_with_bias(%x: tensor<2x4x3xf32>, %s: tensor<4xf32>) {
  %y = graph.group_norm %x bias %s : tensor<4xf32> {num_groups = 2 : i64} : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  func.return
}

// CHECK-LABEL: @group_norm_with_both
// CHECK: %y = graph.group_norm %x scale %s : tensor<4xf32> bias %b : tensor<4xf32> {num_groups = 4 : i64, epsilon = 1.000000e-03 : f64} : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
func.func @group_norm_with_both(%x: tensor<2x4x3xf32>, %s: tensor<4xf32>, %b: tensor<4xf32>) {
  %y = graph.group_norm %x scale %s : tensor<4xf32> bias %b : tensor<4xf32> {num_groups = 4 : i64, epsilon = 1.000000e-03 : f64} : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  func.return
}
