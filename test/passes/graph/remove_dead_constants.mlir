// RUN: glow-opt %s -p remove-dead-constants | filecheck %s

// CHECK-NOT:  @unread
// CHECK-NOT:  @read_for_nothing
// CHECK:      graph.constant @read #graph
// CHECK-NEXT: graph.placeholder @unread_input
graph.constant @unread #graph.resource<"0000000000000000000000000000000000000000000000000000000000000000"> : tensor<2xf32>
graph.constant @read_for_nothing #graph.resource<"0000000000000000000000000000000000000000000000000000000000000000"> : tensor<2xf32>
graph.constant @read #graph.resource<"0000000000000000000000000000000000000000000000000000000000000000"> : tensor<2xf32>
graph.placeholder @unread_input "in" : tensor<2xf32>

// CHECK-LABEL: @main
// CHECK-NEXT:    %b = graph.load @read : tensor<2xf32>
// CHECK-NEXT:    func.return %b
func.func @main() -> tensor<2xf32> {
  %a = graph.load @read_for_nothing : tensor<2xf32>
  %b = graph.load @read : tensor<2xf32>
  func.return %b : tensor<2xf32>
}

// CHECK:     func.func private @called
// CHECK-NOT: func.func private @uncalled
// CHECK-NOT: @only_from_there
func.func @calling(%n: tensor<i64>) -> tensor<i64> {
  %y = graph.loop @called limit %n : tensor<i64> carries (%n : tensor<i64>) -> tensor<i64>
  func.return %y : tensor<i64>
}
func.func private @called(%i: tensor<i64>, %n: tensor<i64>) -> tensor<i64> {
  func.return %n : tensor<i64>
}
func.func private @uncalled(%i: tensor<i64>, %n: tensor<i64>) -> tensor<i64> {
  %y = graph.loop @only_from_there limit %n : tensor<i64> carries (%n : tensor<i64>) -> tensor<i64>
  func.return %y : tensor<i64>
}
func.func private @only_from_there(%i: tensor<i64>, %n: tensor<i64>) -> tensor<i64> {
  func.return %n : tensor<i64>
}
