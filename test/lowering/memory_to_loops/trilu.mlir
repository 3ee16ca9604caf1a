// RUN: glow-opt %s --split-input-file -p 'memory-to-loops{target="cpu:avx2"}' | filecheck %s

// The border of a row is where both parts meet, in vectors; k is bounded before it counts.
// CHECK:       dense<[4, 40, 40, 40, 1, 1, 2, 160, 160]> : tensor<9xindex>
// CHECK:       func.func private @triu_
// CHECK:         memref.load %k
// CHECK:         arith.minsi
// CHECK:         arith.maxsi
// CHECK:         vector.store
// CHECK:         vector.load %x
memory.placeholder @x "in" : memref<2x4x40xf32>
memory.placeholder @k "in" : memref<i64>
memory.placeholder @y "out" : memref<2x4x40xf32>
func.func @main() {
  %x = memory.get @x : memref<2x4x40xf32>
  %k = memory.get @k : memref<i64>
  %y = memory.get @y : memref<2x4x40xf32>
  memory.trilu ins(%x : memref<2x4x40xf32> diagonal %k : memref<i64>) outs(%y : memref<2x4x40xf32>) {upper}
  func.return
}

// -----

// Few columns go by scalars; a k that is not there is not read.
// CHECK:       func.func private @tril_{{.*}}(%x: memref<?xf32>, %y: memref<?xf32>, %rows
// CHECK-NOT:     vector
// CHECK:       func.func @main
memory.placeholder @x "in" : memref<4x5xf32>
memory.placeholder @y "out" : memref<4x5xf32>
func.func @main() {
  %x = memory.get @x : memref<4x5xf32>
  %y = memory.get @y : memref<4x5xf32>
  memory.trilu ins(%x : memref<4x5xf32>) outs(%y : memref<4x5xf32>)
  func.return
}
