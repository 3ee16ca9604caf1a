// RUN: not glow-opt %s 2>&1 | filecheck %s

// CHECK: expected the name of a graph op, got "graph.median"
func.func @unknown(%x: memref<1x4xf32>, %y: memref<1x4xf32>) {
  memory.apply "graph.median" ins(%x : memref<1x4xf32>) outs(%y : memref<1x4xf32>)
  func.return
}
