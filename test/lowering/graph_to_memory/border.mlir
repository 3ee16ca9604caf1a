// RUN: glow-opt %s --split-input-file -p graph-to-memory | filecheck %s

// What is reshaped before a convolution reads it is made with the border around it.
// CHECK-LABEL: @main
// CHECK:         [[B:%.*]] = memory.alloc : memref<1x3x2x4x4xf32, #layout.physical<NHWCD, halo = [0, 0, 0, 1, 1]>>
// CHECK-NEXT:    memory.zero_halo outs([[B]]
// CHECK-NEXT:    memory.copy ins({{.*}}) outs([[B]]
// CHECK-NEXT:    [[V:%.*]] = memory.view [[B]] : {{.*}} -> memref<1x6x4x4xf32, #layout.physical<NHWC2c, halo = [0, 0, 1, 1]>>
// CHECK-NOT:     memory.copy
// CHECK:         memory.conv ins([[V]]
graph.placeholder @x "in" : tensor<1x3x2x4x4xf32>
graph.placeholder @y "out" : tensor<1x1x4x4xf32>
func.func @main() {
  %w = graph.literal dense<1.0> : tensor<1x6x3x3xf32> : tensor<1x6x3x3xf32>
  %x = graph.load @x : tensor<1x3x2x4x4xf32>
  %0 = layout.transform %x : tensor<1x3x2x4x4xf32> -> tensor<1x3x2x4x4xf32, #layout.physical<NHWCD>>
  %1 = graph.reshape %0 {shape = array<i64: 1, 6, 4, 4>} : (tensor<1x3x2x4x4xf32, #layout.physical<NHWCD>>) -> tensor<1x6x4x4xf32, #layout.physical<NHWC>>
  %2 = graph.conv %1, %w {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x6x4x4xf32, #layout.physical<NHWC>>, tensor<1x6x3x3xf32>) -> tensor<1x1x4x4xf32>
  graph.save @y, %2 : tensor<1x1x4x4xf32>
  func.return
}

// -----

// The border of a merged axis is not a border of what it is merged from.
// CHECK-LABEL: @main
// CHECK:         memory.alloc : memref<1x6x2x2x4xf32, #layout.physical<NDHWC>>
// CHECK:         memory.view
// CHECK:         [[B:%.*]] = memory.alloc : memref<1x6x4x4xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>
// CHECK:         memory.copy ins({{.*}}) outs([[B]]
// CHECK:         memory.conv ins([[B]]
graph.placeholder @x "in" : tensor<1x6x2x2x4xf32>
graph.placeholder @y "out" : tensor<1x1x4x4xf32>
func.func @main() {
  %w = graph.literal dense<1.0> : tensor<1x6x3x3xf32> : tensor<1x6x3x3xf32>
  %x = graph.load @x : tensor<1x6x2x2x4xf32>
  %0 = layout.transform %x : tensor<1x6x2x2x4xf32> -> tensor<1x6x2x2x4xf32, #layout.physical<NDHWC>>
  %1 = graph.reshape %0 {shape = array<i64: 1, 6, 4, 4>} : (tensor<1x6x2x2x4xf32, #layout.physical<NDHWC>>) -> tensor<1x6x4x4xf32, #layout.physical<NHWC>>
  %2 = graph.conv %1, %w {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x6x4x4xf32, #layout.physical<NHWC>>, tensor<1x6x3x3xf32>) -> tensor<1x1x4x4xf32>
  graph.save @y, %2 : tensor<1x1x4x4xf32>
  func.return
}

// -----

// Readers that ask for different borders get the widest on each side, in one buffer.
// CHECK-LABEL: @main
// CHECK:         [[B:%.*]] = memory.alloc : memref<1x2x6x6xf32, #layout.physical<NHWC, halo = [0, 0, 2, 1:3]>>
// CHECK-NEXT:    memory.zero_halo outs([[B]]
// CHECK-NEXT:    memory.copy ins({{.*}}) outs([[B]]
// CHECK-NOT:     memory.copy
// CHECK:         memory.conv ins([[B]]
// CHECK-NOT:     memory.copy
// CHECK:         memory.conv ins([[B]]
graph.placeholder @x "in" : tensor<1x2x6x6xf32>
graph.placeholder @y "out" : tensor<1x1x6x6xf32>
graph.placeholder @z "out" : tensor<1x1x6x6xf32>
func.func @main() {
  %v = graph.literal dense<1.0> : tensor<1x2x5x4xf32> : tensor<1x2x5x4xf32>
  %w = graph.literal dense<1.0> : tensor<1x2x3x4xf32> : tensor<1x2x3x4xf32>
  %x = graph.load @x : tensor<1x2x6x6xf32>
  %0 = layout.transform %x : tensor<1x2x6x6xf32> -> tensor<1x2x6x6xf32, #layout.physical<NHWC>>
  %1 = graph.conv %0, %v {pads = array<i64: 2, 0, 2, 3>} : (tensor<1x2x6x6xf32, #layout.physical<NHWC>>, tensor<1x2x5x4xf32>) -> tensor<1x1x6x6xf32>
  %2 = graph.conv %0, %w {pads = array<i64: 1, 1, 1, 2>} : (tensor<1x2x6x6xf32, #layout.physical<NHWC>>, tensor<1x2x3x4xf32>) -> tensor<1x1x6x6xf32>
  graph.save @y, %1 : tensor<1x1x6x6xf32>
  graph.save @z, %2 : tensor<1x1x6x6xf32>
  func.return
}

// -----

// What is transposed before has the border, too, along other axes.
// CHECK-LABEL: @main
// CHECK:         [[B:%.*]] = memory.alloc : memref<1x6x4x5xf32, #layout.physical<NHWC, halo = [0, 0, 1, 2]>>
// CHECK-NEXT:    memory.zero_halo outs([[B]]
// CHECK-NEXT:    memory.copy ins({{.*}}) outs([[B]]
// CHECK-NEXT:    [[V:%.*]] = memory.view [[B]] : {{.*}} -> memref<1x6x5x4xf32, #layout.physical<NWHC, halo = [0, 0, 2, 1]>>
// CHECK-NOT:     memory.copy
// CHECK:         memory.conv ins([[V]]
graph.placeholder @x "in" : tensor<1x6x4x5xf32>
graph.placeholder @y "out" : tensor<1x1x5x4xf32>
func.func @main() {
  %w = graph.literal dense<1.0> : tensor<1x6x5x3xf32> : tensor<1x6x5x3xf32>
  %x = graph.load @x : tensor<1x6x4x5xf32>
  %0 = layout.transform %x : tensor<1x6x4x5xf32> -> tensor<1x6x4x5xf32, #layout.physical<NHWC>>
  %1 = graph.transpose %0 {permutation = array<i64: 0, 1, 3, 2>} : (tensor<1x6x4x5xf32, #layout.physical<NHWC>>) -> tensor<1x6x5x4xf32, #layout.physical<[0, 3, 2, 1]>>
  %2 = graph.conv %1, %w {pads = array<i64: 2, 1, 2, 1>} : (tensor<1x6x5x4xf32, #layout.physical<[0, 3, 2, 1]>>, tensor<1x6x5x3xf32>) -> tensor<1x1x5x4xf32>
  graph.save @y, %2 : tensor<1x1x5x4xf32>
  func.return
}
