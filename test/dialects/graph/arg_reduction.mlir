// RUN: ROUNDTRIP

// CHECK-LABEL: @arg_max
// CHECK: %y = graph.arg_max %x : (tensor<2x3x4xf32>) -> tensor<3x4xi64>
func.func @arg_max(%x: tensor<2x3x4xf32>) {
  %y = graph.arg_max %x : (tensor<2x3x4xf32>) -> tensor<3x4xi64>
  func.return
}

// CHECK-LABEL: @arg_max_last
// CHECK: %y = graph.arg_max %x {axis = -1 : i64, keepdims, select_last_index} : (tensor<2x3x4xf32>) -> tensor<2x3x1xi64>
func.func @arg_max_last(%x: tensor<2x3x4xf32>) {
  %y = graph.arg_max %x {axis = -1 : i64, keepdims, select_last_index} : (tensor<2x3x4xf32>) -> tensor<2x3x1xi64>
  func.return
}

// CHECK-LABEL: @arg_min
// CHECK: %y = graph.arg_min %x : (tensor<2x3x4xf32>) -> tensor<3x4xi64>
func.func @arg_min(%x: tensor<2x3x4xf32>) {
  %y = graph.arg_min %x : (tensor<2x3x4xf32>) -> tensor<3x4xi64>
  func.return
}

// CHECK-LABEL: @arg_min_last
// CHECK: %y = graph.arg_min %x {axis = -1 : i64, keepdims, select_last_index} : (tensor<2x3x4xf32>) -> tensor<2x3x1xi64>
func.func @arg_min_last(%x: tensor<2x3x4xf32>) {
  %y = graph.arg_min %x {axis = -1 : i64, keepdims, select_last_index} : (tensor<2x3x4xf32>) -> tensor<2x3x1xi64>
  func.return
}
