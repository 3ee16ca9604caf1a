// RUN: glow-opt %s -p fold-layout-transforms | filecheck %s

// CHECK:       graph.constant @literal.IWO {{.*}} : tensor<2x2x3xf32, #layout.physical<IWO>>
// CHECK:       graph.constant @absent
graph.constant @absent #graph.resource<"0000000000000000000000000000000000000000000000000000000000000000"> : tensor<2x3xf32>
graph.placeholder @literal.NC16c "in" : tensor<1xf32>

// CHECK-LABEL: @opposite_ones_cancel
// CHECK-NEXT:    func.return %x
func.func @opposite_ones_cancel(%x: tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32> {
  %0 = layout.transform %x : tensor<1x3x4x4xf32> -> tensor<1x3x4x4xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>
  %1 = layout.transform %0 : tensor<1x3x4x4xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>> -> tensor<1x3x4x4xf32>
  func.return %1 : tensor<1x3x4x4xf32>
}

// CHECK-LABEL: @three_become_one
// CHECK-NEXT:    %[[T:.*]] = layout.transform %x : tensor<1x3x4x4xf32> -> tensor<1x3x4x4xf32, #layout.physical<NWHC>>
// CHECK-NEXT:    func.return %[[T]]
func.func @three_become_one(%x: tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32, #layout.physical<NWHC>> {
  %0 = layout.transform %x : tensor<1x3x4x4xf32> -> tensor<1x3x4x4xf32, #layout.physical<NCHW4c>>
  %1 = layout.transform %0 : tensor<1x3x4x4xf32, #layout.physical<NCHW4c>> -> tensor<1x3x4x4xf32, #layout.physical<NHWC>>
  %2 = layout.transform %1 : tensor<1x3x4x4xf32, #layout.physical<NHWC>> -> tensor<1x3x4x4xf32, #layout.physical<NWHC>>
  func.return %2 : tensor<1x3x4x4xf32, #layout.physical<NWHC>>
}

// The other reader still needs the inner one.
// CHECK-LABEL: @the_inner_one_stays_for_others
// CHECK:         %[[A:.*]] = layout.transform %x : {{.*}} -> tensor<1x3x4x4xf32, #layout.physical<NHWC>>
// CHECK:         %[[B:.*]] = layout.transform %x : {{.*}} -> tensor<1x3x4x4xf32, #layout.physical<NWHC>>
// CHECK:         "test.op"(%[[A]], %[[B]])
func.func @the_inner_one_stays_for_others(%x: tensor<1x3x4x4xf32>) {
  %0 = layout.transform %x : tensor<1x3x4x4xf32> -> tensor<1x3x4x4xf32, #layout.physical<NHWC>>
  %1 = layout.transform %0 : tensor<1x3x4x4xf32, #layout.physical<NHWC>> -> tensor<1x3x4x4xf32, #layout.physical<NWHC>>
  "test.op"(%0, %1) : (tensor<1x3x4x4xf32, #layout.physical<NHWC>>, tensor<1x3x4x4xf32, #layout.physical<NWHC>>) -> ()
  func.return
}

// A type may spell out a layout that changes no byte; what reads it may insist.
// CHECK-LABEL: @what_types_say_is_kept
// CHECK:         layout.transform {{.*}} -> tensor<1x1x4x4xf32, #layout.physical<NHWC>>
// CHECK:         "test.op"
func.func @what_types_say_is_kept(%x: tensor<1x1x4x4xf32, #layout.physical<NWHC>>) {
  %0 = layout.transform %x : tensor<1x1x4x4xf32, #layout.physical<NWHC>> -> tensor<1x1x4x4xf32>
  %1 = layout.transform %0 : tensor<1x1x4x4xf32> -> tensor<1x1x4x4xf32, #layout.physical<NHWC>>
  "test.op"(%1) : (tensor<1x1x4x4xf32, #layout.physical<NHWC>>) -> ()
  func.return
}

// CHECK-LABEL: @constants_are_packed_once
// CHECK:         %[[A:.*]] = graph.load @literal.IWO : tensor<2x2x3xf32, #layout.physical<IWO>>
// CHECK-NEXT:    %[[B:.*]] = graph.load @literal.IWO : tensor<2x2x3xf32, #layout.physical<IWO>>
// CHECK-NEXT:    "test.op"(%[[A]], %[[B]])
func.func @constants_are_packed_once() {
  %0 = graph.literal dense<1.0> : tensor<2x2x3xf32> : tensor<2x2x3xf32>
  %1 = layout.transform %0 : tensor<2x2x3xf32> -> tensor<2x2x3xf32, #layout.physical<IWO>>
  %2 = layout.transform %0 : tensor<2x2x3xf32> -> tensor<2x2x3xf32, #layout.physical<IWO>>
  "test.op"(%1, %2) : (tensor<2x2x3xf32, #layout.physical<IWO>>, tensor<2x2x3xf32, #layout.physical<IWO>>) -> ()
  func.return
}

// CHECK-LABEL: @without_its_bytes_a_constant_stays
// CHECK:         %[[W:.*]] = graph.load @absent
// CHECK-NEXT:    layout.transform %[[W]]
func.func @without_its_bytes_a_constant_stays() -> tensor<2x3xf32, #layout.physical<NC16c>> {
  %0 = graph.load @absent : tensor<2x3xf32>
  %1 = layout.transform %0 : tensor<2x3xf32> -> tensor<2x3xf32, #layout.physical<NC16c>>
  func.return %1 : tensor<2x3xf32, #layout.physical<NC16c>>
}

// The name that the packed constant would have is taken.
// CHECK-LABEL: @names_are_fresh
// CHECK:         graph.load @literal.NC16c.1
func.func @names_are_fresh() -> tensor<2x3xf32, #layout.physical<NC16c>> {
  %0 = graph.literal dense<1.0> : tensor<2x3xf32> : tensor<2x3xf32>
  %1 = layout.transform %0 : tensor<2x3xf32> -> tensor<2x3xf32, #layout.physical<NC16c>>
  func.return %1 : tensor<2x3xf32, #layout.physical<NC16c>>
}

// A group sees nothing from outside, so it cannot load.
// CHECK-LABEL: @inside_a_group_a_constant_stays
// CHECK:         ^{{.*}}(%b: tensor<2x3xf32>):
// CHECK-NEXT:      layout.transform %b
func.func @inside_a_group_a_constant_stays() {
  %0 = graph.literal dense<1.0> : tensor<2x3xf32> : tensor<2x3xf32>
  %1 = graph.fused(%0) {
  ^bb0(%b: tensor<2x3xf32>):
    %2 = layout.transform %b : tensor<2x3xf32> -> tensor<2x3xf32, #layout.physical<NK>>
    graph.yield %2 : tensor<2x3xf32, #layout.physical<NK>>
  } : (tensor<2x3xf32>) -> tensor<2x3xf32, #layout.physical<NK>>
  "test.op"(%1) : (tensor<2x3xf32, #layout.physical<NK>>) -> ()
  func.return
}
