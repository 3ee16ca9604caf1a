// RUN: glow-opt %s --split-input-file -p graph-to-memory | filecheck %s

// A group becomes one product; what is fused behind it is its region, and what that
// reads beside the product is an extra.
// CHECK-LABEL: @main
// CHECK:         memory.matmul ins(%{{.*}} : memref<2x3xf32>, %{{.*}} : memref<3x4xf32> bias %{{.*}} : memref<4xf32> extras %{{.*}} : memref<2x4xf32>) outs(
// CHECK-NEXT:    ^{{.*}}([[P:%.*]]: f32, [[E:%.*]]: f32):
// CHECK-NEXT:      [[S:%.*]] = arith.addf [[P]], [[E]] : f32
// CHECK:           arith.maximumf [[S]]
graph.placeholder @a "in" : tensor<2x3xf32>
graph.placeholder @b "in" : tensor<3x4xf32>
graph.placeholder @c "in" : tensor<4xf32>
graph.placeholder @r "in" : tensor<2x4xf32>
graph.placeholder @y "out" : tensor<2x4xf32>
func.func @main() {
  %a = graph.load @a : tensor<2x3xf32>
  %b = graph.load @b : tensor<3x4xf32>
  %c = graph.load @c : tensor<4xf32>
  %r = graph.load @r : tensor<2x4xf32>
  %y = graph.fused(%a, %b, %c, %r) {
  ^bb0(%0: tensor<2x3xf32>, %1: tensor<3x4xf32>, %2: tensor<4xf32>, %3: tensor<2x4xf32>):
    %4 = graph.matmul %0, %1 bias %2 : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    %5 = graph.add %4, %3 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %6 = graph.relu %5 : (tensor<2x4xf32>) -> tensor<2x4xf32>
    graph.yield %6 : tensor<2x4xf32>
  } : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  graph.save @y, %y : tensor<2x4xf32>
  func.return
}

// -----

// A transposed operand is a view; a vector becomes a matrix; a bias that has not one
// element per column is added by the region.
// CHECK-LABEL: @main
// CHECK:         memory.view %{{.*}} : memref<3x2xf32> -> memref<2x3xf32, strided<[1, 2]>>
// CHECK:         memory.view %{{.*}} : memref<3xf32> -> memref<3x1xf32, strided<[1, 0]>>
// CHECK:         memory.matmul ins({{.*}}memref<3x1xf32, strided<[1, 0]>> extras %{{.*}}) outs({{.*}}memref<2x1xf32
// CHECK:           arith.addf
graph.placeholder @a "in" : tensor<3x2xf32>
graph.placeholder @b "in" : tensor<3xf32>
graph.placeholder @c "in" : tensor<2xf32>
graph.placeholder @y "out" : tensor<2xf32>
func.func @main() {
  %a = graph.load @a : tensor<3x2xf32>
  %b = graph.load @b : tensor<3xf32>
  %c = graph.load @c : tensor<2xf32>
  %y = graph.matmul %a, %b bias %c {transpose_lhs} : (tensor<3x2xf32>, tensor<3xf32>, tensor<2xf32>) -> tensor<2xf32>
  graph.save @y, %y : tensor<2xf32>
  func.return
}

// -----

