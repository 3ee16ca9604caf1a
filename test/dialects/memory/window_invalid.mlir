// RUN: glow-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: expected a kind out of max, avg, lp, got "median"
func.func @pool(%x: memref<1x4x8xf32>, %y: memref<1x4x4xf32>) {
  memory.pool ins(%x : memref<1x4x8xf32>) outs(%y : memref<1x4x4xf32>) {kind = "median", kernel_shape = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>}
  func.return
}

// -----

// CHECK: expected a kind out of sum, mean, max, min, prod, l1, l2, sum_square, log_sum, log_sum_exp, got "median"
func.func @reduce(%x: memref<1x4xf32>, %y: memref<1x1xf32>) {
  memory.reduce ins(%x : memref<1x4xf32>) outs(%y : memref<1x1xf32>) {kind = "median", axes = array<i64: 1>}
  func.return
}

// -----

// CHECK: expected a kind out of max, min, got "sum"
func.func @arg_reduce(%x: memref<1x4xf32>, %y: memref<1x1xi64>) {
  memory.arg_reduce ins(%x : memref<1x4xf32>) outs(%y : memref<1x1xi64>) {kind = "sum", axis = 1 : i64}
  func.return
}
