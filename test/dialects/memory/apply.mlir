// RUN: ROUNDTRIP

// CHECK-LABEL: @main
func.func @main(%x: memref<1x4x8x8xf32>, %y: memref<1x4x4x4xf32>, %z: memref<1x4x8x8xf32>, %i: memref<1x4x4x4xi64>, %s: memref<8xf32>, %d: memref<1x4x8x1xf32>, %k: memref<3x2xi64>, %u: memref<3x8x8xf32>, %h: memref<2xf32>, %p: memref<2xi64>, %o: memref<1x4x8x2xi64>, %e: memref<4x1x1xf32>, %f: memref<1x4x4x4xf32>) {
  // Defaults are not printed.
  // CHECK: memory.apply "graph.max_pool" ins(%x : memref<1x4x8x8xf32>) outs(%y : memref<1x4x4x4xf32>) {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>}
  memory.apply "graph.max_pool" ins(%x : memref<1x4x8x8xf32>) outs(%y : memref<1x4x4x4xf32>) {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>}
  // A slot that may be empty is named, and so is one of several buffers.
  // CHECK: memory.apply "graph.max_pool" ins(%x : memref<1x4x8x8xf32>) outs(%y, indices %i : memref<1x4x4x4xf32>, memref<1x4x4x4xi64>) {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>, with_indices}
  memory.apply "graph.max_pool" ins(%x : memref<1x4x8x8xf32>) outs(%y, indices %i : memref<1x4x4x4xf32>, memref<1x4x4x4xi64>) {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>, with_indices}
  // CHECK: memory.apply "graph.layer_norm" in_place ins(%x, bias %s : memref<1x4x8x8xf32>, memref<8xf32>) outs(%z, statistics %d, statistics %d : memref<1x4x8x8xf32>, memref<1x4x8x1xf32>, memref<1x4x8x1xf32>) {with_statistics}
  memory.apply "graph.layer_norm" in_place ins(%x, bias %s : memref<1x4x8x8xf32>, memref<8xf32>) outs(%z, statistics %d, statistics %d : memref<1x4x8x8xf32>, memref<1x4x8x1xf32>, memref<1x4x8x1xf32>) {with_statistics}
  // CHECK: memory.apply "graph.lrn" ins(%x : memref<1x4x8x8xf32>) outs(%z : memref<1x4x8x8xf32>) {size = 5 : i64}
  memory.apply "graph.lrn" ins(%x : memref<1x4x8x8xf32>) outs(%z : memref<1x4x8x8xf32>) {size = 5 : i64}
  // CHECK: memory.apply "graph.scatter_nd" ins(%k, %u : memref<3x2xi64>, memref<3x8x8xf32>) inouts(%x : memref<1x4x8x8xf32>) {reduction = "add"}
  memory.apply "graph.scatter_nd" ins(%k, %u : memref<3x2xi64>, memref<3x8x8xf32>) inouts(%x : memref<1x4x8x8xf32>) {reduction = "add"}
  // CHECK: memory.apply "graph.top_k" ins(%x : memref<1x4x8x8xf32>) outs(indices %o : memref<1x4x8x2xi64>) scratch(%h, %p : memref<2xf32>, memref<2xi64>) {k = 2 : i64} attributes {note}
  memory.apply "graph.top_k" ins(%x : memref<1x4x8x8xf32>) outs(indices %o : memref<1x4x8x2xi64>) scratch(%h, %p : memref<2xf32>, memref<2xi64>) {k = 2 : i64} attributes {note}
  // CHECK: memory.apply "graph.max_pool" ins(%x : memref<1x4x8x8xf32>) outs(%y : memref<1x4x4x4xf32>) extras(%e, %f : memref<4x1x1xf32>, memref<1x4x4x4xf32>) {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} epilogue {
  // CHECK-NEXT: ^{{.*}}([[V:%.*]]: f32, [[E:%.*]]: f32, [[F:%.*]]: f32):
  // CHECK-NEXT:   [[P:%.*]] = arith.mulf [[V]], [[E]] : f32
  // CHECK-NEXT:   [[S:%.*]] = arith.addf [[P]], [[F]] : f32
  // CHECK-NEXT:   memory.yield [[S]] : f32
  // CHECK-NEXT: } attributes {note}
  memory.apply "graph.max_pool" ins(%x : memref<1x4x8x8xf32>) outs(%y : memref<1x4x4x4xf32>) extras(%e, %f : memref<4x1x1xf32>, memref<1x4x4x4xf32>) {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} epilogue {
  ^bb0(%v: f32, %a: f32, %b: f32):
    %0 = arith.mulf %v, %a : f32
    %1 = arith.addf %0, %b : f32
    memory.yield %1 : f32
  } attributes {note}
  func.return
}
