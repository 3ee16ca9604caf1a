// RUN: glow-opt %s | filecheck %s

// CHECK-LABEL: @main
func.func @main(%q: memref<1x4x8x8xf32>, %k: memref<1x2x9x8xf32>, %v: memref<1x2x9x3xf32>, %m: memref<8x9xi1>, %b: memref<1x9xf32>, %n: memref<1xi64>, %s: memref<2032xf32>, %t: memref<2736xf32>, %y: memref<1x4x8x3xf32>) {
  // CHECK-NEXT: memory.attention ins(%q : memref<1x4x8x8xf32>, %k : memref<1x2x9x8xf32>, %v : memref<1x2x9x3xf32>) scratch(%s : memref<2032xf32>) outs(%y : memref<1x4x8x3xf32>) {scale = 5.000000e-01 : f64, query_block = 8 : i64, key_block = 9 : i64}
  memory.attention ins(%q : memref<1x4x8x8xf32>, %k : memref<1x2x9x8xf32>, %v : memref<1x2x9x3xf32>) scratch(%s : memref<2032xf32>) outs(%y : memref<1x4x8x3xf32>) {scale = 0.5 : f64, query_block = 8 : i64, key_block = 9 : i64}
  // CHECK-NEXT: memory.attention ins(%q : memref<1x4x8x8xf32>, %k : memref<1x2x9x8xf32>, %v : memref<1x2x9x3xf32> valid_length %n : memref<1xi64> mask %m : memref<8x9xi1> bias %b : memref<1x9xf32>) scratch(%t : memref<2736xf32>) outs(%y : memref<1x4x8x3xf32>) {scale = 5.000000e-01 : f64, softcap = 2.000000e+00 : f64, left_window_size = 4 : i64, right_window_size = 0 : i64, masked_score = -1.000000e+04 : f64, unseen = "nan", joins_heads, query_block = 16 : i64, key_block = 4 : i64}
  memory.attention ins(%q : memref<1x4x8x8xf32>, %k : memref<1x2x9x8xf32>, %v : memref<1x2x9x3xf32> valid_length %n : memref<1xi64> mask %m : memref<8x9xi1> bias %b : memref<1x9xf32>) scratch(%t : memref<2736xf32>) outs(%y : memref<1x4x8x3xf32>) {scale = 0.5 : f64, softcap = 2.0 : f64, left_window_size = 4 : i64, right_window_size = 0 : i64, masked_score = -1.0e+04 : f64, unseen = "nan", joins_heads, query_block = 16 : i64, key_block = 4 : i64}
  func.return
}
