// RUN: glow-opt %s --split-input-file -p 'memory-to-loops{target="cpu:avx512"}' | filecheck %s

// Along a slow axis: neighbours in lanes, strictly greater, so the first is kept.
// CHECK:       dense<[2, 120, 40, 40, 1, 1, 3, 40]> : tensor<8xindex>
// CHECK:       func.func private @arg_max_
// CHECK:         llvm_ext.cmpf ogt
memory.placeholder @x "in" : memref<2x3x40xf32>
memory.placeholder @y "out" : memref<2x1x40xi64>
func.func @main() {
  %x = memory.get @x : memref<2x3x40xf32>
  %y = memory.get @y : memref<2x1x40xi64>
  memory.arg_reduce ins(%x : memref<2x3x40xf32>) outs(%y : memref<2x1x40xi64>) {kind = "max", axis = 1 : i64}
  func.return
}

// -----

// Along the fastest axis: the least one of all lanes, then the last place that has it.
// CHECK:       dense<[6, 40, 1, 40]> : tensor<4xindex>
// CHECK:       func.func private @arg_min_rows_
// CHECK:         vector.reduction <minnumf>
// CHECK:         llvm_ext.cmpf oeq
// CHECK:         vector.reduction <maxsi>
memory.placeholder @x "in" : memref<2x3x40xf32>
memory.placeholder @y "out" : memref<2x3x1xi64>
func.func @main() {
  %x = memory.get @x : memref<2x3x40xf32>
  %y = memory.get @y : memref<2x3x1xi64>
  memory.arg_reduce ins(%x : memref<2x3x40xf32>) outs(%y : memref<2x3x1xi64>) {kind = "min", axis = 2 : i64, select_last_index}
  func.return
}

// -----

// A short one: scalars; equal ones replace, so the last is kept.
// CHECK:       dense<[6, 4, 1, 4, 1]> : tensor<5xindex>
// CHECK:       func.func private @arg_min_
// CHECK:         arith.cmpf ole
memory.placeholder @x "in" : memref<2x3x4xf32>
memory.placeholder @y "out" : memref<2x3x1xi64>
func.func @main() {
  %x = memory.get @x : memref<2x3x4xf32>
  %y = memory.get @y : memref<2x3x1xi64>
  memory.arg_reduce ins(%x : memref<2x3x4xf32>) outs(%y : memref<2x3x1xi64>) {kind = "min", axis = 2 : i64, select_last_index}
  func.return
}
