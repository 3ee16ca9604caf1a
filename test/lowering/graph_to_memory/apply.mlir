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
