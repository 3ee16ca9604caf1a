// RUN: glow-opt %s -p 'memory-to-loops{target="cpu:avx2"}' --split-input-file | filecheck %s

// Panels of sixteen columns: 10 rows are two tiles of five.
// CHECK:       func.func private @[[KERNEL:gemm_5x16_.*]](%left
// CHECK:       func.func @main
// CHECK:         func.call @[[KERNEL]]
memory.placeholder @x "in" : memref<10x8xf32>
memory.placeholder @w "in" : memref<8x32xf32, #layout.physical<[1:?:16, 0, 1:16]>>
memory.placeholder @y "out" : memref<10x32xf32>
func.func @main() {
  %x = memory.get @x : memref<10x8xf32>
  %w = memory.get @w : memref<8x32xf32, #layout.physical<[1:?:16, 0, 1:16]>>
  %y = memory.get @y : memref<10x32xf32>
  memory.matmul ins(%x : memref<10x8xf32>, %w : memref<8x32xf32, #layout.physical<[1:?:16, 0, 1:16]>>) outs(%y : memref<10x32xf32>) {}
  func.return
}

// -----

// A row-major matrix is read in place, sixteen columns at a time. It is one for all of
// the batch, so that 3 x 4 rows are two tiles of six. Eight columns are left over.
// CHECK:       func.func private @gemm_6x16_
// CHECK:       func.func private @gemm_6x8_
memory.placeholder @x "in" : memref<3x4x8xf32>
memory.placeholder @w "in" : memref<8x24xf32>
memory.placeholder @y "out" : memref<3x4x24xf32>
func.func @main() {
  %x = memory.get @x : memref<3x4x8xf32>
  %w = memory.get @w : memref<8x24xf32>
  %y = memory.get @y : memref<3x4x24xf32>
  memory.matmul ins(%x : memref<3x4x8xf32>, %w : memref<8x24xf32>) outs(%y : memref<3x4x24xf32>) {}
  func.return
}

// -----

// Columns that are not neighbors are multiplied in plain loops.
// CHECK:       func.func private @[[PLAIN:contraction_.*]](%left
// CHECK:       func.call @[[PLAIN]]
memory.placeholder @x "in" : memref<6x8xf32>
memory.placeholder @w "in" : memref<8x16xf32, strided<[1, 8]>>
memory.placeholder @y "out" : memref<6x16xf32>
func.func @main() {
  %x = memory.get @x : memref<6x8xf32>
  %w = memory.get @w : memref<8x16xf32, strided<[1, 8]>>
  %y = memory.get @y : memref<6x16xf32>
  memory.matmul ins(%x : memref<6x8xf32>, %w : memref<8x16xf32, strided<[1, 8]>>) outs(%y : memref<6x16xf32>) {}
  func.return
}
