// RUN: glow-opt %s --split-input-file -p graph-to-memory | filecheck %s

// Elements are picked by tuples of one: the axis comes last, what is beyond the indices
// is cut off.
// CHECK-LABEL: @main
// CHECK:         [[X:%.*]] = memory.view %{{.*}} : memref<5x8x4xf32> -> memref<2x4x8xf32, strided<[32, 1, 4]>>
// CHECK:         [[I:%.*]] = memory.view %{{.*}} : memref<2x3x4xi64> -> memref<2x4x3x1xi64, strided<[12, 1, 4, 1]>>
// CHECK:         [[Y:%.*]] = memory.view %{{.*}} : memref<2x3x4xf32> -> memref<2x4x3xf32, strided<[12, 1, 4]>>
// CHECK:         memory.gather_nd ins([[X]] : {{.*}}, [[I]] : {{.*}}) outs([[Y]] : {{.*}}) {batch_dims = 2 : i64}
graph.placeholder @x "in" : tensor<5x8x4xf32>
graph.placeholder @i "in" : tensor<2x3x4xi64>
graph.placeholder @y "out" : tensor<2x3x4xf32>
func.func @main() {
  %x = graph.load @x : tensor<5x8x4xf32>
  %i = graph.load @i : tensor<2x3x4xi64>
  %y = graph.gather_elements %x, %i {axis = 1 : i64} : (tensor<5x8x4xf32>, tensor<2x3x4xi64>) -> tensor<2x3x4xf32>
  graph.save @y, %y : tensor<2x3x4xf32>
  func.return
}

// -----

// CHECK-LABEL: @main
// CHECK-NOT:     memory.view
// CHECK:         memory.gather_nd ins(%{{.*}} : memref<2x8x4xf32>, %{{.*}} : memref<2x3x1xi64>) outs(%{{.*}} : memref<2x3x4xf32>) {batch_dims = 1 : i64}
graph.placeholder @x "in" : tensor<2x8x4xf32>
graph.placeholder @i "in" : tensor<2x3x1xi64>
graph.placeholder @y "out" : tensor<2x3x4xf32>
func.func @main() {
  %x = graph.load @x : tensor<2x8x4xf32>
  %i = graph.load @i : tensor<2x3x1xi64>
  %y = graph.gather_nd %x, %i {batch_dims = 1 : i64} : (tensor<2x8x4xf32>, tensor<2x3x1xi64>) -> tensor<2x3x4xf32>
  graph.save @y, %y : tensor<2x3x4xf32>
  func.return
}

// -----

// Data is copied first, then written to; without write indices a copy is all there is.
// CHECK-LABEL: @main
// CHECK:         memory.copy ins(%{{.*}} : {{.*}}) outs([[A:%.*]] : {{.*}})
// CHECK:         [[U:%.*]] = memory.view %{{.*}} : {{.*}} -> memref<8x2xf32, strided<[1, 8]>>
// CHECK:         [[V:%.*]] = memory.view [[A]] : {{.*}} -> memref<8x4xf32, strided<[1, 8]>>
// CHECK:         memory.scatter_nd ins(%{{.*}}, [[U]] : {{.*}}) inouts([[V]] : {{.*}}) {batch_dims = 1 : i64, kind = "add"}
// CHECK:         memory.copy ins(%{{.*}} : {{.*}}) outs([[B:%.*]] : {{.*}})
// CHECK:         [[P:%.*]] = memory.view [[B]] : memref<4x8xf32> -> memref<4x1xf32, strided<[8, 1]>>
// CHECK-NEXT:    memory.copy ins(%{{.*}} : {{.*}}) outs([[P]] : {{.*}})
// CHECK:         memory.copy ins(%{{.*}} : {{.*}}) outs([[C:%.*]] : {{.*}})
// CHECK-NEXT:    memory.tensor_scatter ins(%{{.*}} : {{.*}}, %{{.*}} : {{.*}}) inouts([[C]] : {{.*}}) {axis = 1 : i64, circular}
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
