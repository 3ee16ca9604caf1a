// RUN: glow-opt %s --split-input-file -p graph-to-memory,coalesce-copies | filecheck %s

// Readers of the old value, also through a view or to save it, come before what makes
// the new one, and what they need comes along.
// CHECK-LABEL: @main
// CHECK:         [[N:%.*]] = memory.get @n
// CHECK:         memory.elementwise {{.*}} outs([[A:%.*]] :
// CHECK:         memory.elementwise ins([[A]], %{{.*}} : {{.*}}) outs(
// CHECK:         memory.copy ins([[N]] : {{.*}}) outs(
// CHECK:         memory.elementwise ins([[N]] : {{.*}}) outs([[N]] :
// CHECK:         memory.elementwise ins([[N]] : {{.*}}) outs(
// CHECK-NOT:     memory.copy
graph.placeholder @n "inout" : tensor<2x3xf32>
graph.placeholder @x "in" : tensor<3x2xf32>
graph.placeholder @old "out" : tensor<2x3xf32>
graph.placeholder @y "out" : tensor<3x2xf32>
graph.placeholder @z "out" : tensor<2x3xf32>
func.func @main() {
  %n = graph.load @n : tensor<2x3xf32>
  %x = graph.load @x : tensor<3x2xf32>
  %0 = graph.neg %n : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = graph.exp %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = graph.exp %x : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %3 = graph.transpose %n {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %4 = graph.add %2, %3 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  graph.save @z, %1 : tensor<2x3xf32>
  graph.save @y, %4 : tensor<3x2xf32>
  graph.save @n, %0 : tensor<2x3xf32>
  graph.save @old, %n : tensor<2x3xf32>
  func.return
}

// -----

// A reader of the old value that needs the new one, too: this one is copied at the end.
// CHECK-LABEL: @main
// CHECK:         [[N:%.*]] = memory.get @n
// CHECK:         memory.elementwise ins([[N]] : {{.*}}) outs([[T:%.*]] :
// CHECK:         memory.elementwise ins([[T]], [[N]] :
// CHECK:         memory.copy ins([[T]] : {{.*}}) outs([[N]] :
graph.placeholder @n "inout" : tensor<2xf32>
graph.placeholder @y "out" : tensor<2xf32>
func.func @main() {
  %n = graph.load @n : tensor<2xf32>
  %0 = graph.neg %n : (tensor<2xf32>) -> tensor<2xf32>
  %1 = graph.mul %0, %n : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  graph.save @y, %1 : tensor<2xf32>
  graph.save @n, %0 : tensor<2xf32>
  func.return
}

// -----

// Each of two is to come before the other: one is updated in place, one is not.
// CHECK-LABEL: @main
// CHECK:         [[A:%.*]] = memory.get @a
// CHECK:         [[B:%.*]] = memory.get @b
// CHECK:         memory.elementwise ins([[A]], [[B]] : {{.*}}) outs([[T:%.*]] :
// CHECK:         memory.elementwise ins([[A]], [[B]] : {{.*}}) outs([[A]] :
// CHECK:         memory.copy ins([[T]] : {{.*}}) outs([[B]] :
// CHECK-NOT:     memory.copy
graph.placeholder @a "inout" : tensor<2xf32>
graph.placeholder @b "inout" : tensor<2xf32>
func.func @main() {
  %a = graph.load @a : tensor<2xf32>
  %b = graph.load @b : tensor<2xf32>
  %0 = graph.add %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  graph.save @a, %0 : tensor<2xf32>
  graph.save @b, %1 : tensor<2xf32>
  func.return
}
