// RUN: glow-opt %s --split-input-file -p 'memory-to-loops{target="cpu:avx2"}' | filecheck %s

// Per batch an index, checked against the room it leaves; then heads and lines.
// CHECK:       glow.messages = ["expected a write index in [0, 6] (memory.tensor_scatter, {{.*}}"]
// CHECK:       dense<[2, 1024, 1, 256, 8, 2, 32, 32, 1, 4, 256, 64, 32, 1, 1]> : tensor<15xindex>
// CHECK:       func.func private @tensor_scatter_
// CHECK:         arith.cmpi ugt
// CHECK:         vector.load %u
memory.placeholder @y "inout" : memref<2x4x8x32xf32>
memory.placeholder @u "in" : memref<2x4x2x32xf32>
memory.placeholder @i "in" : memref<2xi64>
func.func @main() {
  %y = memory.get @y : memref<2x4x8x32xf32>
  %u = memory.get @u : memref<2x4x2x32xf32>
  %i = memory.get @i : memref<2xi64>
  memory.tensor_scatter ins(%u : memref<2x4x2x32xf32>, %i : memref<2xi64>) inouts(%y : memref<2x4x8x32xf32>) {axis = 2 : i64}
  func.return
}

// -----

// Circular indices are never wrong.
// CHECK:       glow.messages = []
// CHECK:       func.func private @tensor_scatter_
// CHECK:         arith.remsi
// CHECK-NOT:     arith.cmpi ugt
// CHECK:       func.func @main
memory.placeholder @y "inout" : memref<2x8xf32>
memory.placeholder @u "in" : memref<2x3xf32>
memory.placeholder @i "in" : memref<2xi64>
func.func @main() {
  %y = memory.get @y : memref<2x8xf32>
  %u = memory.get @u : memref<2x3xf32>
  %i = memory.get @i : memref<2xi64>
  memory.tensor_scatter ins(%u : memref<2x3xf32>, %i : memref<2xi64>) inouts(%y : memref<2x8xf32>) {axis = 1 : i64, circular}
  func.return
}
