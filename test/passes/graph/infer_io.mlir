// RUN: glow-opt %s -p infer-io,verify-symbols | filecheck %s

// CHECK:      graph.placeholder @read "in" : tensor<2xf32>
// CHECK-NEXT: graph.placeholder @written "out" : tensor<2xf32>
// CHECK-NEXT: graph.placeholder @both "inout" : tensor<2xf32>
// CHECK-NEXT: graph.placeholder @unused "in" : tensor<2xf32>
graph.placeholder @read "out" : tensor<2xf32>
graph.placeholder @written "in" : tensor<2xf32>
graph.placeholder @both "in" : tensor<2xf32>
graph.placeholder @unused "in" : tensor<2xf32>

func.func @main() {
  %0 = graph.load @read : tensor<2xf32>
  %1 = graph.load @both : tensor<2xf32>
  graph.save @written, %0 : tensor<2xf32>
  graph.save @both, %1 : tensor<2xf32>
  func.return
}
