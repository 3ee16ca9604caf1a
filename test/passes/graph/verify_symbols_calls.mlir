// RUN: glow-opt %s -p verify-symbols --split-input-file --verify-diagnostics | filecheck %s

// CHECK: graph.if @f at one names no function of the module that has a body
func.func @unknown(%c: tensor<i1>, %x: tensor<2xf32>) {
  %y = graph.if %c then @f else @f (%x) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32> loc("one")
  func.return
}

// -----

// CHECK: graph.loop @f at one expected a function of (tensor<i64>, tensor<2xf32>) -> (tensor<2xf32>), got (tensor<2xf32>) -> (tensor<2xf32>)
func.func @type(%n: tensor<i64>, %x: tensor<2xf32>) {
  %y = graph.loop @f limit %n : tensor<i64> carries (%x : tensor<2xf32>) -> tensor<2xf32> loc("one")
  func.return
}
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  func.return %x : tensor<2xf32>
}

// -----

// CHECK: @f expected a gradient of type (tensor<2xf32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>, got (tensor<2xf32>) -> tensor<2xf32>
func.func private @f(%x: tensor<2xf32>, %n: tensor<i64>) -> tensor<2xf32> attributes {gradient = @g} {
  func.return %x : tensor<2xf32>
}
func.func private @g(%x: tensor<2xf32>) -> tensor<2xf32> {
  func.return %x : tensor<2xf32>
}

// -----

// CHECK: @f expected a gradient of type (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>, got none
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> attributes {gradient = @g} {
  func.return %x : tensor<2xf32>
}

// -----

// CHECK: expected functions that do not recur, got @f
func.func private @f(%i: tensor<i64>, %n: tensor<i64>) -> tensor<i64> {
  %y = graph.loop @f limit %n : tensor<i64> carries (%n : tensor<i64>) -> tensor<i64>
  func.return %y : tensor<i64>
}

// -----

// CHECK: graph.save @y at two is in @f, which an op calls: return the value, and save what the op gives
// CHECK-SAME: graph.load @x at three is in @f, which an op calls: load it outside, and pass the value
graph.placeholder @x "in" : tensor<i64>
graph.placeholder @y "out" : tensor<i64>
graph.constant @w #graph.resource<"2e99758548972a8e8822ad47fa1017ff72f06f3ff6a016851f45c398732bc50c"> : tensor<i64>
func.func @storage(%n: tensor<i64>) {
  %y = graph.loop @f limit %n : tensor<i64> carries (%n : tensor<i64>) -> tensor<i64>
  func.return
}
func.func private @f(%i: tensor<i64>, %n: tensor<i64>) -> tensor<i64> {
  graph.save @y, %n : tensor<i64> loc("two")
  %x = graph.load @x : tensor<i64> loc("three")
  %w = graph.load @w : tensor<i64>
  func.return %x : tensor<i64>
}
