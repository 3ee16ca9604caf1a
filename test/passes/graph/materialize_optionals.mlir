// RUN: glow-opt %s -p materialize-optionals | filecheck %s
// RUN: glow-opt %s -p 'materialize-optionals{slots="graph.conv.bias","graph.clip"}' | filecheck %s --check-prefix=SOME

// Adding -0.0 changes nothing, not even the sign of zero.
// CHECK-LABEL: @bias_is_a_number_per_channel
// CHECK:         [[B:%.*]] = graph.literal dense<-0.000000e+00> : tensor<4xf32>
// CHECK-NEXT:    graph.conv %x, %w bias [[B]]
// SOME-LABEL:  @bias_is_a_number_per_channel
// SOME:          graph.conv %x, %w bias
func.func @bias_is_a_number_per_channel(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32> {
  %y = graph.conv %x, %w {pads = array<i64: 0, 0, 0, 0>} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  func.return %y : tensor<1x4x6x6xf32>
}

// CHECK-LABEL: @integers_have_one_zero
// CHECK:         [[B:%.*]] = graph.literal dense<0> : tensor<5xi32>
// CHECK-NEXT:    graph.matmul %x, %w bias [[B]]
// SOME-LABEL:  @integers_have_one_zero
// SOME-NOT:      bias
func.func @integers_have_one_zero(%x: tensor<2x3xi32>, %w: tensor<3x5xi32>) -> tensor<2x5xi32> {
  %y = graph.matmul %x, %w : (tensor<2x3xi32>, tensor<3x5xi32>) -> tensor<2x5xi32>
  func.return %y : tensor<2x5xi32>
}

// CHECK-LABEL: @only_the_absent_one_is_given
// CHECK:         [[B:%.*]] = graph.literal dense<-0.000000e+00> : tensor<8xf64>
// CHECK-NEXT:    graph.layer_norm %x scale %s : tensor<8xf64> bias [[B]] : tensor<8xf64>
// SOME-LABEL:  @only_the_absent_one_is_given
// SOME-NOT:      bias
func.func @only_the_absent_one_is_given(%x: tensor<2x8xf64>, %s: tensor<8xf64>) -> tensor<2x8xf64> {
  %y = graph.layer_norm %x scale %s : tensor<8xf64> {axis = 1 : i64} : (tensor<2x8xf64>) -> tensor<2x8xf64>
  func.return %y : tensor<2x8xf64>
}

// CHECK-LABEL: @scale_has_the_normalized_axes
// CHECK:         [[S:%.*]] = graph.literal dense<1.000000e+00> : tensor<3x8xf32>
// CHECK-NEXT:    graph.rms_norm %x scale [[S]] : tensor<3x8xf32>
func.func @scale_has_the_normalized_axes(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %y = graph.rms_norm %x {axis = -2 : i64} : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  func.return %y : tensor<2x3x8xf32>
}

// CHECK-LABEL: @bounds_are_those_of_the_type
// CHECK-DAG:     [[A:%.*]] = graph.literal dense<-2147483648> : tensor<i32>
// CHECK-DAG:     [[B:%.*]] = graph.literal dense<2147483647> : tensor<i32>
// CHECK:         graph.clip %x min [[A]] : tensor<i32> max [[B]] : tensor<i32>
// SOME-LABEL:  @bounds_are_those_of_the_type
// SOME:          graph.clip %x min
func.func @bounds_are_those_of_the_type(%x: tensor<4xi32>) -> tensor<4xi32> {
  %y = graph.clip %x : (tensor<4xi32>) -> tensor<4xi32>
  func.return %y : tensor<4xi32>
}

// CHECK-LABEL: @class_weights_are_one
// CHECK:         [[W:%.*]] = graph.literal dense<1.000000e+00> : tensor<5xf32>
// CHECK-NEXT:    graph.negative_log_likelihood_loss %x, %t weights [[W]]
func.func @class_weights_are_one(%x: tensor<3x5xf32>, %t: tensor<3xi64>) -> tensor<f32> {
  %y = graph.negative_log_likelihood_loss %x, %t : (tensor<3x5xf32>, tensor<3xi64>) -> tensor<f32>
  func.return %y : tensor<f32>
}

// Only pads of a constant have a value.
// CHECK-LABEL: @value_of_another_mode_stays_absent
// CHECK:         graph.pad %x {
// CHECK:         [[V:%.*]] = graph.literal dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    graph.pad %x value [[V]]
func.func @value_of_another_mode_stays_absent(%x: tensor<4xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %y = graph.pad %x {pads = array<i64: 1, 1>, mode = "edge"} : (tensor<4xf32>) -> tensor<6xf32>
  %z = graph.pad %x {pads = array<i64: 1, 1>} : (tensor<4xf32>) -> tensor<6xf32>
  func.return %y, %z : tensor<6xf32>, tensor<6xf32>
}

// The operand lies as the result does.
// CHECK-LABEL: @operand_gets_the_layout
// CHECK:         [[S:%.*]] = graph.literal dense<1.000000e+00> : tensor<3x8xf32, #layout.physical<NK>>
// CHECK-NEXT:    graph.rms_norm %x scale [[S]]
func.func @operand_gets_the_layout(%x: tensor<2x3x8xf32, #layout.physical<NWC>>) -> tensor<2x3x8xf32, #layout.physical<NWC>> {
  %y = graph.rms_norm %x {axis = -2 : i64} : (tensor<2x3x8xf32, #layout.physical<NWC>>) -> tensor<2x3x8xf32, #layout.physical<NWC>>
  func.return %y : tensor<2x3x8xf32, #layout.physical<NWC>>
}
