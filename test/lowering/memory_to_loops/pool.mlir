// RUN: glow-opt %s --split-input-file -p 'memory-to-loops{target="cpu:avx2"}' | filecheck %s

!image = memref<1x64x4x4xf32, #layout.physical<NHWC>>
!pooled = memref<1x64x2x2xf32, #layout.physical<NHWC>>

// Channels last: vectors of channels. The row: batch, rows (where their windows start
// in the table, a position, a tap), columns, channels.
// CHECK:       dense<[1, 1024, 256, 2, 0, 128, 0, 256, 256, 2, 0, 64, 6, 64, 64, 64, 1, 1]> : tensor<18xindex>
// CHECK:       func.func private @max_pool_
// CHECK:         vector.load %x
// CHECK:         arith.maximumf {{.*}} : vector<8xf32>
memory.placeholder @x "in" : !image
memory.placeholder @y "out" : !pooled
func.func @main() {
  %x = memory.get @x : !image
  %y = memory.get @y : !pooled
  memory.pool ins(%x : !image) outs(%y : !pooled) {kind = "max", kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
  func.return
}

// -----

// Other orders, other norms: scalars.
// CHECK:       func.func private @lp_pool_
// CHECK-NOT:     vector
// CHECK:         math.powf
// CHECK-NOT:     vector
// CHECK:       func.func private @avg_pool_
// CHECK-NOT:     vector
// CHECK:         arith.divf
memory.placeholder @x "in" : memref<1x64x4xf32>
memory.placeholder @y "out" : memref<1x64x2xf32>
memory.placeholder @v "in" : memref<1x64x4xf32, #layout.physical<NWC>>
memory.placeholder @w "out" : memref<1x64x2xf32, #layout.physical<NWC>>
func.func @main() {
  %v = memory.get @v : memref<1x64x4xf32, #layout.physical<NWC>>
  %w = memory.get @w : memref<1x64x2xf32, #layout.physical<NWC>>
  memory.pool ins(%v : memref<1x64x4xf32, #layout.physical<NWC>>) outs(%w : memref<1x64x2xf32, #layout.physical<NWC>>) {kind = "lp", p = 3 : i64, kernel_shape = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>}
  %x = memory.get @x : memref<1x64x4xf32>
  %y = memory.get @y : memref<1x64x2xf32>
  memory.pool ins(%x : memref<1x64x4xf32>) outs(%y : memref<1x64x2xf32>) {kind = "avg", kernel_shape = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>}
  func.return
}

// -----

// Indices number the elements of the input row-major: 4 per row.
// CHECK:       dense<[1, 16, 16, 4, 4, 2, 0, 0, 2, 2, 0, 4, 4, 4, 4, 2, 0, 0, 1, 1, 6, 1, 1, 1, 1, 1, 16, 16, 4, 4]> : tensor<30xindex>
// CHECK:       func.func private @max_pool_indices_
memory.placeholder @x "in" : memref<1x1x4x4xf32>
memory.placeholder @y "out" : memref<1x1x2x2xf32>
memory.placeholder @i "out" : memref<1x1x2x2xi64>
func.func @main() {
  %x = memory.get @x : memref<1x1x4x4xf32>
  %y = memory.get @y : memref<1x1x2x2xf32>
  %i = memory.get @i : memref<1x1x2x2xi64>
  memory.pool ins(%x : memref<1x1x4x4xf32>) outs(%y : memref<1x1x2x2xf32>, %i : memref<1x1x2x2xi64>) {kind = "max", kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
  func.return
}
