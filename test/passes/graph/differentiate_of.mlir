// RUN: glow-opt %s -p 'differentiate{of=1 values=true}' | filecheck %s
// RUN: not glow-opt %s -p 'differentiate{of=2}' 2>&1 | filecheck %s --check-prefix INTEGERS
// RUN: not glow-opt %s -p 'differentiate{of=7}' 2>&1 | filecheck %s --check-prefix RANGE

// INTEGERS: expected an argument of floats, got number 2 of type tensor<3xi64>
// RANGE: expected an argument of @main from 0 to 2, got 7

// CHECK-LABEL: func.func @main_gradient(
// CHECK-SAME:    -> (tensor<3xf32>, tensor<3xf32>)
// CHECK:         [[Y:%.*]] = graph.mul %x, %w
// CHECK:         [[G:%.*]] = graph.mul %0, %x
// CHECK:         func.return [[Y]], [[G]]
func.func @main(%x: tensor<3xf32>, %w: tensor<3xf32>, %i: tensor<3xi64>) -> tensor<3xf32> {
  %y = graph.mul %x, %w : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}
