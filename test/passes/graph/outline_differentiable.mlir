// RUN: glow-opt %s --split-input-file -p 'outline-differentiable' --verify-diagnostics | filecheck %s
// RUN: glow-opt %s --split-input-file -p 'outline-differentiable{least=3}' --verify-diagnostics | filecheck %s --check-prefix LEAST

// What comes before and behind an op without a gradient are two functions; the branch
// beside it joins the first.
// CHECK-LABEL: func.func @main(
// CHECK:         [[P:%.*]], [[Q:%.*]] = func.call @main_part(%x)
// CHECK-NEXT:    [[B:%.*]] = graph.bitcast [[P]]
// CHECK-NEXT:    [[Y:%.*]] = func.call @main_part_1([[B]], [[Q]])
// CHECK-NEXT:    func.return [[Y]]
// CHECK-DAG:   func.func private @main_part(
// CHECK-DAG:   func.func private @main_part_gradient(
// CHECK-DAG:   func.func private @main_part_1(
// CHECK-DAG:   func.func private @main_part_1_gradient(
// LEAST-LABEL: func.func @main(
// LEAST:         func.call @main_part(
// LEAST:         graph.bitcast
// LEAST:         graph.neg
// LEAST:         graph.add
// LEAST-NOT:   @main_part_1
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = graph.exp %x : (tensor<3xf32>) -> tensor<3xf32>
  %1 = graph.bitcast %0 {to = f32} : (tensor<3xf32>) -> tensor<3xf32>
  %2 = graph.neg %1 : (tensor<3xf32>) -> tensor<3xf32>
  %3 = graph.tanh %x : (tensor<3xf32>) -> tensor<3xf32>
  %4 = graph.mul %3, %3 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %5 = graph.add %2, %4 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  func.return %5 : tensor<3xf32>
}

// -----
// CHECK: expected a function to outline out of @other, got @main
// LEAST: expected a function to outline out of @other, got @main
func.func @other(%x: tensor<3xf32>) -> tensor<3xf32> {
  func.return %x : tensor<3xf32>
}
