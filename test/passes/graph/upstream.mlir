// RUN: glow-opt %s -p cse,dce | filecheck %s
// RUN: glow-opt %s -p canonicalize,cse | filecheck %s

// What xDSL's own passes do with ops of the graph dialect.
graph.placeholder @x "in" : tensor<2xf32>
graph.placeholder @y "out" : tensor<2xf32>

// CHECK-LABEL: @main
// CHECK-NEXT:    [[X:%.*]] = graph.load @x
// CHECK-NEXT:    [[A:%.*]] = graph.leaky_relu [[X]] :
// CHECK-NEXT:    [[B:%.*]] = graph.leaky_relu [[X]] {alpha = 2.000000e-01 : f64}
// CHECK-NEXT:    [[C:%.*]] = graph.add [[A]], [[A]]
// CHECK-NEXT:    [[D:%.*]] = graph.add [[C]], [[B]]
// CHECK-NEXT:    graph.save @y, [[D]]
// CHECK-NEXT:    func.return
func.func @main() {
  %0 = graph.load @x : tensor<2xf32>
  %1 = graph.load @x : tensor<2xf32>
  %2 = graph.leaky_relu %0 : (tensor<2xf32>) -> tensor<2xf32>
  %3 = graph.leaky_relu %1 {alpha = 0.01} : (tensor<2xf32>) -> tensor<2xf32>
  %4 = graph.leaky_relu %1 {alpha = 0.2} : (tensor<2xf32>) -> tensor<2xf32>
  %5 = graph.add %2, %3 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %6 = graph.add %5, %4 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %7 = graph.exp %6 : (tensor<2xf32>) -> tensor<2xf32>
  graph.save @y, %6 : tensor<2xf32>
  func.return
}
