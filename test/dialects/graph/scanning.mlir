// RUN: ROUNDTRIP

// CHECK-LABEL: @sums
// CHECK-NEXT:    %y = graph.cumsum %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
// CHECK-NEXT:    %z = graph.cumsum %x {axis = -1 : i64, exclusive, reverse} : (tensor<2x8xf32>) -> tensor<2x8xf32>
func.func @sums(%x: tensor<2x8xf32>) {
  %y = graph.cumsum %x : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %z = graph.cumsum %x {axis = -1 : i64, exclusive, reverse} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return
}

// CHECK-LABEL: @triangles
// CHECK-NEXT:    %y = graph.trilu %x : (tensor<2x8xi1>) -> tensor<2x8xi1>
// CHECK-NEXT:    %z = graph.trilu %x diagonal %k {upper} : (tensor<2x8xi1>, tensor<i64>) -> tensor<2x8xi1>
func.func @triangles(%x: tensor<2x8xi1>, %k: tensor<i64>) {
  %y = graph.trilu %x : (tensor<2x8xi1>) -> tensor<2x8xi1>
  %z = graph.trilu %x diagonal %k {upper} : (tensor<2x8xi1>, tensor<i64>) -> tensor<2x8xi1>
  func.return
}
