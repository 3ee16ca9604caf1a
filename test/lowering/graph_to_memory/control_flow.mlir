// RUN: glow-opt %s --split-input-file -p graph-to-memory | filecheck %s

// What is carried begins in the buffer that it is saved to, and is replaced there. A
// function takes what it only reads, what it replaces, and the condition to write to.
// CHECK-LABEL: @main
// CHECK:         [[X:%.*]] = memory.get @x : memref<2xf32>
// CHECK:         [[C:%.*]] = memory.alloc : memref<i1>
// CHECK-NEXT:    memory.copy ins(%{{.*}} : memref<i1>) outs([[C]] : memref<i1>)
// CHECK-NEXT:    [[Y:%.*]] = memory.get @y : memref<2xf32>
// CHECK-NEXT:    [[R:%.*]] = memory.alloc : memref<4x2xf32>
// CHECK-NEXT:    memory.copy ins([[X]] : memref<2xf32>) outs([[Y]] : memref<2xf32>)
// CHECK-NEXT:    memory.fill outs([[R]] : memref<4x2xf32>) {value = 0.000000e+00 : f32}
// CHECK-NEXT:    [[I:%.*]] = memory.alloc : memref<i64>
// CHECK-NEXT:    memory.loop ins(limit %{{.*}} : memref<i64> condition [[C]] : memref<i1> carried [[Y]], [[R]] : memref<2xf32>, memref<4x2xf32> inputs [[X]] : memref<2xf32>) scratch([[I]] : memref<i64>) body @step
// CHECK:       func.func private @step(%i: memref<i64> {memory.access = "in"}, %a: memref<2xf32> {memory.access = "inout"}, %rows: memref<4x2xf32> {memory.access = "inout"}, %w: memref<2xf32> {memory.access = "in"}, [[D:%.*]]: memref<i1> {memory.access = "out"})
// CHECK:         memory.if ins(%{{.*}} : memref<i1> inputs %a, %w : memref<2xf32>, memref<2xf32>) outs([[Z:%.*]] : memref<2xf32>) then @sum else @other
// CHECK:         outs([[D]] : memref<i1>)
// CHECK:         memory.copy ins([[Z]] : memref<2xf32>) outs(%a : memref<2xf32>)
// CHECK:       func.func private @other(%x: memref<2xf32> {memory.access = "in"}, %w: memref<2xf32> {memory.access = "in"}, [[O:%.*]]: memref<2xf32> {memory.access = "out"})
// CHECK-NEXT:    memory.copy ins(%w : memref<2xf32>) outs([[O]] : memref<2xf32>)
graph.placeholder @n "in" : tensor<i64>
graph.placeholder @c "in" : tensor<i1>
graph.placeholder @x "in" : tensor<2xf32>
graph.placeholder @y "out" : tensor<2xf32>
func.func @main() {
  %n = graph.load @n : tensor<i64>
  %c = graph.load @c : tensor<i1>
  %x = graph.load @x : tensor<2xf32>
  %zero = graph.literal dense<0.0> : tensor<4x2xf32> : tensor<4x2xf32>
  %y, %rows = graph.loop @step limit %n : tensor<i64> while %c : tensor<i1>
      carries (%x, %zero : tensor<2xf32>, tensor<4x2xf32>) with (%x : tensor<2xf32>) -> tensor<2xf32>, tensor<4x2xf32>
  graph.save @y, %y : tensor<2xf32>
  func.return
}
func.func private @step(%i: tensor<i64>, %a: tensor<2xf32>, %rows: tensor<4x2xf32>, %w: tensor<2xf32>)
    -> (tensor<i1>, tensor<2xf32>, tensor<4x2xf32>) {
  %two = graph.literal dense<2> : tensor<i64> : tensor<i64>
  %c = graph.less %i, %two : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %b = graph.if %c then @sum else @other (%a, %w) : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %more = graph.not %c : (tensor<i1>) -> tensor<i1>
  func.return %more, %b, %rows : tensor<i1>, tensor<2xf32>, tensor<4x2xf32>
}
func.func private @sum(%x: tensor<2xf32>, %w: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.add %x, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
func.func private @other(%x: tensor<2xf32>, %w: tensor<2xf32>) -> tensor<2xf32> {
  func.return %w : tensor<2xf32>
}

// -----

// Two calls of one function: what it does to arguments depends on who calls it.
// CHECK-LABEL: @main
// CHECK:         then @twice else @twice.1
// CHECK:       func.func private @twice.1(%x
// CHECK:       func.func private @twice(%x
graph.placeholder @c "in" : tensor<i1>
graph.placeholder @x "in" : tensor<2xf32>
graph.placeholder @y "out" : tensor<2xf32>
func.func @main() {
  %c = graph.load @c : tensor<i1>
  %x = graph.load @x : tensor<2xf32>
  %y = graph.if %c then @twice else @twice (%x) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32>
  graph.save @y, %y : tensor<2xf32>
  func.return
}
func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
