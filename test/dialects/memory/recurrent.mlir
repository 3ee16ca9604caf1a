// RUN: ROUNDTRIP

// CHECK-LABEL: @lstm
func.func @lstm(%x: memref<5x3x2x4x8xf32>, %r: memref<2x12x4x8xf32>, %n: memref<3xi32>, %s: memref<3x12xf32>, %p: memref<3x2x8xf32>, %y: memref<5x3x12xf32>, %h: memref<2x3x2x8xf32>, %c: memref<3x2x8xf32>) {
  // CHECK: memory.lstm ins(%x : memref<5x3x2x4x8xf32>, %r : memref<2x12x4x8xf32> sequence_lens %n : memref<3xi32> initial_h %s : memref<3x12xf32> initial_c %s : memref<3x12xf32> peepholes %p : memref<3x2x8xf32>) outs(y %y : memref<5x3x12xf32> y_h %s : memref<3x12xf32> y_c %s : memref<3x12xf32>) scratch(%h : memref<2x3x2x8xf32>, %c : memref<3x2x8xf32>) {clip = 2.000000e+00 : f64, reverse, input_forget} activations {
  memory.lstm ins(%x : memref<5x3x2x4x8xf32>, %r : memref<2x12x4x8xf32> sequence_lens %n : memref<3xi32> initial_h %s : memref<3x12xf32> initial_c %s : memref<3x12xf32> peepholes %p : memref<3x2x8xf32>) outs(y %y : memref<5x3x12xf32> y_h %s : memref<3x12xf32> y_c %s : memref<3x12xf32>) scratch(%h : memref<2x3x2x8xf32>, %c : memref<3x2x8xf32>) {clip = 2.0 : f64, reverse, input_forget} activations {
  ^bb0(%a0: f32):
    memory.yield %a0 : f32
  } {
  ^bb0(%a1: f32):
    memory.yield %a1 : f32
  } {
  ^bb0(%a2: f32):
    memory.yield %a2 : f32
  }
  // CHECK: memory.lstm ins(%x : memref<5x3x2x4x8xf32>, %r : memref<2x12x4x8xf32> initial_c %s : memref<3x12xf32>) outs(y_c %s : memref<3x12xf32>) scratch(%h : memref<2x3x2x8xf32>, %c : memref<3x2x8xf32>) activations {
  memory.lstm ins(%x : memref<5x3x2x4x8xf32>, %r : memref<2x12x4x8xf32> initial_c %s : memref<3x12xf32>) outs(y_c %s : memref<3x12xf32>) scratch(%h : memref<2x3x2x8xf32>, %c : memref<3x2x8xf32>) activations {
  ^bb0(%a0: f32):
    memory.yield %a0 : f32
  } {
  ^bb0(%a1: f32):
    memory.yield %a1 : f32
  } {
  ^bb0(%a2: f32):
    memory.yield %a2 : f32
  }
  func.return
}

// CHECK-LABEL: @gru
func.func @gru(%x: memref<5x3x2x3x8xf32>, %r: memref<2x12x3x8xf32>, %g: memref<2x12x2x8xf32>, %w: memref<2x12x1x8xf32>, %b: memref<2x8xf32>, %s: memref<3x12xf32>, %h: memref<2x3x2x8xf32>, %c: memref<3x2x8xf32>) {
  // CHECK: memory.gru ins(%x : memref<5x3x2x3x8xf32>, %r : memref<2x12x3x8xf32> bias %b : memref<2x8xf32>) outs(y_h %s : memref<3x12xf32>) scratch(%h : memref<2x3x2x8xf32>) activations {
  memory.gru ins(%x : memref<5x3x2x3x8xf32>, %r : memref<2x12x3x8xf32> bias %b : memref<2x8xf32>) outs(y_h %s : memref<3x12xf32>) scratch(%h : memref<2x3x2x8xf32>) activations {
  ^bb0(%a0: f32):
    memory.yield %a0 : f32
  } {
  ^bb0(%a1: f32):
    memory.yield %a1 : f32
  }
  // CHECK: memory.gru ins(%x : memref<5x3x2x3x8xf32>, %g : memref<2x12x2x8xf32> renewal %w : memref<2x12x1x8xf32>) outs(y_h %s : memref<3x12xf32>) scratch(%h : memref<2x3x2x8xf32> reset %c : memref<3x2x8xf32> update %c : memref<3x2x8xf32>) activations {
  memory.gru ins(%x : memref<5x3x2x3x8xf32>, %g : memref<2x12x2x8xf32> renewal %w : memref<2x12x1x8xf32>) outs(y_h %s : memref<3x12xf32>) scratch(%h : memref<2x3x2x8xf32> reset %c : memref<3x2x8xf32> update %c : memref<3x2x8xf32>) activations {
  ^bb0(%a0: f32):
    memory.yield %a0 : f32
  } {
  ^bb0(%a1: f32):
    memory.yield %a1 : f32
  }
  func.return
}

// CHECK-LABEL: @rnn
func.func @rnn(%x: memref<5x3x2x1x8xf32>, %r: memref<2x12x1x8xf32>, %y: memref<5x3x12xf32>, %h: memref<2x3x2x8xf32>) {
  // CHECK: memory.rnn ins(%x : memref<5x3x2x1x8xf32>, %r : memref<2x12x1x8xf32>) outs(y %y : memref<5x3x12xf32>) scratch(%h : memref<2x3x2x8xf32>) activations {
  memory.rnn ins(%x : memref<5x3x2x1x8xf32>, %r : memref<2x12x1x8xf32>) outs(y %y : memref<5x3x12xf32>) scratch(%h : memref<2x3x2x8xf32>) activations {
  ^bb0(%a0: f32):
    memory.yield %a0 : f32
  }
  func.return
}
