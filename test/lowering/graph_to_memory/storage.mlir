// RUN: glow-opt %s --split-input-file -p graph-to-memory | filecheck %s

// A value is computed where it is saved.
// CHECK: memory.placeholder @x "in" : memref<4xf32>
// CHECK: memory.placeholder @y "out" : memref<4xf32>
// CHECK-LABEL: @main
// CHECK:         [[X:%.*]] = memory.get @x
// CHECK:         [[Y:%.*]] = memory.get @y
// CHECK-NEXT:    memory.elementwise ins([[X]] : memref<4xf32>) outs([[Y]] :
// CHECK-NOT:     memory.copy
graph.placeholder @x "in" : tensor<4xf32>
graph.placeholder @y "out" : tensor<4xf32>
func.func @main() {
  %x = graph.load @x : tensor<4xf32>
  %0 = graph.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  graph.save @y, %0 : tensor<4xf32>
  func.return
}

// -----

// What was loaded is copied; a value that is saved twice is computed once.
// CHECK-LABEL: @main
// CHECK:         memory.elementwise {{.*}} outs([[Y:%.*]] :
// CHECK:         memory.copy ins(%{{.*}}) outs(%{{.*}})
// CHECK:         memory.copy ins([[Y]] : {{.*}}) outs(
graph.placeholder @x "in" : tensor<4xf32>
graph.placeholder @y "out" : tensor<4xf32>
graph.placeholder @z "out" : tensor<4xf32>
graph.placeholder @u "out" : tensor<4xf32>
func.func @main() {
  %x = graph.load @x : tensor<4xf32>
  %0 = graph.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  graph.save @y, %0 : tensor<4xf32>
  graph.save @z, %x : tensor<4xf32>
  graph.save @u, %0 : tensor<4xf32>
  func.return
}

// -----

// Two placeholders swap their values through temporaries.
// CHECK-LABEL: @main
// CHECK:         memory.copy ins([[A:%.*]] : {{.*}}) outs([[T:%.*]] :
// CHECK:         memory.copy ins([[B:%.*]] : {{.*}}) outs([[U:%.*]] :
// CHECK:         memory.copy ins([[T]] : {{.*}}) outs([[B]] :
// CHECK:         memory.copy ins([[U]] : {{.*}}) outs([[A]] :
graph.placeholder @a "inout" : tensor<4xf32>
graph.placeholder @b "inout" : tensor<4xf32>
func.func @main() {
  %a = graph.load @a : tensor<4xf32>
  %b = graph.load @b : tensor<4xf32>
  graph.save @b, %a : tensor<4xf32>
  graph.save @a, %b : tensor<4xf32>
  func.return
}

// -----

// A scalar that is known goes into the region; a larger literal becomes a constant.
// CHECK: memory.constant @literal
// CHECK-LABEL: @main
// CHECK:         memory.elementwise ins(%{{.*}} : memref<3xf32>)
// CHECK:           arith.constant 2.000000e+00 : f32
// CHECK:         memory.elementwise ins(%{{.*}}, %{{.*}} : memref<3xf32>, memref<3xf32>)
graph.placeholder @x "in" : tensor<3xf32>
graph.placeholder @y "out" : tensor<3xf32>
func.func @main() {
  %x = graph.load @x : tensor<3xf32>
  %s = graph.literal dense<2.0> : tensor<f32> : tensor<f32>
  %l = graph.literal dense<[1.0, 2.0, 3.0]> : tensor<3xf32> : tensor<3xf32>
  %0 = graph.mul %x, %s : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %1 = graph.add %0, %l : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  graph.save @y, %1 : tensor<3xf32>
  func.return
}

// -----

// A filter that is packed anew leaves nothing of the old one.
// CHECK-NOT:     memory.constant @literal :
// CHECK:         memory.constant @filter.{{[a-z]*}}
// CHECK-LABEL: @main
// CHECK-COUNT-3: memory.get
// CHECK-NOT:     memory.get
graph.placeholder @x "in" : tensor<1x2x4x4xf32>
graph.placeholder @y "out" : tensor<1x1x4x4xf32>
func.func @main() {
  %x = graph.load @x : tensor<1x2x4x4xf32>
  %w = graph.literal dense<1.0> : tensor<1x2x1x1xf32> : tensor<1x2x1x1xf32>
  %y = graph.conv %x, %w : (tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x1x4x4xf32>
  graph.save @y, %y : tensor<1x1x4x4xf32>
  func.return
}
