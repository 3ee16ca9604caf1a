// RUN: REFUSED

// CHECK: expected rows of shape [T, B, U, 1, p], got memref<5x3x2x8xf32>
func.func @rows_have_no_gates(%x: memref<5x3x2x8xf32>, %r: memref<2x12x1x8xf32>, %y: memref<5x3x12xf32>, %h: memref<2x3x2x8xf32>) {
  memory.rnn ins(%x : memref<5x3x2x8xf32>, %r : memref<2x12x1x8xf32>) outs(y %y : memref<5x3x12xf32>) scratch(%h : memref<2x3x2x8xf32>) activations {
  ^bb0(%a0: f32):
    memory.yield %a0 : f32
  }
  func.return
}

// -----

// CHECK: expected recurrence of shape [2, H, 1, 8], got memref<2x12x1x4xf32>
func.func @recurrence_has_another_block(%x: memref<5x3x2x1x8xf32>, %r: memref<2x12x1x4xf32>, %y: memref<5x3x12xf32>, %h: memref<2x3x2x8xf32>) {
  memory.rnn ins(%x : memref<5x3x2x1x8xf32>, %r : memref<2x12x1x4xf32>) outs(y %y : memref<5x3x12xf32>) scratch(%h : memref<2x3x2x8xf32>) activations {
  ^bb0(%a0: f32):
    memory.yield %a0 : f32
  }
  func.return
}

// -----

// CHECK: expected sequence_lens of shape [3], got memref<5xi32>
func.func @lengths_are_of_steps(%x: memref<5x3x2x1x8xf32>, %r: memref<2x12x1x8xf32>, %y: memref<5x3x12xf32>, %h: memref<2x3x2x8xf32>, %n: memref<5xi32>) {
  memory.rnn ins(%x : memref<5x3x2x1x8xf32>, %r : memref<2x12x1x8xf32> sequence_lens %n : memref<5xi32>) outs(y %y : memref<5x3x12xf32>) scratch(%h : memref<2x3x2x8xf32>) activations {
  ^bb0(%a0: f32):
    memory.yield %a0 : f32
  }
  func.return
}

// -----

// CHECK: expected initial_h of shape [3, H], got memref<5x3x12xf32>
func.func @initial_h_has_steps(%x: memref<5x3x2x1x8xf32>, %r: memref<2x12x1x8xf32>, %y: memref<5x3x12xf32>, %h: memref<2x3x2x8xf32>) {
  memory.rnn ins(%x : memref<5x3x2x1x8xf32>, %r : memref<2x12x1x8xf32> initial_h %y : memref<5x3x12xf32>) outs(y %y : memref<5x3x12xf32>) scratch(%h : memref<2x3x2x8xf32>) activations {
  ^bb0(%a0: f32):
    memory.yield %a0 : f32
  }
  func.return
}

// -----

// CHECK: expected y of shape [5, 3, H], got memref<3x12xf32>
func.func @y_is_the_last_state(%x: memref<5x3x2x1x8xf32>, %r: memref<2x12x1x8xf32>, %y: memref<3x12xf32>, %h: memref<2x3x2x8xf32>) {
  memory.rnn ins(%x : memref<5x3x2x1x8xf32>, %r : memref<2x12x1x8xf32>) outs(y %y : memref<3x12xf32>) scratch(%h : memref<2x3x2x8xf32>) activations {
  ^bb0(%a0: f32):
    memory.yield %a0 : f32
  }
  func.return
}

// -----

// CHECK: expected h of shape [2, 3, 2, 8], got memref<3x2x8xf32>
func.func @state_is_of_one_step(%x: memref<5x3x2x1x8xf32>, %r: memref<2x12x1x8xf32>, %y: memref<5x3x12xf32>, %h: memref<3x2x8xf32>) {
  memory.rnn ins(%x : memref<5x3x2x1x8xf32>, %r : memref<2x12x1x8xf32>) outs(y %y : memref<5x3x12xf32>) scratch(%h : memref<3x2x8xf32>) activations {
  ^bb0(%a0: f32):
    memory.yield %a0 : f32
  }
  func.return
}

// -----

// CHECK: expected 1 activations, got 2
func.func @activations_are_many(%x: memref<5x3x2x1x8xf32>, %r: memref<2x12x1x8xf32>, %y: memref<5x3x12xf32>, %h: memref<2x3x2x8xf32>) {
  memory.rnn ins(%x : memref<5x3x2x1x8xf32>, %r : memref<2x12x1x8xf32>) outs(y %y : memref<5x3x12xf32>) scratch(%h : memref<2x3x2x8xf32>) activations {
  ^bb0(%a0: f32):
    memory.yield %a0 : f32
  } {
  ^bb0(%a1: f32):
    memory.yield %a1 : f32
  }
  func.return
}

