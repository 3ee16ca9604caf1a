// RUN: ROUNDTRIP

// CHECK-LABEL: @window
func.func @window(%x: memref<1x4x8x8xf32>, %y: memref<1x4x4x4xf32>, %i: memref<1x4x4x4xi64>, %r: memref<1x4x1x1xf32>, %k: memref<1x4x1x8xi64>, %s: memref<8xf32>, %z: memref<1x4x8x8xf32>) {
  // CHECK: memory.pool ins(%x : memref<1x4x8x8xf32>) outs(%y : memref<1x4x4x4xf32>) {kind = "avg"
  memory.pool ins(%x : memref<1x4x8x8xf32>) outs(%y : memref<1x4x4x4xf32>) {kind = "avg", kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, count_include_pad}
  // CHECK: memory.pool ins(%x : memref<1x4x8x8xf32>) outs(%y : memref<1x4x4x4xf32>, %i : memref<1x4x4x4xi64>) {kind = "max"
  memory.pool ins(%x : memref<1x4x8x8xf32>) outs(%y : memref<1x4x4x4xf32>, %i : memref<1x4x4x4xi64>) {kind = "max", kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
  // CHECK: memory.reduce ins(%x : memref<1x4x8x8xf32>) outs(%r : memref<1x4x1x1xf32>) {kind = "mean", axes = array<i64: 2, 3>}
  memory.reduce ins(%x : memref<1x4x8x8xf32>) outs(%r : memref<1x4x1x1xf32>) {kind = "mean", axes = array<i64: 2, 3>}
  // CHECK: memory.arg_reduce ins(%x : memref<1x4x8x8xf32>) outs(%k : memref<1x4x1x8xi64>) {kind = "max", axis = 2 : i64, select_last_index}
  memory.arg_reduce ins(%x : memref<1x4x8x8xf32>) outs(%k : memref<1x4x1x8xi64>) {kind = "max", axis = 2 : i64, select_last_index}
  // CHECK: memory.softmax ins(%x : memref<1x4x8x8xf32>) outs(%z : memref<1x4x8x8xf32>) {axis = 3 : i64, log}
  memory.softmax ins(%x : memref<1x4x8x8xf32>) outs(%z : memref<1x4x8x8xf32>) {axis = 3 : i64, log}
  // CHECK: memory.layer_norm ins(%x : memref<1x4x8x8xf32> scale %s : memref<8xf32> bias %s : memref<8xf32>) outs(%z : memref<1x4x8x8xf32>) {axis = 3 : i64
  memory.layer_norm ins(%x : memref<1x4x8x8xf32> scale %s : memref<8xf32> bias %s : memref<8xf32>) outs(%z : memref<1x4x8x8xf32>) {axis = 3 : i64, epsilon = 1.000000e-05 : f64}
  // A mean without the other statistic, and no bias.
  // CHECK: memory.layer_norm ins(%x : memref<1x4x8x8xf32> scale %s : memref<8xf32>) outs(%z : memref<1x4x8x8xf32> mean %r : memref<1x4x1x1xf32>) {axis = 2 : i64
  memory.layer_norm ins(%x : memref<1x4x8x8xf32> scale %s : memref<8xf32>) outs(%z : memref<1x4x8x8xf32> mean %r : memref<1x4x1x1xf32>) {axis = 2 : i64, epsilon = 1.000000e-05 : f64}
  // CHECK: memory.layer_norm ins(%x : memref<1x4x8x8xf32> bias %s : memref<8xf32>) outs(%z : memref<1x4x8x8xf32> inv_std_dev %r : memref<1x4x1x1xf32>) {axis = 2 : i64
  memory.layer_norm ins(%x : memref<1x4x8x8xf32> bias %s : memref<8xf32>) outs(%z : memref<1x4x8x8xf32> inv_std_dev %r : memref<1x4x1x1xf32>) {axis = 2 : i64, epsilon = 1.000000e-05 : f64}
  // CHECK: memory.rms_norm ins(%x : memref<1x4x8x8xf32>) outs(%z : memref<1x4x8x8xf32>) {axis = 3 : i64
  memory.rms_norm ins(%x : memref<1x4x8x8xf32>) outs(%z : memref<1x4x8x8xf32>) {axis = 3 : i64, epsilon = 1.000000e-05 : f64}
  // CHECK: memory.rms_norm ins(%x : memref<1x4x8x8xf32> scale %s : memref<8xf32>) outs(%z : memref<1x4x8x8xf32>) {axis = 3 : i64
  memory.rms_norm ins(%x : memref<1x4x8x8xf32> scale %s : memref<8xf32>) outs(%z : memref<1x4x8x8xf32>) {axis = 3 : i64, epsilon = 1.000000e-05 : f64}
  // CHECK: memory.lrn ins(%x : memref<1x4x8x8xf32>) outs(%z : memref<1x4x8x8xf32>) {size = 5 : i64
  memory.lrn ins(%x : memref<1x4x8x8xf32>) outs(%z : memref<1x4x8x8xf32>) {size = 5 : i64, alpha = 1.000000e-04 : f64, beta = 7.500000e-01 : f64, bias = 1.000000e+00 : f64}
  // CHECK: memory.gather ins(%s : memref<8xf32>, %i : memref<1x4x4x4xi64>) outs(%y : memref<1x4x4x4xf32>) {axis = 0 : i64}
  memory.gather ins(%s : memref<8xf32>, %i : memref<1x4x4x4xi64>) outs(%y : memref<1x4x4x4xf32>) {axis = 0 : i64}
  func.return
}
