// RUN: glow-opt %s -p 'relayout-io{names=x,"out/y",s layouts=NHWC,NCHW2c,"[1, 0]"}' | filecheck %s
// RUN: glow-opt %s -p 'relayout-io{layouts=NHWC}' | filecheck %s --check-prefix=RANK
// RUN: glow-opt %s -p 'relayout-io{layouts=NHWC},assign-layouts,fold-layout-transforms,verify-layouts' | filecheck %s --check-prefix=DONE

// CHECK:       graph.placeholder @x "in" axes ["DATA_BATCH", "", "", ""] : tensor<1x2x4x5xf32, #layout.physical<NHWC>>
// CHECK-NEXT:  graph.placeholder @"out/y" "out" : tensor<1x2x4x5xf32, #layout.physical<NCHW2c>>
// CHECK-NEXT:  graph.placeholder @s "inout" : tensor<3x2xf32, #layout.physical<NK>>
// CHECK-NEXT:  graph.placeholder @t "in" : tensor<3x2xf32>
// CHECK-NEXT:  graph.placeholder @gray "out" : tensor<4x1x4x5xf32>

// RANK:        graph.placeholder @x {{.*}} : tensor<1x2x4x5xf32, #layout.physical<NHWC>>
// RANK-NEXT:   graph.placeholder @"out/y" "out" : tensor<1x2x4x5xf32, #layout.physical<NHWC>>
// RANK-NEXT:   graph.placeholder @s "inout" : tensor<3x2xf32>
// RANK-NEXT:   graph.placeholder @t "in" : tensor<3x2xf32>
// The array that the caller passes has another shape even where no byte moves.
// RANK-NEXT:   graph.placeholder @gray "out" : tensor<4x1x4x5xf32, #layout.physical<NHWC>>
graph.placeholder @x "in" axes ["DATA_BATCH", "", "", ""] : tensor<1x2x4x5xf32>
graph.placeholder @"out/y" "out" : tensor<1x2x4x5xf32>
graph.placeholder @s "inout" : tensor<3x2xf32>
graph.placeholder @t "in" : tensor<3x2xf32>
graph.placeholder @gray "out" : tensor<4x1x4x5xf32>

// CHECK-LABEL: @main
// CHECK-NEXT:    %x = graph.load @x : tensor<1x2x4x5xf32, #layout.physical<NHWC>>
// CHECK-NEXT:    %s = graph.load @s : tensor<3x2xf32, #layout.physical<NK>>
// CHECK-NEXT:    %t = graph.load @t : tensor<3x2xf32>
// CHECK-NEXT:    %y = graph.relu %x : (tensor<1x2x4x5xf32, #layout.physical<NHWC>>) -> tensor<1x2x4x5xf32>
// CHECK:         [[Y:%.*]] = layout.transform %y : tensor<1x2x4x5xf32> -> tensor<1x2x4x5xf32, #layout.physical<NCHW2c>>
// CHECK-NEXT:    graph.save @"out/y", [[Y]]
// A value that has the layout is saved as it is.
// CHECK-NEXT:    graph.save @s, %s : tensor<3x2xf32, #layout.physical<NK>>
// CHECK-NEXT:    graph.save @gray, %g : tensor<4x1x4x5xf32>

// Nothing moves where the whole network has one order.
// DONE-LABEL:  @main
// DONE-NOT:      layout.transform %{{[a-z0-9_]*}} : tensor<1x2
// DONE:          func.return
func.func @main() {
  %x = graph.load @x : tensor<1x2x4x5xf32>
  %s = graph.load @s : tensor<3x2xf32>
  %t = graph.load @t : tensor<3x2xf32>
  %y = graph.relu %x : (tensor<1x2x4x5xf32>) -> tensor<1x2x4x5xf32>
  %g = graph.literal dense<1.0> : tensor<4x1x4x5xf32> : tensor<4x1x4x5xf32>
  graph.save @"out/y", %y : tensor<1x2x4x5xf32>
  graph.save @s, %s : tensor<3x2xf32>
  graph.save @gray, %g : tensor<4x1x4x5xf32>
  func.return
}
