// RUN: glow-opt %s --split-input-file -p graph-to-memory | filecheck %s

// A global pool is a reduction; a reduction without kept axes writes through a view.
// CHECK-LABEL: @main
// CHECK:         memory.pool ins(%{{.*}}) outs(%{{.*}} : memref<1x4x4x4xf32>) {kind = "max"
// CHECK:         memory.reduce ins(%{{.*}}) outs(%{{.*}} : memref<1x4x1x1xf32>) {kind = "mean", axes = array<i64: 2, 3>}
// CHECK:         memory.view %{{.*}} : memref<1x4xf32> -> memref<1x4x1x1xf32, strided<[4, 1, 0, 0]>>
// CHECK:         memory.reduce ins(%{{.*}}) outs(%{{.*}}strided<[4, 1, 0, 0]>>) {kind = "sum", axes = array<i64: 2, 3>}
// CHECK:         memory.softmax ins(%{{.*}}) outs(%{{.*}}) {axis = 1 : i64}
// CHECK:         memory.arg_reduce {{.*}} {kind = "max", axis = 1 : i64}
graph.placeholder @x "in" : tensor<1x4x8x8xf32>
graph.placeholder @a "out" : tensor<1x4x1x1xf32>
graph.placeholder @b "out" : tensor<1x4xf32>
graph.placeholder @c "out" : tensor<1x1xi64>
func.func @main() {
  %x = graph.load @x : tensor<1x4x8x8xf32>
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  %1 = graph.global_avg_pool %0 : (tensor<1x4x4x4xf32>) -> tensor<1x4x1x1xf32>
  %2 = graph.reduce_sum %0 {axes = array<i64: 2, 3>} : (tensor<1x4x4x4xf32>) -> tensor<1x4xf32>
  %3 = graph.softmax %2 {axis = -1 : i64} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %4 = graph.arg_max %3 {axis = 1 : i64, keepdims} : (tensor<1x4xf32>) -> tensor<1x1xi64>
  graph.save @a, %1 : tensor<1x4x1x1xf32>
  graph.save @b, %3 : tensor<1x4xf32>
  graph.save @c, %4 : tensor<1x1xi64>
  func.return
}
