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
