// RUN: REFUSED

// CHECK: expected a size of at least 1, got 0
func.func @graph_errors(%x: memref<1x4xf32>, %y: memref<1x4xf32>) {
  memory.apply "graph.lrn" ins(%x : memref<1x4xf32>) outs(%y : memref<1x4xf32>) {size = 0 : i64}
  func.return
}

// -----

// CHECK: 'size' expected
func.func @missing(%x: memref<1x4xf32>, %y: memref<1x4xf32>) {
  memory.apply "graph.lrn" ins(%x : memref<1x4xf32>) outs(%y : memref<1x4xf32>)
  func.return
}

// -----

// CHECK: 'log' is not defined
func.func @another_parameter(%x: memref<1x4xf32>, %y: memref<1x4xf32>) {
  memory.apply "graph.softmax" ins(%x : memref<1x4xf32>) outs(%y : memref<1x4xf32>) {log}
  func.return
}

// -----

// CHECK: tensor<1x4xf32>, got tensor<1x5xf32>
func.func @shape(%x: memref<1x4xf32>, %y: memref<1x5xf32>) {
  memory.apply "graph.softmax" ins(%x : memref<1x4xf32>) outs(%y : memref<1x5xf32>)
  func.return
}

// -----

// CHECK: tensor<1x4xf32>, got tensor<1x4xf64>
func.func @element(%x: memref<1x4xf32>, %y: memref<1x4xf64>) {
  memory.apply "graph.softmax" ins(%x : memref<1x4xf32>) outs(%y : memref<1x4xf64>)
  func.return
}

// -----

// CHECK: expected buffers of input, in this order, got input, one too many
func.func @one_too_many(%x: memref<1x4xf32>, %y: memref<1x4xf32>) {
  memory.apply "graph.softmax" ins(%x, %x : memref<1x4xf32>, memref<1x4xf32>) outs(%y : memref<1x4xf32>)
  func.return
}

// -----

// CHECK: expected one buffer as result, got 0
func.func @no_result(%x: memref<1x4xf32>) {
  memory.apply "graph.softmax" ins(%x : memref<1x4xf32>)
  func.return
}

// -----

// CHECK: expected buffers of input, scale, bias, in this order, got input, bias, scale
func.func @order(%x: memref<1x4xf32>, %s: memref<4xf32>, %y: memref<1x4xf32>) {
  memory.apply "graph.layer_norm" ins(%x, bias %s, scale %s : memref<1x4xf32>, memref<4xf32>, memref<4xf32>) outs(%y : memref<1x4xf32>)
  func.return
}

// -----

// CHECK: expected one inout at most, got 2
func.func @two_updates(%i: memref<1x1xi64>, %y: memref<4xf32>) {
  memory.apply "graph.scatter_nd" ins(%i, %y : memref<1x1xi64>, memref<4xf32>) inouts(%y, %y : memref<4xf32>, memref<4xf32>)
  func.return
}

// -----

// CHECK: expected a reduction out of none, add, mul, max, min, got "mean"
func.func @scatter(%y: memref<8xf32>, %i: memref<3x1xi64>, %u: memref<3xf32>) {
  memory.apply "graph.scatter_nd" ins(%i, %u : memref<3x1xi64>, memref<3xf32>) inouts(%y : memref<8xf32>) {reduction = "mean"}
  func.return
}

