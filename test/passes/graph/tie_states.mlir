// RUN: glow-opt %s -p 'tie-states{outputs=present,"n 2" inputs=past,"n 1"}' | filecheck %s
// RUN: not glow-opt %s -p 'tie-states{outputs=past,y,y,present inputs=z,wide,past,past}' 2>&1 | filecheck %s --check-prefix BAD
// RUN: not glow-opt %s -p 'tie-states{outputs=y inputs=wide,past}' 2>&1 | filecheck %s --check-prefix COUNT
// RUN: not glow-opt %s -p 'tie-states{outputs=kept inputs=kept}' 2>&1 | filecheck %s --check-prefix KEPT

// CHECK-NEXT: builtin.module
// CHECK-NEXT:   graph.placeholder @past "inout" "resident" initial #graph.resource<"{{[0-9a-f]*}}"> : tensor<2x3xf32>
// CHECK-NEXT:   graph.placeholder @wide "in" : tensor<3x3xf32>
// CHECK-NEXT:   graph.placeholder @"n 1" "inout" "resident" initial #graph.resource<"{{[0-9a-f]*}}"> : tensor<1xi64>
// CHECK-NEXT:   graph.placeholder @y "out" : tensor<2x3xf32>
// CHECK-NEXT:   graph.placeholder @kept "inout" : tensor<2x3xf32>
// CHECK-NEXT:   func.func @main
// CHECK:          graph.save @y, %{{.*}} : tensor<2x3xf32>
// CHECK-NEXT:     graph.save @past, %{{.*}} : tensor<2x3xf32>
// CHECK-NEXT:     graph.save @"n 1", %{{.*}} : tensor<1xi64>

// BAD: states: expected an output out of "y", "present", "n 2", got "past"; states: expected each output once, got "y" 2 times; states: expected an input out of "past", "wide", "n 1", got "z"; states: expected each input once, got "past" 2 times; states: expected output "y" of the type of input "wide", tensor<3x3xf32>, got tensor<2x3xf32>
// COUNT: expected an input for each output, got 1 outputs and 2 inputs
// KEPT: states: expected an output out of "y", "present", "n 2", got "kept"; states: expected an input out of "past", "wide", "n 1", got "kept"
graph.placeholder @past "in" : tensor<2x3xf32>
graph.placeholder @wide "in" : tensor<3x3xf32>
graph.placeholder @"n 1" "in" : tensor<1xi64>
graph.placeholder @y "out" : tensor<2x3xf32>
graph.placeholder @present "out" : tensor<2x3xf32>
graph.placeholder @"n 2" "out" : tensor<1xi64>
graph.placeholder @kept "inout" : tensor<2x3xf32>
func.func @main() {
  %p = graph.load @past : tensor<2x3xf32>
  %w = graph.load @wide : tensor<3x3xf32>
  %n = graph.load @"n 1" : tensor<1xi64>
  %k = graph.load @kept : tensor<2x3xf32>
  %0 = graph.matmul %p, %w : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %1 = graph.add %p, %k : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = graph.add %n, %n : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  graph.save @y, %0 : tensor<2x3xf32>
  graph.save @present, %1 : tensor<2x3xf32>
  graph.save @"n 2", %2 : tensor<1xi64>
  graph.save @kept, %1 : tensor<2x3xf32>
  func.return
}
