// RUN: glow-opt %s -p specialize-functions --split-input-file | filecheck %s

// A constant is loaded inside, what stays is an input, what nothing reads is left out.
// CHECK-LABEL: func.func @main
// CHECK:         %a = graph.loop @body limit %n : tensor<i64> carries(%x : tensor<2xf32>) with(%y : tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    func.return %a, %y : tensor<2xf32>, tensor<2xf32>
// CHECK-LABEL: func.func private @body(%i: tensor<i64>, %s: tensor<2xf32>, %t: tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    %c = graph.literal dense<1.000000e+00> : tensor<f32> : tensor<f32>
// CHECK-NEXT:    %w = graph.load @w : tensor<2xf32>
// CHECK:         func.return %r : tensor<2xf32>
graph.constant @w #graph.resource<"0000000000000000000000000000000000000000000000000000000000000001"> : tensor<2xf32>
func.func @main(%n: tensor<i64>, %x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %w = graph.load @w : tensor<2xf32>
  %c = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %a, %b = graph.loop @body limit %n : tensor<i64> carries (%x, %y : tensor<2xf32>, tensor<2xf32>)
      with (%w, %x, %c : tensor<2xf32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>, tensor<2xf32>
  func.return %a, %b : tensor<2xf32>, tensor<2xf32>
}
func.func private @body(%i: tensor<i64>, %s: tensor<2xf32>, %t: tensor<2xf32>, %w: tensor<2xf32>, %unread: tensor<2xf32>, %c: tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %p = graph.mul %s, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %q = graph.add %p, %c : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %r = graph.add %q, %t : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %r, %t : tensor<2xf32>, tensor<2xf32>
}

// -----

// Of a choice, both functions take the same; a known one is decided.
// CHECK-LABEL: func.func @choices
// CHECK:         graph.if %c then @f else @g(%x) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32>
// CHECK:         [[Y:%.*]] = graph.neg %x
// CHECK-NEXT:    func.return %{{.*}}, [[Y]]
// CHECK:       func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32>
// CHECK:       func.func private @g(%x: tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    %one = graph.literal
func.func @choices(%c: tensor<i1>, %x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %one = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %yes = graph.literal dense<true> : tensor<i1> : tensor<i1>
  %y = graph.if %c then @f else @g (%one, %x) : (tensor<i1>, tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %z = graph.if %yes then @h else @k (%x) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32>
  func.return %y, %z : tensor<2xf32>, tensor<2xf32>
}
func.func private @f(%one: tensor<f32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  func.return %x : tensor<2xf32>
}
func.func private @g(%one: tensor<f32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.add %x, %one : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
func.func private @h(%x: tensor<2xf32>) -> tensor<2xf32> {
  %no = graph.literal dense<false> : tensor<i1> : tensor<i1>
  %y = graph.if %no then @k_of_h else @neg (%x) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
func.func private @neg(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.neg %x : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
func.func private @k_of_h(%x: tensor<2xf32>) -> tensor<2xf32> {
  func.return %x : tensor<2xf32>
}
func.func private @k(%x: tensor<2xf32>) -> tensor<2xf32> {
  func.return %x : tensor<2xf32>
}

// -----

// A function that several ops call stays as it is; so does a loop that changes nothing.
// CHECK-LABEL: func.func @shared
// CHECK:         graph.loop @add limit %n : tensor<i64> carries(%x : tensor<f32>) with(%one : tensor<f32>)
// CHECK:         graph.loop @add limit %n : tensor<i64> carries(%x : tensor<f32>) with(%one : tensor<f32>)
// CHECK:         graph.loop @same limit %n : tensor<i64> carries(%x : tensor<f32>)
func.func @shared(%n: tensor<i64>, %x: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %one = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %a = graph.loop @add limit %n : tensor<i64> carries (%x : tensor<f32>) with (%one : tensor<f32>) -> tensor<f32>
  %b = graph.loop @add limit %n : tensor<i64> carries (%x : tensor<f32>) with (%one : tensor<f32>) -> tensor<f32>
  %c = graph.loop @same limit %n : tensor<i64> carries (%x : tensor<f32>) -> tensor<f32>
  func.return %a, %b, %c : tensor<f32>, tensor<f32>, tensor<f32>
}
func.func private @add(%i: tensor<i64>, %s: tensor<f32>, %one: tensor<f32>) -> tensor<f32> {
  %t = graph.add %s, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
  func.return %t : tensor<f32>
}
func.func private @same(%i: tensor<i64>, %s: tensor<f32>) -> tensor<f32> {
  func.return %s : tensor<f32>
}
