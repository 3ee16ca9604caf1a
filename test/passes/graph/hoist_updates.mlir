// RUN: glow-opt %s -p hoist-updates --split-input-file | filecheck %s

// Both gradients would be alive at the end: the first update is put behind the first
// gradient, with the literal that it needs.
// CHECK-LABEL: func.func @main
// CHECK:         [[G:%.*]] = graph.matmul %x, %u
// CHECK-NEXT:    [[R:%.*]] = graph.literal
// CHECK-NEXT:    [[S:%.*]] = graph.mul [[G]], [[R]]
// CHECK-NEXT:    [[W:%.*]] = graph.sub %w, [[S]]
// CHECK-NEXT:    [[H:%.*]] = graph.matmul %u, %x
// CHECK-NEXT:    [[T:%.*]] = graph.mul [[H]], [[R]]
// CHECK-NEXT:    [[V:%.*]] = graph.sub %v, [[T]]
// CHECK-NEXT:    graph.save @w, [[W]]
// CHECK-NEXT:    graph.save @v, [[V]]
graph.placeholder @x "in" : tensor<8x8xf32>
graph.placeholder @u "in" : tensor<8x8xf32>
graph.placeholder @w "inout" : tensor<8x8xf32>
graph.placeholder @v "inout" : tensor<8x8xf32>
func.func @main() {
  %x = graph.load @x : tensor<8x8xf32>
  %u = graph.load @u : tensor<8x8xf32>
  %w = graph.load @w : tensor<8x8xf32>
  %v = graph.load @v : tensor<8x8xf32>
  %g = graph.matmul %x, %u : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %h = graph.matmul %u, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = graph.literal dense<0.5> : tensor<f32> : tensor<f32>
  %s = graph.mul %g, %r : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %t = graph.mul %h, %r : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %w1 = graph.sub %w, %s : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %v1 = graph.sub %v, %t : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  graph.save @w, %w1 : tensor<8x8xf32>
  graph.save @v, %v1 : tensor<8x8xf32>
  func.return
}

// -----

// A later product reads @w as it was: what replaces it is computed behind that.
// CHECK-LABEL: func.func @main
// CHECK:         graph.matmul %x, %x
// CHECK-NEXT:    [[H:%.*]] = graph.matmul %x, %w
// CHECK-NEXT:    graph.sub %w
// CHECK-NEXT:    [[K:%.*]] = graph.matmul [[H]], %x
// CHECK-NEXT:    [[L:%.*]] = graph.matmul [[H]], [[K]]
// CHECK-NEXT:    graph.sub %v, [[L]]
graph.placeholder @x "in" : tensor<8x8xf32>
graph.placeholder @w "inout" : tensor<8x8xf32>
graph.placeholder @v "inout" : tensor<8x8xf32>
func.func @main() {
  %x = graph.load @x : tensor<8x8xf32>
  %w = graph.load @w : tensor<8x8xf32>
  %v = graph.load @v : tensor<8x8xf32>
  %g = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %h = graph.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %k = graph.matmul %h, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %l = graph.matmul %h, %k : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %w1 = graph.sub %w, %g : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %v1 = graph.sub %v, %l : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  graph.save @w, %w1 : tensor<8x8xf32>
  graph.save @v, %v1 : tensor<8x8xf32>
  func.return
}

// -----

// What would be free earlier is less than a sixteenth of what is alive at once.
// CHECK-LABEL: func.func @main
// CHECK:         graph.reduce_sum %x
// CHECK-NEXT:    graph.matmul
// CHECK-NEXT:    graph.matmul
// CHECK-NEXT:    graph.sub
graph.placeholder @x "in" : tensor<32x32xf32>
graph.placeholder @w "inout" : tensor<32xf32>
graph.placeholder @y "out" : tensor<32x32xf32>
func.func @main() {
  %x = graph.load @x : tensor<32x32xf32>
  %w = graph.load @w : tensor<32xf32>
  %g = graph.reduce_sum %x {axes = array<i64: 0>} : (tensor<32x32xf32>) -> tensor<32xf32>
  %h = graph.matmul %x, %x : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %y = graph.matmul %h, %x : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %w1 = graph.sub %w, %g : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
  graph.save @w, %w1 : tensor<32xf32>
  graph.save @y, %y : tensor<32x32xf32>
  func.return
}
