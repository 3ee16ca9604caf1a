// RUN: glow-opt %s --split-input-file -p graph-to-memory | filecheck %s

// Parts of a concatenation are computed in place, also when it is a part itself.
// CHECK-LABEL: @main
// CHECK:         [[Y:%.*]] = memory.get @y
// CHECK:         [[A:%.*]] = memory.view [[Y]] : memref<9xf32> -> memref<6xf32, strided<[1]>>
// CHECK:         [[B:%.*]] = memory.view [[A]] : {{.*}} -> memref<3xf32, strided<[1]>>
// CHECK:         memory.elementwise {{.*}} outs([[B]] :
// CHECK:         memory.elementwise
// CHECK-NOT:     memory.alloc
// A load is copied into its place.
// CHECK:         memory.copy
// CHECK-NOT:     memory.copy
graph.placeholder @x "in" : tensor<3xf32>
graph.placeholder @y "out" : tensor<9xf32>
func.func @main() {
  %x = graph.load @x : tensor<3xf32>
  %0 = graph.relu %x : (tensor<3xf32>) -> tensor<3xf32>
  %1 = graph.neg %x : (tensor<3xf32>) -> tensor<3xf32>
  %2 = graph.concat %0, %1 {axis = 0} : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
  %3 = graph.concat %2, %x {axis = 0} : (tensor<6xf32>, tensor<3xf32>) -> tensor<9xf32>
  graph.save @y, %3 : tensor<9xf32>
  func.return
}

// -----

// A value that is concatenated twice has one place; the other one is a copy.
// CHECK-LABEL: @main
// CHECK:         memory.elementwise {{.*}} outs([[A:%.*]] :
// CHECK:         memory.copy ins([[A]] : {{.*}}strided<[1], offset: 3>
graph.placeholder @x "in" : tensor<3xf32>
graph.placeholder @y "out" : tensor<6xf32>
func.func @main() {
  %x = graph.load @x : tensor<3xf32>
  %0 = graph.relu %x : (tensor<3xf32>) -> tensor<3xf32>
  %1 = graph.concat %0, %0 {axis = 0} : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
  graph.save @y, %1 : tensor<6xf32>
  func.return
}

// -----

// Transpose, slice, split and expand are views of their operand.
// CHECK-LABEL: @main
// CHECK:         memory.view %{{.*}} : memref<4x6xf32> -> memref<6x4xf32, strided<[1, 6]>>
// CHECK:         memory.view %{{.*}} -> memref<2x3xf32, strided<[12, -2], offset: 5>>
// CHECK:         memory.view %{{.*}} -> memref<4x2xf32, strided<[6, 1]>>
// CHECK:         memory.view %{{.*}} -> memref<4x4xf32, strided<[6, 1], offset: 2>>
// CHECK:         memory.view %{{.*}} -> memref<5x4x6xf32, strided<[0, 6, 1]>>
// CHECK-NOT:     memory.alloc
graph.placeholder @x "in" : tensor<4x6xf32>
graph.placeholder @a "out" : tensor<6x4xf32>
graph.placeholder @b "out" : tensor<2x3xf32>
graph.placeholder @c "out" : tensor<4x2xf32>
graph.placeholder @d "out" : tensor<4x4xf32>
graph.placeholder @e "out" : tensor<5x4x6xf32>
func.func @main() {
  %x = graph.load @x : tensor<4x6xf32>
  %0 = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %1 = graph.slice %x {starts = array<i64: 0, 5>, sizes = array<i64: 2, 3>, steps = array<i64: 2, -2>} : (tensor<4x6xf32>) -> tensor<2x3xf32>
  %2, %3 = graph.split %x {axis = 1, sizes = array<i64: 2, 4>} : (tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<4x4xf32>)
  %4 = graph.expand %x {shape = array<i64: 5, 4, 6>} : (tensor<4x6xf32>) -> tensor<5x4x6xf32>
  graph.save @a, %0 : tensor<6x4xf32>
  graph.save @b, %1 : tensor<2x3xf32>
  graph.save @c, %2 : tensor<4x2xf32>
  graph.save @d, %3 : tensor<4x4xf32>
  graph.save @e, %4 : tensor<5x4x6xf32>
  func.return
}

// -----

// A reshape that splits or merges adjacent axes is a view, of a transpose it copies.
// CHECK-LABEL: @main
// CHECK:         memory.view %{{.*}} : memref<4x6xf32> -> memref<2x2x6xf32, strided<[12, 6, 1]>>
// CHECK:         [[T:%.*]] = memory.view {{.*}} strided<[1, 6]>>
// CHECK:         [[C:%.*]] = memory.alloc : memref<6x4xf32>
// CHECK:         memory.copy ins([[T]] : {{.*}}) outs([[C]] :
// CHECK:         memory.view [[C]] : memref<6x4xf32> -> memref<24xf32, strided<[1]>>
graph.placeholder @x "in" : tensor<4x6xf32>
graph.placeholder @a "out" : tensor<2x2x6xf32>
graph.placeholder @b "out" : tensor<24xf32>
func.func @main() {
  %x = graph.load @x : tensor<4x6xf32>
  %0 = graph.reshape %x {shape = array<i64: 2, 2, 6>} : (tensor<4x6xf32>) -> tensor<2x2x6xf32>
  %1 = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %2 = graph.reshape %1 {shape = array<i64: 24>} : (tensor<6x4xf32>) -> tensor<24xf32>
  graph.save @a, %0 : tensor<2x2x6xf32>
  graph.save @b, %2 : tensor<24xf32>
  func.return
}

