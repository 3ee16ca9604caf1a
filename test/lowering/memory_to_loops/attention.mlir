// RUN: glow-opt %s -p 'memory-to-loops{target="cpu:avx2"}' | filecheck %s

// A call with a row: loops over batches, heads of keys, and heads of queries that share
// no block, over query, key, value, result, mask, bias and lengths; sizes, windows and
// blocks; distances; parts of the scratch.
// CHECK: dense<[2, 512, 256, 96, 192, 0, 0, 1, 2, 256, 128, 48, 96, 128, 0, 0, 2, 128, 0, 0, 48, 64, 0, 0, 16, 16, 16, 8, 3, 1099511627776, 0, 16, 8, 128, 8, 8, 3, 48, 3, 64, 4, 0, 0, 0, 1, 35, 0, 128, 768, 2448, 2496, 2544, 2592, 2640, 2688, 2736, 2864]>
// CHECK: func.func @main
// CHECK: func.call @attention
memory.placeholder @q "in" : memref<2x4x16x8xf32>
memory.placeholder @k "in" : memref<2x2x16x8xf32>
memory.placeholder @v "in" : memref<2x2x16x3xf32>
memory.placeholder @m "in" : memref<4x16x4xi1>
memory.placeholder @b "in" : memref<16xf32>
memory.placeholder @n "in" : memref<2xi32>
memory.placeholder @s "out" : memref<2864xf32>
memory.placeholder @y "out" : memref<2x4x16x3xf32>
func.func @main() {
  %q = memory.get @q : memref<2x4x16x8xf32>
  %k = memory.get @k : memref<2x2x16x8xf32>
  %v = memory.get @v : memref<2x2x16x3xf32>
  %m = memory.get @m : memref<4x16x4xi1>
  %w = memory.view %m : memref<4x16x4xi1> -> memref<4x16x1xi1, strided<[64, 4, 1]>>
  %b = memory.get @b : memref<16xf32>
  %n = memory.get @n : memref<2xi32>
  %s = memory.get @s : memref<2864xf32>
  %y = memory.get @y : memref<2x4x16x3xf32>
  memory.attention ins(%q : memref<2x4x16x8xf32>, %k : memref<2x2x16x8xf32>, %v : memref<2x2x16x3xf32> mask %w : memref<4x16x1xi1, strided<[64, 4, 1]>> bias %b : memref<16xf32> valid_length %n : memref<2xi32>) scratch(%s : memref<2864xf32>) outs(%y : memref<2x4x16x3xf32>) {scale = 0.5 : f64, right_window_size = 0 : i64, query_block = 16 : i64, key_block = 8 : i64}
  func.return
}
