// RUN: glow-opt %s -p graph-to-memory | filecheck %s

// Images are resized right into their part of what is joined, in the order they have.
// CHECK-LABEL: @main
// CHECK:         [[PART:%.*]] = memory.view %{{.*}} -> memref<1x4x8x8xf32, strided<[512, 1, 64, 8], offset: 4>>
// CHECK-NEXT:    memory.apply "graph.resize" ins(%{{.*}} : memref<1x4x4x4xf32, #layout.physical<NHWC>>) outs([[PART]] : {{.*}}) {sizes = array<i64: 8, 8>, scales = array<f64: 2.000000e+00, 2.000000e+00>, axes = array<i64: 2, 3>, mode = "linear"}

// Where many elements make one, axes go one after the other, the shortest first.
// CHECK:         [[ROWS:%.*]] = memory.alloc : memref<1x4x3x8xf32, #layout.physical<NHWC>>
// CHECK-NEXT:    memory.apply "graph.resize" ins(%{{.*}}) outs([[ROWS]] : {{.*}}) {{{.*}}sizes = array<i64: 3>, axes = array<i64: 2>
// CHECK:         memory.apply "graph.resize" ins([[ROWS]] : {{.*}}) outs(%{{.*}}) {{{.*}}sizes = array<i64: 4, 4>, axes = array<i64: 3, 1>

// A region that is known is a constant.
// CHECK:         memory.apply "graph.resize" ins(%{{.*}}, roi %{{.*}} : {{.*}}, memref<4xf32>) outs(%{{.*}} : {{.*}}) {{{.*}}coordinate_transformation_mode = "tf_crop_and_resize"}

// Of one that is not, there is room for what it comes to.
// CHECK:         [[P:%.*]] = memory.alloc : memref<24xi32>
// CHECK-NEXT:    [[W:%.*]] = memory.alloc : memref<16xf32>
// CHECK:         memory.apply "graph.resize" ins(%{{.*}}, roi %{{.*}} : {{.*}}, memref<4xf32>) outs(%{{.*}}) scratch([[P]], [[W]] : memref<24xi32>, memref<16xf32>)
graph.placeholder @x "in" : tensor<1x4x4x4xf32, #layout.physical<NHWC>>
graph.placeholder @r "in" : tensor<4xf32>
graph.placeholder @s "in" : tensor<1x4x8x8xf32, #layout.physical<NHWC>>
graph.placeholder @a "out" : tensor<1x8x8x8xf32, #layout.physical<NHWC>>
graph.placeholder @b "out" : tensor<1x4x3x4xf32, #layout.physical<NHWC>>
graph.placeholder @c "out" : tensor<1x4x4x4xf32, #layout.physical<NHWC>>
graph.placeholder @d "out" : tensor<1x4x4x4xf32, #layout.physical<NHWC>>
func.func @main() {
  %region = graph.load @r : tensor<4xf32>
  %x = graph.load @x : tensor<1x4x4x4xf32, #layout.physical<NHWC>>
  %s = graph.load @s : tensor<1x4x8x8xf32, #layout.physical<NHWC>>
  %r = graph.literal dense<[0.0, 0.25, 1.0, 0.75]> : tensor<4xf32> : tensor<4xf32>
  %0 = graph.resize %x {scales = array<f64: 2.0, 2.0>, axes = array<i64: 2, 3>, mode = "linear"} : (tensor<1x4x4x4xf32, #layout.physical<NHWC>>) -> tensor<1x4x8x8xf32, #layout.physical<NHWC>>
  %a = graph.concat %s, %0 {axis = 1 : i64} : (tensor<1x4x8x8xf32, #layout.physical<NHWC>>, tensor<1x4x8x8xf32, #layout.physical<NHWC>>) -> tensor<1x8x8x8xf32, #layout.physical<NHWC>>
  %b = graph.resize %s {sizes = array<i64: 4, 3, 4>, axes = array<i64: 1, 2, 3>, mode = "linear", antialias} : (tensor<1x4x8x8xf32, #layout.physical<NHWC>>) -> tensor<1x4x3x4xf32, #layout.physical<NHWC>>
  %c = graph.resize %s roi %r {sizes = array<i64: 4, 4>, axes = array<i64: 2, 3>, coordinate_transformation_mode = "tf_crop_and_resize"} : (tensor<1x4x8x8xf32, #layout.physical<NHWC>>, tensor<4xf32>) -> tensor<1x4x4x4xf32, #layout.physical<NHWC>>
  %d = graph.resize %s roi %region {sizes = array<i64: 4, 4>, axes = array<i64: 2, 3>, mode = "linear", coordinate_transformation_mode = "tf_crop_and_resize"} : (tensor<1x4x8x8xf32, #layout.physical<NHWC>>, tensor<4xf32>) -> tensor<1x4x4x4xf32, #layout.physical<NHWC>>
  graph.save @d, %d : tensor<1x4x4x4xf32, #layout.physical<NHWC>>
  graph.save @a, %a : tensor<1x8x8x8xf32, #layout.physical<NHWC>>
  graph.save @b, %b : tensor<1x4x3x4xf32, #layout.physical<NHWC>>
  graph.save @c, %c : tensor<1x4x4x4xf32, #layout.physical<NHWC>>
  func.return
}
