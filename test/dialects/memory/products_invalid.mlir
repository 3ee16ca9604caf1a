// RUN: glow-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: expected an algorithm out of direct, pairs, depthwise, winograd, generic, got "magic"
func.func @algorithm(%x: memref<1x4x8x8xf32>, %w: memref<8x4x1x1xf32>, %y: memref<1x8x8x8xf32>) {
  memory.conv ins(%x : memref<1x4x8x8xf32>, %w : memref<8x4x1x1xf32>) outs(%y : memref<1x8x8x8xf32>) {} {kernel_shape = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, algorithm = "magic"}
  func.return
}

// -----

// CHECK: expected a result of rank 4, got memref<1x8x64xf32>
func.func @rank(%x: memref<1x4x8x8xf32>, %w: memref<8x4x1x1xf32>, %y: memref<1x8x64xf32>) {
  memory.conv ins(%x : memref<1x4x8x8xf32>, %w : memref<8x4x1x1xf32>) outs(%y : memref<1x8x64xf32>) {} {kernel_shape = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, algorithm = "generic"}
  func.return
}

// -----

// CHECK: expected 1 epilogue arguments, got 2
func.func @epilogue(%m: memref<8x4xf32>, %n: memref<4x8xf32>, %o: memref<8x8xf32>) {
  memory.matmul ins(%m : memref<8x4xf32>, %n : memref<4x8xf32>) outs(%o : memref<8x8xf32>) {
  ^bb0(%p: f32, %e: f32):
    memory.yield %p : f32
  }
  func.return
}

// -----

// CHECK: lhs has 4 columns but rhs has 5 rows
func.func @inner(%m: memref<8x4xf32>, %n: memref<5x8xf32>, %o: memref<8x8xf32>) {
  memory.matmul ins(%m : memref<8x4xf32>, %n : memref<5x8xf32>) outs(%o : memref<8x8xf32>) {}
  func.return
}

// -----

// CHECK: expected a result of 8 by 8, got memref<8x4xf32>
func.func @outer(%m: memref<8x4xf32>, %n: memref<4x8xf32>, %o: memref<8x4xf32>) {
  memory.matmul ins(%m : memref<8x4xf32>, %n : memref<4x8xf32>) outs(%o : memref<8x4xf32>) {}
  func.return
}

// -----

// CHECK: expected matrices, got memref<4xf32>, memref<4x8xf32>
func.func @vector(%m: memref<4xf32>, %n: memref<4x8xf32>, %o: memref<8x8xf32>) {
  memory.matmul ins(%m : memref<4xf32>, %n : memref<4x8xf32>) outs(%o : memref<8x8xf32>) {}
  func.return
}

// -----

// CHECK: expected strides of at least 1, got [0, 1]
func.func @stride_of_zero(%x: memref<1x4x8x8xf32>, %w: memref<8x4x3x3xf32>, %b: memref<4xf32>, %y: memref<1x8x8x8xf32>) {
  memory.conv ins(%x : memref<1x4x8x8xf32>, %w : memref<8x4x3x3xf32>) outs(%y : memref<1x8x8x8xf32>) {} {kernel_shape = array<i64: 3, 3>, strides = array<i64: 0, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 1 : i64, algorithm = "generic"}
  func.return
}

// -----

// CHECK: expected pads of 4 entries, got [1, 1, 1]
func.func @three_pads(%x: memref<1x4x8x8xf32>, %w: memref<8x4x3x3xf32>, %b: memref<4xf32>, %y: memref<1x8x8x8xf32>) {
  memory.conv ins(%x : memref<1x4x8x8xf32>, %w : memref<8x4x3x3xf32>) outs(%y : memref<1x8x8x8xf32>) {} {kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1>, dilations = array<i64: 1, 1>, group = 1 : i64, algorithm = "generic"}
  func.return
}

// -----

// CHECK: expected channels in 3 groups, got 4 and 8
func.func @groups(%x: memref<1x4x8x8xf32>, %w: memref<8x4x3x3xf32>, %b: memref<4xf32>, %y: memref<1x8x8x8xf32>) {
  memory.conv ins(%x : memref<1x4x8x8xf32>, %w : memref<8x4x3x3xf32>) outs(%y : memref<1x8x8x8xf32>) {} {kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 3 : i64, algorithm = "generic"}
  func.return
}

// -----

// CHECK: expected a result of at most [1, 8, 8, 8], got [1, 8, 9, 8]
func.func @too_large_a_result(%x: memref<1x4x8x8xf32>, %w: memref<8x4x3x3xf32>, %b: memref<4xf32>, %y: memref<1x8x9x8xf32>) {
  memory.conv ins(%x : memref<1x4x8x8xf32>, %w : memref<8x4x3x3xf32>) outs(%y : memref<1x8x9x8xf32>) {} {kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 1 : i64, algorithm = "generic"}
  func.return
}

// -----

// CHECK: expected a filter of 8 by 4 channels and [3, 3] for generic, got [8, 2, 3, 3]
func.func @small_filter(%x: memref<1x4x8x8xf32>, %w: memref<8x2x3x3xf32>, %b: memref<4xf32>, %y: memref<1x8x8x8xf32>) {
  memory.conv ins(%x : memref<1x4x8x8xf32>, %w : memref<8x2x3x3xf32>) outs(%y : memref<1x8x8x8xf32>) {} {kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 1 : i64, algorithm = "generic"}
  func.return
}

// -----

// CHECK: expected a filter of 8 by 4 channels and [3, 3] for direct, got [1, 1, 3, 3, 4, 4]
func.func @few_panels(%x: memref<1x4x8x8xf32>, %w: memref<1x1x3x3x4x4xf32>, %b: memref<4xf32>, %y: memref<1x8x8x8xf32>) {
  memory.conv ins(%x : memref<1x4x8x8xf32>, %w : memref<1x1x3x3x4x4xf32>) outs(%y : memref<1x8x8x8xf32>) {} {kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 1 : i64, algorithm = "direct"}
  func.return
}

// -----

// CHECK: expected a filter of 8 by 4 channels and [3, 3] for winograd, got [9, 1, 4, 16]
func.func @few_matrices(%x: memref<1x4x8x8xf32>, %w: memref<9x1x4x16xf32>, %b: memref<4xf32>, %y: memref<1x8x8x8xf32>) {
  memory.conv ins(%x : memref<1x4x8x8xf32>, %w : memref<9x1x4x16xf32>) outs(%y : memref<1x8x8x8xf32>) {} {kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 1 : i64, algorithm = "winograd"}
  func.return
}

// -----

// CHECK: expected a bias of [8], got memref<4xf32>
func.func @small_bias(%x: memref<1x4x8x8xf32>, %w: memref<8x4x3x3xf32>, %b: memref<4xf32>, %y: memref<1x8x8x8xf32>) {
  memory.conv ins(%x : memref<1x4x8x8xf32>, %w : memref<8x4x3x3xf32> bias %b : memref<4xf32>) outs(%y : memref<1x8x8x8xf32>) {} {kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 1 : i64, algorithm = "generic"}
  func.return
}
