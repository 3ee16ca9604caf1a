// RUN: glow-opt %s --split-input-file -p 'memory-to-loops{target="cpu:avx2"}' | filecheck %s

// Rows of a table: one loop over the indices, vectors along a row; then the extent,
// the stride and the fault code.
// CHECK:       glow.messages = ["expected an index in [-100, 99] (memory.gather
// CHECK:       dense<[6, 1, 32, 32, 1, 1, 100, 32, 1]> : tensor<9xindex>
// CHECK:       func.func private @gather_
// CHECK:         arith.cmpi uge
// CHECK:         scf.if
// CHECK:           memref.store %{{.*}}, %fault
// CHECK:         vector.load %data
memory.placeholder @data "in" : memref<100x32xf32>
memory.placeholder @indices "in" : memref<2x3xi64>
memory.placeholder @y "out" : memref<2x3x32xf32>
func.func @main() {
  %x = memory.get @data : memref<100x32xf32>
  %i = memory.get @indices : memref<2x3xi64>
  %y = memory.get @y : memref<2x3x32xf32>
  memory.gather ins(%x : memref<100x32xf32>, %i : memref<2x3xi64>) outs(%y : memref<2x3x32xf32>) {axis = 0 : i64}
  func.return
}

// -----

// Single elements: scalars, a loop around the indices, none inside.
// CHECK:       dense<[100, 32, 6, 6, 1, 1, 32, 1, 1]> : tensor<9xindex>
// CHECK:       func.func private @gather_
// CHECK-NOT:     vector
// CHECK:       func.func @main
memory.placeholder @data "in" : memref<100x32xf32>
memory.placeholder @indices "in" : memref<6xi32>
memory.placeholder @y "out" : memref<100x6xf32>
func.func @main() {
  %x = memory.get @data : memref<100x32xf32>
  %i = memory.get @indices : memref<6xi32>
  %y = memory.get @y : memref<100x6xf32>
  memory.gather ins(%x : memref<100x32xf32>, %i : memref<6xi32>) outs(%y : memref<100x6xf32>) {axis = 1 : i64}
  func.return
}

// -----

// A lone index is read once, whatever lies before its axis.
// CHECK:       dense<[100, 128, 32, 32, 1, 1, 4, 32, 1]> : tensor<9xindex>
// CHECK:       func.func private @gather_
// CHECK:         memref.load %indices
// CHECK:         scf.for
// CHECK:           vector.load %data
memory.placeholder @data "in" : memref<100x4x32xf32>
memory.placeholder @indices "in" : memref<1xi64>
memory.placeholder @y "out" : memref<100x1x32xf32>
func.func @main() {
  %x = memory.get @data : memref<100x4x32xf32>
  %i = memory.get @indices : memref<1xi64>
  %y = memory.get @y : memref<100x1x32xf32>
  memory.gather ins(%x : memref<100x4x32xf32>, %i : memref<1xi64>) outs(%y : memref<100x1x32xf32>) {axis = 1 : i64}
  func.return
}
