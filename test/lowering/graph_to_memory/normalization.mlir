// RUN: glow-opt %s --split-input-file -p graph-to-memory | filecheck %s

// What is absent in the graph is absent in memory.
// CHECK-LABEL: @main
// CHECK:         memory.layer_norm ins([[X:%.*]] : memref<2x3xf32>) outs([[A:%.*]] : memref<2x3xf32>) {axis = 1 : i64
// CHECK-NEXT:    [[B:%.*]] = memory.alloc
// CHECK-NEXT:    memory.layer_norm ins([[A]] : memref<2x3xf32> bias [[S:%.*]] : memref<3xf32>) outs([[B]] : memref<2x3xf32>) {axis = 0 : i64
// CHECK-NEXT:    [[C:%.*]] = memory.alloc
// CHECK-NEXT:    memory.rms_norm ins([[B]] : memref<2x3xf32>) outs([[C]] : memref<2x3xf32>) {axis = 1 : i64
// CHECK:         memory.rms_norm ins([[C]] : memref<2x3xf32> scale [[S]] : memref<3xf32>) outs(%{{.*}} : memref<2x3xf32>) {axis = 1 : i64
graph.placeholder @x "in" : tensor<2x3xf32>
graph.placeholder @s "in" : tensor<3xf32>
graph.placeholder @y "out" : tensor<2x3xf32>
func.func @main() {
  %x = graph.load @x : tensor<2x3xf32>
  %s = graph.load @s : tensor<3xf32>
  %0 = graph.layer_norm %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = graph.layer_norm %0 bias %s : tensor<3xf32> {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = graph.rms_norm %1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = graph.rms_norm %2 scale %s : tensor<3xf32> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  graph.save @y, %3 : tensor<2x3xf32>
  func.return
}

// -----

// Groups of channels are an axis more, in whatever order axes lie in memory; what is
// computed lies where it is saved.
// CHECK-LABEL: @main
// CHECK:         [[S:%.*]] = memory.view %{{.*}} : memref<6xf32> -> memref<2x3x1xf32, strided<[3, 1, 0]>>
// CHECK:         [[X:%.*]] = memory.view %{{.*}} : memref<2x6x5xf32, #layout.physical<NWC>> -> memref<2x2x3x5xf32, strided<[30, 3, 1, 6]>>
// CHECK:         [[Y:%.*]] = memory.view %{{.*}} : memref<2x6x5xf32> -> memref<2x2x3x5xf32, strided<[30, 15, 5, 1]>>
// CHECK:         memory.layer_norm ins([[X]] : {{.*}} bias [[S]] : memref<2x3x1xf32, strided<[3, 1, 0]>>) outs([[Y]] : {{.*}}) {axis = 2 : i64
graph.placeholder @x "in" : tensor<2x6x5xf32, #layout.physical<NWC>>
graph.placeholder @b "in" : tensor<6xf32>
graph.placeholder @y "out" : tensor<2x6x5xf32>
func.func @main() {
  %x = graph.load @x : tensor<2x6x5xf32, #layout.physical<NWC>>
  %b = graph.load @b : tensor<6xf32>
  %y = graph.group_norm %x bias %b : tensor<6xf32> {num_groups = 2 : i64} : (tensor<2x6x5xf32, #layout.physical<NWC>>) -> tensor<2x6x5xf32>
  graph.save @y, %y : tensor<2x6x5xf32>
  func.return
}

// -----

// Each channel is a group of its own.
// CHECK-LABEL: @main
// CHECK:         memory.view %{{.*}} : memref<2x6x5xf32> -> memref<2x6x1x5xf32, strided<[30, 5, 5, 1]>>
// CHECK:         memory.layer_norm ins(%{{.*}} : {{.*}} scale %{{.*}} : memref<6x1x1xf32, strided<[1, 1, 0]>>) {{.*}} {axis = 2 : i64
graph.placeholder @x "in" : tensor<2x6x5xf32>
graph.placeholder @s "in" : tensor<6xf32>
graph.placeholder @y "out" : tensor<2x6x5xf32>
func.func @main() {
  %x = graph.load @x : tensor<2x6x5xf32>
  %s = graph.load @s : tensor<6xf32>
  %y = graph.instance_norm %x scale %s : tensor<6xf32> : (tensor<2x6x5xf32>) -> tensor<2x6x5xf32>
  graph.save @y, %y : tensor<2x6x5xf32>
  func.return
}

// -----

// Without remove-identities, dropout is a copy, and its mask filled.
// CHECK:         memory.copy
// CHECK:         memory.fill {{.*}}true
graph.placeholder @x "in" : tensor<2x3xf32>
graph.placeholder @y "out" : tensor<2x3xf32>
graph.placeholder @m "out" : tensor<2x3xi1>
func.func @main() {
  %x = graph.load @x : tensor<2x3xf32>
  %y, %m = graph.dropout %x {with_mask} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi1>)
  graph.save @y, %y : tensor<2x3xf32>
  graph.save @m, %m : tensor<2x3xi1>
  func.return
}
