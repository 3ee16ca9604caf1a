// RUN: REFUSED

// CHECK: expected an input of rank 2 or more, got tensor<3xf32>
func.func @input_has_channels(%x: tensor<3xf32>) {
  %y = graph.instance_norm %x : (tensor<3xf32>) -> tensor<3xf32>
  func.return
}

// -----

// CHECK: expected a float element type, got i32
func.func @integers_have_no_mean(%x: tensor<2x3xi32>) {
  %y = graph.instance_norm %x : (tensor<2x3xi32>) -> tensor<2x3xi32>
  func.return
}

// -----

// CHECK: expected scale of shape [4], one per channel, got tensor<3xf32>
func.func @scale_is_per_channel(%x: tensor<2x4x3xf32>, %s: tensor<3xf32>) {
  %y = graph.instance_norm %x scale %s : tensor<3xf32> : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  func.return
}

// -----

// An absent scale does not lend its name to the bias.
// CHECK: expected bias of shape [4], one per channel, got tensor<2xf32>
func.func @bias_is_per_channel(%x: tensor<2x4x3xf32>, %b: tensor<2xf32>) {
  %y = graph.group_norm %x bias %b : tensor<2xf32> {num_groups = 2 : i64} : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  func.return
}

// -----

// CHECK: expected one element type, got f32, f64
func.func @element_types_differ(%x: tensor<2x4x3xf32>, %s: tensor<4xf64>) {
  %y = graph.instance_norm %x scale %s : tensor<4xf64> : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  func.return
}

// -----

// CHECK: expected num_groups to divide 4 channels, got 3
func.func @groups_divide_channels(%x: tensor<2x4x3xf32>) {
  %y = graph.group_norm %x {num_groups = 3 : i64} : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  func.return
}

// -----

// CHECK: expected num_groups to divide 4 channels, got 0
func.func @there_is_a_group(%x: tensor<2x4x3xf32>) {
  %y = graph.group_norm %x {num_groups = 0 : i64} : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  func.return
}

// -----

// CHECK: expected result tensor<2x4x3xf32>, got tensor<2x3x4xf32>
func.func @result_is_as_input(%x: tensor<2x4x3xf32>) {
  %y = graph.instance_norm %x : (tensor<2x4x3xf32>) -> tensor<2x3x4xf32>
  func.return
}
