// RUN: glow-opt %s | filecheck %s

// CHECK-LABEL: @main
func.func @main(%q: memref<1x4x1x8xf32>, %k: memref<1x2x16x8xf32>, %v: memref<1x2x16x3xf32>, %n: memref<1xi64>, %s: memref<16xf32>, %y: memref<1x4x1x3xf32>) {
  // CHECK: memory.decode_attention ins(%q : memref<1x4x1x8xf32>, %k : memref<1x2x16x8xf32>, %v : memref<1x2x16x3xf32> valid_length %n : memref<1xi64>) scratch(%s : memref<16xf32>) outs(%y : memref<1x4x1x3xf32>) {scale = 5.000000e-01 : f64}
  memory.decode_attention ins(%q : memref<1x4x1x8xf32>, %k : memref<1x2x16x8xf32>, %v : memref<1x2x16x3xf32> valid_length %n : memref<1xi64>) scratch(%s : memref<16xf32>) outs(%y : memref<1x4x1x3xf32>) {scale = 0.5 : f64}
  // CHECK-NEXT: memory.decode_attention ins(%q : memref<1x4x1x8xf32>, %k : memref<1x2x16x8xf32>, %v : memref<1x2x16x3xf32>) scratch(%s : memref<16xf32>) outs(%y : memref<1x4x1x3xf32>) {scale = 5.000000e-01 : f64, right_window_size = 2 : i64}
  memory.decode_attention ins(%q : memref<1x4x1x8xf32>, %k : memref<1x2x16x8xf32>, %v : memref<1x2x16x3xf32>) scratch(%s : memref<16xf32>) outs(%y : memref<1x4x1x3xf32>) {scale = 0.5 : f64, right_window_size = 2 : i64}
  func.return
}