// With a known filter a transposed convolution is one per phase of its strides: here
// each reads one tap, and what it makes lies apart.
// CHECK-LABEL: @main
// CHECK:         [[P:%.*]] = memory.view [[Y:%.*]] : {{.*}} -> memref<1x1x2x2xf32, strided<[16, 1, 8, 2]>>
// CHECK:         memory.view [[Y]] : {{.*}} -> memref<1x1x2x2xf32, strided<[16, 1, 8, 2], offset: 1>>
// CHECK:         memory.view [[Y]] : {{.*}} -> memref<1x1x2x2xf32, strided<[16, 1, 8, 2], offset: 4>>
// CHECK:         memory.view [[Y]] : {{.*}} -> memref<1x1x2x2xf32, strided<[16, 1, 8, 2], offset: 5>>
// CHECK-NOT:     memory.copy
// CHECK:         memory.conv {{.*}} outs([[P]] : {{.*}}) {
// CHECK-NEXT:    } {kernel_shape = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, {{.*}} algorithm = "direct"
// CHECK-COUNT-3: memory.conv
graph.placeholder @x "in" : tensor<1x2x2x2xf32, #layout.physical<NHWC>>
graph.placeholder @y "out" : tensor<1x1x4x4xf32, #layout.physical<NHWC>>
func.func @main() {
  %x = graph.load @x : tensor<1x2x2x2xf32, #layout.physical<NHWC>>
  %w = graph.literal dense<[[[[1.0, 2.0], [3.0, 4.0]]], [[[5.0, 6.0], [7.0, 8.0]]]]> : tensor<2x1x2x2xf32> : tensor<2x1x2x2xf32>
  %y = graph.conv_transpose %x, %w {strides = array<i64: 2, 2>} : (tensor<1x2x2x2xf32, #layout.physical<NHWC>>, tensor<2x1x2x2xf32>) -> tensor<1x1x4x4xf32, #layout.physical<NHWC>>
  graph.save @y, %y : tensor<1x1x4x4xf32, #layout.physical<NHWC>>
  func.return
}

// -----

// A run packs the taps that each phase reads, from where the filter lies: backwards.
// CHECK-LABEL: @main
// CHECK:         memory.view %{{.*}} : memref<2x1x3x3xf32> -> memref<1x1x2x2x2xf32, strided<[18, 9, 9, -6, -2], offset: 8>>
// CHECK:         memory.copy {{.*}} outs(%[[P:.*]] : memref<1x1x2x2x2xf32, #layout.physical<{{.*}}>>)
// CHECK:         memory.view %[[P]] : {{.*}} -> memref<1x1x2x2x2x{{.*}}xf32, {{.*}}>
// CHECK:         memory.conv
// CHECK-NEXT:    } {{.*}}algorithm = "direct"
// CHECK-COUNT-3: memory.conv
graph.placeholder @x "in" : tensor<1x2x2x2xf32>
graph.placeholder @w "in" : tensor<2x1x3x3xf32>
graph.placeholder @y "out" : tensor<1x1x5x5xf32>
func.func @main() {
  %x = graph.load @x : tensor<1x2x2x2xf32>
  %w = graph.load @w : tensor<2x1x3x3xf32>
  %y = graph.conv_transpose %x, %w {strides = array<i64: 2, 2>} : (tensor<1x2x2x2xf32>, tensor<2x1x3x3xf32>) -> tensor<1x1x5x5xf32>
  graph.save @y, %y : tensor<1x1x5x5xf32>
  func.return
}

// -----

// In another type it is a convolution over its input spread out by zeros.
// CHECK-LABEL: @main
// CHECK:         memory.fill outs([[C:%.*]] : memref<1x2x7x7xf64, #layout.physical<NHWC>>)
// CHECK:         memory.view [[C]] : {{.*}} -> memref<1x2x2x2xf64, strided<[98, 1, 28, 4], offset: 32>>
// CHECK:         memory.copy
// CHECK:         memory.conv ins([[C]] : {{.*}} outs({{.*}} : memref<1x1x5x5xf64>)
// CHECK-NEXT:    } {{.*}}pads = array<i64: 0, 0, 0, 0>
graph.placeholder @x "in" : tensor<1x2x2x2xf64>
graph.placeholder @w "in" : tensor<2x1x3x3xf64>
graph.placeholder @y "out" : tensor<1x1x5x5xf64>
func.func @main() {
  %x = graph.load @x : tensor<1x2x2x2xf64>
  %w = graph.load @w : tensor<2x1x3x3xf64>
  %y = graph.conv_transpose %x, %w {strides = array<i64: 2, 2>} : (tensor<1x2x2x2xf64>, tensor<2x1x3x3xf64>) -> tensor<1x1x5x5xf64>
  graph.save @y, %y : tensor<1x1x5x5xf64>
  func.return
}

// -----

// Vectors run along columns: a right factor whose columns are not neighbors is put into
// panels first.
// CHECK-LABEL: @main
// CHECK:         memory.view %{{.*}} : memref<2x5x3xf32> -> memref<2x3x5xf32, strided<[15, 1, 3]>>
// CHECK:         [[P:%.*]] = memory.alloc : memref<2x3x5xf32, #layout.physical<{{.*}}>>
// CHECK:         memory.copy ins({{.*}}strided<[15, 1, 3]>>) outs([[P]]
// CHECK:         memory.matmul ins(%{{.*}} : memref<2x4x3xf32>, [[P]]
graph.placeholder @a "in" : tensor<2x4x3xf32>
graph.placeholder @b "in" : tensor<2x5x3xf32>
graph.placeholder @y "out" : tensor<2x4x5xf32>
func.func @main() {
  %a = graph.load @a : tensor<2x4x3xf32>
  %b = graph.load @b : tensor<2x5x3xf32>
  %y = graph.matmul %a, %b {transpose_rhs} : (tensor<2x4x3xf32>, tensor<2x5x3xf32>) -> tensor<2x4x5xf32>
  graph.save @y, %y : tensor<2x4x5xf32>
  func.return
}

// -----

// One column, and other element types, are read where they lie.
// CHECK-LABEL: @main
// CHECK-NOT:     memory.copy
// CHECK:         memory.matmul
// CHECK-NOT:     memory.copy
// CHECK:         memory.matmul
graph.placeholder @a "in" : tensor<4x3xf32>
graph.placeholder @b "in" : tensor<1x3xf32>
graph.placeholder @c "in" : tensor<4x3xf64>
graph.placeholder @d "in" : tensor<5x3xf64>
graph.placeholder @x "out" : tensor<4x1xf32>
graph.placeholder @y "out" : tensor<4x5xf64>
func.func @main() {
  %a = graph.load @a : tensor<4x3xf32>
  %b = graph.load @b : tensor<1x3xf32>
  %c = graph.load @c : tensor<4x3xf64>
  %d = graph.load @d : tensor<5x3xf64>
  %x = graph.matmul %a, %b {transpose_rhs} : (tensor<4x3xf32>, tensor<1x3xf32>) -> tensor<4x1xf32>
  %y = graph.matmul %c, %d {transpose_rhs} : (tensor<4x3xf64>, tensor<5x3xf64>) -> tensor<4x5xf64>
  graph.save @x, %x : tensor<4x1xf32>
  graph.save @y, %y : tensor<4x5xf64>
  func.return
}

// -----

// What is summed is in one order in both factors: both are seen as plain ones.
// CHECK-LABEL: @main
// CHECK:         [[L:%.*]] = memory.view {{.*}} -> memref<1x6xf32, #layout.physical<[0, 1:3, 1:?:3]>>
// CHECK:         [[A:%.*]] = memory.view [[L]] : {{.*}} -> memref<1x6xf32, #layout.physical<NC>>
// CHECK:         [[B:%.*]] = memory.view %{{.*}} : {{.*}} -> memref<6x16xf32, #layout.physical<NK16n>>
// CHECK:         memory.matmul ins([[A]] : {{.*}}, [[B]] :
graph.placeholder @a "in" : tensor<1x2x1x3xf32, #layout.physical<NHWC>>
graph.placeholder @b "in" : tensor<6x16xf32, #layout.physical<[1:?:16, 0:3, 0:?:3, 1:16]>>
graph.placeholder @y "out" : tensor<1x16xf32>
func.func @main() {
  %a = graph.load @a : tensor<1x2x1x3xf32, #layout.physical<NHWC>>
  %b = graph.load @b : tensor<6x16xf32, #layout.physical<[1:?:16, 0:3, 0:?:3, 1:16]>>
  %0 = graph.reshape %a {shape = array<i64: 1, 6>} : (tensor<1x2x1x3xf32, #layout.physical<NHWC>>) -> tensor<1x6xf32, #layout.physical<[0, 1:3, 1:?:3]>>
  %y = graph.matmul %0, %b : (tensor<1x6xf32, #layout.physical<[0, 1:3, 1:?:3]>>, tensor<6x16xf32, #layout.physical<[1:?:16, 0:3, 0:?:3, 1:16]>>) -> tensor<1x16xf32>
  graph.save @y, %y : tensor<1x16xf32>
  func.return
}
