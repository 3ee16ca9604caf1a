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
// CHECK:         memory.gather_nd ins(%x : memref<2x8x4xf32>, %i : memref<2x3x1xi64>) outs(%y : memref<2x3x4xf32>) {batch_dims = 1 : i64}
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
