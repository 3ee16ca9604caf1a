// RUN: ROUNDTRIP

// CHECK-LABEL: @determinants
// CHECK-NEXT:    %y = graph.det %x : (tensor<2x3x3xf32>) -> tensor<2xf32>
// CHECK-NEXT:    %z = graph.det %m : (tensor<0x0xf64>) -> tensor<f64>
func.func @determinants(%x: tensor<2x3x3xf32>, %m: tensor<0x0xf64>) {
  %y = graph.det %x : (tensor<2x3x3xf32>) -> tensor<2xf32>
  %z = graph.det %m : (tensor<0x0xf64>) -> tensor<f64>
  func.return
}
