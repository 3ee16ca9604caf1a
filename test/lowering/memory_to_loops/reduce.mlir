// RUN: glow-opt %s --split-input-file -p 'memory-to-loops{target="cpu:avx2"}' | filecheck %s

// The mean over space, channels last: vectors of channels, one loop over 49 places.
// CHECK:       dense<[64, 1, 1, 49, 64, 49]> : tensor<6xindex>
// CHECK:       func.func private @reduce_mean_
// CHECK-NOT:     vector.reduction
// CHECK:         arith.extf %{{.*}} : vector<8xf32> to vector<8xf64>
!image = memref<1x64x7x7xf32, #layout.physical<NHWC>>
!means = memref<1x64x1x1xf32, #layout.physical<NHWC>>
memory.placeholder @x "in" : !image
memory.placeholder @y "out" : !means
func.func @main() {
  %x = memory.get @x : !image
  %y = memory.get @y : !means
  memory.reduce ins(%x : !image) outs(%y : !means) {kind = "mean", axes = array<i64: 2, 3>}
  func.return
}

// -----

// The fastest axis is reduced: vectors along it, and one sum across them.
// CHECK:       dense<[12, 40, 1, 40, 1, 40]> : tensor<6xindex>
// CHECK:       func.func private @reduce_max_rows_
// CHECK:         vector.reduction <maximumf>
memory.placeholder @x "in" : memref<3x4x40xf32>
memory.placeholder @y "out" : memref<3x4x1xf32>
func.func @main() {
  %x = memory.get @x : memref<3x4x40xf32>
  %y = memory.get @y : memref<3x4x1xf32>
  memory.reduce ins(%x : memref<3x4x40xf32>) outs(%y : memref<3x4x1xf32>) {kind = "max", axes = array<i64: 2>}
  func.return
}

// -----

// Roots of integers, and what has no axis of unit stride, go by scalars.
// CHECK:       func.func private @reduce_l2_rows_
// CHECK-NOT:     vector
// CHECK:       func.func private @reduce_sum_rows_
// CHECK-NOT:     vector
// CHECK:       func.func @main
memory.placeholder @x "in" : memref<40xi32>
memory.placeholder @y "out" : memref<1xi32>
memory.placeholder @v "in" : memref<8x40xf32>
memory.placeholder @w "out" : memref<8x1xf32>
func.func @main() {
  %x = memory.get @x : memref<40xi32>
  %y = memory.get @y : memref<1xi32>
  memory.reduce ins(%x : memref<40xi32>) outs(%y : memref<1xi32>) {kind = "l2", axes = array<i64: 0>}
  %v = memory.get @v : memref<8x40xf32>
  %w = memory.get @w : memref<8x1xf32>
  %half = memory.view %v : memref<8x40xf32> -> memref<8x20xf32, strided<[40, 2]>>
  memory.reduce ins(%half : memref<8x20xf32, strided<[40, 2]>>) outs(%w : memref<8x1xf32>) {kind = "sum", axes = array<i64: 1>}
  func.return
}

// -----

// No axis: each element alone.
// CHECK:       dense<[40, 1, 1, 1]> : tensor<4xindex>
// CHECK:       func.func private @reduce_sum_
memory.placeholder @x "in" : memref<40xf32>
memory.placeholder @y "out" : memref<40xf32>
func.func @main() {
  %x = memory.get @x : memref<40xf32>
  %y = memory.get @y : memref<40xf32>
  memory.reduce ins(%x : memref<40xf32>) outs(%y : memref<40xf32>) {kind = "sum", axes = array<i64>}
  func.return
}
