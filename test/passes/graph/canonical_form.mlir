// RUN: glow-opt %s -p canonical-form --split-input-file | filecheck %s

// Inputs come first, saves go in the order of outputs, ops where they are needed. The sum is
// computed once, the exponential never.
// CHECK:       graph.placeholder @x "in" : tensor<2x3xf32>
// CHECK-NEXT:  graph.placeholder @y "out" : tensor<2x3xf32>
// CHECK-NEXT:  graph.placeholder @z "out" : tensor<2x3xf32>
// CHECK-NEXT:  func.func @main() {
// CHECK-NEXT:    %0 = graph.literal dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32> : tensor<3xf32>
// CHECK-NEXT:    %1 = graph.load @x : tensor<2x3xf32>
// CHECK-NEXT:    %2 = graph.add %0, %1
// CHECK-NEXT:    graph.save @y, %2 : tensor<2x3xf32>
// CHECK-NEXT:    %3 = graph.mul %2, %2
// CHECK-NEXT:    graph.save @z, %3 : tensor<2x3xf32>
// CHECK-NEXT:    func.return
graph.placeholder @y "out" : tensor<2x3xf32>
graph.placeholder @x "in" : tensor<2x3xf32>
graph.placeholder @z "out" : tensor<2x3xf32>
func.func @main() {
  %bias = graph.literal dense<[1.0, 2.0, 3.0]> : tensor<3xf32> : tensor<3xf32>
  %x = graph.load @x : tensor<2x3xf32>
  %again = graph.load @x : tensor<2x3xf32>
  %dead = graph.exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %sum = graph.add %bias, %x : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %other = graph.add %again, %bias : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %product = graph.mul %sum, %other : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  graph.save @z, %product : tensor<2x3xf32>
  graph.save @y, %sum : tensor<2x3xf32>
  func.return
}

// -----

// Operands whose order matters keep it: of equal zeros the maximum is the first.
// CHECK-LABEL: @ordered
// CHECK-NEXT:    %2 = graph.sub %0, %1
// CHECK-NEXT:    %3 = graph.sub %1, %0
// CHECK-NEXT:    %4 = graph.max %0, %1
// CHECK-NEXT:    %5 = graph.max %1, %0
// CHECK-NEXT:    func.return %2, %3, %4, %5
func.func @ordered(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %3 = graph.max %y, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %0 = graph.sub %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = graph.sub %y, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = graph.max %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// What a window leaves out is said.
// CHECK-LABEL: @window
// CHECK-NEXT:    %{{.*}} = graph.avg_pool %{{.*}} {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, kernel_shape = array<i64: 2, 2>}
func.func @window(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x3x3xf32> {
  %y = graph.avg_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x1x4x4xf32>) -> tensor<1x1x3x3xf32>
  func.return %y : tensor<1x1x3x3xf32>
}

// -----

// Choices pass what is read, once, in one order; constants are loaded inside.
// Choices that are equal then are one.
// CHECK-LABEL: @inputs
// CHECK-NEXT:    %3 = graph.if %0 then @function1 else @function0(%{{[12]}}, %{{[12]}}) :
// CHECK-NEXT:    func.return %3, %3
// CHECK:       func.func private @function0
// CHECK-NEXT:    graph.literal dense<2.000000e+00> : tensor<4x3xf32>
// CHECK:       func.func private @function1
func.func @inputs(%c: tensor<i1>, %x: tensor<4x3xf32>, %y: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %two = graph.literal dense<2.0> : tensor<f32> : tensor<f32>
  %twos = graph.expand %two {shape = array<i64: 4, 3>} : (tensor<f32>) -> tensor<4x3xf32>
  %0 = graph.if %c then @subtract else @add (%x, %y) : (tensor<i1>, tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = graph.if %c then @long_subtract else @long_add (%twos, %y, %x, %y) : (tensor<i1>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  func.return %0, %1 : tensor<4x3xf32>, tensor<4x3xf32>
}
func.func private @subtract(%a: tensor<4x3xf32>, %b: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = graph.sub %a, %b : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  func.return %0 : tensor<4x3xf32>
}
func.func private @add(%a: tensor<4x3xf32>, %b: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %two = graph.literal dense<2.0> : tensor<4x3xf32> : tensor<4x3xf32>
  %0 = graph.add %b, %two : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  func.return %0 : tensor<4x3xf32>
}
func.func private @long_subtract(%unread: tensor<4x3xf32>, %b: tensor<4x3xf32>, %a: tensor<4x3xf32>, %again: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = graph.sub %a, %again : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  func.return %0 : tensor<4x3xf32>
}
func.func private @long_add(%two: tensor<4x3xf32>, %b: tensor<4x3xf32>, %unread: tensor<4x3xf32>, %again: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = graph.add %b, %two : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  func.return %0 : tensor<4x3xf32>
}

// -----

// Calls pass what they did, in their order; loops carry what they did.
// CHECK-LABEL: @calls
// CHECK-NEXT:    graph.call @[[F:.*]](%1, %0, %1) :
// CHECK-NEXT:    graph.call @[[F]](%0, %1, %0) :
// CHECK:         graph.loop @[[G:.*]] limit %{{[0-9]+}} : tensor<i64> carries(%1, %1, %0 :
// CHECK-NEXT:    graph.loop @[[G]] limit %{{[0-9]+}} : tensor<i64> carries(%0, %0, %1 :
func.func @calls(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %n = graph.literal dense<3> : tensor<i64> : tensor<i64>
  %0 = graph.call @f(%y, %x, %y) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = graph.call @f(%x, %y, %x) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2, %3, %4 = graph.loop @g limit %n : tensor<i64> carries (%y, %y, %x : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  %5, %6, %7 = graph.loop @g limit %n : tensor<i64> carries (%x, %x, %y : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  func.return %0, %1, %2, %5 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
func.func private @f(%a: tensor<2xf32>, %unread: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = graph.sub %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
func.func private @g(%iteration: tensor<i64>, %a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  func.return %b, %c, %a : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// Functions that compute the same are one.
// CHECK-LABEL: @main
// CHECK-NEXT:    %2 = graph.if %{{.*}} then @function0 else @function0(%{{.*}})
// CHECK:       func.func private @function0
// CHECK-NOT:   func.func
func.func @main(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.if %c then @yes else @no (%x) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
func.func private @yes(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = graph.neg %a : (tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
func.func private @no(%b: tensor<2xf32>) -> tensor<2xf32> {
  %dead = graph.exp %b : (tensor<2xf32>) -> tensor<2xf32>
  %0 = graph.neg %b : (tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
