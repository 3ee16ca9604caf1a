// RUN: glow-opt %s --split-input-file -p 'memory-to-loops{target="cpu:avx2"}' | filecheck %s

// Rows of a table by pairs: a loop over the pairs, two checked indices, vectors along a
// row; each index has its extent, its strides and its own fault code.
// CHECK:       glow.messages = ["expected an index in [-5, 4] (memory.gather_nd, {{.*}}", "expected an index in [-6, 5] (
// CHECK:       dense<[3, 0, 2, 32, 5, 192, 1, 1, 6, 32, 1, 2, 32, 1, 1]> : tensor<15xindex>
// CHECK:       func.func private @gather_nd_
// CHECK-COUNT-2: arith.cmpi uge
// CHECK:         vector.load %x
// CHECK:         vector.store %{{.*}}, %y
memory.placeholder @data "in" : memref<5x6x32xf32>
memory.placeholder @indices "in" : memref<3x2xi64>
memory.placeholder @y "out" : memref<3x32xf32>
func.func @main() {
  %x = memory.get @data : memref<5x6x32xf32>
  %i = memory.get @indices : memref<3x2xi64>
  %y = memory.get @y : memref<3x32xf32>
  memory.gather_nd ins(%x : memref<5x6x32xf32>, %i : memref<3x2xi64>) outs(%y : memref<3x32xf32>) {batch_dims = 0 : i64}
  func.return
}

// -----

// Of nothing nothing is read: indices are only checked.
// CHECK:       glow.messages = ["expected an index in [0, -1] (
// CHECK:       func.func private @scatter_check_
// CHECK:         memref.load %indices
// CHECK-NOT:     memref.load %x
// CHECK-NOT:     memref.store %{{.*}}, %y
// CHECK:       func.func @main
memory.placeholder @data "in" : memref<0x4xf32>
memory.placeholder @indices "in" : memref<3x1xi64>
memory.placeholder @y "out" : memref<3x4xf32>
func.func @main() {
  %x = memory.get @data : memref<0x4xf32>
  %i = memory.get @indices : memref<3x1xi64>
  %y = memory.get @y : memref<3x4xf32>
  memory.gather_nd ins(%x : memref<0x4xf32>, %i : memref<3x1xi64>) outs(%y : memref<3x4xf32>) {batch_dims = 0 : i64}
  func.return
}

// -----

// Slices are written in the order of the tuples: their axes stay as they are.
// CHECK:       dense<[2, 0, 1, 32, 3, 0, 2, 64, 100, 32, 1, 1, 32, 1, 1]> : tensor<15xindex>
// CHECK:       func.func private @scatter_add_
// CHECK:         vector.load %y
// CHECK:         vector.load %x
// CHECK:         arith.addf
// CHECK:         vector.store %{{.*}}, %x
memory.placeholder @x "inout" : memref<100x32xf32>
memory.placeholder @i "in" : memref<3x2x1xi64>
memory.placeholder @u "in" : memref<3x2x32xf32>
func.func @main() {
  %x = memory.get @x : memref<100x32xf32>
  %0 = memory.get @i : memref<3x2x1xi64>
  %1 = memory.get @u : memref<3x2x32xf32>
  %i = memory.view %0 : memref<3x2x1xi64> -> memref<2x3x1xi64, strided<[1, 2, 1]>>
  %u = memory.view %1 : memref<3x2x32xf32> -> memref<2x3x32xf32, strided<[32, 64, 1]>>
  memory.scatter_nd ins(%i : memref<2x3x1xi64, strided<[1, 2, 1]>>, %u : memref<2x3x32xf32, strided<[32, 64, 1]>>) inouts(%x : memref<100x32xf32>) {batch_dims = 0 : i64, kind = "add"}
  func.return
}

// -----

// Elements of a line along the axis: indices are checked on vectors first, and one by
// one only if that finds something.
// CHECK:       dense<[4, 64, 32, 32, 32, 0, 1, 64, 1, 1]> : tensor<10xindex>
// CHECK:       func.func private @gather_elements_
// CHECK:         vector.load %indices
// CHECK:         arith.maxui
// CHECK:         vector.reduction <maxui>
// CHECK:         scf.if
// CHECK:           arith.cmpi uge
// CHECK:           memref.store %{{.*}}, %fault
// CHECK:         } else {
// CHECK-NOT:       arith.cmpi uge
// CHECK:       func.func @main
memory.placeholder @data "in" : memref<4x64xf32>
memory.placeholder @indices "in" : memref<4x32x1xi64>
memory.placeholder @y "out" : memref<4x32xf32>
func.func @main() {
  %x = memory.get @data : memref<4x64xf32>
  %i = memory.get @indices : memref<4x32x1xi64>
  %y = memory.get @y : memref<4x32xf32>
  memory.gather_nd ins(%x : memref<4x64xf32>, %i : memref<4x32x1xi64>) outs(%y : memref<4x32xf32>) {batch_dims = 1 : i64}
  func.return
}
