// RUN: not glow-opt %s 2>&1 | filecheck %s

// CHECK: memory.softmax was written by glow 0.1; since 0.2 it is memory.apply "graph.softmax" or "graph.log_softmax"
func.func @text_of_before(%x: memref<1x4xf32>, %y: memref<1x4xf32>) {
  memory.softmax ins(%x : memref<1x4xf32>) outs(%y : memref<1x4xf32>) {axis = 1 : i64}
  func.return
}
