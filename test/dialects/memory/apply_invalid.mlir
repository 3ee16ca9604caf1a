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


// -----

// CHECK: expected an epilogue, which reads the extras
func.func @extras_alone(%x: memref<1x4x8xf32>, %y: memref<1x4x7xf32>) {
  memory.apply "graph.max_pool" ins(%x : memref<1x4x8xf32>) outs(%y : memref<1x4x7xf32>) extras(%y : memref<1x4x7xf32>) {kernel_shape = array<i64: 2>}
  func.return
}

// -----

// CHECK: expected 1 epilogue arguments, got 2
func.func @arguments(%x: memref<1x4x8xf32>, %y: memref<1x4x7xf32>) {
  memory.apply "graph.max_pool" ins(%x : memref<1x4x8xf32>) outs(%y : memref<1x4x7xf32>) {kernel_shape = array<i64: 2>} epilogue {
  ^bb0(%0: f32, %1: f32):
    memory.yield %0 : f32
  }
  func.return
}

// -----

// CHECK: expected epilogue argument 0 of type f32, got f64
func.func @computed(%x: memref<1x4x8xf32>, %y: memref<1x4x7xf32>, %e: memref<4x1xf32>) {
  memory.apply "graph.max_pool" ins(%x : memref<1x4x8xf32>) outs(%y : memref<1x4x7xf32>) extras(%e : memref<4x1xf32>) {kernel_shape = array<i64: 2>} epilogue {
  ^bb0(%0: f64, %1: f32):
    memory.yield %1 : f32
  }
  func.return
}

// -----

// CHECK: expected extra 0 of type f64, got f32
func.func @extra(%x: memref<1x4x8xf32>, %y: memref<1x4x7xf32>, %e: memref<4x1xf64>) {
  memory.apply "graph.max_pool" ins(%x : memref<1x4x8xf32>) outs(%y : memref<1x4x7xf32>) extras(%e : memref<4x1xf64>) {kernel_shape = array<i64: 2>} epilogue {
  ^bb0(%0: f32, %1: f32):
    memory.yield %0 : f32
  }
  func.return
}

// -----

// CHECK: expected yielded value 0 of type f32, got i1
func.func @yielded(%x: memref<1x4x8xf32>, %y: memref<1x4x7xf32>) {
  memory.apply "graph.max_pool" ins(%x : memref<1x4x8xf32>) outs(%y : memref<1x4x7xf32>) {kernel_shape = array<i64: 2>} epilogue {
  ^bb0(%0: f32):
    %1 = arith.cmpf ogt, %0, %0 : f32
    memory.yield %1 : i1
  }
  func.return
}

// -----

// CHECK: expected the epilogue to yield one value
func.func @yielded_values(%x: memref<1x4x8xf32>, %y: memref<1x4x7xf32>) {
  memory.apply "graph.max_pool" ins(%x : memref<1x4x8xf32>) outs(%y : memref<1x4x7xf32>) {kernel_shape = array<i64: 2>} epilogue {
  ^bb0(%0: f32):
    memory.yield %0, %0 : f32, f32
  }
  func.return
}

// -----

// CHECK: expected an extra that broadcasts to [1, 4, 7], got memref<5x1xf32>
func.func @broadcast(%x: memref<1x4x8xf32>, %y: memref<1x4x7xf32>, %e: memref<5x1xf32>) {
  memory.apply "graph.max_pool" ins(%x : memref<1x4x8xf32>) outs(%y : memref<1x4x7xf32>) extras(%e : memref<5x1xf32>) {kernel_shape = array<i64: 2>} epilogue {
  ^bb0(%0: f32, %1: f32):
    memory.yield %0 : f32
  }
  func.return
}

// -----

// CHECK: expected one result before an epilogue, got 2, 0 of them updated
func.func @two_results(%x: memref<1x4x8xf32>, %y: memref<1x4x7xf32>, %i: memref<1x4x7xi64>) {
  memory.apply "graph.max_pool" ins(%x : memref<1x4x8xf32>) outs(%y, indices %i : memref<1x4x7xf32>, memref<1x4x7xi64>) {kernel_shape = array<i64: 2>, with_indices} epilogue {
  ^bb0(%0: f32):
    memory.yield %0 : f32
  }
  func.return
}

// -----

// CHECK: expected one result before an epilogue, got 1, 1 of them updated
func.func @updated_result(%i: memref<1x1xi64>, %u: memref<1xf32>, %y: memref<4xf32>) {
  memory.apply "graph.scatter_nd" ins(%i, %u : memref<1x1xi64>, memref<1xf32>) inouts(%y : memref<4xf32>) epilogue {
  ^bb0(%0: f32):
    memory.yield %0 : f32
  }
  func.return
}

// -----

// CHECK: expected an epilogue of one block
func.func @blocks(%x: memref<1x4x8xf32>, %y: memref<1x4x7xf32>) {
  memory.apply "graph.max_pool" ins(%x : memref<1x4x8xf32>) outs(%y : memref<1x4x7xf32>) {kernel_shape = array<i64: 2>} epilogue {
  ^bb0(%0: f32):
    memory.yield %0 : f32
  ^bb1(%1: f32):
    memory.yield %1 : f32
  }
  func.return
}
