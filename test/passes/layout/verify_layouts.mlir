// RUN: glow-opt %s -p 'verify-layouts{target="cpu:avx2"}' | filecheck %s

// What is right in layouts stays as it is, whatever it looks like.

graph.placeholder @x "in" : tensor<1x4x7x7xf32, #layout.physical<NHWC>>

// CHECK-LABEL: @channels_last
func.func @channels_last() {
  %0 = graph.load @x : tensor<1x4x7x7xf32, #layout.physical<NHWC>>
  %1 = graph.max_pool %0 {kernel_shape = array<i64: 2, 2>} : (tensor<1x4x7x7xf32, #layout.physical<NHWC>>) -> tensor<1x4x6x6xf32, #layout.physical<NHWC>>
  %2 = graph.transpose %1 {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x4x6x6xf32, #layout.physical<NHWC>>) -> tensor<1x6x6x4xf32>
  func.return
}

// Layouts are compared by bytes: one channel is row-major and channels-last.
// CHECK-LABEL: @one_channel
func.func @one_channel(%x: tensor<1x1x7x7xf32>, %y: tensor<1x1x7x7xf32, #layout.physical<NHWC>>, %i: tensor<2xi64>) {
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x1x7x7xf32>) -> tensor<1x1x6x6xf32>
  %1 = graph.gather %y, %i {axis = 0 : i64} : (tensor<1x1x7x7xf32, #layout.physical<NHWC>>, tensor<2xi64>) -> tensor<2x1x7x7xf32>
  func.return
}

// Strides may differ from operand to operand, blocks must not.
// CHECK-LABEL: @elementwise
func.func @elementwise(%x: tensor<1x8x2x2xf32>, %y: tensor<1x8x2x2xf32, #layout.physical<NHWC>>, %b: tensor<1x16x2x2xf32, #layout.physical<NCHW8c>>) {
  %0 = graph.add %x, %y : (tensor<1x8x2x2xf32>, tensor<1x8x2x2xf32, #layout.physical<NHWC>>) -> tensor<1x8x2x2xf32, #layout.physical<NWHC>>
  %1 = graph.add %b, %b : (tensor<1x16x2x2xf32, #layout.physical<NCHW8c>>, tensor<1x16x2x2xf32, #layout.physical<NCHW8c>>) -> tensor<1x16x2x2xf32, #layout.physical<NCHW8c>>
  func.return
}

// Inside a group the same holds as outside, and constants are known there.
// CHECK-LABEL: @groups
func.func @groups(%x: tensor<5x8xf32>) {
  %k = graph.literal dense<1.0> : tensor<8x20xf32> : tensor<8x20xf32>
  %p = layout.transform %k : tensor<8x20xf32> -> tensor<8x20xf32, #layout.physical<NK24n>>
  %0 = graph.fused(%x, %p) {
  ^bb0(%a: tensor<5x8xf32>, %b: tensor<8x20xf32, #layout.physical<NK24n>>):
    %1 = graph.matmul %a, %b : (tensor<5x8xf32>, tensor<8x20xf32, #layout.physical<NK24n>>) -> tensor<5x20xf32>
    %2 = graph.relu %1 : (tensor<5x20xf32>) -> tensor<5x20xf32>
    graph.yield %2 : tensor<5x20xf32>
  } : (tensor<5x8xf32>, tensor<8x20xf32, #layout.physical<NK24n>>) -> tensor<5x20xf32>
  func.return
}

// CHECK-LABEL: @movement
func.func @movement(%x: tensor<1x8x6x6xf32, #layout.physical<NHWC>>, %e: tensor<0x4xf32>) {
  %0 = graph.reshape %x {shape = array<i64: 1, 2, 4, 6, 6>} : (tensor<1x8x6x6xf32, #layout.physical<NHWC>>) -> tensor<1x2x4x6x6xf32, #layout.physical<NHWCD>>
  %1 = graph.reshape %e {shape = array<i64: 2, 0>} : (tensor<0x4xf32>) -> tensor<2x0xf32>
  %2 = graph.reduce_sum %x {axes = array<i64: 1>} : (tensor<1x8x6x6xf32, #layout.physical<NHWC>>) -> tensor<1x6x6xf32>
  func.return
}
