// RUN: glow-opt %s --split-input-file -p graph-to-memory | filecheck %s

// An op becomes itself, on buffers; what is absent stays absent, in place where the
// kernel may, with the room that it asks for.
// CHECK-LABEL: @main
// CHECK:         memory.apply "graph.layer_norm" in_place ins(%{{.*}}, bias %{{.*}} : memref<2x6xf32>, memref<6xf32>) outs([[A:%.*]] : memref<2x6xf32>) {axis = 0 : i64}
// CHECK:         memory.apply "graph.reduce_sum" ins([[A]] : memref<2x6xf32>) outs(%{{.*}} : memref<6xf32>) {axes = array<i64: 0>}
// CHECK:         [[H:%.*]] = memory.alloc : memref<3xf32>
// CHECK:         [[P:%.*]] = memory.alloc : memref<3xi64>
// CHECK:         memory.apply "graph.top_k" ins([[A]] : memref<2x6xf32>) outs(indices %{{.*}} : memref<2x3xi64>) scratch([[H]], [[P]] : memref<3xf32>, memref<3xi64>) {k = 3 : i64, largest}
graph.placeholder @x "in" : tensor<2x6xf32>
graph.placeholder @b "in" : tensor<6xf32>
graph.placeholder @y "out" : tensor<6xf32>
graph.placeholder @z "out" : tensor<2x3xi64>
func.func @main() {
  %x = graph.load @x : tensor<2x6xf32>
  %b = graph.load @b : tensor<6xf32>
  %0 = graph.layer_norm %x bias %b : tensor<6xf32> {axis = 0 : i64} : (tensor<2x6xf32>) -> tensor<2x6xf32>
  %y = graph.reduce_sum %0 {axes = array<i64: 0>} : (tensor<2x6xf32>) -> tensor<6xf32>
  %z = graph.top_k %0 {k = 3 : i64, largest} : tensor<2x6xf32> indices tensor<2x3xi64>
  graph.save @y, %y : tensor<6xf32>
  graph.save @z, %z : tensor<2x3xi64>
  func.return
}

// -----

// Indices in columns are copied for a kernel that reads them as one list.
// CHECK-LABEL: @main
// CHECK:         [[I:%.*]] = memory.view %{{.*}} -> memref<3x2xi64, strided<[1, 3]>>
// CHECK:         [[C:%.*]] = memory.alloc : memref<3x2xi64>
// CHECK-NEXT:    memory.copy ins([[I]] : {{.*}}) outs([[C]] : {{.*}})
// CHECK:         memory.apply "graph.embedding_bag" ins(%{{.*}}, [[C]] : memref<9x8xf32>, memref<3x2xi64>) outs(%{{.*}} : memref<3x8xf32>) {mode = "mean"}
graph.placeholder @t "in" : tensor<9x8xf32>
graph.placeholder @i "in" : tensor<2x3xi64>
graph.placeholder @y "out" : tensor<3x8xf32>
func.func @main() {
  %t = graph.load @t : tensor<9x8xf32>
  %i = graph.load @i : tensor<2x3xi64>
  %j = graph.transpose %i {permutation = array<i64: 1, 0>} : (tensor<2x3xi64>) -> tensor<3x2xi64>
  %y = graph.embedding_bag %t, %j {mode = "mean"} : (tensor<9x8xf32>, tensor<3x2xi64>) -> tensor<3x8xf32>
  graph.save @y, %y : tensor<3x8xf32>
  func.return
}

// -----

