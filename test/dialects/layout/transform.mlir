// RUN: glow-opt %s | filecheck %s
// RUN: ROUNDTRIP

// CHECK-LABEL: @to_channels_last
// CHECK-NEXT:    %{{.*}} = layout.transform %x : tensor<1x3x8x8xf32> -> tensor<1x3x8x8xf32, #layout.physical<NHWC>>
func.func @to_channels_last(%x: tensor<1x3x8x8xf32>) {
  %0 = layout.transform %x : tensor<1x3x8x8xf32> -> tensor<1x3x8x8xf32, #layout.physical<NHWC>>
  func.return
}

// CHECK-LABEL: @between_blocked_and_aligned
// CHECK-NEXT:    layout.transform %x : tensor<1x16x8x8xf32, #layout.physical<NCHW8c>> -> tensor<1x16x8x8xf32, #layout.physical<N[a=64]HWC>>
func.func @between_blocked_and_aligned(%x: tensor<1x16x8x8xf32, #layout.physical<NCHW8c>>) {
  %0 = layout.transform %x : tensor<1x16x8x8xf32, #layout.physical<NCHW8c>> -> tensor<1x16x8x8xf32, #layout.physical<N[a=64]HWC>>
  func.return
}

// CHECK-LABEL: @text_becomes_canonical
// CHECK-SAME:    tensor<1x3x8x8xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1:2]>>
// CHECK-SAME:    tensor<32x3x7x7xf32, #layout.physical<OHWI16o>>
// CHECK-SAME:    tensor<1x147xf32, #layout.physical<[0, 1:49, 1:?:49]>>
func.func @text_becomes_canonical(
    %x: tensor<1x3x8x8xf32, #layout.physical<[0, 2, 3, 1], halo = [0, 0:0, 1:1, 1:2]>>,
    %w: tensor<32x3x7x7xf32, #layout.physical<[0:?:16, 2, 3, 1, 0:16]>>,
    %f: tensor<1x147xf32, #layout.physical<[0, 1:7:7, 1:7, 1:?:49]>>) {
  func.return
}

// A layout is also what a memref is addressed by.
// CHECK-LABEL: @buffer
// CHECK-SAME:    memref<1x3x8x8xf32, #layout.physical<NHWC>>
func.func @buffer(%x: memref<1x3x8x8xf32, #layout.physical<NHWC>>) {
  func.return
}

// Extensions are kept byte for byte, behind the alignment.
// CHECK-LABEL: @extensions
// CHECK-SAME:    tensor<1x16x8x8xf32, #layout.physical<N[a=64][answer:42][a.b: é > ( " ]HWC>>
func.func @extensions(%x: tensor<1x16x8x8xf32, #layout.physical<N[answer:42][a=64][a.b: é > ( " ]HWC>>) {
  func.return
}
