// RUN: glow-opt %s --split-input-file --verify-diagnostics -p graph-to-memory | filecheck %s

// CHECK: expected factors with one order along what is summed, got memref<1x6xf32, #layout.physical<[0, 1:3, 1:?:3]>>, memref<6x16xf32, #layout.physical<NK16n>>
graph.placeholder @a "in" : tensor<1x6xf32, #layout.physical<[0, 1:3, 1:?:3]>>
graph.placeholder @b "in" : tensor<6x16xf32, #layout.physical<NK16n>>
graph.placeholder @y "out" : tensor<1x16xf32>
func.func @main() {
  %a = graph.load @a : tensor<1x6xf32, #layout.physical<[0, 1:3, 1:?:3]>>
  %b = graph.load @b : tensor<6x16xf32, #layout.physical<NK16n>>
  %y = graph.matmul %a, %b : (tensor<1x6xf32, #layout.physical<[0, 1:3, 1:?:3]>>, tensor<6x16xf32, #layout.physical<NK16n>>) -> tensor<1x16xf32>
  graph.save @y, %y : tensor<1x16xf32>
  func.return
}
