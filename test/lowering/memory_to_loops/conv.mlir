// RUN: glow-opt %s -p 'memory-to-loops{target="cpu:avx2"}' --split-input-file | filecheck %s

// Twenty columns: a panel of sixteen, then four that are stored through a mask. The
// window is three stretches of nine elements.
// CHECK:       "layer_rows"{{.*}}dense<[1, 0, 0, 1, 16, 20, 432, 16, 40, 2, 11, 4, 70, 136, 3, 9, 1,
// CHECK-SAME:  {{ }}1, 0, 1, 2, 16, 20, 432, 16, 40, 2, 11, 4, 70, 136, 3, 9, 1]>
// CHECK:       func.func private @[[WHOLE:gemm_6x16_.*]](%left
// CHECK-NOT:   masked
// CHECK:         vector.fma {{.*}} : vector<16xf32>
// CHECK:       func.func private @[[TAIL:gemm_6x8m_.*]](%left
// CHECK:         vector.create_mask
// CHECK:         vector.fma {{.*}} : vector<8xf32>
// CHECK:         vector.maskedstore
// CHECK:       func.func @main
// CHECK:         func.call @[[WHOLE]]
// CHECK:         func.call @[[TAIL]]
memory.placeholder @x "in" : memref<1x3x8x8xf32, strided<[300, 1, 30, 3], offset: 33>>
memory.placeholder @w "in" : memref<1x2x3x3x3x16xf32>
memory.placeholder @y "out" : memref<1x20x8x8xf32, strided<[1280, 1, 160, 20]>>
func.func @main() {
  %x = memory.get @x : memref<1x3x8x8xf32, strided<[300, 1, 30, 3], offset: 33>>
  %w = memory.get @w : memref<1x2x3x3x3x16xf32>
  %y = memory.get @y : memref<1x20x8x8xf32, strided<[1280, 1, 160, 20]>>
  memory.conv ins(%x : memref<1x3x8x8xf32, strided<[300, 1, 30, 3], offset: 33>>, %w : memref<1x2x3x3x3x16xf32>) outs(%y : memref<1x20x8x8xf32, strided<[1280, 1, 160, 20]>>) {} {algorithm = "direct", group = 1 : i64, halo, kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>}
  func.return
}

// -----

// A pixel of two groups has channels of both, so each place of the window is a stretch.
// Equal geometry is one kernel; the epilogue reads the residual where the result lies.
// CHECK:       dense<[2, 0, 0, 1, 16, 16, 576, 16, 96, 3, 6, 10, 46, 82, 9, 4, 1, 46, 1]>
// CHECK:       func.func private @[[RELU:gemm_6x16_.*]](%left: memref<?xf32>, %right: memref<?xf32>, %bias: memref<?xf32>, %extra0: memref<?xf32>, %result
// CHECK:         arith.addf {{.*}} : vector<16xf32>
// CHECK:         arith.maximumf {{.*}} : vector<16xf32>
// CHECK:         vector.store
// CHECK:       func.call @[[RELU]]
memory.placeholder @x "in" : memref<1x8x6x6xf32, strided<[512, 1, 64, 8], offset: 72>>
memory.placeholder @w "in" : memref<2x1x3x3x4x16xf32>
memory.placeholder @b "in" : memref<32xf32>
memory.placeholder @r "in" : memref<1x32x6x6xf32, strided<[1152, 1, 192, 32]>>
memory.placeholder @y "out" : memref<1x32x6x6xf32, strided<[1152, 1, 192, 32]>>
func.func @main() {
  %x = memory.get @x : memref<1x8x6x6xf32, strided<[512, 1, 64, 8], offset: 72>>
  %w = memory.get @w : memref<2x1x3x3x4x16xf32>
  %b = memory.get @b : memref<32xf32>
  %r = memory.get @r : memref<1x32x6x6xf32, strided<[1152, 1, 192, 32]>>
  %y = memory.get @y : memref<1x32x6x6xf32, strided<[1152, 1, 192, 32]>>
  memory.conv ins(%x : memref<1x8x6x6xf32, strided<[512, 1, 64, 8], offset: 72>>, %w : memref<2x1x3x3x4x16xf32> bias %b : memref<32xf32> extras %r : memref<1x32x6x6xf32, strided<[1152, 1, 192, 32]>>) outs(%y : memref<1x32x6x6xf32, strided<[1152, 1, 192, 32]>>) {
  ^bb0(%v: f32, %e: f32):
    %s = arith.addf %v, %e : f32
    %zero = arith.constant 0.0 : f32
    %m = arith.maximumf %s, %zero : f32
    memory.yield %m : f32
  } {algorithm = "direct", group = 2 : i64, halo, kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>}
  func.return
}

// -----

