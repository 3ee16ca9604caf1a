// RUN: not glow-opt %s 2>&1 | filecheck %s

// CHECK: memory.softmax was written by a version before memory.apply "graph.softmax" or "graph.log_softmax" replaced it
func.func @text_of_before(%x: memref<1x4xf32>, %y: memref<1x4xf32>) {
  memory.softmax ins(%x : memref<1x4xf32>) outs(%y : memref<1x4xf32>) {axis = 1 : i64}
  func.return
}
