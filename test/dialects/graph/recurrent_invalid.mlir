// RUN: REFUSED

// CHECK: expected weights of shape [1, 16, 6], got tensor<1x16x5xf32>
func.func @weights_have_other_features(%x: tensor<5x3x6xf32>, %w: tensor<1x16x5xf32>, %r: tensor<1x16x4xf32>) {
  %y = graph.lstm %x, %w, %r : tensor<5x3x6xf32>, tensor<1x16x5xf32>, tensor<1x16x4xf32> y tensor<5x1x3x4xf32>
  func.return
}

// -----

// CHECK: expected weights of shape [1, 16, 6], got tensor<1x12x6xf32>
func.func @weights_lack_a_gate(%x: tensor<5x3x6xf32>, %w: tensor<1x12x6xf32>, %r: tensor<1x16x4xf32>) {
  %y = graph.lstm %x, %w, %r : tensor<5x3x6xf32>, tensor<1x12x6xf32>, tensor<1x16x4xf32> y tensor<5x1x3x4xf32>
  func.return
}

// -----

// CHECK: expected recurrence of shape [1, 16, 4], got tensor<1x12x4xf32>
func.func @recurrence_lacks_a_gate(%x: tensor<5x3x6xf32>, %w: tensor<1x16x6xf32>, %r: tensor<1x12x4xf32>) {
  %y = graph.lstm %x, %w, %r : tensor<5x3x6xf32>, tensor<1x16x6xf32>, tensor<1x12x4xf32> y tensor<5x1x3x4xf32>
  func.return
}

// -----

// CHECK: expected recurrence of shape [1, 16, 4], got tensor<2x16x4xf32>
func.func @recurrence_is_for_both_directions(%x: tensor<5x3x6xf32>, %w: tensor<1x16x6xf32>, %r: tensor<2x16x4xf32>) {
  %y = graph.lstm %x, %w, %r : tensor<5x3x6xf32>, tensor<1x16x6xf32>, tensor<2x16x4xf32> y tensor<5x1x3x4xf32>
  func.return
}

// -----

// CHECK: expected bias of shape [1, 32], got tensor<1x16xf32>
func.func @bias_is_of_one_product(%x: tensor<5x3x6xf32>, %w: tensor<1x16x6xf32>, %r: tensor<1x16x4xf32>, %b: tensor<1x16xf32>) {
  %y = graph.lstm %x, %w, %r bias %b : tensor<1x16xf32> : tensor<5x3x6xf32>, tensor<1x16x6xf32>, tensor<1x16x4xf32> y tensor<5x1x3x4xf32>
  func.return
}

// -----

// An absent bias does not lend its name to what comes behind it.
// CHECK: expected sequence_lens of shape [3], got tensor<5xi32>
func.func @lengths_are_of_steps(%x: tensor<5x3x6xf32>, %w: tensor<1x16x6xf32>, %r: tensor<1x16x4xf32>, %n: tensor<5xi32>) {
  %y = graph.lstm %x, %w, %r sequence_lens %n : tensor<5xi32> : tensor<5x3x6xf32>, tensor<1x16x6xf32>, tensor<1x16x4xf32> y tensor<5x1x3x4xf32>
  func.return
}

// -----

// CHECK: expected initial_h of shape [1, 3, 4], got tensor<3x4xf32>
func.func @initial_h_has_no_direction(%x: tensor<5x3x6xf32>, %w: tensor<1x16x6xf32>, %r: tensor<1x16x4xf32>, %i: tensor<3x4xf32>) {
  %y = graph.lstm %x, %w, %r initial_h %i : tensor<3x4xf32> : tensor<5x3x6xf32>, tensor<1x16x6xf32>, tensor<1x16x4xf32> y tensor<5x1x3x4xf32>
  func.return
}

// -----

// Nor does an absent initial_h.
// CHECK: expected initial_c of shape [1, 3, 4], got tensor<1x4x3xf32>
func.func @initial_c_has_its_own_name(%x: tensor<5x3x6xf32>, %w: tensor<1x16x6xf32>, %r: tensor<1x16x4xf32>, %j: tensor<1x4x3xf32>) {
  %y = graph.lstm %x, %w, %r initial_c %j : tensor<1x4x3xf32> : tensor<5x3x6xf32>, tensor<1x16x6xf32>, tensor<1x16x4xf32> y tensor<5x1x3x4xf32>
  func.return
}

// -----

