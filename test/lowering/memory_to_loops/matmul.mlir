// RUN: glow-opt %s -p 'memory-to-loops{target="cpu:avx2"}' --split-input-file | filecheck %s

// Panels of sixteen columns: 10 rows are two tiles of five.
// CHECK:       dense<[1, 0, 0, 2, 16, 32, 128, 16, 64, 8, 2, 4, 14, 24, 1, 8, 1]>
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
// CHECK:       dense<[1, 0, 0, 1, 16, 24, 16, 24, 0, 0, 2, 4, 16, 28, 1, 8, 1,
// CHECK-SAME:  {{ }}1, 0, 1, 2, 16, 24, 16, 24, 0, 0, 2, 4, 16, 28, 1, 8, 1]>
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

// Two matrices are two batches.
// CHECK:       dense<[2, 0, 0, 1, 16, 16, 16, 16, 0, 0, 1, 8, 14, 20, 1, 8, 1]>
// CHECK:       func.func private @gemm_6x16_
memory.placeholder @x "in" : memref<2x6x8xf32>
memory.placeholder @w "in" : memref<2x8x16xf32>
memory.placeholder @y "out" : memref<2x6x16xf32>
func.func @main() {
  %x = memory.get @x : memref<2x6x8xf32>
  %w = memory.get @w : memref<2x8x16xf32>
  %y = memory.get @y : memref<2x6x16xf32>
  memory.matmul ins(%x : memref<2x6x8xf32>, %w : memref<2x8x16xf32>) outs(%y : memref<2x6x16xf32>) {}
  func.return
}

// -----

// A long epilogue runs once per row, on sums that are put aside.
// CHECK:       func.func private @gemm_
// CHECK:         memref.alloca
// CHECK:         scf.for
// CHECK:           math.sin {{.*}} : vector<16xf32>
// CHECK:         scf.for
// CHECK:           vector.store {{.*}}, %result
memory.placeholder @x "in" : memref<6x8xf32>
memory.placeholder @w "in" : memref<8x16xf32>
memory.placeholder @y "out" : memref<6x16xf32>
func.func @main() {
  %x = memory.get @x : memref<6x8xf32>
  %w = memory.get @w : memref<8x16xf32>
  %y = memory.get @y : memref<6x16xf32>
  memory.matmul ins(%x : memref<6x8xf32>, %w : memref<8x16xf32>) outs(%y : memref<6x16xf32>) {
  ^bb0(%v: f32):
    %s = math.sin %v : f32
    memory.yield %s : f32
  }
  func.return
}

// -----

// Columns that are no neighbours are multiplied in plain loops.
// CHECK:       func.func private @[[PLAIN:contraction_.*]](%left: memref<?xf32>, %right
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
