// RUN: glow-opt %s --split-input-file -p graph-to-memory | filecheck %s

// A value is computed where it is saved.
// CHECK: memory.placeholder @x "in" : memref<4xf32>
// CHECK: memory.placeholder @y "out" : memref<4xf32>
// CHECK-LABEL: @main
// CHECK:         [[X:%.*]] = memory.get @x
// CHECK:         [[Y:%.*]] = memory.get @y
// CHECK-NEXT:    memory.elementwise ins([[X]] : memref<4xf32>) outs([[Y]] :
// CHECK-NOT:     memory.copy
graph.placeholder @x "in" : tensor<4xf32>
graph.placeholder @y "out" : tensor<4xf32>
func.func @main() {
  %x = graph.load @x : tensor<4xf32>
  %0 = graph.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  graph.save @y, %0 : tensor<4xf32>
  func.return
}

// -----

// So is one that is saved under another shape and order, if its bytes are the same.
// CHECK-LABEL: @main
// CHECK:         [[X:%.*]] = memory.get @x
// CHECK-NEXT:    [[Y:%.*]] = memory.get @y
// CHECK-NEXT:    [[V:%.*]] = memory.view [[Y]] : memref<6x4xf32> -> memref<1x4x2x3xf32, strided<[24, 1, 12, 4]>>
// CHECK-NEXT:    memory.elementwise ins([[X]] : {{.*}}) outs([[V]] :
// CHECK-NOT:     memory.copy
// CHECK:         func.return
graph.placeholder @x "in" : tensor<1x4x2x3xf32, #layout.physical<NHWC>>
graph.placeholder @y "out" : tensor<6x4xf32>
func.func @main() {
  %x = graph.load @x : tensor<1x4x2x3xf32, #layout.physical<NHWC>>
  %0 = graph.relu %x : (tensor<1x4x2x3xf32, #layout.physical<NHWC>>) -> tensor<1x4x2x3xf32, #layout.physical<NHWC>>
  %1 = graph.transpose %0 {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x4x2x3xf32, #layout.physical<NHWC>>) -> tensor<1x2x3x4xf32>
  %2 = graph.reshape %1 {shape = array<i64: 6, 4>} : (tensor<1x2x3x4xf32>) -> tensor<6x4xf32>
  graph.save @y, %2 : tensor<6x4xf32>
  func.return
}

// -----

// One that is read in its first order too keeps its own buffer: readers may want more
// around it. One whose bytes change is copied.
// CHECK-LABEL: @main
// CHECK:         memory.elementwise {{.*}} outs([[A:%.*]] : memref<2x3xf32>)
// CHECK:         memory.elementwise {{.*}} outs([[B:%.*]] : memref<2x3xf32>)
// CHECK:         memory.copy ins(%{{.*}} : memref<6xf32{{.*}}>) outs(
// CHECK:         memory.copy ins(%{{.*}} : memref<3x2xf32, strided<[1, 3]>>) outs(
graph.placeholder @x "in" : tensor<2x3xf32>
graph.placeholder @y "out" : tensor<6xf32>
graph.placeholder @z "out" : tensor<2x3xf32>
graph.placeholder @u "out" : tensor<3x2xf32>
func.func @main() {
  %x = graph.load @x : tensor<2x3xf32>
  %0 = graph.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = graph.reshape %0 {shape = array<i64: 6>} : (tensor<2x3xf32>) -> tensor<6xf32>
  %2 = graph.neg %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = graph.exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = graph.transpose %3 {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  graph.save @y, %1 : tensor<6xf32>
  graph.save @z, %2 : tensor<2x3xf32>
  graph.save @u, %4 : tensor<3x2xf32>
  func.return
}

// -----

// What was loaded is copied; a value that is saved twice is computed once.
// CHECK-LABEL: @main
// CHECK:         memory.elementwise {{.*}} outs([[Y:%.*]] :
// CHECK:         memory.copy ins(%{{.*}}) outs(%{{.*}})
// CHECK:         memory.copy ins([[Y]] : {{.*}}) outs(
graph.placeholder @x "in" : tensor<4xf32>
graph.placeholder @y "out" : tensor<4xf32>
graph.placeholder @z "out" : tensor<4xf32>
graph.placeholder @u "out" : tensor<4xf32>
func.func @main() {
  %x = graph.load @x : tensor<4xf32>
  %0 = graph.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  graph.save @y, %0 : tensor<4xf32>
  graph.save @z, %x : tensor<4xf32>
  graph.save @u, %0 : tensor<4xf32>
  func.return
}

// -----

// Two placeholders swap their values through one temporary.
// CHECK-LABEL: @main
// CHECK:         memory.copy ins([[A:%.*]] : {{.*}}) outs([[T:%.*]] :
// CHECK-NEXT:    memory.copy ins([[B:%.*]] : {{.*}}) outs([[A]] :
// CHECK-NEXT:    memory.copy ins([[T]] : {{.*}}) outs([[B]] :
// CHECK-NEXT:    func.return
graph.placeholder @a "inout" : tensor<4xf32>
graph.placeholder @b "inout" : tensor<4xf32>
func.func @main() {
  %a = graph.load @a : tensor<4xf32>
  %b = graph.load @b : tensor<4xf32>
  graph.save @b, %a : tensor<4xf32>
  graph.save @a, %b : tensor<4xf32>
  func.return
}

// -----

// What moves on is copied from its end; what stays is not touched; what is turned in
// place goes through a temporary.
// CHECK-LABEL: @main
// CHECK:         [[A:%.*]] = memory.get @a
// CHECK:         [[B:%.*]] = memory.get @b
// CHECK:         [[X:%.*]] = memory.get @x
// CHECK:         [[W:%.*]] = memory.get @w
// CHECK:         memory.copy ins([[A]] : {{.*}}) outs([[B]] :
// CHECK-NEXT:    memory.copy ins([[X]] : {{.*}}) outs([[A]] :
// CHECK-NEXT:    [[T:%.*]] = memory.alloc : memref<2x2xf32>
// CHECK-NEXT:    memory.copy ins(%{{.*}} : memref<2x2xf32, strided<[1, 2]>>) outs([[T]] :
// CHECK-NEXT:    memory.copy ins([[T]] : {{.*}}) outs([[W]] :
// CHECK-NEXT:    func.return
graph.placeholder @a "inout" : tensor<4xf32>
graph.placeholder @b "inout" : tensor<4xf32>
graph.placeholder @c "inout" : tensor<4xf32>
graph.placeholder @w "inout" : tensor<2x2xf32>
graph.placeholder @x "in" : tensor<4xf32>
graph.placeholder @y "out" : tensor<4xf32>
func.func @main() {
  %a = graph.load @a : tensor<4xf32>
  %b = graph.load @b : tensor<4xf32>
  %c = graph.load @c : tensor<4xf32>
  %x = graph.load @x : tensor<4xf32>
  %w = graph.load @w : tensor<2x2xf32>
  %0 = graph.neg %b : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.transpose %w {permutation = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  graph.save @y, %0 : tensor<4xf32>
  graph.save @b, %a : tensor<4xf32>
  graph.save @a, %x : tensor<4xf32>
  graph.save @c, %c : tensor<4xf32>
  graph.save @w, %1 : tensor<2x2xf32>
  func.return
}

// -----

// A value that a placeholder keeps is not made in another one, which gets a copy.
// CHECK-LABEL: @main
// CHECK:         memory.elementwise {{.*}} outs([[T:%.*]] :
// CHECK:         [[Y:%.*]] = memory.get @y
// CHECK-NEXT:    memory.copy ins([[T]] : {{.*}}) outs([[Y]] :
// CHECK-NEXT:    memory.copy ins([[T]] : {{.*}}) outs(
// CHECK-NEXT:    func.return
graph.placeholder @n "inout" : tensor<4xf32>
graph.placeholder @y "out" : tensor<4xf32>
func.func @main() {
  %n = graph.load @n : tensor<4xf32>
  %0 = graph.neg %n : (tensor<4xf32>) -> tensor<4xf32>
  graph.save @y, %0 : tensor<4xf32>
  graph.save @n, %0 : tensor<4xf32>
  func.return
}

// -----

// A scalar that is known goes into the region; a larger literal becomes a constant.
// CHECK: memory.constant @literal
// CHECK-LABEL: @main
// CHECK:         memory.elementwise ins(%{{.*}} : memref<3xf32>)
// CHECK:           arith.constant 2.000000e+00 : f32
// CHECK:         memory.elementwise ins(%{{.*}}, %{{.*}} : memref<3xf32>, memref<3xf32>)
graph.placeholder @x "in" : tensor<3xf32>
graph.placeholder @y "out" : tensor<3xf32>
func.func @main() {
  %x = graph.load @x : tensor<3xf32>
  %s = graph.literal dense<2.0> : tensor<f32> : tensor<f32>
  %l = graph.literal dense<[1.0, 2.0, 3.0]> : tensor<3xf32> : tensor<3xf32>
  %0 = graph.mul %x, %s : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %1 = graph.add %0, %l : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  graph.save @y, %1 : tensor<3xf32>
  func.return
}

// -----

// A filter that is packed anew leaves nothing of the old one.
// CHECK-NOT:     memory.constant @literal :
// CHECK:         memory.constant @filter.{{[a-z]*}}
// CHECK-LABEL: @main
// CHECK-COUNT-3: memory.get
// CHECK-NOT:     memory.get
graph.placeholder @x "in" : tensor<1x2x4x4xf32>
graph.placeholder @y "out" : tensor<1x1x4x4xf32>
func.func @main() {
  %x = graph.load @x : tensor<1x2x4x4xf32>
  %w = graph.literal dense<1.0> : tensor<1x2x1x1xf32> : tensor<1x2x1x1xf32>
  %y = graph.conv %x, %w : (tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x1x4x4xf32>
  graph.save @y, %y : tensor<1x1x4x4xf32>
  func.return
}

// -----

// What is saved in the order it is computed in is computed where it is saved.
// CHECK-LABEL: @main
// CHECK:         [[Y:%.*]] = memory.get @y : memref<1x2x4x4xf32, #layout.physical<NHWC>>
// CHECK:         memory.elementwise {{.*}} outs([[Y]]
// CHECK-NOT:     memory.copy
// CHECK:         func.return
graph.placeholder @x "in" : tensor<1x2x4x4xf32, #layout.physical<NHWC>>
graph.placeholder @y "out" : tensor<1x2x4x4xf32, #layout.physical<NHWC>>
func.func @main() {
  %x = graph.load @x : tensor<1x2x4x4xf32, #layout.physical<NHWC>>
  %y = graph.relu %x : (tensor<1x2x4x4xf32, #layout.physical<NHWC>>) -> tensor<1x2x4x4xf32, #layout.physical<NHWC>>
  graph.save @y, %y : tensor<1x2x4x4xf32, #layout.physical<NHWC>>
  func.return
}

// -----

// The caller has no room for the border that a convolution reads.
// CHECK-LABEL: @main
// CHECK:         [[B:%.*]] = memory.alloc : memref<1x2x4x4xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>
// CHECK:         memory.elementwise {{.*}} outs([[B]]
// CHECK:         [[Y:%.*]] = memory.get @y
// CHECK:         memory.copy ins([[B]] {{.*}} outs([[Y]]
graph.placeholder @x "in" : tensor<1x2x4x4xf32, #layout.physical<NHWC>>
graph.placeholder @y "out" : tensor<1x2x4x4xf32, #layout.physical<NHWC>>
graph.placeholder @z "out" : tensor<1x1x4x4xf32>
func.func @main() {
  %w = graph.literal dense<1.0> : tensor<1x2x3x3xf32> : tensor<1x2x3x3xf32>
  %x = graph.load @x : tensor<1x2x4x4xf32, #layout.physical<NHWC>>
  %y = graph.relu %x : (tensor<1x2x4x4xf32, #layout.physical<NHWC>>) -> tensor<1x2x4x4xf32, #layout.physical<NHWC>>
  %z = graph.conv %y, %w {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x2x4x4xf32, #layout.physical<NHWC>>, tensor<1x2x3x3xf32>) -> tensor<1x1x4x4xf32>
  graph.save @y, %y : tensor<1x2x4x4xf32, #layout.physical<NHWC>>
  graph.save @z, %z : tensor<1x1x4x4xf32>
  func.return
}

// -----

// Padding of what the caller gets is made zero, whatever computes the value.
// CHECK-LABEL: @main
// CHECK:         [[Y:%.*]] = memory.get @y
// CHECK-NEXT:    memory.zero_halo outs([[Y]]
// CHECK-NEXT:    memory.elementwise {{.*}} outs([[Y]]
graph.placeholder @x "in" : tensor<2x3x4x4xf32, #layout.physical<N[a=128]HWC>>
graph.placeholder @y "out" : tensor<2x3x4x4xf32, #layout.physical<N[a=128]HWC>>
func.func @main() {
  %x = graph.load @x : tensor<2x3x4x4xf32, #layout.physical<N[a=128]HWC>>
  %y = graph.relu %x : (tensor<2x3x4x4xf32, #layout.physical<N[a=128]HWC>>) -> tensor<2x3x4x4xf32, #layout.physical<N[a=128]HWC>>
  graph.save @y, %y : tensor<2x3x4x4xf32, #layout.physical<N[a=128]HWC>>
  func.return
}

// -----

// What is seen in blocks is transposed by its type, also where it is the caller's.
// CHECK-LABEL: @main
// CHECK:         [[X:%.*]] = memory.get @x : memref<2x6xf32>
// CHECK:         memory.view {{.*}} -> memref<6x2xf32, #layout.physical<[0:2, 1, 0:?:2]>>
// CHECK:         memory.copy
graph.placeholder @x "in" : tensor<2x6xf32>
graph.placeholder @y "out" : tensor<6x2xf32>
func.func @main() {
  %x = graph.load @x : tensor<2x6xf32>
  %0 = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x6xf32>) -> tensor<6x2xf32, #layout.physical<NK>>
  %1 = graph.reshape %0 {shape = array<i64: 2, 6>} : (tensor<6x2xf32, #layout.physical<NK>>) -> tensor<2x6xf32, #layout.physical<[1:2, 0, 1:?:2]>>
  %2 = graph.transpose %1 {permutation = array<i64: 1, 0>} : (tensor<2x6xf32, #layout.physical<[1:2, 0, 1:?:2]>>) -> tensor<6x2xf32, #layout.physical<[0:2, 1, 0:?:2]>>
  %3 = layout.transform %2 : tensor<6x2xf32, #layout.physical<[0:2, 1, 0:?:2]>> -> tensor<6x2xf32>
  graph.save @y, %3 : tensor<6x2xf32>
  func.return
}
