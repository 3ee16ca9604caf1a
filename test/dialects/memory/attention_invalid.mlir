// RUN: glow-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: expected heads in groups, one for each head of keys, got memref<1x3x8x8xf32>, memref<1x2x9x8xf32>
func.func @main(%q: memref<1x3x8x8xf32>, %k: memref<1x2x9x8xf32>, %v: memref<1x2x9x8xf32>, %s: memref<2232xf32>, %y: memref<1x3x8x8xf32>) {
  memory.attention ins(%q : memref<1x3x8x8xf32>, %k : memref<1x2x9x8xf32>, %v : memref<1x2x9x8xf32>) scratch(%s : memref<2232xf32>) outs(%y : memref<1x3x8x8xf32>) {scale = 0.5 : f64, query_block = 8 : i64, key_block = 9 : i64}
  func.return
}

// -----

// CHECK: expected key of shape [1, 2, 9, 8], got memref<1x2x9x6xf32>
func.func @main(%q: memref<1x4x8x8xf32>, %k: memref<1x2x9x6xf32>, %v: memref<1x2x9x8xf32>, %s: memref<2232xf32>, %y: memref<1x4x8x8xf32>) {
  memory.attention ins(%q : memref<1x4x8x8xf32>, %k : memref<1x2x9x6xf32>, %v : memref<1x2x9x8xf32>) scratch(%s : memref<2232xf32>) outs(%y : memref<1x4x8x8xf32>) {scale = 0.5 : f64, query_block = 8 : i64, key_block = 9 : i64}
  func.return
}

// -----

// CHECK: expected value of shape [1, 2, 9, 8], got memref<1x2x7x8xf32>
func.func @main(%q: memref<1x4x8x8xf32>, %k: memref<1x2x9x8xf32>, %v: memref<1x2x7x8xf32>, %s: memref<2232xf32>, %y: memref<1x4x8x8xf32>) {
  memory.attention ins(%q : memref<1x4x8x8xf32>, %k : memref<1x2x9x8xf32>, %v : memref<1x2x7x8xf32>) scratch(%s : memref<2232xf32>) outs(%y : memref<1x4x8x8xf32>) {scale = 0.5 : f64, query_block = 8 : i64, key_block = 9 : i64}
  func.return
}

// -----

// CHECK: expected result of shape [1, 4, 8, 8], got memref<1x4x1x8xf32>
func.func @main(%q: memref<1x4x8x8xf32>, %k: memref<1x2x9x8xf32>, %v: memref<1x2x9x8xf32>, %s: memref<2232xf32>, %y: memref<1x4x1x8xf32>) {
  memory.attention ins(%q : memref<1x4x8x8xf32>, %k : memref<1x2x9x8xf32>, %v : memref<1x2x9x8xf32>) scratch(%s : memref<2232xf32>) outs(%y : memref<1x4x1x8xf32>) {scale = 0.5 : f64, query_block = 8 : i64, key_block = 9 : i64}
  func.return
}

// -----

// CHECK: expected valid_length of shape [1], got memref<2xi64>
func.func @main(%q: memref<1x4x8x8xf32>, %k: memref<1x2x9x8xf32>, %v: memref<1x2x9x8xf32>, %n: memref<2xi64>, %s: memref<2232xf32>, %y: memref<1x4x8x8xf32>) {
  memory.attention ins(%q : memref<1x4x8x8xf32>, %k : memref<1x2x9x8xf32>, %v : memref<1x2x9x8xf32> valid_length %n : memref<2xi64>) scratch(%s : memref<2232xf32>) outs(%y : memref<1x4x8x8xf32>) {scale = 0.5 : f64, query_block = 8 : i64, key_block = 9 : i64}
  func.return
}

// -----

// CHECK: expected scratch of shape [2232], got memref<8xf32>
func.func @main(%q: memref<1x4x8x8xf32>, %k: memref<1x2x9x8xf32>, %v: memref<1x2x9x8xf32>, %s: memref<8xf32>, %y: memref<1x4x8x8xf32>) {
  memory.attention ins(%q : memref<1x4x8x8xf32>, %k : memref<1x2x9x8xf32>, %v : memref<1x2x9x8xf32>) scratch(%s : memref<8xf32>) outs(%y : memref<1x4x8x8xf32>) {scale = 0.5 : f64, query_block = 8 : i64, key_block = 9 : i64}
  func.return
}

// -----

// CHECK: expected mask that broadcasts to [1, 4, 8, 9], got memref<8x8xi1>
func.func @main(%q: memref<1x4x8x8xf32>, %k: memref<1x2x9x8xf32>, %v: memref<1x2x9x8xf32>, %m: memref<8x8xi1>, %s: memref<2304xf32>, %y: memref<1x4x8x8xf32>) {
  memory.attention ins(%q : memref<1x4x8x8xf32>, %k : memref<1x2x9x8xf32>, %v : memref<1x2x9x8xf32> mask %m : memref<8x8xi1>) scratch(%s : memref<2304xf32>) outs(%y : memref<1x4x8x8xf32>) {scale = 0.5 : f64, query_block = 8 : i64, key_block = 9 : i64}
  func.return
}

// -----

// CHECK: expected bias that broadcasts to [1, 4, 8, 9], got memref<1x1x4x1x9xf32>
func.func @main(%q: memref<1x4x8x8xf32>, %k: memref<1x2x9x8xf32>, %v: memref<1x2x9x8xf32>, %b: memref<1x1x4x1x9xf32>, %s: memref<2232xf32>, %y: memref<1x4x8x8xf32>) {
  memory.attention ins(%q : memref<1x4x8x8xf32>, %k : memref<1x2x9x8xf32>, %v : memref<1x2x9x8xf32> bias %b : memref<1x1x4x1x9xf32>) scratch(%s : memref<2232xf32>) outs(%y : memref<1x4x8x8xf32>) {scale = 0.5 : f64, query_block = 8 : i64, key_block = 9 : i64}
  func.return
}

// -----

// CHECK: expected query_block of at least 1, got 0
func.func @main(%q: memref<1x4x8x8xf32>, %k: memref<1x2x9x8xf32>, %v: memref<1x2x9x8xf32>, %s: memref<1472xf32>, %y: memref<1x4x8x8xf32>) {
  memory.attention ins(%q : memref<1x4x8x8xf32>, %k : memref<1x2x9x8xf32>, %v : memref<1x2x9x8xf32>) scratch(%s : memref<1472xf32>) outs(%y : memref<1x4x8x8xf32>) {scale = 0.5 : f64, query_block = 0 : i64, key_block = 9 : i64}
  func.return
}

// -----

// CHECK: expected key_block of at least 1, got 0
func.func @main(%q: memref<1x4x8x8xf32>, %k: memref<1x2x9x8xf32>, %v: memref<1x2x9x8xf32>, %s: memref<2160xf32>, %y: memref<1x4x8x8xf32>) {
  memory.attention ins(%q : memref<1x4x8x8xf32>, %k : memref<1x2x9x8xf32>, %v : memref<1x2x9x8xf32>) scratch(%s : memref<2160xf32>) outs(%y : memref<1x4x8x8xf32>) {scale = 0.5 : f64, query_block = 8 : i64, key_block = 0 : i64}
  func.return
}
