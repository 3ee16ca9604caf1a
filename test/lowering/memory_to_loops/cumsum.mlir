// RUN: glow-opt %s --split-input-file -p 'memory-to-loops{target="cpu:avx2"}' | filecheck %s
// RUN: glow-opt %s --split-input-file -p 'memory-to-loops{target="cpu:avx512"}' | filecheck %s --check-prefix WIDE

// Along the fastest axis sums are made within vectors, then onto what came before.
// CHECK:       dense<[4, 40, 40, 40]> : tensor<4xindex>
// CHECK:       func.func private @cumsum_
// CHECK:         vector.load %x
// CHECK-COUNT-3: vector.shuffle
// CHECK:         vector.store %{{.*}}, %y
memory.placeholder @x "in" : memref<4x40xf32>
memory.placeholder @y "out" : memref<4x40xf32>
func.func @main() {
  %x = memory.get @x : memref<4x40xf32>
  %y = memory.get @y : memref<4x40xf32>
  memory.cumsum ins(%x : memref<4x40xf32>) outs(%y : memref<4x40xf32>) {axis = 1 : i64}
  func.return
}

// -----

// Along another axis neighbours are summed together.
// CHECK:       dense<[40, 1, 1, 4, 40, 40]> : tensor<6xindex>
// CHECK:       func.func private @cumsum_
// CHECK:         vector.load %x
// CHECK-NOT:     vector.shuffle
// CHECK:       func.func @main
memory.placeholder @x "in" : memref<4x40xf32>
memory.placeholder @y "out" : memref<4x40xf32>
func.func @main() {
  %x = memory.get @x : memref<4x40xf32>
  %y = memory.get @y : memref<4x40xf32>
  memory.cumsum ins(%x : memref<4x40xf32>) outs(%y : memref<4x40xf32>) {axis = 0 : i64}
  func.return
}

// -----

// A short line and columns that are apart go by scalars.
// CHECK:       dense<[4, 6, 6, 3, 2, 2]> : tensor<6xindex>
// CHECK:       func.func private @cumsum_
// CHECK-NOT:     vector
// CHECK:       func.func @main
memory.placeholder @x "in" : memref<4x3x2xf32>
memory.placeholder @y "out" : memref<4x3x2xf32>
func.func @main() {
  %0 = memory.get @x : memref<4x3x2xf32>
  %1 = memory.get @y : memref<4x3x2xf32>
  %x = memory.view %0 : memref<4x3x2xf32> -> memref<4x3xf32, strided<[6, 2]>>
  %y = memory.view %1 : memref<4x3x2xf32> -> memref<4x3xf32, strided<[6, 2]>>
  memory.cumsum ins(%x : memref<4x3xf32, strided<[6, 2]>>) outs(%y : memref<4x3xf32, strided<[6, 2]>>) {axis = 1 : i64}
  func.return
}

// -----

// Half the registers hold sums of columns that are neighbours.
// CHECK:       func.func private @cumsum_
// CHECK-COUNT-8:  vector.store
// CHECK-NOT:     vector.store
// CHECK:         vector.maskedstore
// WIDE:        dense<[300, 1, 1, 4, 300, 300]> : tensor<6xindex>
// WIDE:        func.func private @cumsum_
// WIDE-COUNT-16: vector.store
// WIDE-NOT:      vector.store
// WIDE:          vector.maskedstore
memory.placeholder @x "in" : memref<4x300xf32>
memory.placeholder @y "out" : memref<4x300xf32>
func.func @main() {
  %x = memory.get @x : memref<4x300xf32>
  %y = memory.get @y : memref<4x300xf32>
  memory.cumsum ins(%x : memref<4x300xf32>) outs(%y : memref<4x300xf32>) {axis = 0 : i64}
  func.return
}
