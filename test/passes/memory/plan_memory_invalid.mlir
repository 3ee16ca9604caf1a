// RUN: not glow-opt %s -p plan-memory 2>&1 | filecheck %s

// CHECK: error: expected functions that do not recur, got @main
func.func @main(%x: memref<4xf32>) {
  func.call @main(%x) : (memref<4xf32>) -> ()
  func.return
}
