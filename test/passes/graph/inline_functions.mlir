// RUN: glow-opt %s -p inline-functions --split-input-file | filecheck %s
// RUN: glow-opt %s -p 'inline-functions{keep="net.norm"}' --split-input-file | filecheck %s --check-prefix=KEEP

// Calls are replaced, also in functions that are called, and functions are removed.
// CHECK-LABEL: builtin.module
// CHECK-NEXT:    func.func @main
// CHECK-NEXT:      [[A:%.*]] = graph.neg %x
// CHECK-NEXT:      [[B:%.*]] = graph.exp [[A]]
// CHECK-NEXT:      [[C:%.*]] = graph.neg [[B]]
// CHECK-NEXT:      [[D:%.*]] = graph.neg [[C]]
// CHECK-NEXT:      func.return [[D]], %x
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// KEEP-LABEL: func.func @main
// KEEP-NEXT:    %y, %z = graph.call @norm(%x)
// KEEP-NEXT:    graph.neg %y
// KEEP:       func.func private @norm
// KEEP-NEXT:    graph.neg %x
// KEEP-NOT:   func.func private @negative
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %y, %z = graph.call @norm(%x) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %a = graph.call @negative(%y) : (tensor<2xf32>) -> tensor<2xf32>
  %b = func.call @negative(%a) : (tensor<2xf32>) -> tensor<2xf32>
  func.return %b, %z : tensor<2xf32>, tensor<2xf32>
}
func.func private @norm(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) attributes {composite = "net.norm"} {
  %a = graph.call @negative(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %b = graph.exp %a : (tensor<2xf32>) -> tensor<2xf32>
  func.return %b, %x : tensor<2xf32>, tensor<2xf32>
}
func.func private @negative(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.neg %x : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// -----

// A function that a choice calls stays, and loses its calls.
// CHECK-LABEL: func.func @choice
// CHECK-NEXT:    graph.if %c then @f else @f(%x)
// CHECK:       func.func private @f
// CHECK-NEXT:    graph.exp %x
// CHECK-NOT:   @g
func.func @choice(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.if %c then @f else @f (%x) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.call @g(%x) : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
func.func private @g(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.exp %x : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// -----

// A gradient goes with its function.
// CHECK-LABEL: func.func @rounded
// CHECK-NEXT:    graph.round %x
// CHECK-NOT:   func.func private
// KEEP-LABEL:  func.func @rounded
// KEEP-NOT:    func.func private
func.func @rounded(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.call @round(%x) : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
func.func private @round(%x: tensor<2xf32>) -> tensor<2xf32> attributes {composite = "round", gradient = @identity} {
  %y = graph.round %x : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
func.func private @identity(%x: tensor<2xf32>, %y: tensor<2xf32>, %g: tensor<2xf32>) -> tensor<2xf32> {
  func.return %g : tensor<2xf32>
}