// -----

// CHECK: expected activations of one argument, got 2
func.func @activation_has_two_arguments(%x: memref<5x3x2x1x8xf32>, %r: memref<2x12x1x8xf32>, %y: memref<5x3x12xf32>, %h: memref<2x3x2x8xf32>) {
  memory.rnn ins(%x : memref<5x3x2x1x8xf32>, %r : memref<2x12x1x8xf32>) outs(y %y : memref<5x3x12xf32>) scratch(%h : memref<2x3x2x8xf32>) activations {
  ^bb0(%a: f32, %b: f32):
    memory.yield %a : f32
  }
  func.return
}

// -----

// CHECK: expected reset and update with renewal, and none without it
func.func @room_for_reset_is_missing(%x: memref<5x3x2x3x8xf32>, %r: memref<2x12x3x8xf32>, %g: memref<2x12x2x8xf32>, %w: memref<2x12x1x8xf32>, %b: memref<2x8xf32>, %y: memref<3x12xf32>, %h: memref<2x3x2x8xf32>, %c: memref<3x2x8xf32>) {
  memory.gru ins(%x : memref<5x3x2x3x8xf32>, %g : memref<2x12x2x8xf32> renewal %w : memref<2x12x1x8xf32>) outs(y_h %y : memref<3x12xf32>) scratch(%h : memref<2x3x2x8xf32> update %c : memref<3x2x8xf32>) activations {
  ^bb0(%a0: f32):
    memory.yield %a0 : f32
  } {
  ^bb0(%a1: f32):
    memory.yield %a1 : f32
  }
  func.return
}

// -----

// CHECK: expected reset and update with renewal, and none without it
func.func @room_is_not_needed(%x: memref<5x3x2x3x8xf32>, %r: memref<2x12x3x8xf32>, %g: memref<2x12x2x8xf32>, %w: memref<2x12x1x8xf32>, %b: memref<2x8xf32>, %y: memref<3x12xf32>, %h: memref<2x3x2x8xf32>, %c: memref<3x2x8xf32>) {
  memory.gru ins(%x : memref<5x3x2x3x8xf32>, %r : memref<2x12x3x8xf32>) outs(y_h %y : memref<3x12xf32>) scratch(%h : memref<2x3x2x8xf32> reset %c : memref<3x2x8xf32> update %c : memref<3x2x8xf32>) activations {
  ^bb0(%a0: f32):
    memory.yield %a0 : f32
  } {
  ^bb0(%a1: f32):
    memory.yield %a1 : f32
  }
  func.return
}

// -----

// CHECK: expected a bias or renewal, got both
func.func @bias_would_be_added_where(%x: memref<5x3x2x3x8xf32>, %r: memref<2x12x3x8xf32>, %g: memref<2x12x2x8xf32>, %w: memref<2x12x1x8xf32>, %b: memref<2x8xf32>, %y: memref<3x12xf32>, %h: memref<2x3x2x8xf32>, %c: memref<3x2x8xf32>) {
  memory.gru ins(%x : memref<5x3x2x3x8xf32>, %g : memref<2x12x2x8xf32> renewal %w : memref<2x12x1x8xf32> bias %b : memref<2x8xf32>) outs(y_h %y : memref<3x12xf32>) scratch(%h : memref<2x3x2x8xf32> reset %c : memref<3x2x8xf32> update %c : memref<3x2x8xf32>) activations {
  ^bb0(%a0: f32):
    memory.yield %a0 : f32
  } {
  ^bb0(%a1: f32):
    memory.yield %a1 : f32
  }
  func.return
}

// -----

// CHECK: expected recurrence of shape [2, H, 2, 8], got memref<2x12x3x8xf32>
func.func @renewal_is_in_recurrence_too(%x: memref<5x3x2x3x8xf32>, %r: memref<2x12x3x8xf32>, %g: memref<2x12x2x8xf32>, %w: memref<2x12x1x8xf32>, %b: memref<2x8xf32>, %y: memref<3x12xf32>, %h: memref<2x3x2x8xf32>, %c: memref<3x2x8xf32>) {
  memory.gru ins(%x : memref<5x3x2x3x8xf32>, %r : memref<2x12x3x8xf32> renewal %w : memref<2x12x1x8xf32>) outs(y_h %y : memref<3x12xf32>) scratch(%h : memref<2x3x2x8xf32> reset %c : memref<3x2x8xf32> update %c : memref<3x2x8xf32>) activations {
  ^bb0(%a0: f32):
    memory.yield %a0 : f32
  } {
  ^bb0(%a1: f32):
    memory.yield %a1 : f32
  }
  func.return
}
