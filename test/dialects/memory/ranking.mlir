// RUN: ROUNDTRIP

// CHECK-LABEL: @top_k
func.func @top_k(%x: memref<2x8xf32>, %v: memref<2x3xf32>, %i: memref<2x3xi64>, %h: memref<3xf32>, %p: memref<3xi64>) {
  // CHECK: memory.top_k ins(%x : memref<2x8xf32>) outs(values %v : memref<2x3xf32> indices %i : memref<2x3xi64>) scratch(%h, %p : memref<3xf32>, memref<3xi64>) {axis = 1 : i64, largest}
  memory.top_k ins(%x : memref<2x8xf32>) outs(values %v : memref<2x3xf32> indices %i : memref<2x3xi64>) scratch(%h, %p : memref<3xf32>, memref<3xi64>) {axis = 1 : i64, largest}
  // CHECK: memory.top_k ins(%x : memref<2x8xf32>) outs(values %v : memref<2x3xf32>) scratch(%h, %p : memref<3xf32>, memref<3xi64>) {axis = 1 : i64}
  memory.top_k ins(%x : memref<2x8xf32>) outs(values %v : memref<2x3xf32>) scratch(%h, %p : memref<3xf32>, memref<3xi64>) {axis = 1 : i64}
  // CHECK: memory.top_k ins(%x : memref<2x8xf32>) outs(indices %i : memref<2x3xi64>) scratch(%h, %p : memref<3xf32>, memref<3xi64>) {axis = 1 : i64}
  memory.top_k ins(%x : memref<2x8xf32>) outs(indices %i : memref<2x3xi64>) scratch(%h, %p : memref<3xf32>, memref<3xi64>) {axis = 1 : i64}
  func.return
}
