// RUN: glow-opt %s --split-input-file -p 'memory-to-loops{target="cpu:avx2"}' | filecheck %s

// Lines of unit stride are compared with the root of the heap in vectors. Element and
// place are one number in it.
// CHECK:       dense<[2, 80, 3, 80, 3, 1, 1, 1]> : tensor<8xindex>
// CHECK:       func.func private @top_k_
// CHECK:         arith.shli
// CHECK:         vector.load %x
// CHECK:         llvm_ext.cmpf ugt
// CHECK:         vector.reduction
memory.placeholder @x "in" : memref<2x80xf32>
memory.placeholder @v "out" : memref<2x3xf32>
memory.placeholder @h "inout" : memref<3xf32>
memory.placeholder @p "inout" : memref<3xi64>
func.func @main() {
  %x = memory.get @x : memref<2x80xf32>
  %v = memory.get @v : memref<2x3xf32>
  %h = memory.get @h : memref<3xf32>
  %p = memory.get @p : memref<3xi64>
  memory.top_k ins(%x : memref<2x80xf32>) outs(values %v : memref<2x3xf32>) scratch(%h, %p : memref<3xf32>, memref<3xi64>) {axis = 1 : i64, largest}
  func.return
}

// -----

// Other lines, and those that a heap nearly holds, go by scalars. A large element and its
// place are a pair.
// CHECK:       dense<[2, 6, 4, 6, 4, 2, 1, 1]> : tensor<8xindex>
// CHECK:       func.func private @top_k_
// CHECK-NOT:     {{vector|shli}}
// CHECK:       func.func @main
memory.placeholder @x "in" : memref<2x6xi64>
memory.placeholder @i "out" : memref<2x4xi64>
memory.placeholder @h "inout" : memref<4xi64>
memory.placeholder @p "inout" : memref<4xi64>
func.func @main() {
  %x = memory.get @x : memref<2x6xi64>
  %i = memory.get @i : memref<2x4xi64>
  %h = memory.get @h : memref<4xi64>
  %p = memory.get @p : memref<4xi64>
  memory.top_k ins(%x : memref<2x6xi64>) outs(indices %i : memref<2x4xi64>) scratch(%h, %p : memref<4xi64>, memref<4xi64>) {axis = 1 : i64}
  func.return
}
