// RUN: glow-opt %s -p verify-layouts{target=reference} --split-input-file --verify-diagnostics | filecheck %s

// CHECK: graph.max_pool at {{.*}}: expected input in row-major, got tensor<1x4x7x7xf32, #layout.physical<NHWC>>
func.func @operand(%x: tensor<1x4x7x7xf32, #layout.physical<NHWC>>) {
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x4x7x7xf32, #layout.physical<NHWC>>) -> tensor<1x4x6x6xf32>
  func.return
}

// -----

// CHECK: graph.max_pool at {{.*}}: expected result in row-major, got tensor<1x4x6x6xf32, #layout.physical<NHWC>>
func.func @result(%x: tensor<1x4x7x7xf32>) {
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x4x7x7xf32>) -> tensor<1x4x6x6xf32, #layout.physical<NHWC>>
  func.return
}