// CHECK: expected peepholes of shape [1, 12], got tensor<1x16xf32>
func.func @peepholes_have_three_parts(%x: tensor<5x3x6xf32>, %w: tensor<1x16x6xf32>, %r: tensor<1x16x4xf32>, %p: tensor<1x16xf32>) {
  %y = graph.lstm %x, %w, %r peepholes %p : tensor<1x16xf32> : tensor<5x3x6xf32>, tensor<1x16x6xf32>, tensor<1x16x4xf32> y tensor<5x1x3x4xf32>
  func.return
}

// -----

// CHECK: expected initial_h of shape [3, 1, 4], got tensor<1x3x4xf32>
func.func @state_is_in_layout_1(%x: tensor<3x5x6xf32>, %w: tensor<1x16x6xf32>, %r: tensor<1x16x4xf32>, %i: tensor<1x3x4xf32>) {
  %y = graph.lstm %x, %w, %r initial_h %i : tensor<1x3x4xf32> {layout = 1 : i64} : tensor<3x5x6xf32>, tensor<1x16x6xf32>, tensor<1x16x4xf32> y tensor<3x5x1x4xf32>
  func.return
}

// -----

// CHECK: expected one element type, got f32, f32, f32, f64
func.func @elements_differ(%x: tensor<5x3x6xf32>, %w: tensor<1x16x6xf32>, %r: tensor<1x16x4xf32>, %b: tensor<1x32xf64>) {
  %y = graph.lstm %x, %w, %r bias %b : tensor<1x32xf64> : tensor<5x3x6xf32>, tensor<1x16x6xf32>, tensor<1x16x4xf32> y tensor<5x1x3x4xf32>
  func.return
}

// -----

// CHECK: expected a float element type, got i32
func.func @integers_have_no_lstm(%x: tensor<5x3x6xi32>, %w: tensor<1x16x6xi32>, %r: tensor<1x16x4xi32>) {
  %y = graph.lstm %x, %w, %r : tensor<5x3x6xi32>, tensor<1x16x6xi32>, tensor<1x16x4xi32> y tensor<5x1x3x4xi32>
  func.return
}

// -----

// CHECK: tensor<3xi64>
func.func @lengths_are_wide(%x: tensor<5x3x6xf32>, %w: tensor<1x16x6xf32>, %r: tensor<1x16x4xf32>, %n: tensor<3xi64>) {
  %y = graph.lstm %x, %w, %r sequence_lens %n : tensor<3xi64> : tensor<5x3x6xf32>, tensor<1x16x6xf32>, tensor<1x16x4xf32> y tensor<5x1x3x4xf32>
  func.return
}

// -----

// CHECK: expected a direction out of forward, reverse, bidirectional, got "up"
func.func @direction_is_unknown(%x: tensor<5x3x6xf32>, %w: tensor<1x16x6xf32>, %r: tensor<1x16x4xf32>) {
  %y = graph.lstm %x, %w, %r {direction = "up"} : tensor<5x3x6xf32>, tensor<1x16x6xf32>, tensor<1x16x4xf32> y tensor<5x1x3x4xf32>
  func.return
}

// -----

// CHECK: expected layout 0 or 1, got 2
func.func @layout_is_unknown(%x: tensor<5x3x6xf32>, %w: tensor<1x16x6xf32>, %r: tensor<1x16x4xf32>) {
  %y = graph.lstm %x, %w, %r {layout = 2 : i64} : tensor<5x3x6xf32>, tensor<1x16x6xf32>, tensor<1x16x4xf32> y tensor<5x1x3x4xf32>
  func.return
}

// -----

// CHECK: expected an activation out of affine, elu, hard_sigmoid, leaky_relu, relu, scaled_tanh, sigmoid, softplus, softsign, tanh, thresholded_relu, got "gelu"
func.func @activation_is_unknown(%x: tensor<5x3x6xf32>, %w: tensor<1x16x6xf32>, %r: tensor<1x16x4xf32>) {
  %y = graph.lstm %x, %w, %r {activations = ["sigmoid", "tanh", "gelu"]} : tensor<5x3x6xf32>, tensor<1x16x6xf32>, tensor<1x16x4xf32> y tensor<5x1x3x4xf32>
  func.return
}

// -----

// CHECK: expected 6 activations, got 3
func.func @activations_are_of_one_direction(%x: tensor<5x3x6xf32>, %w: tensor<2x16x6xf32>, %r: tensor<2x16x4xf32>) {
  %y = graph.lstm %x, %w, %r {direction = "bidirectional", activations = ["sigmoid", "tanh", "tanh"]} : tensor<5x3x6xf32>, tensor<2x16x6xf32>, tensor<2x16x4xf32> y tensor<5x2x3x4xf32>
  func.return
}

// -----

