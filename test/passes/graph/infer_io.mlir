// RUN: glow-opt %s -p infer-io,verify-symbols --split-input-file --verify-diagnostics | filecheck %s

// What is not said is found; what is read and written stays in bindings.
// CHECK:      graph.placeholder @read "in" : tensor<2xf32>
// CHECK-NEXT: graph.placeholder @written "out" : tensor<2xf32>
// CHECK-NEXT: graph.placeholder @both "inout" "resident" : tensor<2xf32>
// CHECK-NEXT: graph.placeholder @unused "in" : tensor<2xf32>
// CHECK-NEXT: graph.placeholder @weights "in" "resident" : tensor<2xf32>
// CHECK-NEXT: graph.placeholder @counter "inout" "resident" : tensor<2xf32>
// CHECK-NEXT: graph.placeholder @private "out" "scratch" : tensor<2xf32>
graph.placeholder @read : tensor<2xf32>
graph.placeholder @written : tensor<2xf32>
graph.placeholder @both : tensor<2xf32>
graph.placeholder @unused : tensor<2xf32>
graph.placeholder @weights "resident" : tensor<2xf32>
graph.placeholder @counter "resident" : tensor<2xf32>
graph.placeholder @private "scratch" : tensor<2xf32>

func.func @main() {
  %0 = graph.load @read : tensor<2xf32>
  %1 = graph.load @both : tensor<2xf32>
  %2 = graph.load @counter : tensor<2xf32>
  %3 = graph.load @weights : tensor<2xf32>
  graph.save @written, %0 : tensor<2xf32>
  graph.save @both, %1 : tensor<2xf32>
  graph.save @counter, %3 : tensor<2xf32>
  graph.save @private, %2 : tensor<2xf32>
  func.return
}

// -----

// What is said stays: an update that the caller passes and takes, an input that
// nothing reads, one of both kinds that is only written.
// CHECK:      graph.placeholder @both "inout" : tensor<2xf32>
// CHECK-NEXT: graph.placeholder @unread "in" : tensor<2xf32>
// CHECK-NEXT: graph.placeholder @overwritten "inout" : tensor<2xf32>
graph.placeholder @both "inout" : tensor<2xf32>
graph.placeholder @unread "in" : tensor<2xf32>
graph.placeholder @overwritten "inout" : tensor<2xf32>
func.func @main() {
  %0 = graph.load @both : tensor<2xf32>
  graph.save @both, %0 : tensor<2xf32>
  graph.save @overwritten, %0 : tensor<2xf32>
  func.return
}

// -----

// Read in one function, written in the other.
// CHECK: graph.placeholder @weights "inout" "resident" : tensor<2xf32>
graph.placeholder @weights : tensor<2xf32>
func.func @use() {
  %0 = graph.load @weights : tensor<2xf32>
  func.return
}
func.func @update(%v: tensor<2xf32>) {
  graph.save @weights, %v : tensor<2xf32>
  func.return
}

// -----

// CHECK: graph.save @x at two writes to graph.placeholder @x at one, which is "in"
graph.placeholder @x "in" : tensor<2xf32> loc("one")
func.func @save_of_an_input(%v: tensor<2xf32>) {
  graph.save @x, %v : tensor<2xf32> loc("two")
  func.return
}

// -----

// CHECK: graph.load @y at two reads graph.placeholder @y at one, which is "out"; graph.load @z at three reads graph.placeholder @z at four, which is "out"
graph.placeholder @y "out" : tensor<2xf32> loc("one")
graph.placeholder @z "out" : tensor<2xf32> loc("four")
func.func @loads_of_outputs() {
  %y = graph.load @y : tensor<2xf32> loc("two")
  %z = graph.load @z : tensor<2xf32> loc("three")
  graph.save @y, %y : tensor<2xf32>
  graph.save @z, %z : tensor<2xf32>
  func.return
}

// -----

// CHECK: graph.placeholder @y at one is "out" but nothing saves it
graph.placeholder @y "out" : tensor<2xf32> loc("one")
func.func @no_save() {
  func.return
}

// -----

// CHECK: graph.save @x at two writes to graph.placeholder @x at one, which is "bound"
graph.placeholder @x "bound" initial #graph.resource<"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"> : tensor<2xf32> loc("one")
func.func @save_of_a_bound_one(%v: tensor<2xf32>) {
  graph.save @x, %v : tensor<2xf32> loc("two")
  func.return
}

// -----

// CHECK: graph.load @x at two reads graph.placeholder @x at one, which is "scratch"
graph.placeholder @x "scratch" : tensor<2xf32> loc("one")
func.func @load_of_a_scratch() {
  %x = graph.load @x : tensor<2xf32> loc("two")
  func.return
}

// -----

// CHECK: graph.save @x at two writes to graph.placeholder @x at one, which is "resident" but nothing reads it
graph.placeholder @x "resident" : tensor<2xf32> loc("one")
func.func @save_of_what_nothing_reads(%v: tensor<2xf32>) {
  graph.save @x, %v : tensor<2xf32> loc("two")
  func.return
}

// -----

// All at once, also what is no matter of directions.
// CHECK: graph.save @x at one writes to graph.placeholder @x at declared, which is "in"; graph.load @z at two names no placeholder or constant of the module; graph.save @y at three expected tensor<2xf32> as graph.placeholder @y at declared, got tensor<3xf32>; graph.load @y at four follows graph.save @y at three, use the saved value instead; graph.save @n at five writes to graph.placeholder @n at declared, which is "resident" but nothing reads it; graph.placeholder @out at declared is "out" but nothing saves it
graph.placeholder @x "in" : tensor<2xf32> loc("declared")
graph.placeholder @y : tensor<2xf32> loc("declared")
graph.placeholder @n "resident" : tensor<2xf32> loc("declared")
graph.placeholder @out "out" : tensor<2xf32> loc("declared")
func.func @all_at_once(%v: tensor<2xf32>, %w: tensor<3xf32>) {
  graph.save @x, %v : tensor<2xf32> loc("one")
  %z = graph.load @z : tensor<2xf32> loc("two")
  graph.save @y, %w : tensor<3xf32> loc("three")
  %y = graph.load @y : tensor<2xf32> loc("four")
  graph.save @n, %v : tensor<2xf32> loc("five")
  func.return
}
