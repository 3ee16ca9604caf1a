// RUN: glow-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: expected result tensor<1x3x8x8xf32>, got tensor<1x3x8x9xf32
func.func @another_shape(%x: tensor<1x3x8x8xf32>) {
  %0 = layout.transform %x : tensor<1x3x8x8xf32> -> tensor<1x3x8x9xf32, #layout.physical<NHWC>>
  func.return
}

// -----

// CHECK: expected result tensor<2x2xf32>, got tensor<2x2xf64
func.func @another_element_type(%x: tensor<2x2xf32>) {
  %0 = layout.transform %x : tensor<2x2xf32> -> tensor<2x2xf64, #layout.physical<[1, 0]>>
  func.return
}

// -----

// CHECK: expected a layout of rank 2, got #layout.physical<NHWC> in tensor<2x2xf32, #layout.physical<NHWC>>
func.func @another_rank(%x: tensor<2x2xf32>) {
  %0 = layout.transform %x : tensor<2x2xf32> -> tensor<2x2xf32, #layout.physical<NHWC>>
  func.return
}

// -----

// CHECK: expected a #layout.physical, got "NHWC"
func.func @another_encoding(%x: tensor<1x3x8x8xf32, "NHWC">) {
  %0 = layout.transform %x : tensor<1x3x8x8xf32, "NHWC"> -> tensor<1x3x8x8xf32>
  func.return
}
