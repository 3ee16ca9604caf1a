// RUN: glow-opt %s -p recognize-functions,dce | filecheck %s

// CHECK-LABEL: @gate_behind(
// CHECK-NEXT:    %{{.*}} = graph.swish %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
func.func @gate_behind(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %1 = graph.sigmoid %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = graph.mul %x, %1 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %2 : tensor<2x8xf32>
}

// As CLIP has instead of gelu.
// CHECK-LABEL: @gate_first_with_a_factor(
// CHECK-NEXT:    %{{.*}} = graph.swish %x {alpha = 1.75{{.*}}} : (tensor<2x8xf32>) -> tensor<2x8xf32>
func.func @gate_first_with_a_factor(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = graph.literal dense<1.75> : tensor<f32> : tensor<f32>
  %1 = graph.mul %0, %x : (tensor<f32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = graph.sigmoid %1 : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %3 = graph.mul %2, %x : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %3 : tensor<2x8xf32>
}

// CHECK-LABEL: @gate_of_another(
// CHECK:         graph.sigmoid
func.func @gate_of_another(%x: tensor<2x8xf32>, %z: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %1 = graph.sigmoid %z : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = graph.mul %x, %1 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %2 : tensor<2x8xf32>
}

// CHECK-LABEL: @gate_of_the_square(
// CHECK:         graph.sigmoid
func.func @gate_of_the_square(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = graph.mul %x, %x : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = graph.sigmoid %0 : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = graph.mul %x, %1 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %2 : tensor<2x8xf32>
}

// CHECK-LABEL: @gate_that_is_read_twice(
// CHECK:         graph.sigmoid
func.func @gate_that_is_read_twice(%x: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %1 = graph.sigmoid %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = graph.mul %x, %1 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %1, %2 : tensor<2x8xf32>, tensor<2x8xf32>
}

// CHECK-LABEL: @other_gate(
// CHECK:         graph.tanh
func.func @other_gate(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %1 = graph.tanh %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = graph.mul %x, %1 : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %2 : tensor<2x8xf32>
}

// A factor for each column is not a parameter.
// CHECK-LABEL: @factor_by_column(
// CHECK:         graph.sigmoid
func.func @factor_by_column(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = graph.literal dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %1 = graph.mul %x, %0 : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %2 = graph.sigmoid %1 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %3 = graph.mul %x, %2 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  func.return %3 : tensor<2x2xf32>
}

// CHECK-LABEL: @layout_is_kept(
// CHECK:         graph.sigmoid
func.func @layout_is_kept(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32, #layout.physical<NHWC>> {
  %1 = graph.sigmoid %x : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %2 = graph.mul %x, %1 : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32, #layout.physical<NHWC>>
  func.return %2 : tensor<1x2x3x4xf32, #layout.physical<NHWC>>
}
