// RUN: glow-opt %s -p 'memory-to-loops{target="cpu:avx2"}' --split-input-file | filecheck %s

// Twenty columns: a panel of sixteen, then four that are stored through a mask.
// CHECK:       func.func private @[[WHOLE:gemm_4x16_.*]](%left
// CHECK:       func.func private @[[TAIL:gemm_6x8m_.*]](%left
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

// Two groups are one call.
// CHECK:       func.func private @[[RELU:gemm_6x16_.*]](%left
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

// Vectors are of f32.
// CHECK:       func.func private @[[PLAIN:contraction_.*]](%left
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
// CHECK:       func.func private @[[WHOLE:depthwise_6x16_.*]](%left
// CHECK-NOT:     llvm_ext.prefetch
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

// Tiles of pixels of a line fetch those below, sixteen channels each, a line of the cache.
// CHECK:       func.func private @depthwise_4x16_{{.*}}(%left
// CHECK-COUNT-4: llvm_ext.prefetch %left
// CHECK-NOT:     llvm_ext.prefetch
// CHECK:         scf.for %s
memory.placeholder @x "in" : memref<1x16x6x6xf32, strided<[576, 1, 96, 16]>>
memory.placeholder @w "in" : memref<3x3x16xf32>
memory.placeholder @y "out" : memref<1x16x4x4xf32, strided<[256, 1, 64, 16]>>
func.func @main() {
  %x = memory.get @x : memref<1x16x6x6xf32, strided<[576, 1, 96, 16]>>
  %w = memory.get @w : memref<3x3x16xf32>
  %y = memory.get @y : memref<1x16x4x4xf32, strided<[256, 1, 64, 16]>>
  memory.conv ins(%x : memref<1x16x6x6xf32, strided<[576, 1, 96, 16]>>, %w : memref<3x3x16xf32>) outs(%y : memref<1x16x4x4xf32, strided<[256, 1, 64, 16]>>) {} {algorithm = "depthwise", group = 16 : i64, kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
  func.return
}

// -----

// Two tiles of 4x4 pixels are one block: a call does all of its parts.
// CHECK:       func.func private @[[INPUT:winograd_input_.*]](%input
// CHECK:       func.func private @[[BLOCK:winograd_.*]](%input
// CHECK:         func.call @[[INPUT]]
// CHECK:         func.call @gemm_2x16_
// CHECK:         func.call @winograd_output_
// CHECK:       func.func @main
// CHECK:         func.call @[[BLOCK]]({{.*}} {{{.*}}units = 1
memory.placeholder @x "in" : memref<1x16x4x8xf32, strided<[960, 1, 160, 16], offset: 176>>
memory.placeholder @w "in" : memref<36x1x16x16xf32>
memory.placeholder @s "out" : memref<3456xf32>
memory.placeholder @y "out" : memref<1x16x4x8xf32, strided<[512, 1, 128, 16]>>
func.func @main() {
  %x = memory.get @x : memref<1x16x4x8xf32, strided<[960, 1, 160, 16], offset: 176>>
  %w = memory.get @w : memref<36x1x16x16xf32>
  %s = memory.get @s : memref<3456xf32>
  %y = memory.get @y : memref<1x16x4x8xf32, strided<[512, 1, 128, 16]>>
  memory.conv ins(%x : memref<1x16x4x8xf32, strided<[960, 1, 160, 16], offset: 176>>, %w : memref<36x1x16x16xf32>) scratch(%s : memref<3456xf32>) outs(%y : memref<1x16x4x8xf32, strided<[512, 1, 128, 16]>>) {} {algorithm = "winograd", group = 1 : i64, halo, kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>}
  func.return
}

// -----

// An image of 3.4 MiB, more than half of L2: both groups read some rows at a time.
// CHECK:       func.func private @gemm_5x16_
// CHECK:         scf.for %begin
// CHECK:           scf.for %batch
memory.placeholder @x "in" : memref<1x512x42x42xf32, strided<[903168, 1, 21504, 512]>>
memory.placeholder @w "in" : memref<2x1x3x3x256x16xf32>
memory.placeholder @y "out" : memref<1x32x40x40xf32, strided<[51200, 1, 1280, 32]>>
func.func @main() {
  %x = memory.get @x : memref<1x512x42x42xf32, strided<[903168, 1, 21504, 512]>>
  %w = memory.get @w : memref<2x1x3x3x256x16xf32>
  %y = memory.get @y : memref<1x32x40x40xf32, strided<[51200, 1, 1280, 32]>>
  memory.conv ins(%x : memref<1x512x42x42xf32, strided<[903168, 1, 21504, 512]>>, %w : memref<2x1x3x3x256x16xf32>) outs(%y : memref<1x32x40x40xf32, strided<[51200, 1, 1280, 32]>>) {} {algorithm = "direct", group = 2 : i64, kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
  func.return
}

// -----

// A small one is read by one group, then by the other.
// CHECK:       func.func private @gemm_4x16_
// CHECK-NOT:     scf.for %begin
// CHECK:         scf.for %batch
memory.placeholder @x "in" : memref<1x512x10x10xf32, strided<[51200, 1, 5120, 512]>>
memory.placeholder @w "in" : memref<2x1x3x3x256x16xf32>
memory.placeholder @y "out" : memref<1x32x8x8xf32, strided<[2048, 1, 256, 32]>>
func.func @main() {
  %x = memory.get @x : memref<1x512x10x10xf32, strided<[51200, 1, 5120, 512]>>
  %w = memory.get @w : memref<2x1x3x3x256x16xf32>
  %y = memory.get @y : memref<1x32x8x8xf32, strided<[2048, 1, 256, 32]>>
  memory.conv ins(%x : memref<1x512x10x10xf32, strided<[51200, 1, 5120, 512]>>, %w : memref<2x1x3x3x256x16xf32>) outs(%y : memref<1x32x8x8xf32, strided<[2048, 1, 256, 32]>>) {} {algorithm = "direct", group = 2 : i64, kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
  func.return
}
