// RUN: glow-opt %s -p "unroll-loops{iterations=8 most=40},dce,verify-symbols" | filecheck %s

// CHECK-LABEL: func.func @few_turns(
// CHECK-NEXT:    [[I:%.*]] = graph.literal dense<0> : tensor<i64>
// CHECK-NEXT:    [[A:%.*]] = graph.cast [[I]]
// CHECK-NEXT:    [[B:%.*]] = graph.add %x, [[A]]
// CHECK-NEXT:    [[J:%.*]] = graph.literal dense<1> : tensor<i64>
// CHECK-NEXT:    [[C:%.*]] = graph.cast [[J]]
// CHECK-NEXT:    [[D:%.*]] = graph.add [[B]], [[C]]
// CHECK-NEXT:    func.return [[D]]
func.func @few_turns(%x: tensor<3xf32>) -> tensor<3xf32> {
  %n = graph.literal dense<2> : tensor<i64> : tensor<i64>
  %y = graph.loop @add limit %n : tensor<i64> carries (%x : tensor<3xf32>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}
func.func private @add(%i: tensor<i64>, %s: tensor<3xf32>) -> tensor<3xf32> {
  %f = graph.cast %i {to = f32} : (tensor<i64>) -> tensor<f32>
  %t = graph.add %s, %f : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  func.return %t : tensor<3xf32>
}

// CHECK-LABEL: func.func @no_turn(
// CHECK-NEXT:    func.return %x
func.func @no_turn(%x: tensor<3xf32>) -> tensor<3xf32> {
  %n = graph.literal dense<-1> : tensor<i64> : tensor<i64>
  %y = graph.loop @add limit %n : tensor<i64> carries (%x : tensor<3xf32>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}

// The function that these call stays, once.
// CHECK-LABEL: func.func @many_turns(
// CHECK:         graph.loop @add
func.func @many_turns(%x: tensor<3xf32>) -> tensor<3xf32> {
  %n = graph.literal dense<9> : tensor<i64> : tensor<i64>
  %y = graph.loop @add limit %n : tensor<i64> carries (%x : tensor<3xf32>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}

// CHECK-LABEL: func.func @turns_of_the_run(
// CHECK:         graph.loop @add
func.func @turns_of_the_run(%n: tensor<i64>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %y = graph.loop @add limit %n : tensor<i64> carries (%x : tensor<3xf32>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}

// The condition depends on a number that is carried, and on nothing of the run.
// CHECK-LABEL: func.func @condition_that_is_known(
// CHECK-COUNT-3: graph.relu
// CHECK-NOT:     graph.relu
// CHECK:         func.return
func.func @condition_that_is_known(%x: tensor<3xf32>) -> (tensor<i64>, tensor<3xf32>) {
  %k = graph.literal dense<1> : tensor<i64> : tensor<i64>
  %c = graph.literal dense<true> : tensor<i1> : tensor<i1>
  %n, %y = graph.loop @double while %c : tensor<i1> carries (%k, %x : tensor<i64>, tensor<3xf32>) -> tensor<i64>, tensor<3xf32>
  func.return %n, %y : tensor<i64>, tensor<3xf32>
}
func.func private @double(%i: tensor<i64>, %k: tensor<i64>, %s: tensor<3xf32>) -> (tensor<i1>, tensor<i64>, tensor<3xf32>) {
  %l = graph.add %k, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %t = graph.relu %s : (tensor<3xf32>) -> tensor<3xf32>
  %most = graph.literal dense<8> : tensor<i64> : tensor<i64>
  %c = graph.less %l, %most : (tensor<i64>, tensor<i64>) -> tensor<i1>
  func.return %c, %l, %t : tensor<i1>, tensor<i64>, tensor<3xf32>
}

// CHECK-LABEL: func.func @condition_of_the_run(
// CHECK:         graph.loop @halve
func.func @condition_of_the_run(%c: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %n = graph.literal dense<3> : tensor<i64> : tensor<i64>
  %t = graph.literal dense<true> : tensor<i1> : tensor<i1>
  %y = graph.loop @halve limit %n : tensor<i64> while %t : tensor<i1> carries (%x : tensor<f32>) -> tensor<f32>
  func.return %y : tensor<f32>
}
func.func private @halve(%i: tensor<i64>, %s: tensor<f32>) -> (tensor<i1>, tensor<f32>) {
  %half = graph.literal dense<0.5> : tensor<f32> : tensor<f32>
  %t = graph.mul %s, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %c = graph.greater %t, %half : (tensor<f32>, tensor<f32>) -> tensor<i1>
  func.return %c, %t : tensor<i1>, tensor<f32>
}

// It fails where its condition does not end it, which the op says.
// CHECK-LABEL: func.func @loop_that_must_end(
// CHECK:         graph.loop @double {{.*}} {must_end}
func.func @loop_that_must_end(%x: tensor<3xf32>) -> tensor<3xf32> {
  %k = graph.literal dense<1> : tensor<i64> : tensor<i64>
  %c = graph.literal dense<true> : tensor<i1> : tensor<i1>
  %n, %y = graph.loop @double limit %k : tensor<i64> while %c : tensor<i1> carries (%k, %x : tensor<i64>, tensor<3xf32>) {must_end} -> tensor<i64>, tensor<3xf32>
  func.return %y : tensor<3xf32>
}

// A loop inside has as many iterations as the number of the iteration, a choice inside depends on
// that too; another one on the run, and stays.
// CHECK-LABEL: func.func @inside_turns(
// CHECK-NOT:     graph.loop
// CHECK:         graph.ceil
// CHECK-NEXT:    graph.if %c then @up else @down
// CHECK-COUNT-2: graph.cast
// CHECK:         graph.floor
// CHECK-NEXT:    graph.if %c then @up else @down
// CHECK-NEXT:    func.return
func.func @inside_turns(%c: tensor<i1>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %n = graph.literal dense<2> : tensor<i64> : tensor<i64>
  %y = graph.loop @outer limit %n : tensor<i64> carries (%x : tensor<3xf32>) with (%c : tensor<i1>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}
func.func private @outer(%i: tensor<i64>, %s: tensor<3xf32>, %c: tensor<i1>) -> tensor<3xf32> {
  %one = graph.literal dense<1> : tensor<i64> : tensor<i64>
  %n = graph.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %t = graph.loop @add limit %n : tensor<i64> carries (%s : tensor<3xf32>) -> tensor<3xf32>
  %is_first = graph.less %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %u = graph.if %is_first then @up else @down (%t) : (tensor<i1>, tensor<3xf32>) -> tensor<3xf32>
  %v = graph.if %c then @up else @down (%u) : (tensor<i1>, tensor<3xf32>) -> tensor<3xf32>
  func.return %v : tensor<3xf32>
}
func.func private @up(%s: tensor<3xf32>) -> tensor<3xf32> {
  %t = graph.ceil %s : (tensor<3xf32>) -> tensor<3xf32>
  func.return %t : tensor<3xf32>
}
func.func private @down(%s: tensor<3xf32>) -> tensor<3xf32> {
  %t = graph.floor %s : (tensor<3xf32>) -> tensor<3xf32>
  func.return %t : tensor<3xf32>
}

// The loop inside is written out for itself where both together are too long.
// CHECK-LABEL: func.func @ops_of_many_turns(
// CHECK:         graph.loop @long
// CHECK-LABEL: func.func private @long(
// CHECK-NOT:     graph.loop
// CHECK-COUNT-5: graph.cast
// CHECK:         func.return
func.func @ops_of_many_turns(%x: tensor<3xf32>) -> tensor<3xf32> {
  %n = graph.literal dense<4> : tensor<i64> : tensor<i64>
  %y = graph.loop @long limit %n : tensor<i64> carries (%x : tensor<3xf32>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}
func.func private @long(%i: tensor<i64>, %s: tensor<3xf32>) -> tensor<3xf32> {
  %n = graph.literal dense<5> : tensor<i64> : tensor<i64>
  %t = graph.loop @add limit %n : tensor<i64> carries (%s : tensor<3xf32>) -> tensor<3xf32>
  func.return %t : tensor<3xf32>
}
// CHECK-NOT:   func.func private @outer
