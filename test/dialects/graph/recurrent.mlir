// RUN: ROUNDTRIP

// CHECK-LABEL: @nothing_is_optional_for_an_lstm
// CHECK-NEXT:    %y, %h, %c = graph.lstm %x, %w, %r bias %b : tensor<2x32xf32> sequence_lens %n : tensor<3xi32> initial_h %i : tensor<2x3x4xf32> initial_c %j : tensor<2x3x4xf32> peepholes %p : tensor<2x12xf32> {direction = "bidirectional", clip = 2.000000e+00 : f64, input_forget} : tensor<5x3x6xf32>, tensor<2x16x6xf32>, tensor<2x16x4xf32> y tensor<5x2x3x4xf32> y_h tensor<2x3x4xf32> y_c tensor<2x3x4xf32>
func.func @nothing_is_optional_for_an_lstm(%x: tensor<5x3x6xf32>, %w: tensor<2x16x6xf32>, %r: tensor<2x16x4xf32>, %b: tensor<2x32xf32>, %n: tensor<3xi32>, %i: tensor<2x3x4xf32>, %j: tensor<2x3x4xf32>, %p: tensor<2x12xf32>) {
  %y, %h, %c = graph.lstm %x, %w, %r bias %b : tensor<2x32xf32> sequence_lens %n : tensor<3xi32> initial_h %i : tensor<2x3x4xf32> initial_c %j : tensor<2x3x4xf32> peepholes %p : tensor<2x12xf32> {direction = "bidirectional", clip = 2.0 : f64, input_forget} : tensor<5x3x6xf32>, tensor<2x16x6xf32>, tensor<2x16x4xf32> y tensor<5x2x3x4xf32> y_h tensor<2x3x4xf32> y_c tensor<2x3x4xf32>
  func.return
}

// CHECK-LABEL: @each_slot_of_an_lstm_is_present_alone
func.func @each_slot_of_an_lstm_is_present_alone(%x: tensor<5x3x6xf32>, %w: tensor<1x16x6xf32>, %r: tensor<1x16x4xf32>, %b: tensor<1x32xf32>, %n: tensor<3xi32>, %i: tensor<1x3x4xf32>, %p: tensor<1x12xf32>) {
  // CHECK-NEXT: %0 = graph.lstm %x, %w, %r : {{.*}} y tensor<5x1x3x4xf32>
  %0 = graph.lstm %x, %w, %r : tensor<5x3x6xf32>, tensor<1x16x6xf32>, tensor<1x16x4xf32> y tensor<5x1x3x4xf32>
  // CHECK-NEXT: %1 = graph.lstm %x, %w, %r bias %b : tensor<1x32xf32> : {{.*}} y_h tensor<1x3x4xf32>
  %1 = graph.lstm %x, %w, %r bias %b : tensor<1x32xf32> : tensor<5x3x6xf32>, tensor<1x16x6xf32>, tensor<1x16x4xf32> y_h tensor<1x3x4xf32>
  // CHECK-NEXT: %2 = graph.lstm %x, %w, %r sequence_lens %n : tensor<3xi32> : {{.*}} y_c tensor<1x3x4xf32>
  %2 = graph.lstm %x, %w, %r sequence_lens %n : tensor<3xi32> : tensor<5x3x6xf32>, tensor<1x16x6xf32>, tensor<1x16x4xf32> y_c tensor<1x3x4xf32>
  // CHECK-NEXT: %3, %4 = graph.lstm %x, %w, %r initial_h %i : tensor<1x3x4xf32> : {{.*}} y_h tensor<1x3x4xf32> y_c tensor<1x3x4xf32>
  %3, %4 = graph.lstm %x, %w, %r initial_h %i : tensor<1x3x4xf32> : tensor<5x3x6xf32>, tensor<1x16x6xf32>, tensor<1x16x4xf32> y_h tensor<1x3x4xf32> y_c tensor<1x3x4xf32>
  // CHECK-NEXT: %5 = graph.lstm %x, %w, %r initial_c %i : tensor<1x3x4xf32> : {{.*}} y tensor<5x1x3x4xf32>
  %5 = graph.lstm %x, %w, %r initial_c %i : tensor<1x3x4xf32> : tensor<5x3x6xf32>, tensor<1x16x6xf32>, tensor<1x16x4xf32> y tensor<5x1x3x4xf32>
  // CHECK-NEXT: %6 = graph.lstm %x, %w, %r peepholes %p : tensor<1x12xf32> {direction = "reverse"} : {{.*}} y tensor<5x1x3x4xf32>
  %6 = graph.lstm %x, %w, %r peepholes %p : tensor<1x12xf32> {direction = "reverse"} : tensor<5x3x6xf32>, tensor<1x16x6xf32>, tensor<1x16x4xf32> y tensor<5x1x3x4xf32>
  // CHECK-NEXT: %7, %8 = graph.lstm %x, %w, %r initial_h %i : tensor<1x3x4xf32> peepholes %p : tensor<1x12xf32> : {{.*}} y tensor<5x1x3x4xf32> y_c tensor<1x3x4xf32>
  %7, %8 = graph.lstm %x, %w, %r initial_h %i : tensor<1x3x4xf32> peepholes %p : tensor<1x12xf32> : tensor<5x3x6xf32>, tensor<1x16x6xf32>, tensor<1x16x4xf32> y tensor<5x1x3x4xf32> y_c tensor<1x3x4xf32>
  func.return
}

// CHECK-LABEL: @batch_is_in_front
// CHECK-NEXT:    %y, %h = graph.gru %x, %w, %r initial_h %i : tensor<3x1x4xf32> {layout = 1 : i64, linear_before_reset} : tensor<3x5x6xf32>, tensor<1x12x6xf32>, tensor<1x12x4xf32> y tensor<3x5x1x4xf32> y_h tensor<3x1x4xf32>
func.func @batch_is_in_front(%x: tensor<3x5x6xf32>, %w: tensor<1x12x6xf32>, %r: tensor<1x12x4xf32>, %i: tensor<3x1x4xf32>) {
  %y, %h = graph.gru %x, %w, %r initial_h %i : tensor<3x1x4xf32> {layout = 1 : i64, linear_before_reset} : tensor<3x5x6xf32>, tensor<1x12x6xf32>, tensor<1x12x4xf32> y tensor<3x5x1x4xf32> y_h tensor<3x1x4xf32>
  func.return
}

// CHECK-LABEL: @activations_have_parameters
// CHECK-NEXT:    %h = graph.rnn %x, %w, %r bias %b : tensor<2x8xf64> sequence_lens %n : tensor<3xi32> {direction = "bidirectional", activations = ["leaky_relu", "affine"], alphas = array<f64: 5.000000e-01, 1.000000e+00>, betas = array<f64: 0.000000e+00, 2.000000e+00>} : tensor<5x3x6xf64>, tensor<2x4x6xf64>, tensor<2x4x4xf64> y_h tensor<2x3x4xf64>
func.func @activations_have_parameters(%x: tensor<5x3x6xf64>, %w: tensor<2x4x6xf64>, %r: tensor<2x4x4xf64>, %b: tensor<2x8xf64>, %n: tensor<3xi32>) {
  %h = graph.rnn %x, %w, %r bias %b : tensor<2x8xf64> sequence_lens %n : tensor<3xi32> {direction = "bidirectional", activations = ["leaky_relu", "affine"], alphas = array<f64: 0.5, 1.0>, betas = array<f64: 0.0, 2.0>} : tensor<5x3x6xf64>, tensor<2x4x6xf64>, tensor<2x4x4xf64> y_h tensor<2x3x4xf64>
  func.return
}