// CHECK: expected 3 alphas, got 1
func.func @alphas_are_few(%x: tensor<5x3x6xf32>, %w: tensor<1x16x6xf32>, %r: tensor<1x16x4xf32>) {
  %y = graph.lstm %x, %w, %r {alphas = array<f64: 0.5>} : tensor<5x3x6xf32>, tensor<1x16x6xf32>, tensor<1x16x4xf32> y tensor<5x1x3x4xf32>
  func.return
}

// -----

// CHECK: expected 3 betas, got 2
func.func @betas_are_few(%x: tensor<5x3x6xf32>, %w: tensor<1x16x6xf32>, %r: tensor<1x16x4xf32>) {
  %y = graph.lstm %x, %w, %r {betas = array<f64: 0.5, 1.0>} : tensor<5x3x6xf32>, tensor<1x16x6xf32>, tensor<1x16x4xf32> y tensor<5x1x3x4xf32>
  func.return
}

// -----

// CHECK: expected a tensor of rank 3, got tensor<5x6xf32>
func.func @input_has_no_batch(%x: tensor<5x6xf32>, %w: tensor<1x16x6xf32>, %r: tensor<1x16x4xf32>) {
  %y = graph.lstm %x, %w, %r : tensor<5x6xf32>, tensor<1x16x6xf32>, tensor<1x16x4xf32> y tensor<5x1x3x4xf32>
  func.return
}

// -----

// CHECK: expected a tensor of rank 3, got tensor<16x4xf32>
func.func @recurrence_has_no_direction(%x: tensor<5x3x6xf32>, %w: tensor<1x16x6xf32>, %r: tensor<16x4xf32>) {
  %y = graph.lstm %x, %w, %r : tensor<5x3x6xf32>, tensor<1x16x6xf32>, tensor<16x4xf32> y tensor<5x1x3x4xf32>
  func.return
}

// -----

// CHECK: expected a result out of y, y_h, y_c, got none
func.func @nothing_is_asked_for(%x: tensor<5x3x6xf32>, %w: tensor<1x16x6xf32>, %r: tensor<1x16x4xf32>) {
  graph.lstm %x, %w, %r : tensor<5x3x6xf32>, tensor<1x16x6xf32>, tensor<1x16x4xf32> 
  func.return
}

// -----

// CHECK: expected y tensor<5x1x3x4xf32>, got tensor<1x3x4xf32>
func.func @y_is_the_last_state(%x: tensor<5x3x6xf32>, %w: tensor<1x16x6xf32>, %r: tensor<1x16x4xf32>) {
  %y = graph.lstm %x, %w, %r : tensor<5x3x6xf32>, tensor<1x16x6xf32>, tensor<1x16x4xf32> y tensor<1x3x4xf32>
  func.return
}

// -----

// Absent results do not lend their shapes.
// CHECK: expected y_c tensor<1x3x4xf32>, got tensor<5x1x3x4xf32>
func.func @y_c_is_a_sequence(%x: tensor<5x3x6xf32>, %w: tensor<1x16x6xf32>, %r: tensor<1x16x4xf32>) {
  %y = graph.lstm %x, %w, %r : tensor<5x3x6xf32>, tensor<1x16x6xf32>, tensor<1x16x4xf32> y_c tensor<5x1x3x4xf32>
  func.return
}

// -----

// CHECK: expected weights of shape [1, 12, 6], got tensor<1x16x6xf32>
func.func @gru_has_three_gates(%x: tensor<5x3x6xf32>, %w: tensor<1x16x6xf32>, %r: tensor<1x12x4xf32>) {
  %y = graph.gru %x, %w, %r : tensor<5x3x6xf32>, tensor<1x16x6xf32>, tensor<1x12x4xf32> y tensor<5x1x3x4xf32>
  func.return
}

// -----

// CHECK: expected 2 activations, got 3
func.func @gru_has_two_activations(%x: tensor<5x3x6xf32>, %w: tensor<1x12x6xf32>, %r: tensor<1x12x4xf32>) {
  %y = graph.gru %x, %w, %r {activations = ["sigmoid", "tanh", "tanh"]} : tensor<5x3x6xf32>, tensor<1x12x6xf32>, tensor<1x12x4xf32> y tensor<5x1x3x4xf32>
  func.return
}

// -----

// CHECK: expected bias of shape [1, 8], got tensor<1x4xf32>
func.func @rnn_has_no_gates(%x: tensor<5x3x6xf32>, %w: tensor<1x4x6xf32>, %r: tensor<1x4x4xf32>, %b: tensor<1x4xf32>) {
  %y = graph.rnn %x, %w, %r bias %b : tensor<1x4xf32> : tensor<5x3x6xf32>, tensor<1x4x6xf32>, tensor<1x4x4xf32> y tensor<5x1x3x4xf32>
  func.return
}
