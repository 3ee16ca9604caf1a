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

// -----

// The one tile that reads a panel fetches a line of the next one for each k: in four places.
// CHECK:       func.func private @gemm_6x16_
// CHECK-DAG:     [[A:%\d+]] = arith.constant 256 : index
// CHECK-DAG:     [[B:%\d+]] = arith.constant 512 : index
// CHECK-DAG:     [[C:%\d+]] = arith.constant 768 : index
// CHECK:         scf.for %k
// CHECK-NEXT:      llvm_ext.prefetch %right[[[AT:%\d+]]]
// CHECK:           [[NEXT:%\d+]] = arith.addi [[AT]], [[A]]
// CHECK-NEXT:      llvm_ext.prefetch %right[[[NEXT]]]
// CHECK:           arith.addi [[AT]], [[B]]
// CHECK:           arith.addi [[AT]], [[C]]
memory.placeholder @x "in" : memref<6x64xf32>
memory.placeholder @w "in" : memref<64x32xf32, #layout.physical<[1:?:16, 0, 1:16]>>
memory.placeholder @y "out" : memref<6x32xf32>
func.func @main() {
  %x = memory.get @x : memref<6x64xf32>
  %w = memory.get @w : memref<64x32xf32, #layout.physical<[1:?:16, 0, 1:16]>>
  %y = memory.get @y : memref<6x32xf32>
  memory.matmul ins(%x : memref<6x64xf32>, %w : memref<64x32xf32, #layout.physical<[1:?:16, 0, 1:16]>>) outs(%y : memref<6x32xf32>) {}
  func.return
}

// -----

// Each of two tiles fetches half of a line for each k, behind each other.
// CHECK:       func.func private @gemm_6x16_
// CHECK:         scf.for %k
// CHECK-NEXT:      llvm_ext.prefetch %right[[[AT:%\d+]]]
// CHECK:           [[NEXT:%\d+]] = arith.addi [[AT]], %slice_step
// CHECK-NEXT:      llvm_ext.prefetch %right[[[NEXT]]]
memory.placeholder @x "in" : memref<12x64xf32>
memory.placeholder @w "in" : memref<64x32xf32, #layout.physical<[1:?:16, 0, 1:16]>>
memory.placeholder @y "out" : memref<12x32xf32>
func.func @main() {
  %x = memory.get @x : memref<12x64xf32>
  %w = memory.get @w : memref<64x32xf32, #layout.physical<[1:?:16, 0, 1:16]>>
  %y = memory.get @y : memref<12x32xf32>
  memory.matmul ins(%x : memref<12x64xf32>, %w : memref<64x32xf32, #layout.physical<[1:?:16, 0, 1:16]>>) outs(%y : memref<12x32xf32>) {}
  func.return
}

// -----

// Each of four tiles fetches a quarter of a line for each k: one in an iteration of four.
// CHECK:       func.func private @gemm_6x16_
// CHECK:         scf.for %k
// CHECK-NEXT:      llvm_ext.prefetch %right[[[AT:%\d+]]]
// CHECK-NOT:       llvm_ext.prefetch
// CHECK:           [[NEXT:%\d+]] = arith.addi [[AT]], %slice_step
// CHECK-NEXT:      scf.yield [[NEXT]]
memory.placeholder @x "in" : memref<24x64xf32>
memory.placeholder @w "in" : memref<64x32xf32, #layout.physical<[1:?:16, 0, 1:16]>>
memory.placeholder @y "out" : memref<24x32xf32>
func.func @main() {
  %x = memory.get @x : memref<24x64xf32>
  %w = memory.get @w : memref<64x32xf32, #layout.physical<[1:?:16, 0, 1:16]>>
  %y = memory.get @y : memref<24x32xf32>
  memory.matmul ins(%x : memref<24x64xf32>, %w : memref<64x32xf32, #layout.physical<[1:?:16, 0, 1:16]>>) outs(%y : memref<24x32xf32>) {}
  func.return
}

// -----

// A line and a half for each k are two streams, so that none is left out: eight for four k.
// CHECK:       func.func private @gemm_4x24_
// CHECK:         arith.constant 192 : index
// CHECK:         scf.for %k
// CHECK:           llvm_ext.prefetch %right
// CHECK:           llvm_ext.prefetch %right
// CHECK:           llvm_ext.prefetch %right
// CHECK:           llvm_ext.prefetch %right
// CHECK:           llvm_ext.prefetch %right
// CHECK:           llvm_ext.prefetch %right
// CHECK:           llvm_ext.prefetch %right
// CHECK:           llvm_ext.prefetch %right
// CHECK-NOT:       llvm_ext.prefetch
// CHECK:           scf.yield
memory.placeholder @x "in" : memref<4x64xf32>
memory.placeholder @w "in" : memref<64x48xf32, #layout.physical<[1:?:24, 0, 1:24]>>
memory.placeholder @y "out" : memref<4x48xf32>
func.func @main() {
  %x = memory.get @x : memref<4x64xf32>
  %w = memory.get @w : memref<64x48xf32, #layout.physical<[1:?:24, 0, 1:24]>>
  %y = memory.get @y : memref<4x48xf32>
  memory.matmul ins(%x : memref<4x64xf32>, %w : memref<64x48xf32, #layout.physical<[1:?:24, 0, 1:24]>>) outs(%y : memref<4x48xf32>) {}
  func.return
}

// -----

// Stores that wait for a long epilogue find their lines in the cache.
// CHECK:       func.func private @gemm_6x16_
// CHECK:         llvm_ext.prefetch %result[{{.*}}] {{{.*}}write
// CHECK:         scf.for %k
memory.placeholder @x "in" : memref<6x64xf32>
memory.placeholder @w "in" : memref<64x16xf32, #layout.physical<NK16n>>
memory.placeholder @y "out" : memref<6x16xf32>
func.func @main() {
  %x = memory.get @x : memref<6x64xf32>
  %w = memory.get @w : memref<64x16xf32, #layout.physical<NK16n>>
  %y = memory.get @y : memref<6x16xf32>
  memory.matmul ins(%x : memref<6x64xf32>, %w : memref<64x16xf32, #layout.physical<NK16n>>) outs(%y : memref<6x16xf32>) {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    memory.yield %1 : f32
  }
  func.return
}

// -----

// Others come soon enough.
// CHECK:       func.func private @gemm_6x16_
// CHECK-NOT:     llvm_ext.prefetch %result
// CHECK:       func.func @main
memory.placeholder @x "in" : memref<6x64xf32>
memory.placeholder @w "in" : memref<64x16xf32, #layout.physical<NK16n>>
memory.placeholder @y "out" : memref<6x16xf32>
func.func @main() {
  %x = memory.get @x : memref<6x64xf32>
  %w = memory.get @w : memref<64x16xf32, #layout.physical<NK16n>>
  %y = memory.get @y : memref<6x16xf32>
  memory.matmul ins(%x : memref<6x64xf32>, %w : memref<64x16xf32, #layout.physical<NK16n>>) outs(%y : memref<6x16xf32>) {
  ^bb0(%0: f32):
    %1 = arith.negf %0 : f32
    memory.yield %1 : f32
  }
  func.return
}
