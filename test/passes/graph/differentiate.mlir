// RUN: glow-opt %s --split-input-file -p 'differentiate{function=f}' --verify-diagnostics | filecheck %s

// A value that two ops use has the sum of what both say.
// CHECK-LABEL: func.func @f_gradient(%x: tensor<2x3xf32>, %0: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK:         [[Y:%.*]] = graph.exp %x
// CHECK:         [[A:%.*]] = graph.mul %0, [[Y]]
// CHECK:         [[S:%.*]] = graph.add
// CHECK:         func.return [[S]]
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %a = graph.exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %b = graph.add %a, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %b : tensor<2x3xf32>
}

// -----
// What was broadcast is summed; the first function stays.
// CHECK-LABEL: func.func @f(
// CHECK:       func.func @f_gradient(%x: tensor<2x3xf32>, %b: tensor<3xf32>, %0: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
// CHECK:         [[B:%.*]] = graph.reduce_sum %0 {axes = array<i64: 0>}
// CHECK:         func.return %0, [[B]]
func.func @f(%x: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %y = graph.add %x, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}

// -----
// Integers have no gradient, and an argument that no result depends on has 0.
// CHECK-LABEL: func.func @f_gradient(%x: tensor<3xf32>, %i: tensor<2xi64>, %n: tensor<4xf32>, %0: tensor<2xf32>) -> (tensor<3xf32>, tensor<4xf32>)
// CHECK:         graph.scatter_nd {{.*}} {reduction = "add"}
func.func @f(%x: tensor<3xf32>, %i: tensor<2xi64>, %n: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>) {
  %y = graph.gather %x, %i : (tensor<3xf32>, tensor<2xi64>) -> tensor<2xf32>
  func.return %y, %i : tensor<2xf32>, tensor<2xi64>
}

// -----
// What the gradients do not use is not computed.
// CHECK-LABEL: func.func @f_gradient(
// CHECK-NOT:     graph.tanh
// CHECK:         func.return
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = graph.neg %x : (tensor<3xf32>) -> tensor<3xf32>
  %z = graph.tanh %x : (tensor<3xf32>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}

// -----
// CHECK: cannot differentiate graph.bitcast: it reads bits as those of another type; the way from it to the results is graph.bitcast ({{.*}}) -> graph.neg
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %b = graph.bitcast %x {to = f32} : (tensor<3xf32>) -> tensor<3xf32>
  %y = graph.neg %b : (tensor<3xf32>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}

// -----
// CHECK: expected a function to differentiate out of @g, got @f
func.func @g(%x: tensor<3xf32>) -> tensor<3xf32> {
  func.return %x : tensor<3xf32>
}

// -----
// Of a call it is the gradient of what the function does.
// CHECK-LABEL: func.func @f_gradient(
// CHECK:         [[C:%.*]] = graph.cos %x
// CHECK:         [[G:%.*]] = graph.mul %0, [[C]]
// CHECK:         func.return [[G]]
func.func private @wave(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = graph.sin %x : (tensor<3xf32>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = func.call @wave(%x) : (tensor<3xf32>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}
