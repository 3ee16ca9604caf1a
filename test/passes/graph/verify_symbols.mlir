// RUN: glow-opt %s -p verify-symbols --split-input-file --verify-diagnostics | filecheck %s

// CHECK-LABEL: builtin.module
// CHECK:         graph.save @y, %x
graph.placeholder @x "in" : tensor<2xf32>
graph.placeholder @unused "in" : tensor<2xf32>
graph.placeholder @state "inout" : tensor<2xf32>
graph.placeholder @y "out" : tensor<2xf32>
func.func @main() {
  %x = graph.load @x : tensor<2xf32>
  %again = graph.load @x : tensor<2xf32>
  %state = graph.load @state : tensor<2xf32>
  graph.save @y, %x : tensor<2xf32>
  graph.save @state, %state : tensor<2xf32>
  func.return
}

// Another function reads what was there before it ran.
func.func @other() {
  %state = graph.load @state : tensor<2xf32>
  func.return
}

// -----

// CHECK: graph.load @z at one names no placeholder or constant of the module
func.func @unknown() {
  %x = graph.load @z : tensor<2xf32> loc("one")
  func.return
}

// -----

// CHECK: graph.load @unknown at one expected a placeholder or constant, got func.func @unknown at {{.*}}:35
func.func @unknown() {
  %x = graph.load @unknown : tensor<2xf32> loc("one")
  func.return
}

// -----

// CHECK: graph.load @x at one expected tensor<2xf32> as graph.placeholder @x at declared, got tensor<3xf32>; graph.save @x at two expected tensor<2xf32> as graph.placeholder @x at declared, got tensor<2xi32>
graph.placeholder @x "inout" : tensor<2xf32> loc("declared")
func.func @types(%v: tensor<2xi32>) {
  %x = graph.load @x : tensor<3xf32> loc("one")
  graph.save @x, %v : tensor<2xi32> loc("two")
  func.return
}

// -----

// CHECK: graph.save @y at two writes again what graph.save @y at one wrote
graph.placeholder @y "out" : tensor<2xf32>
func.func @first(%v: tensor<2xf32>) {
  graph.save @y, %v : tensor<2xf32> loc("one")
  func.return
}
func.func @second(%v: tensor<2xf32>) {
  graph.save @y, %v : tensor<2xf32> loc("two")
  func.return
}

// -----

// CHECK: graph.save @w at one writes to graph.constant @w at declared
graph.constant @w #graph.resource<"0000000000000000000000000000000000000000000000000000000000000000"> : tensor<2xf32> loc("declared")
func.func @constant(%v: tensor<2xf32>) {
  graph.save @w, %v : tensor<2xf32> loc("one")
  func.return
}

// -----

// CHECK: graph.save @x at one writes to graph.placeholder @x at declared, which is "in"
graph.placeholder @x "in" : tensor<2xf32> loc("declared")
func.func @input(%v: tensor<2xf32>) {
  graph.save @x, %v : tensor<2xf32> loc("one")
  func.return
}

// -----

// CHECK: graph.load @y at one reads graph.placeholder @y at declared, which is "out"
graph.placeholder @y "out" : tensor<2xf32> loc("declared")
func.func @output() {
  %y = graph.load @y : tensor<2xf32> loc("one")
  graph.save @y, %y : tensor<2xf32>
  func.return
}

// -----

// CHECK: graph.load @state at two follows graph.save @state at one, use the saved value instead
graph.placeholder @state "inout" : tensor<2xf32>
func.func @late(%v: tensor<2xf32>) {
  graph.save @state, %v : tensor<2xf32> loc("one")
  %x = graph.load @state : tensor<2xf32> loc("two")
  func.return
}

// -----

// CHECK: graph.placeholder @y at one is "out" but nothing saves it; graph.placeholder @state at two is "inout" but nothing saves it
graph.placeholder @y "out" : tensor<2xf32> loc("one")
graph.placeholder @state "inout" : tensor<2xf32> loc("two")
func.func @never() {
  %x = graph.load @state : tensor<2xf32>
  func.return
}

// -----

// CHECK: graph.placeholder @x at one has no direction, run infer-io
graph.placeholder @x : tensor<2xf32> loc("one")
func.func @unsaid() {
  func.return
}
