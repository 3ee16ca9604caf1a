// RUN: glow-opt %s -p graph-to-memory | filecheck %s

// A row alone is a bag of one; offsets, lengths and weights go where they are, and what
// is absent stays absent.
// CHECK-LABEL: @main
// CHECK:         [[B:%.*]] = memory.view %{{.*}} : memref<2x3xi64> -> memref<2x3x1xi64, strided<[3, 1, 1]>>
// CHECK:         memory.embedding_bag ins(%{{.*}}, [[B]] : memref<9x8xf32>, memref<2x3x1xi64, strided<[3, 1, 1]>>) outs(%{{.*}} : memref<2x3x8xf32>) {kind = "max", padding_idx = 0 : i64}
// CHECK:         memory.embedding_bag ins(%{{.*}}, %{{.*}} : memref<9x8xf32>, memref<2x3xi64>) outs(%{{.*}} : memref<2x8xf32>) {kind = "mean"}
// CHECK:         memory.embedding_bag ins(%{{.*}}, %{{.*}} : memref<9x8xf32>, memref<6xi64> offsets %{{.*}} : memref<2xi64>) outs(%{{.*}} : memref<1x8xf32>) {kind = "sum", include_last_offset}
// CHECK:         memory.embedding_bag ins(%{{.*}}, %{{.*}} : memref<9x8xf32>, memref<6xi64> lengths %{{.*}} : memref<2xi64> weights %{{.*}} : memref<6xf32>) outs(%{{.*}} : memref<2x8xf32>) {kind = "sum"}
graph.placeholder @t "in" : tensor<9x8xf32>
graph.placeholder @i "in" : tensor<2x3xi64>
graph.placeholder @j "in" : tensor<6xi64>
graph.placeholder @o "in" : tensor<2xi64>
graph.placeholder @w "in" : tensor<6xf32>
graph.placeholder @a "out" : tensor<2x3x8xf32>
graph.placeholder @b "out" : tensor<2x8xf32>
graph.placeholder @c "out" : tensor<1x8xf32>
graph.placeholder @d "out" : tensor<2x8xf32>
func.func @main() {
  %t = graph.load @t : tensor<9x8xf32>
  %i = graph.load @i : tensor<2x3xi64>
  %j = graph.load @j : tensor<6xi64>
  %o = graph.load @o : tensor<2xi64>
  %w = graph.load @w : tensor<6xf32>
  %a = graph.embedding %t, %i {padding_idx = 0 : i64} : (tensor<9x8xf32>, tensor<2x3xi64>) -> tensor<2x3x8xf32>
  %b = graph.embedding_bag %t, %i {mode = "mean"} : (tensor<9x8xf32>, tensor<2x3xi64>) -> tensor<2x8xf32>
  %c = graph.embedding_bag %t, %j offsets %o : tensor<2xi64> {include_last_offset} : (tensor<9x8xf32>, tensor<6xi64>) -> tensor<1x8xf32>
  %d = graph.sparse_lengths_sum %t, %j lengths %o weights %w : tensor<6xf32> : (tensor<9x8xf32>, tensor<6xi64>, tensor<2xi64>) -> tensor<2x8xf32>
  graph.save @a, %a : tensor<2x3x8xf32>
  graph.save @b, %b : tensor<2x8xf32>
  graph.save @c, %c : tensor<1x8xf32>
  graph.save @d, %d : tensor<2x8xf32>
  func.return
}
