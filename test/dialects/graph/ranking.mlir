// RUN: ROUNDTRIP

// CHECK-LABEL: @top_k
// CHECK-NEXT:    %v, %i = graph.top_k %x {k = 3 : i64, largest} : tensor<2x8xf32> values tensor<2x3xf32> indices tensor<2x3xi64>
// CHECK-NEXT:    %w = graph.top_k %x {k = 1 : i64, axis = 0 : i64} : tensor<2x8xf32> values tensor<1x8xf32>
// CHECK-NEXT:    %j = graph.top_k %k {k = 8 : i64} : tensor<2x8xi64> indices tensor<2x8xi64>
func.func @top_k(%x: tensor<2x8xf32>, %k: tensor<2x8xi64>) {
  %v, %i = graph.top_k %x {k = 3 : i64, largest} : tensor<2x8xf32> values tensor<2x3xf32> indices tensor<2x3xi64>
  %w = graph.top_k %x {k = 1 : i64, axis = 0 : i64} : tensor<2x8xf32> values tensor<1x8xf32>
  %j = graph.top_k %k {k = 8 : i64} : tensor<2x8xi64> indices tensor<2x8xi64>
  func.return
}
