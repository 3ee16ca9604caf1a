// RUN: glow-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: expected a kind out of none, add, mul, max, min, got "mean"
func.func @scatter(%y: memref<8xf32>, %i: memref<3x1xi64>, %u: memref<3xf32>) {
  memory.scatter_nd ins(%i : memref<3x1xi64>, %u : memref<3xf32>) inouts(%y : memref<8xf32>) {batch_dims = 0 : i64, kind = "mean"}
  func.return
}
