// RUN: glow-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: expected heads in groups, one for each head of keys, got memref<1x3x1x8xf32>, memref<1x2x16x8xf32>
func.func @main(%q: memref<1x3x1x8xf32>, %k: memref<1x2x16x8xf32>, %v: memref<1x2x16x8xf32>, %n: memref<1xi64>, %s: memref<16xf32>, %y: memref<1x3x1x8xf32>) {
  memory.decode_attention ins(%q : memref<1x3x1x8xf32>, %k : memref<1x2x16x8xf32>, %v : memref<1x2x16x8xf32> valid_length %n : memref<1xi64>) scratch(%s : memref<16xf32>) outs(%y : memref<1x3x1x8xf32>) {scale = 0.5 : f64}
  func.return
}

// -----

// CHECK: expected scratch of shape [16], got memref<8xf32>
func.func @main(%q: memref<1x4x1x8xf32>, %k: memref<1x2x16x8xf32>, %v: memref<1x2x16x8xf32>, %n: memref<1xi64>, %s: memref<8xf32>, %y: memref<1x4x1x8xf32>) {
  memory.decode_attention ins(%q : memref<1x4x1x8xf32>, %k : memref<1x2x16x8xf32>, %v : memref<1x2x16x8xf32> valid_length %n : memref<1xi64>) scratch(%s : memref<8xf32>) outs(%y : memref<1x4x1x8xf32>) {scale = 0.5 : f64}
  func.return
}

// -----

// CHECK: expected result of shape [1, 4, 2, 8], got memref<1x4x1x8xf32>
func.func @main(%q: memref<1x4x2x8xf32>, %k: memref<1x2x16x8xf32>, %v: memref<1x2x16x8xf32>, %n: memref<1xi64>, %s: memref<16xf32>, %y: memref<1x4x1x8xf32>) {
  memory.decode_attention ins(%q : memref<1x4x2x8xf32>, %k : memref<1x2x16x8xf32>, %v : memref<1x2x16x8xf32> valid_length %n : memref<1xi64>) scratch(%s : memref<16xf32>) outs(%y : memref<1x4x1x8xf32>) {scale = 0.5 : f64}
  func.return
}