// Plain loops: batch, group and channel, then a window per spatial axis that is clipped
// to the input, and what is summed.
// CHECK:       dense<[-5, 1, 18, 0, 0, 8, 1, 18, 24, 0, 8, 2, 0, 12, 0, 4,
// CHECK-SAME:  {{ }}2, 3, 0, 0, 2, 1, 1, 1, 3, 3, 3, 2, 2, 2, 0, 0, 1, 2, 2, 2, 2, 3, 2, 1,
// CHECK-SAME:  {{ }}2, 9, 6]>
// CHECK:       func.func private @[[PLAIN:contraction_.*]](%left: memref<?xf64>, %right
// CHECK:         arith.mulf {{.*}} : f64
// CHECK:       func.call @[[PLAIN]]
memory.placeholder @x "in" : memref<1x2x3x3xf64>
memory.placeholder @w "in" : memref<2x2x3x2xf64>
memory.placeholder @y "out" : memref<1x2x2x2xf64>
func.func @main() {
  %x = memory.get @x : memref<1x2x3x3xf64>
  %w = memory.get @w : memref<2x2x3x2xf64>
  %y = memory.get @y : memref<1x2x2x2xf64>
  memory.conv ins(%x : memref<1x2x3x3xf64>, %w : memref<2x2x3x2xf64>) outs(%y : memref<1x2x2x2xf64>) {} {algorithm = "generic", group = 1 : i64, kernel_shape = array<i64: 3, 2>, strides = array<i64: 1, 2>, pads = array<i64: 1, 2, 0, 0>, dilations = array<i64: 1, 2>}
  func.return
}

// -----

// One channel in, one out: nine places of the window, multiplied lane by lane.
// CHECK:       dense<[1, 0, 0, 1, 16, 24, 16, 24, 0, 0, 3, 4, 22, 40, 9, 1, 1,
// CHECK-SAME:  {{ }}1, 0, 1, 2, 16, 24, 16, 24, 0, 0, 3, 4, 22, 40, 9, 1, 1]>
// CHECK:       func.func private @[[WHOLE:depthwise_6x16_.*]](%left
// CHECK:       func.func private @[[TAIL:depthwise_6x8_.*]](%left
// CHECK:       func.call @[[WHOLE]]
// CHECK:       func.call @[[TAIL]]
memory.placeholder @x "in" : memref<1x24x6x5xf32, strided<[720, 1, 120, 24]>>
memory.placeholder @w "in" : memref<3x3x24xf32>
memory.placeholder @y "out" : memref<1x24x6x3xf32, strided<[432, 1, 72, 24]>>
func.func @main() {
  %x = memory.get @x : memref<1x24x6x5xf32, strided<[720, 1, 120, 24]>>
  %w = memory.get @w : memref<3x3x24xf32>
  %y = memory.get @y : memref<1x24x6x3xf32, strided<[432, 1, 72, 24]>>
  memory.conv ins(%x : memref<1x24x6x5xf32, strided<[720, 1, 120, 24]>>, %w : memref<3x3x24xf32>) outs(%y : memref<1x24x6x3xf32, strided<[432, 1, 72, 24]>>) {} {algorithm = "depthwise", group = 24 : i64, halo, kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>}
  func.return
}

// -----

// Two tiles of 4x4 pixels: 36 products of two rows, between the transforms.
// CHECK:       dense<[2, 2, 16, 16, 160, 16, 48, 48, 1728, 149, 151, 36, 0, 0, 1, 16, 16, 256, 16, 256, 16, 1, 144, 146, 148, 1, 16, 1]>
// CHECK:       func.func private @[[CORE:gemm_2x16_.*]](%left
// CHECK:       func.func private @[[ALL:winograd_.*]](%input
// CHECK:         vector.fma {{.*}} : vector<8xf32>
// CHECK:         func.call @[[CORE]](%scratch, %filter, %scratch, %table, %rows
// CHECK:         vector.store
// CHECK:       func.call @[[ALL]]
memory.placeholder @x "in" : memref<1x16x4x8xf32, strided<[960, 1, 160, 16], offset: 176>>
memory.placeholder @w "in" : memref<36x1x16x16xf32>
memory.placeholder @s "out" : memref<3456xf32>
memory.placeholder @y "out" : memref<1x16x4x8xf32, strided<[512, 1, 128, 16]>>
func.func @main() {
  %x = memory.get @x : memref<1x16x4x8xf32, strided<[960, 1, 160, 16], offset: 176>>
  %w = memory.get @w : memref<36x1x16x16xf32>
  %s = memory.get @s : memref<3456xf32>
  %y = memory.get @y : memref<1x16x4x8xf32, strided<[512, 1, 128, 16]>>
  memory.conv ins(%x : memref<1x16x4x8xf32, strided<[960, 1, 160, 16], offset: 176>>, %w : memref<36x1x16x16xf32> scratch %s : memref<3456xf32>) outs(%y : memref<1x16x4x8xf32, strided<[512, 1, 128, 16]>>) {} {algorithm = "winograd", group = 1 : i64, halo, kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>}
  func.return
}
