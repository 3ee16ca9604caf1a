// RUN: ROUNDTRIP

// CHECK-LABEL: @scanning
func.func @scanning(%x: memref<2x8xf32>, %k: memref<i64>, %y: memref<2x8xf32>) {
  // CHECK: memory.cumsum ins(%x : memref<2x8xf32>) outs(%y : memref<2x8xf32>) {axis = 1 : i64, exclusive}
  memory.cumsum ins(%x : memref<2x8xf32>) outs(%y : memref<2x8xf32>) {axis = 1 : i64, exclusive}
  // CHECK: memory.trilu ins(%x : memref<2x8xf32>) outs(%y : memref<2x8xf32>)
  memory.trilu ins(%x : memref<2x8xf32>) outs(%y : memref<2x8xf32>)
  // CHECK: memory.trilu ins(%x : memref<2x8xf32> diagonal %k : memref<i64>) outs(%y : memref<2x8xf32>) {upper}
  memory.trilu ins(%x : memref<2x8xf32> diagonal %k : memref<i64>) outs(%y : memref<2x8xf32>) {upper}
  func.return
}
