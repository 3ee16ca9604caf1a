// RUN: ROUNDTRIP

// CHECK-LABEL: @group
// CHECK-NEXT:    %y = graph.fused(%x, %c) {
// CHECK-NEXT:    ^{{.*}}(%a: tensor<2x3xf32>, %b: tensor<3xf32>):
// CHECK-NEXT:      %s = graph.add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:      %r = graph.relu %s : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:      graph.yield %r : tensor<2x3xf32>
// CHECK-NEXT:    } : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
func.func @group(%x: tensor<2x3xf32>, %c: tensor<3xf32>) {
  %y = graph.fused(%x, %c) {
  ^bb0(%a: tensor<2x3xf32>, %b: tensor<3xf32>):
    %s = graph.add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %r = graph.relu %s : (tensor<2x3xf32>) -> tensor<2x3xf32>
    graph.yield %r : tensor<2x3xf32>
  } : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @several_results
// CHECK-NEXT:    %y, %z = graph.fused(%x) {
// CHECK:           graph.yield %r, %n : tensor<2xf32>, tensor<2xf32>
// CHECK-NEXT:    } : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
func.func @several_results(%x: tensor<2xf32>) {
  %y, %z = graph.fused(%x) {
  ^bb0(%a: tensor<2xf32>):
    %r = graph.relu %a : (tensor<2xf32>) -> tensor<2xf32>
    %n = graph.neg %r : (tensor<2xf32>) -> tensor<2xf32>
    graph.yield %r, %n : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  func.return
}

// CHECK-LABEL: @no_input
// CHECK-NEXT:    %y = graph.fused() {
// CHECK-NEXT:      %l = graph.literal dense<1.000000e+00> : tensor<2xf32> : tensor<2xf32>
// CHECK-NEXT:      %r = graph.exp %l : (tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:      graph.yield %r : tensor<2xf32>
// CHECK-NEXT:    } : () -> tensor<2xf32>
func.func @no_input() {
  %y = graph.fused() {
    %l = graph.literal dense<1.0> : tensor<2xf32> : tensor<2xf32>
    %r = graph.exp %l : (tensor<2xf32>) -> tensor<2xf32>
    graph.yield %r : tensor<2xf32>
  } : () -> tensor<2xf32>
  func.return
}

// CHECK-LABEL: @layouts
// CHECK-NEXT:    %y = graph.fused(%x) {
// CHECK-NEXT:    ^{{.*}}(%a: tensor<1x2x3x4xf32, #layout.physical<NHWC>>):
// CHECK:         } : (tensor<1x2x3x4xf32, #layout.physical<NHWC>>) -> tensor<1x2x3x4xf32, #layout.physical<NHWC>>
func.func @layouts(%x: tensor<1x2x3x4xf32, #layout.physical<NHWC>>) {
  %y = graph.fused(%x) {
  ^bb0(%a: tensor<1x2x3x4xf32, #layout.physical<NHWC>>):
    %r = graph.relu %a : (tensor<1x2x3x4xf32, #layout.physical<NHWC>>) -> tensor<1x2x3x4xf32, #layout.physical<NHWC>>
    graph.yield %r : tensor<1x2x3x4xf32, #layout.physical<NHWC>>
  } : (tensor<1x2x3x4xf32, #layout.physical<NHWC>>) -> tensor<1x2x3x4xf32, #layout.physical<NHWC>>
  func.return
}
