// RUN: glow-opt %s --split-input-file -p 'memory-to-loops{target="cpu:avx2"}' | filecheck %s

// Bags of one size: how many indices, their strides (no weights: 0), rows and stride of
// the table, no padding, the fault code; all columns at once; bags of 3.
// CHECK:       glow.messages = ["expected an index in [-100, 99] (memory.embedding_bag
// CHECK:       dense<[6, 1, 0, 100, 32, 0, 1, 0, 32, 3, 2, 32, 3]> : tensor<13xindex>
// CHECK:       func.func private @embedding_bag_sum_
// CHECK-SAME:    (%table: memref<?xf32>, %indices: memref<?xi64>, %y: memref<?xf32>, %fault: memref<?xi32>
// CHECK:         arith.cmpi uge
// CHECK:         llvm_ext.prefetch %table
// CHECK:         vector.load %table
// CHECK:         vector.load %table
// CHECK:         vector.load %table
// CHECK:         vector.load %table
// CHECK-NOT:     vector.load %table
// CHECK:         arith.addf
// CHECK:         vector.store
memory.placeholder @t "in" : memref<100x32xf32>
memory.placeholder @i "in" : memref<2x3xi64>
memory.placeholder @y "out" : memref<2x32xf32>
func.func @main() {
  %t = memory.get @t : memref<100x32xf32>
  %i = memory.get @i : memref<2x3xi64>
  %y = memory.get @y : memref<2x32xf32>
  memory.embedding_bag ins(%t, %i : memref<100x32xf32>, memref<2x3xi64>) outs(%y : memref<2x32xf32>) {kind = "sum"}
  func.return
}

// -----

// Lengths are checked one by one and in all; weights are factors; one column too many
// for whole vectors is a masked one.
// CHECK:       glow.messages = ["expected lengths of 0 or more that add up to 6 ({{.*}}", "expected an index in [-100, 99] ({{.*}}"]
// CHECK:       dense<[6, 1, 1, 100, 17, 0, 2, 0, 17, 2, 17, 2, 1, 1]> : tensor<14xindex>
// CHECK:       func.func private @embedding_bag_mean_
// CHECK-SAME:    %bounds: memref<?xi32>, %weights: memref<?xf32>
// CHECK:         arith.cmpi ugt
// CHECK:         vector.maskedload %table
// CHECK:         math.fma
// CHECK:         arith.divf
// CHECK:         arith.select
// CHECK:         vector.maskedstore
// CHECK:         arith.cmpi ne
memory.placeholder @t "in" : memref<100x17xf32>
memory.placeholder @i "in" : memref<6xi64>
memory.placeholder @l "in" : memref<2xi32>
memory.placeholder @w "in" : memref<6xf32>
memory.placeholder @y "out" : memref<2x17xf32>
func.func @main() {
  %t = memory.get @t : memref<100x17xf32>
  %i = memory.get @i : memref<6xi64>
  %l = memory.get @l : memref<2xi32>
  %w = memory.get @w : memref<6xf32>
  %y = memory.get @y : memref<2x17xf32>
  memory.embedding_bag ins(%t, %i : memref<100x17xf32>, memref<6xi64> lengths %l : memref<2xi32> weights %w : memref<6xf32>) outs(%y : memref<2x17xf32>) {kind = "mean"}
  func.return
}

// -----

// The first offset is checked, then each end; what is padding is passed by. Columns
// beyond what registers hold are chunks of a loop: 10 vectors are 5 and 5.
// CHECK:       glow.messages = ["expected offsets that rise from 0 to at most 6 ({{.*}}"
// CHECK:       dense<[6, 1, 0, 100, 80, 99, 2, 40, 80, 2, 80, 2, 1, 1]> : tensor<14xindex>
// CHECK:       func.func private @embedding_bag_max_
// CHECK:         arith.cmpi ne
// CHECK:         arith.maximumf
// CHECK:         arith.cmpi eq
// CHECK:         arith.select
memory.placeholder @t "in" : memref<100x80xf32>
memory.placeholder @i "in" : memref<6xi64>
memory.placeholder @o "in" : memref<2xi64>
memory.placeholder @y "out" : memref<2x80xf32>
func.func @main() {
  %t = memory.get @t : memref<100x80xf32>
  %i = memory.get @i : memref<6xi64>
  %o = memory.get @o : memref<2xi64>
  %y = memory.get @y : memref<2x80xf32>
  memory.embedding_bag ins(%t, %i : memref<100x80xf32>, memref<6xi64> offsets %o : memref<2xi64>) outs(%y : memref<2x80xf32>) {kind = "max", padding_idx = -1 : i64}
  func.return
}

// -----

// Columns that are not neighbours are scalars, and nothing is fetched ahead.
// CHECK:       dense<[6, 1, 0, 100, 1, 0, 1, 32, 100, 1, 3, 2, 32, 3]> : tensor<14xindex>
// CHECK-NOT:     llvm_ext.prefetch
// CHECK-NOT:     vector
// CHECK:       func.func @main
memory.placeholder @t "in" : memref<32x100xf32>
memory.placeholder @i "in" : memref<2x3xi32>
memory.placeholder @y "out" : memref<2x32xf32>
func.func @main() {
  %t = memory.get @t : memref<32x100xf32>
  %v = memory.view %t : memref<32x100xf32> -> memref<100x32xf32, strided<[1, 100]>>
  %i = memory.get @i : memref<2x3xi32>
  %y = memory.get @y : memref<2x32xf32>
  memory.embedding_bag ins(%v, %i : memref<100x32xf32, strided<[1, 100]>>, memref<2x3xi32>) outs(%y : memref<2x32xf32>) {kind = "sum"}
  func.return
}
