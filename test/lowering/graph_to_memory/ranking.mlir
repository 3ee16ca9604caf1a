// RUN: glow-opt %s -p graph-to-memory | filecheck %s

// A heap is as long as k; an absent result has no buffer.
// CHECK-LABEL: @main
// CHECK:         [[H:%.*]] = memory.alloc : memref<3xf32>
// CHECK:         [[P:%.*]] = memory.alloc : memref<3xi64>
// CHECK-NOT:     memory.alloc
// CHECK:         memory.top_k ins(%{{.*}} : memref<2x8xf32>) outs(indices %{{.*}} : memref<2x3xi64>) scratch([[H]], [[P]] : {{.*}}) {axis = 1 : i64, largest}
graph.placeholder @x "in" : tensor<2x8xf32>
graph.placeholder @i "out" : tensor<2x3xi64>
func.func @main() {
  %x = graph.load @x : tensor<2x8xf32>
  %i = graph.top_k %x {k = 3 : i64, largest} : tensor<2x8xf32> indices tensor<2x3xi64>
  graph.save @i, %i : tensor<2x3xi64>
  func.return
}
