// RUN: REFUSED

// CHECK: expected an input of rank 2 or more, got tensor<3xf32>
func.func @input_has_channels(%x: tensor<3xf32>) {
  %y = graph.batch_norm %x, %x, %x scale %x : tensor<3xf32> bias %x : tensor<3xf32> : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  func.return
}

// -----

// CHECK: expected bias of shape [3], one per channel, got tensor<2xf32>
func.func @parameter_is_per_channel(%x: tensor<2x3xf32>, %s: tensor<3xf32>, %b: tensor<2xf32>) {
  %y = graph.batch_norm %x, %s, %s scale %s : tensor<3xf32> bias %b : tensor<2xf32> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expected mean of shape [3], one per channel, got tensor<2xf32>
func.func @mean_is_per_channel(%x: tensor<2x3xf32>, %s: tensor<3xf32>, %b: tensor<2xf32>) {
  %y = graph.batch_norm %x, %b, %s : (tensor<2x3xf32>, tensor<2xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expected variance of shape [3], one per channel, got tensor<2xf32>
func.func @variance_is_per_channel(%x: tensor<2x3xf32>, %s: tensor<3xf32>, %b: tensor<2xf32>) {
  %y = graph.batch_norm %x, %s, %b : (tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expected scale of shape [3], one per channel, got tensor<2xf32>
func.func @scale_is_per_channel(%x: tensor<2x3xf32>, %s: tensor<3xf32>, %b: tensor<2xf32>) {
  %y = graph.batch_norm %x, %s, %s scale %b : tensor<2xf32> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expected one element type, got f32, f64, f64, f64, f64
func.func @elements_differ(%x: tensor<2x3xf32>, %s: tensor<3xf64>) {
  %y = graph.batch_norm %x, %s, %s scale %s : tensor<3xf64> bias %s : tensor<3xf64> : (tensor<2x3xf32>, tensor<3xf64>, tensor<3xf64>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expected an input of rank 2 or more, got tensor<3xf32>
func.func @lrn_has_channels(%x: tensor<3xf32>) {
  %y = graph.lrn %x {size = 3} : (tensor<3xf32>) -> tensor<3xf32>
  func.return
}

// -----

// CHECK: expected a size of at least 1, got 0
func.func @lrn_looks_at_something(%x: tensor<2x3xf32>) {
  %y = graph.lrn %x {size = 0} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expected an axis in [-2, 1], got 2
func.func @axis_is_out_of_range(%x: tensor<2x3xf32>) {
  %y = graph.softmax %x {axis = 2} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expected a float element type, got i32
func.func @integers_have_no_softmax(%x: tensor<2x3xi32>) {
  %y = graph.log_softmax %x : (tensor<2x3xi32>) -> tensor<2x3xi32>
  func.return
}
