// RUN: glow-opt %s --split-input-file -p 'memory-to-loops{target="cpu:avx2"}' | filecheck %s

// Two normalised axes are one where all operands pass them in one go.
// CHECK:       dense<[3, 40, 40, 0, 0, 40, 1, 1, 1, 1, 40]> : tensor<11xindex>
// CHECK:       func.func private @layer_norm_{{.*}}(%x{{.*}}, %y{{.*}}, %scale{{.*}}, %bias{{.*}}, %rows
// CHECK-COUNT-2: vector.reduction <add>
// CHECK:         math.sqrt
memory.placeholder @x "in" : memref<3x4x10xf32>
memory.placeholder @scale "in" : memref<4x10xf32>
memory.placeholder @y "out" : memref<3x4x10xf32>
func.func @main() {
  %x = memory.get @x : memref<3x4x10xf32>
  %s = memory.get @scale : memref<4x10xf32>
  %y = memory.get @y : memref<3x4x10xf32>
  memory.layer_norm ins(%x : memref<3x4x10xf32> scale %s : memref<4x10xf32> bias %s : memref<4x10xf32>) outs(%y : memref<3x4x10xf32>) {axis = 1 : i64, epsilon = 1.000000e-05 : f64}
  func.return
}

// -----

// A scale for each row of 10 stays in place along a row: scalars, an inner loop more.
// CHECK:       dense<[3, 40, 40, 0, 1, 4, 10, 10, 1, 10, 1, 1, 0, 40]> : tensor<14xindex>
// CHECK:       func.func private @layer_norm_{{.*}}(%x{{.*}}, %y{{.*}}, %scale{{.*}}, %mean{{.*}}, %rows
// CHECK-NOT:     vector
// CHECK:       func.func @main
memory.placeholder @x "in" : memref<3x4x10xf32>
memory.placeholder @scale "in" : memref<4x1xf32>
memory.placeholder @y "out" : memref<3x4x10xf32>
memory.placeholder @mean "out" : memref<3x1x1xf32>
func.func @main() {
  %x = memory.get @x : memref<3x4x10xf32>
  %s = memory.get @scale : memref<4x1xf32>
  %y = memory.get @y : memref<3x4x10xf32>
  %m = memory.get @mean : memref<3x1x1xf32>
  memory.layer_norm ins(%x : memref<3x4x10xf32> scale %s : memref<4x1xf32>) outs(%y : memref<3x4x10xf32> mean %m : memref<3x1x1xf32>) {axis = 1 : i64, epsilon = 1.000000e-05 : f64}
  func.return
}
