// RUN: REFUSED

// CHECK: expected a scale that broadcasts to [2, 3], got tensor<2xf32>
func.func @scale_does_not_broadcast(%x: tensor<2x3xf32>, %s: tensor<2xf32>) {
  %y = graph.layer_norm %x scale %s : tensor<2xf32> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expected a scale that broadcasts to [2, 3], got tensor<4x2x3xf32>
func.func @scale_has_more_axes(%x: tensor<2x3xf32>, %s: tensor<4x2x3xf32>) {
  %y = graph.layer_norm %x scale %s : tensor<4x2x3xf32> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expected a scale that broadcasts to [1, 3], got tensor<2x3xf32>
func.func @scale_is_longer(%x: tensor<1x3xf32>, %s: tensor<2x3xf32>) {
  %y = graph.layer_norm %x scale %s : tensor<2x3xf32> : (tensor<1x3xf32>) -> tensor<1x3xf32>
  func.return
}

// -----

// An absent scale does not lend its name to the bias.
// CHECK: expected a bias that broadcasts to [2, 3], got tensor<2xf32>
func.func @bias_does_not_broadcast(%x: tensor<2x3xf32>, %b: tensor<2xf32>) {
  %y = graph.layer_norm %x bias %b : tensor<2xf32> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expected one element type, got f32, f64
func.func @bias_has_another_element(%x: tensor<2x3xf32>, %b: tensor<3xf64>) {
  %y = graph.layer_norm %x bias %b : tensor<3xf64> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expected 1 results, got 3
func.func @statistics_are_announced(%x: tensor<2x3xf32>, %s: tensor<3xf32>) {
  %y, %m, %i = graph.layer_norm %x scale %s : tensor<3xf32> : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
  func.return
}

// -----

// CHECK: expected result tensor<2x1xf32>, got tensor<2xf32>
func.func @statistics_keep_axes(%x: tensor<2x3xf32>) {
  %y, %m, %i = graph.layer_norm %x {with_statistics} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  func.return
}

// -----

// CHECK: expected a scale that broadcasts to [2, 3], got tensor<2xf32>
func.func @scale_of_rms_norm_does_not_broadcast(%x: tensor<2x3xf32>, %s: tensor<2xf32>) {
  %y = graph.rms_norm %x scale %s : tensor<2xf32> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expected an axis in [-2, 1], got 2
func.func @axis_of_rms_norm_is_out_of_range(%x: tensor<2x3xf32>) {
  %y = graph.rms_norm %x {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expected a float element type, got i32
func.func @integers_have_no_rms_norm(%x: tensor<2xi32>) {
  %y = graph.rms_norm %x : (tensor<2xi32>) -> tensor<2xi32>
  func.return
}
