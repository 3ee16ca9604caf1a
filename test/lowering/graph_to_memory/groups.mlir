// RUN: glow-opt %s --split-input-file -p graph-to-memory | filecheck %s

// Channels of groups take turns: what shuffles them is a view, with the border that
// the last convolution asks for.
// CHECK-LABEL: @main
// CHECK:         [[Y:%.*]] = memory.alloc : memref<1x80x5x5xf32, #layout.physical<[0, 2, 3, 1:40, 1:?:40], halo = [0, 0, 1, 1]>>
// CHECK:         memory.zero_halo outs([[Y]]
// CHECK:         memory.conv {{.*}} outs([[Y]]
// CHECK:         group = 2
// CHECK:         [[A:%.*]] = memory.view [[Y]] : {{.*}} -> memref<1x2x40x5x5xf32, #layout.physical<NHWDC, halo = [0, 0, 0, 1, 1]>>
// CHECK-NEXT:    [[B:%.*]] = memory.view [[A]] : {{.*}} -> memref<1x40x2x5x5xf32, #layout.physical<NHWCD, halo = [0, 0, 0, 1, 1]>>
// CHECK-NEXT:    [[C:%.*]] = memory.view [[B]] : {{.*}} -> memref<1x80x5x5xf32, #layout.physical<NHWC2c, halo = [0, 0, 1, 1]>>
// CHECK-NOT:     memory.copy
// CHECK:         memory.conv ins([[C]] :
graph.placeholder @x "in" : tensor<1x8x5x5xf32, #layout.physical<NHWC>>
graph.placeholder @y "out" : tensor<1x80x5x5xf32, #layout.physical<NHWC>>
func.func @main() {
  %x = graph.load @x : tensor<1x8x5x5xf32, #layout.physical<NHWC>>
  %f = graph.literal dense<1.0> : tensor<80x4x1x1xf32> : tensor<80x4x1x1xf32>
  %d = graph.literal dense<1.0> : tensor<80x1x3x3xf32> : tensor<80x1x3x3xf32>
  %0 = graph.conv %x, %f {group = 2} : (tensor<1x8x5x5xf32, #layout.physical<NHWC>>, tensor<80x4x1x1xf32>) -> tensor<1x80x5x5xf32, #layout.physical<[0, 2, 3, 1:40, 1:?:40]>>
  %1 = graph.reshape %0 {shape = array<i64: 1, 2, 40, 5, 5>} : (tensor<1x80x5x5xf32, #layout.physical<[0, 2, 3, 1:40, 1:?:40]>>) -> tensor<1x2x40x5x5xf32, #layout.physical<NHWDC>>
  %2 = graph.transpose %1 {permutation = array<i64: 0, 2, 1, 3, 4>} : (tensor<1x2x40x5x5xf32, #layout.physical<NHWDC>>) -> tensor<1x40x2x5x5xf32, #layout.physical<NHWCD>>
  %3 = graph.reshape %2 {shape = array<i64: 1, 80, 5, 5>} : (tensor<1x40x2x5x5xf32, #layout.physical<NHWCD>>) -> tensor<1x80x5x5xf32, #layout.physical<NHWC>>
  %4 = graph.conv %3, %d {group = 80, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x80x5x5xf32, #layout.physical<NHWC>>, tensor<80x1x3x3xf32>) -> tensor<1x80x5x5xf32, #layout.physical<NHWC>>
  graph.save @y, %4 : tensor<1x80x5x5xf32, #layout.physical<NHWC>>
  func.return
}

// -----

// Two groups cannot take turns in the order that four want: by way of channels last.
// CHECK-LABEL: @main
// CHECK:         memory.conv {{.*}} outs([[T:%.*]] : memref<1x80x5x5xf32, #layout.physical<NHWC>>)
// CHECK:         memory.copy ins([[T]] : {{.*}} outs(%{{.*}} : memref<1x80x5x5xf32, #layout.physical<[0, 2, 3, 1:20, 1:?:20]>>)
graph.placeholder @x "in" : tensor<1x8x5x5xf32, #layout.physical<NHWC>>
graph.placeholder @y "out" : tensor<1x80x5x5xf32, #layout.physical<[0, 2, 3, 1:20, 1:?:20]>>
func.func @main() {
  %x = graph.load @x : tensor<1x8x5x5xf32, #layout.physical<NHWC>>
  %f = graph.literal dense<1.0> : tensor<80x4x1x1xf32> : tensor<80x4x1x1xf32>
  %0 = graph.conv %x, %f {group = 2} : (tensor<1x8x5x5xf32, #layout.physical<NHWC>>, tensor<80x4x1x1xf32>) -> tensor<1x80x5x5xf32, #layout.physical<[0, 2, 3, 1:20, 1:?:20]>>
  graph.save @y, %0 : tensor<1x80x5x5xf32, #layout.physical<[0, 2, 3, 1:20, 1:?:20]>>
  func.return
}

// -----

// Pixels may be neighbors, where a convolution is a product.
// CHECK-LABEL: @main
// CHECK:         memory.conv {{.*}} outs(%{{.*}} : memref<1x80x5x5xf32>)
// CHECK-NOT:     memory.copy
graph.placeholder @x "in" : tensor<1x8x5x5xf32, #layout.physical<NHWC>>
graph.placeholder @y "out" : tensor<1x80x5x5xf32>
func.func @main() {
  %x = graph.load @x : tensor<1x8x5x5xf32, #layout.physical<NHWC>>
  %f = graph.literal dense<1.0> : tensor<80x8x1x1xf32> : tensor<80x8x1x1xf32>
  %0 = graph.conv %x, %f : (tensor<1x8x5x5xf32, #layout.physical<NHWC>>, tensor<80x8x1x1xf32>) -> tensor<1x80x5x5xf32>
  graph.save @y, %0 : tensor<1x80x5x5xf32>
  func.return
}

// -----

// An image is read as it lies, where nobody asks for a border.
// CHECK-LABEL: @main
// CHECK-NOT:     memory.copy
// CHECK:         memory.conv ins(%{{.*}} : memref<1x8x5x5xf32>, {{.*}}) outs(%{{.*}} : memref<1x80x5x5xf32>)
// CHECK-NOT:     memory.copy
graph.placeholder @x "in" : tensor<1x8x5x5xf32>
graph.placeholder @y "out" : tensor<1x80x5x5xf32>
func.func @main() {
  %x = graph.load @x : tensor<1x8x5x5xf32>
  %f = graph.literal dense<1.0> : tensor<80x8x1x1xf32> : tensor<80x8x1x1xf32>
  %0 = graph.conv %x, %f : (tensor<1x8x5x5xf32>, tensor<80x8x1x1xf32>) -> tensor<1x80x5x5xf32>
  graph.save @y, %0 : tensor<1x80x5x5xf32>
  func.return
}

// -----

// With a border it is copied, and then channels go last.
// CHECK-LABEL: @main
// CHECK:         memory.copy ins(%{{.*}} : memref<1x8x5x5xf32>) outs([[X:%.*]] : memref<1x8x5x5xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>)
// CHECK:         memory.conv ins([[X]] :
graph.placeholder @x "in" : tensor<1x8x5x5xf32>
graph.placeholder @y "out" : tensor<1x80x3x3xf32>
func.func @main() {
  %x = graph.load @x : tensor<1x8x5x5xf32>
  %f = graph.literal dense<1.0> : tensor<80x8x3x3xf32> : tensor<80x8x3x3xf32>
  %0 = graph.conv %x, %f {pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x8x5x5xf32>, tensor<80x8x3x3xf32>) -> tensor<1x80x3x3xf32>
  graph.save @y, %0 : tensor<1x80x3x3xf32>
  func.return
}

// -----

// What only reads channels in a row gets them so.
// CHECK-LABEL: @main
// CHECK:         memory.copy ins(%{{.*}} : memref<1x8x5x5xf32>) outs([[X:%.*]] : memref<1x8x5x5xf32, #layout.physical<NHWC>>)
// CHECK:         memory.conv ins([[X]] :
// CHECK:         algorithm = "depthwise"
graph.placeholder @x "in" : tensor<1x8x5x5xf32>
graph.placeholder @y "out" : tensor<1x8x3x3xf32, #layout.physical<NHWC>>
func.func @main() {
  %x = graph.load @x : tensor<1x8x5x5xf32>
  %f = graph.literal dense<1.0> : tensor<8x1x3x3xf32> : tensor<8x1x3x3xf32>
  %0 = graph.conv %x, %f {group = 8} : (tensor<1x8x5x5xf32>, tensor<8x1x3x3xf32>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>>
  graph.save @y, %0 : tensor<1x8x3x3xf32, #layout.physical<NHWC>>
  func.return
}

// -----

// Two outputs read each channel: it is put there twice, and each output has its own.
// CHECK-LABEL: @main
// CHECK:         [[X:%.*]] = memory.alloc : memref<1x160x5x5xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>
// CHECK:         memory.view {{.*}} -> memref<1x80x2x5x5xf32, strided<[2000, 1, 0, 400, 80]>>
// CHECK:         memory.copy
// CHECK:         memory.conv ins([[X]] : {{.*}} outs({{.*}} : memref<1x160x5x5xf32, #layout.physical<NHWC>>)
// CHECK-NEXT:    } {{.*}}group = 160 : i64, algorithm = "depthwise"
graph.placeholder @x "in" : tensor<1x80x5x5xf32, #layout.physical<NHWC>>
graph.placeholder @y "out" : tensor<1x160x5x5xf32, #layout.physical<NHWC>>
func.func @main() {
  %x = graph.load @x : tensor<1x80x5x5xf32, #layout.physical<NHWC>>
  %w = graph.literal dense<1.0> : tensor<160x1x3x3xf32> : tensor<160x1x3x3xf32>
  %y = graph.conv %x, %w {group = 80, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x80x5x5xf32, #layout.physical<NHWC>>, tensor<160x1x3x3xf32>) -> tensor<1x160x5x5xf32, #layout.physical<NHWC>>
  graph.save @y, %y : tensor<1x160x5x5xf32, #layout.physical<NHWC>>
  func.return
}
