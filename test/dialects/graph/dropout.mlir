// RUN: ROUNDTRIP

// CHECK-LABEL: @dropout
// CHECK: %y = graph.dropout %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @dropout(%x: tensor<2x3xf32>) {
  %y = graph.dropout %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @dropout_with_ratio
// CHECK: %y = graph.dropout %x ratio %r : (tensor<2x3xf32>, tensor<f64>) -> tensor<2x3xf32>
func.func @dropout_with_ratio(%x: tensor<2x3xf32>, %r: tensor<f64>) {
  %y = graph.dropout %x ratio %r : (tensor<2x3xf32>, tensor<f64>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @dropout_with_mask
// CHECK: %y, %m = graph.dropout %x {with_mask} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi1>)
func.func @dropout_with_mask(%x: tensor<2x3xf32>) {
  %y, %m = graph.dropout %x {with_mask} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi1>)
  func.return
}

// CHECK-LABEL: @dropout_with_both
// CHECK: %y, %m = graph.dropout %x ratio %r {with_mask} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>, tensor<2x3xi1>)
func.func @dropout_with_both(%x: tensor<2x3xf32>, %r: tensor<f32>) {
  %y, %m = graph.dropout %x ratio %r {with_mask} : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>, tensor<2x3xi1>)
  func.return
}