// -----

// Constant padding fills, then copies the inside; a reflection copies planes.
// CHECK-LABEL: @main
// CHECK:         memory.fill outs([[A:%.*]] : memref<5xf32>) {value = 0.000000e+00 : f32}
// CHECK:         memory.copy ins(%{{.*}} : memref<3xf32{{.*}}>) outs({{.*}}strided<[1], offset: 1>>)
// CHECK-NOT:     memory.fill
// CHECK:         memory.copy {{.*}} outs({{.*}}strided<[1], offset: 1>>)
// CHECK:         memory.copy ins({{.*}}offset: 2>>) outs({{.*}}memref<1xf32, strided<[1]>>)
// CHECK:         memory.copy ins({{.*}}offset: 2>>) outs({{.*}}offset: 4>>)
graph.placeholder @x "in" : tensor<3xf32>
graph.placeholder @a "out" : tensor<5xf32>
graph.placeholder @b "out" : tensor<5xf32>
func.func @main() {
  %x = graph.load @x : tensor<3xf32>
  %0 = graph.pad %x {pads = array<i64: 1, 1>} : (tensor<3xf32>) -> tensor<5xf32>
  %1 = graph.pad %x {pads = array<i64: 1, 1>, mode = "reflect"} : (tensor<3xf32>) -> tensor<5xf32>
  graph.save @a, %0 : tensor<5xf32>
  graph.save @b, %1 : tensor<5xf32>
  func.return
}

// -----

// Around the elements of a transformed value are zeros; a block is padded by its copy.
// What is saved is made where it is wanted, in whatever layout.
// CHECK-LABEL: @main
// CHECK:         [[H:%.*]] = memory.alloc : memref<1x9x3x3xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>
// CHECK-NEXT:    memory.zero_halo outs([[H]]
// CHECK-NEXT:    memory.copy {{.*}} outs([[H]]
// CHECK:         [[A:%.*]] = memory.alloc : memref<1x9x3x3xf32, #layout.physical<N[a=64]CHW>>
// CHECK-NEXT:    memory.zero_halo outs([[A]]
// CHECK-NEXT:    memory.copy ins([[H]] {{.*}} outs([[A]]
// CHECK:         [[B:%.*]] = memory.get @y : memref<1x9x3x3xf32, #layout.physical<NCHW8c>>
// CHECK-NEXT:    memory.copy ins([[A]] {{.*}} outs([[B]]
graph.placeholder @x "in" : tensor<1x9x3x3xf32>
graph.placeholder @y "out" : tensor<1x9x3x3xf32, #layout.physical<NCHW8c>>
func.func @main() {
  %x = graph.load @x : tensor<1x9x3x3xf32>
  %0 = layout.transform %x : tensor<1x9x3x3xf32> -> tensor<1x9x3x3xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>
  %1 = layout.transform %0 : tensor<1x9x3x3xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>> -> tensor<1x9x3x3xf32, #layout.physical<N[a=64]CHW>>
  %2 = layout.transform %1 : tensor<1x9x3x3xf32, #layout.physical<N[a=64]CHW>> -> tensor<1x9x3x3xf32, #layout.physical<NCHW8c>>
  graph.save @y, %2 : tensor<1x9x3x3xf32, #layout.physical<NCHW8c>>
  func.return
}

// -----

