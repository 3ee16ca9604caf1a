// RUN: ROUNDTRIP

// CHECK:      graph.placeholder @x "in" : tensor<2x3xf32>
// CHECK-NEXT: graph.placeholder @"/layer.1/Relu: 0" "out" : tensor<2x3xf32>
// CHECK-NEXT: graph.placeholder @state "inout" : tensor<i64>
// CHECK-NEXT: graph.placeholder @named "in" axes ["DATA_BATCH", ""] : tensor<2x3xf32>
// CHECK-NEXT: graph.placeholder @unsaid : tensor<2xf32>
// CHECK-NEXT: graph.placeholder @kept "resident" : tensor<2xf32>
// CHECK-NEXT: graph.placeholder @weights "in" "resident" : tensor<2xf32>
// CHECK-NEXT: graph.placeholder @cache "inout" "resident" initial #graph.resource<"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"> axes ["DATA_TIME"] : tensor<2xf32>
// CHECK-NEXT: graph.placeholder @fixed "in" "bound" initial #graph.resource<"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"> : tensor<2xf32>
// CHECK-NEXT: graph.placeholder @private "out" "scratch" : tensor<2xf32>
// CHECK-NEXT: graph.placeholder @plain "inout" : tensor<2xf32>
// CHECK-NEXT: graph.constant @w #graph.resource<"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"> : tensor<3xi1>
// CHECK-NEXT: graph.constant @meant #graph.resource<"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"> axes ["OUT", ""] : tensor<2x3xf32>
// CHECK-NEXT: graph.constant @packed #graph.resource<"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"> : tensor<1x2x3x4xf32, #layout.physical<NHWC>>
graph.placeholder @x "in" : tensor<2x3xf32>
graph.placeholder @"/layer.1/Relu: 0" "out" : tensor<2x3xf32>
graph.placeholder @state "inout" : tensor<i64>
graph.placeholder @named "in" axes ["DATA_BATCH", ""] : tensor<2x3xf32>
graph.placeholder @unsaid : tensor<2xf32>
graph.placeholder @kept "resident" : tensor<2xf32>
graph.placeholder @weights "in" "resident" : tensor<2xf32>
graph.placeholder @cache "inout" "resident" initial #graph.resource<"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"> axes ["DATA_TIME"] : tensor<2xf32>
graph.placeholder @fixed "in" "bound" initial #graph.resource<"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"> : tensor<2xf32>
graph.placeholder @private "out" "scratch" : tensor<2xf32>
graph.placeholder @plain "inout" "run" : tensor<2xf32>
graph.constant @w #graph.resource<"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"> : tensor<3xi1>
graph.constant @meant #graph.resource<"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"> axes ["OUT", ""] : tensor<2x3xf32>
graph.constant @packed #graph.resource<"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"> : tensor<1x2x3x4xf32, #layout.physical<NHWC>>

// CHECK-LABEL: @main
// CHECK-NEXT:    %x = graph.load @x : tensor<2x3xf32>
// CHECK-NEXT:    %n = graph.load @state : tensor<i64>
// CHECK-NEXT:    %w = graph.load @w : tensor<3xi1>
// CHECK-NEXT:    %z = graph.literal dense<0.000000e+00> : tensor<2xf32> : tensor<2xf32>
// CHECK-NEXT:    graph.save @"/layer.1/Relu: 0", %x : tensor<2x3xf32>
// CHECK-NEXT:    graph.save @state, %n : tensor<i64>
// CHECK-NEXT:    graph.save @cache, %z : tensor<2xf32>
// CHECK-NEXT:    graph.save @private, %z : tensor<2xf32>
// CHECK-NEXT:    graph.save @plain, %z : tensor<2xf32>
func.func @main() {
  %x = graph.load @x : tensor<2x3xf32>
  %n = graph.load @state : tensor<i64>
  %w = graph.load @w : tensor<3xi1>
  %z = graph.literal dense<0.000000e+00> : tensor<2xf32> : tensor<2xf32>
  graph.save @"/layer.1/Relu: 0", %x : tensor<2x3xf32>
  graph.save @state, %n : tensor<i64>
  graph.save @cache, %z : tensor<2xf32>
  graph.save @private, %z : tensor<2xf32>
  graph.save @plain, %z : tensor<2xf32>
  func.return
}

// CHECK-LABEL: @literals
// CHECK-NEXT:    %a = graph.literal dense<[1.000000e+00, -2.500000e+00]> : tensor<2xf32> : tensor<2xf32>
// CHECK-NEXT:    %b = graph.literal dense<{{.*}}[true, false], [false, true]]> : tensor<2x2xi1> : tensor<2x2xi1>
// CHECK-NEXT:    %c = graph.literal dense<7> : tensor<i64> : tensor<i64>
// CHECK-NEXT:    %d = graph.literal dense<> : tensor<0xf64> : tensor<0xf64>
func.func @literals() {
  %a = graph.literal dense<[1.0, -2.5]> : tensor<2xf32> : tensor<2xf32>
  %b = graph.literal dense<[[true, false], [false, true]]> : tensor<2x2xi1> : tensor<2x2xi1>
  %c = graph.literal dense<7> : tensor<i64> : tensor<i64>
  %d = graph.literal dense<> : tensor<0xf64> : tensor<0xf64>
  func.return
}

// What has no decimal form is told by its bits.
// CHECK-LABEL: @literals_by_their_bits
// CHECK-NEXT:    %a = graph.literal dense<0xff800000> : tensor<4xf32> : tensor<4xf32>
// CHECK-NEXT:    %b = graph.literal dense<[0x7f800000, 0x7fc00000, 0x4CEB79A3]> : tensor<3xf32> : tensor<3xf32>
// CHECK-NEXT:    %c = graph.literal dense<[0xfff0000000000000, 1.000000e+00]> : tensor<2xf64> : tensor<2xf64>
// CHECK-NEXT:    %d = graph.literal dense<[16, 2]> : tensor<2xi64> : tensor<2xi64>
func.func @literals_by_their_bits() {
  %a = graph.literal dense<0xff800000> : tensor<4xf32> : tensor<4xf32>
  %b = graph.literal dense<[0x7f800000, 0x7fc00000, 123456789.0]> : tensor<3xf32> : tensor<3xf32>
  %c = graph.literal dense<[0xfff0000000000000, 1.0]> : tensor<2xf64> : tensor<2xf64>
  %d = graph.literal dense<[0x10, 2]> : tensor<2xi64> : tensor<2xi64>
  func.return
}
