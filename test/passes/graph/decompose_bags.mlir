// RUN: glow-opt %s -p decompose-bags | filecheck %s

// CHECK-LABEL: @last_axis_is_a_bag(
// CHECK:         [[R:%.*]] = graph.gather %t, %i
// CHECK-NEXT:    [[S:%.*]] = graph.reduce_sum [[R]] {axes = array<i64: 1>}
// CHECK-NEXT:    func.return [[S]]
func.func @last_axis_is_a_bag(%t: tensor<9x4xf32>, %i: tensor<2x3xi64>) -> tensor<2x4xf32> {
  %y = graph.embedding_bag %t, %i : (tensor<9x4xf32>, tensor<2x3xi64>) -> tensor<2x4xf32>
  func.return %y : tensor<2x4xf32>
}

// CHECK-LABEL: @bags_by_length(
// CHECK:         graph.cumsum %l
// CHECK:         graph.scatter_nd {{.*}} {reduction = "add"} : (tensor<3x4xf32>
// CHECK:         graph.div
func.func @bags_by_length(%t: tensor<9x4xf32>, %i: tensor<5xi64>, %l: tensor<2xi64>) -> tensor<2x4xf32> {
  %y = graph.sparse_lengths_sum %t, %i lengths %l {mode = "mean"} : (tensor<9x4xf32>, tensor<5xi64>, tensor<2xi64>) -> tensor<2x4xf32>
  func.return %y : tensor<2x4xf32>
}

// What is padding is in no bag, whose maximum is 0 if nothing is.
// CHECK-LABEL: @padding(
// CHECK:         graph.equal %i
// CHECK:         graph.reduce_max
// CHECK:         graph.where
func.func @padding(%t: tensor<9x4xf32>, %i: tensor<2x3xi64>) -> tensor<2x4xf32> {
  %y = graph.embedding_bag %t, %i {mode = "max", padding_idx = 1 : i64} : (tensor<9x4xf32>, tensor<2x3xi64>) -> tensor<2x4xf32>
  func.return %y : tensor<2x4xf32>
}