// What is blocked is transposed and reshaped in place, where a layout says so.
// CHECK-LABEL: @main
// CHECK:         [[B:%.*]] = memory.alloc : memref<2x16x3xf32, #layout.physical<NCW8c>>
// CHECK:         [[T:%.*]] = memory.view [[B]] : {{.*}} -> memref<16x2x3xf32, #layout.physical<IOW8o>>
// CHECK-NEXT:    [[R:%.*]] = memory.view [[T]] : {{.*}} -> memref<2x8x2x3xf32, #layout.physical<HOWI>>
// CHECK:         memory.copy ins([[R]]
// CHECK:         [[C:%.*]] = memory.alloc : memref<16x2x3xf32>
// CHECK-NOT:     memory.view [[T]]
// CHECK:         memory.copy ins([[T]]
graph.placeholder @x "in" : tensor<2x16x3xf32>
graph.placeholder @y "out" : tensor<2x8x2x3xf32>
graph.placeholder @z "out" : tensor<48x2xf32>
func.func @main() {
  %x = graph.load @x : tensor<2x16x3xf32>
  %0 = layout.transform %x : tensor<2x16x3xf32> -> tensor<2x16x3xf32, #layout.physical<[0, 1:?:8, 2, 1:8]>>
  %1 = graph.transpose %0 {permutation = array<i64: 1, 0, 2>} : (tensor<2x16x3xf32, #layout.physical<[0, 1:?:8, 2, 1:8]>>) -> tensor<16x2x3xf32, #layout.physical<[1, 0:?:8, 2, 0:8]>>
  %2 = graph.reshape %1 {shape = array<i64: 2, 8, 2, 3>} : (tensor<16x2x3xf32, #layout.physical<[1, 0:?:8, 2, 0:8]>>) -> tensor<2x8x2x3xf32, #layout.physical<[2, 0, 3, 1]>>
  %3 = layout.transform %2 : tensor<2x8x2x3xf32, #layout.physical<[2, 0, 3, 1]>> -> tensor<2x8x2x3xf32>
  graph.save @y, %3 : tensor<2x8x2x3xf32>
  %4 = graph.reshape %1 {shape = array<i64: 48, 2>} : (tensor<16x2x3xf32, #layout.physical<[1, 0:?:8, 2, 0:8]>>) -> tensor<48x2xf32>
  graph.save @z, %4 : tensor<48x2xf32>
  func.return
}

// -----

// A value with a border for the convolution that reads it is saved from there.
// CHECK-LABEL: @main
// CHECK:         [[H:%.*]] = memory.alloc : memref<1x4x4x4xf32, #layout.physical<NHWC, halo = [0, 0, 1, {{.*}}]>>
// CHECK:         memory.conv ins([[H]]
// CHECK:         [[Y:%.*]] = memory.get @y : memref<1x4x4x4xf32, #layout.physical<NHWC>>
// CHECK-NEXT:    memory.copy ins([[H]] {{.*}} outs([[Y]]
graph.placeholder @x "in" : tensor<1x4x4x4xf32>
graph.placeholder @y "out" : tensor<1x4x4x4xf32, #layout.physical<NHWC>>
graph.placeholder @z "out" : tensor<1x1x4x4xf32>
func.func @main() {
  %w = graph.literal dense<1.0> : tensor<1x4x3x3xf32> : tensor<1x4x3x3xf32>
  %x = graph.load @x : tensor<1x4x4x4xf32>
  %0 = layout.transform %x : tensor<1x4x4x4xf32> -> tensor<1x4x4x4xf32, #layout.physical<NHWC>>
  %1 = graph.conv %0, %w {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x4x4x4xf32, #layout.physical<NHWC>>, tensor<1x4x3x3xf32>) -> tensor<1x1x4x4xf32>
  graph.save @y, %0 : tensor<1x4x4x4xf32, #layout.physical<NHWC>>
  graph.save @z, %1 : tensor<1x1x4x4xf32>
  func.return
}

// -----

// A transform that moves no byte is another name for what it reads.
// CHECK-LABEL: @main
// CHECK-NEXT:    [[X:%.*]] = memory.get @x
// CHECK-NEXT:    [[Y:%.*]] = memory.get @y
// CHECK-NEXT:    memory.elementwise ins([[X]] {{.*}} outs([[Y]]
// CHECK-NOT:     memory.copy
graph.placeholder @x "in" : tensor<1x4x6x6xf32, #layout.physical<N[answer:42]HWC>>
graph.placeholder @y "out" : tensor<1x4x6x6xf32, #layout.physical<NHWC>>
func.func @main() {
  %x = graph.load @x : tensor<1x4x6x6xf32, #layout.physical<N[answer:42]HWC>>
  %0 = layout.transform %x : tensor<1x4x6x6xf32, #layout.physical<N[answer:42]HWC>> -> tensor<1x4x6x6xf32, #layout.physical<NHWC>>
  %1 = graph.relu %0 : (tensor<1x4x6x6xf32, #layout.physical<NHWC>>) -> tensor<1x4x6x6xf32, #layout.physical<NHWC>>
  graph.save @y, %1 : tensor<1x4x6x6xf32, #layout.physical<NHWC>>
  func.return
}

// -----

// What is read and saved has to be written where the caller wants it.
// CHECK-LABEL: @main
// CHECK:         memory.copy ins({{.*}}N[answer:42]HWC{{.*}}) outs(
graph.placeholder @x "in" : tensor<1x4x6x6xf32, #layout.physical<N[answer:42]HWC>>
graph.placeholder @y "out" : tensor<1x4x6x6xf32, #layout.physical<NHWC>>
func.func @main() {
  %x = graph.load @x : tensor<1x4x6x6xf32, #layout.physical<N[answer:42]HWC>>
  %0 = layout.transform %x : tensor<1x4x6x6xf32, #layout.physical<N[answer:42]HWC>> -> tensor<1x4x6x6xf32, #layout.physical<NHWC>>
  graph.save @y, %0 : tensor<1x4x6x6xf32, #layout.physical<NHWC>>
  func.return
}
