// RUN: glow-opt %s -p graph-to-memory | filecheck %s

// A sum from the end is one from the front of what is seen from its end.
// CHECK-LABEL: @main
// CHECK:         memory.cumsum ins(%{{.*}} : memref<4x8xf32>) outs(%{{.*}} : memref<4x8xf32>) {axis = 1 : i64}
// CHECK:         [[X:%.*]] = memory.view %{{.*}} : memref<4x8xf32> -> memref<4x8xf32, strided<[8, -1], offset: 7>>
// CHECK:         [[Y:%.*]] = memory.view %{{.*}} : memref<4x8xf32> -> memref<4x8xf32, strided<[8, -1], offset: 7>>
// CHECK:         memory.cumsum ins([[X]] : {{.*}}) outs([[Y]] : {{.*}}) {axis = 1 : i64, exclusive}
// CHECK:         memory.trilu ins(%{{.*}} : memref<4x8xf32> diagonal %{{.*}} : memref<i64>) outs(%{{.*}} : memref<4x8xf32>) {upper}
graph.placeholder @x "in" : tensor<4x8xf32>
graph.placeholder @k "in" : tensor<i64>
graph.placeholder @a "out" : tensor<4x8xf32>
graph.placeholder @b "out" : tensor<4x8xf32>
graph.placeholder @c "out" : tensor<4x8xf32>
func.func @main() {
  %x = graph.load @x : tensor<4x8xf32>
  %k = graph.load @k : tensor<i64>
  %a = graph.cumsum %x {axis = -1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = graph.cumsum %x {axis = 1 : i64, exclusive, reverse} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %c = graph.trilu %x diagonal %k {upper} : (tensor<4x8xf32>, tensor<i64>) -> tensor<4x8xf32>
  graph.save @a, %a : tensor<4x8xf32>
  graph.save @b, %b : tensor<4x8xf32>
  graph.save @c, %c : tensor<4x8xf32>
  func.return
}
