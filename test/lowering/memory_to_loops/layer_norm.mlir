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

// A scale for each row of 10 stays in place along a row: it goes into every lane.
// CHECK:       dense<[3, 40, 40, 0, 1, 4, 10, 10, 1, 10, 1, 1, 0, 40]> : tensor<14xindex>
// CHECK:       func.func private @layer_norm_{{.*}}(%x{{.*}}, %y{{.*}}, %scale{{.*}}, %mean{{.*}}, %rows
// CHECK:         vector.reduction <add>
// CHECK:         [[S:%.*]] = memref.load %scale
// CHECK-NEXT:    vector.broadcast [[S]] : f32 to vector<8xf32>
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

// -----

// No mean is taken, and what is behind the square root is the mean of squares alone.
// CHECK:       dense<[3, 40, 40, 0, 40, 1, 1, 1, 40]> : tensor<9xindex>
// CHECK:       func.func private @rms_norm_{{.*}}(%x{{.*}}, %y{{.*}}, %scale{{.*}}, %rows
// CHECK-COUNT-1: vector.reduction <add>
// CHECK-NOT:     arith.subf
// CHECK:         math.sqrt
// CHECK-NOT:     arith.subf
// CHECK:       func.func @main
memory.placeholder @x "in" : memref<3x40xf32>
memory.placeholder @scale "in" : memref<40xf32>
memory.placeholder @y "out" : memref<3x40xf32>
func.func @main() {
  %x = memory.get @x : memref<3x40xf32>
  %s = memory.get @scale : memref<40xf32>
  %y = memory.get @y : memref<3x40xf32>
  memory.rms_norm ins(%x : memref<3x40xf32> scale %s : memref<40xf32>) outs(%y : memref<3x40xf32>) {axis = 1 : i64, epsilon = 1.000000e-05 : f64}
  func.return
}

// -----

// Channels last, lanes are channels, each normalised over its own 35 places.
// CHECK:       dense<[2, 560, 560, 0, 0, 16, 1, 1, 1, 1, 35, 16, 16, 0, 0, 35]> : tensor<16xindex>
// CHECK:       func.func private @layer_norm_columns_{{.*}}(%x{{.*}}, %y{{.*}}, %scale{{.*}}, %bias{{.*}}, %rows
// CHECK-NOT:     vector.reduction
// CHECK:         math.sqrt {{.*}} : vector<8xf32>
// CHECK:       func.func @main
memory.placeholder @x "in" : memref<2x16x5x7xf32, #layout.physical<NHWC>>
memory.placeholder @scale "in" : memref<16x1x1xf32>
memory.placeholder @y "out" : memref<2x16x5x7xf32, #layout.physical<NHWC>>
func.func @main() {
  %x = memory.get @x : memref<2x16x5x7xf32, #layout.physical<NHWC>>
  %s = memory.get @scale : memref<16x1x1xf32>
  %y = memory.get @y : memref<2x16x5x7xf32, #layout.physical<NHWC>>
  memory.layer_norm ins(%x : memref<2x16x5x7xf32, #layout.physical<NHWC>> scale %s : memref<16x1x1xf32> bias %s : memref<16x1x1xf32>) outs(%y : memref<2x16x5x7xf32, #layout.physical<NHWC>>) {axis = 2 : i64, epsilon = 1.000000e-05 : f64}
  func.return
}

// -----

// A column of statistics that stands still has no vectors.
// CHECK:       func.func private @layer_norm_{{[0-9a-f]+}}(
// CHECK-NOT:     vector
// CHECK:       func.func @main
memory.placeholder @x "in" : memref<2x16x5xf32, #layout.physical<NWC>>
memory.placeholder @y "out" : memref<2x16x5xf32, #layout.physical<NWC>>
memory.placeholder @mean "out" : memref<2x16x1xf32, strided<[64, 4, 1]>>
func.func @main() {
  %x = memory.get @x : memref<2x16x5xf32, #layout.physical<NWC>>
  %y = memory.get @y : memref<2x16x5xf32, #layout.physical<NWC>>
  %m = memory.get @mean : memref<2x16x1xf32, strided<[64, 4, 1]>>
  memory.layer_norm ins(%x : memref<2x16x5xf32, #layout.physical<NWC>>) outs(%y : memref<2x16x5xf32, #layout.physical<NWC>> mean %m : memref<2x16x1xf32, strided<[64, 4, 1]>>) {axis = 2 : i64, epsilon = 1.000000e-05 : f64}
  func.return
}
