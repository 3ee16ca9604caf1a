// RUN: ROUNDTRIP

// CHECK-LABEL: @mean
// CHECK-NEXT:    %y = graph.global_avg_pool %x : (tensor<1x3x8x8xf32>) -> tensor<1x3x1x1xf32>
func.func @mean(%x: tensor<1x3x8x8xf32>) {
  %y = graph.global_avg_pool %x : (tensor<1x3x8x8xf32>) -> tensor<1x3x1x1xf32>
  func.return
}

// CHECK-LABEL: @greatest
// CHECK-NEXT:    %y = graph.global_max_pool %x : (tensor<1x3x8xi32>) -> tensor<1x3x1xi32>
func.func @greatest(%x: tensor<1x3x8xi32>) {
  %y = graph.global_max_pool %x : (tensor<1x3x8xi32>) -> tensor<1x3x1xi32>
  func.return
}

// CHECK-LABEL: @norm
// CHECK-NEXT:    %y = graph.global_lp_pool %x : (tensor<1x3x8x8xf32>) -> tensor<1x3x1x1xf32>
func.func @norm(%x: tensor<1x3x8x8xf32>) {
  %y = graph.global_lp_pool %x : (tensor<1x3x8x8xf32>) -> tensor<1x3x1x1xf32>
  func.return
}

// CHECK-LABEL: @another_norm
// CHECK-NEXT:    %y = graph.global_lp_pool %x {p = 1 : i64} : (tensor<1x3x8x8xf32>) -> tensor<1x3x1x1xf32>
func.func @another_norm(%x: tensor<1x3x8x8xf32>) {
  %y = graph.global_lp_pool %x {p = 1 : i64} : (tensor<1x3x8x8xf32>) -> tensor<1x3x1x1xf32>
  func.return
}
