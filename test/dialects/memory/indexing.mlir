// RUN: ROUNDTRIP

// CHECK-LABEL: @indexing
func.func @indexing(%x: memref<2x8x4xf32>, %i: memref<2x3x1xi64>, %y: memref<2x3x4xf32>, %k: memref<2xi64>) {
  // CHECK: memory.gather_nd ins(%x : memref<2x8x4xf32>, %i : memref<2x3x1xi64>) outs(%y : memref<2x3x4xf32>) {batch_dims = 1 : i64}
  memory.gather_nd ins(%x : memref<2x8x4xf32>, %i : memref<2x3x1xi64>) outs(%y : memref<2x3x4xf32>) {batch_dims = 1 : i64}
  // CHECK: memory.scatter_nd ins(%i : memref<2x3x1xi64>, %y : memref<2x3x4xf32>) inouts(%x : memref<2x8x4xf32>) {batch_dims = 1 : i64, kind = "max"}
  memory.scatter_nd ins(%i : memref<2x3x1xi64>, %y : memref<2x3x4xf32>) inouts(%x : memref<2x8x4xf32>) {batch_dims = 1 : i64, kind = "max"}
  // CHECK: memory.tensor_scatter ins(%y : memref<2x3x4xf32>, %k : memref<2xi64>) inouts(%x : memref<2x8x4xf32>) {axis = 1 : i64, circular}
  memory.tensor_scatter ins(%y : memref<2x3x4xf32>, %k : memref<2xi64>) inouts(%x : memref<2x8x4xf32>) {axis = 1 : i64, circular}
  func.return
}