// Data is copied first, then written to; without write indices a copy is all there is.
// CHECK-LABEL: @main
// CHECK:         memory.copy ins(%{{.*}} : {{.*}}) outs([[A:%.*]] : {{.*}})
// CHECK-NEXT:    memory.apply "graph.scatter_elements" ins(%{{.*}}, %{{.*}} : {{.*}}) inouts([[A]] : {{.*}}) {reduction = "add"}
// CHECK:         memory.copy ins(%{{.*}} : {{.*}}) outs([[B:%.*]] : {{.*}})
// CHECK:         [[P:%.*]] = memory.view [[B]] : memref<4x8xf32> -> memref<4x1xf32, strided<[8, 1]>>
// CHECK-NEXT:    memory.copy ins(%{{.*}} : {{.*}}) outs([[P]] : {{.*}})
// CHECK:         memory.copy ins(%{{.*}} : {{.*}}) outs([[C:%.*]] : {{.*}})
// CHECK-NEXT:    memory.apply "graph.tensor_scatter" ins(%{{.*}}, write_indices %{{.*}} : {{.*}}) inouts([[C]] : {{.*}}) {axis = 1 : i64, mode = "circular"}
graph.placeholder @x "in" : tensor<4x8xf32>
graph.placeholder @i "in" : tensor<2x8xi64>
graph.placeholder @u "in" : tensor<2x8xf32>
graph.placeholder @w "in" : tensor<4x1xf32>
graph.placeholder @k "in" : tensor<4xi64>
graph.placeholder @a "out" : tensor<4x8xf32>
graph.placeholder @b "out" : tensor<4x8xf32>
graph.placeholder @c "out" : tensor<4x8xf32>
func.func @main() {
  %x = graph.load @x : tensor<4x8xf32>
  %i = graph.load @i : tensor<2x8xi64>
  %u = graph.load @u : tensor<2x8xf32>
  %w = graph.load @w : tensor<4x1xf32>
  %k = graph.load @k : tensor<4xi64>
  %a = graph.scatter_elements %x, %i, %u {reduction = "add"} : (tensor<4x8xf32>, tensor<2x8xi64>, tensor<2x8xf32>) -> tensor<4x8xf32>
  %b = graph.tensor_scatter %x, %w {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %c = graph.tensor_scatter %x, %w at %k {axis = 1 : i64, mode = "circular"} : (tensor<4x8xf32>, tensor<4x1xf32>, tensor<4xi64>) -> tensor<4x8xf32>
  graph.save @a, %a : tensor<4x8xf32>
  graph.save @b, %b : tensor<4x8xf32>
  graph.save @c, %c : tensor<4x8xf32>
  func.return
}

// -----

// What follows a pool is its epilogue, which adds a residual; constants are inside.
// CHECK-LABEL: @main
// CHECK:         [[X:%.*]] = memory.get @x
// CHECK:         [[R:%.*]] = memory.get @r
// CHECK:         memory.apply "graph.avg_pool" ins([[X]] : {{.*}}) outs(%{{.*}} : memref<1x8x4x4xf32, #layout.physical<NHWC>>) extras([[R]] : memref<1x8x4x4xf32, #layout.physical<NHWC>>) {{{.*}}count_include_pad} epilogue {
// CHECK-NEXT:    ^{{.*}}([[V:%.*]]: f32, [[E:%.*]]: f32):
// CHECK-NEXT:      [[H:%.*]] = arith.constant 5.000000e-01 : f32
// CHECK-NEXT:      [[P:%.*]] = arith.mulf [[V]], [[H]] : f32
// CHECK-NEXT:      [[S:%.*]] = arith.addf [[P]], [[E]] : f32
// CHECK-NEXT:      memory.yield [[S]] : f32
// CHECK-NEXT:    }
graph.placeholder @x "in" : tensor<1x8x6x6xf32, #layout.physical<NHWC>>
graph.placeholder @r "in" : tensor<1x8x4x4xf32, #layout.physical<NHWC>>
graph.placeholder @y "out" : tensor<1x8x4x4xf32, #layout.physical<NHWC>>
func.func @main() {
  %x = graph.load @x : tensor<1x8x6x6xf32, #layout.physical<NHWC>>
  %r = graph.load @r : tensor<1x8x4x4xf32, #layout.physical<NHWC>>
  %h = graph.literal dense<0.5> : tensor<f32> : tensor<f32>
  %y = graph.fused(%x, %h, %r) {
  ^bb0(%a: tensor<1x8x6x6xf32, #layout.physical<NHWC>>, %b: tensor<f32>, %c: tensor<1x8x4x4xf32, #layout.physical<NHWC>>):
    %0 = graph.avg_pool %a {kernel_shape = array<i64: 3, 3>, count_include_pad} : (tensor<1x8x6x6xf32, #layout.physical<NHWC>>) -> tensor<1x8x4x4xf32, #layout.physical<NHWC>>
    %1 = graph.mul %0, %b : (tensor<1x8x4x4xf32, #layout.physical<NHWC>>, tensor<f32>) -> tensor<1x8x4x4xf32, #layout.physical<NHWC>>
    %2 = graph.add %1, %c : (tensor<1x8x4x4xf32, #layout.physical<NHWC>>, tensor<1x8x4x4xf32, #layout.physical<NHWC>>) -> tensor<1x8x4x4xf32, #layout.physical<NHWC>>
    graph.yield %2 : tensor<1x8x4x4xf32, #layout.physical<NHWC>>
  } : (tensor<1x8x6x6xf32, #layout.physical<NHWC>>, tensor<f32>, tensor<1x8x4x4xf32, #layout.physical<NHWC>>) -> tensor<1x8x4x4xf32, #layout.physical<NHWC>>
  graph.save @y, %y : tensor<1x8x4x4xf32, #layout.physical<NHWC>>
  func.return
}
