// RUN: glow-opt %s --split-input-file -p 'memory-to-loops{target="cpu:avx2"}' | filecheck %s

// Along the fastest axis: one maximum and one sum across lanes per line.
// CHECK:       dense<[12, 40, 40, 40, 1, 1]> : tensor<6xindex>
// CHECK:       func.func private @softmax_{{[0-9a-f]*}}(
// CHECK:         vector.reduction <maxnumf>
// CHECK:         vector.reduction <add>
memory.placeholder @x "in" : memref<3x4x40xf32>
memory.placeholder @y "out" : memref<3x4x40xf32>
func.func @main() {
  %x = memory.get @x : memref<3x4x40xf32>
  %y = memory.get @y : memref<3x4x40xf32>
  memory.softmax ins(%x : memref<3x4x40xf32>) outs(%y : memref<3x4x40xf32>) {axis = 2 : i64}
  func.return
}

// -----

// Along a slower one: lanes are neighbours, nothing goes across.
// CHECK:       dense<[3, 160, 160, 4, 40, 40, 40]> : tensor<7xindex>
// CHECK:       func.func private @log_softmax_columns_
// CHECK-NOT:     vector.reduction
// CHECK:       func.func @main
memory.placeholder @x "in" : memref<3x4x40xf32>
memory.placeholder @y "out" : memref<3x4x40xf32>
func.func @main() {
  %x = memory.get @x : memref<3x4x40xf32>
  %y = memory.get @y : memref<3x4x40xf32>
  memory.softmax ins(%x : memref<3x4x40xf32>) outs(%y : memref<3x4x40xf32>) {axis = 1 : i64, log}
  func.return
}

// -----

// f64, and f32 without an axis of unit stride on both sides: scalars.
// CHECK:       func.func private @softmax_
// CHECK-NOT:     vector
// CHECK:       func.func private @softmax_
// CHECK-NOT:     vector
// CHECK:       func.func @main
memory.placeholder @x "in" : memref<40x40xf64>
memory.placeholder @y "out" : memref<40x40xf64>
memory.placeholder @v "in" : memref<40x40xf32>
memory.placeholder @w "out" : memref<40x40xf32>
func.func @main() {
  %x = memory.get @x : memref<40x40xf64>
  %y = memory.get @y : memref<40x40xf64>
  memory.softmax ins(%x : memref<40x40xf64>) outs(%y : memref<40x40xf64>) {axis = 1 : i64}
  %v = memory.get @v : memref<40x40xf32>
  %t = memory.view %v : memref<40x40xf32> -> memref<40x40xf32, strided<[1, 40]>>
  %w = memory.get @w : memref<40x40xf32>
  memory.softmax ins(%t : memref<40x40xf32, strided<[1, 40]>>) outs(%w : memref<40x40xf32>) {axis = 1 : i64}
  func.return
}
