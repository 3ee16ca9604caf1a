// RUN: glow-opt %s -p memory-to-loops | filecheck %s

// A call with a row: batches, heads of keys, queries of one, positions; keys, how many
// the first position sees, strides from key to key and value to value, elements of both.
// CHECK: dense<[2, 32, 256, 96, 12, 1, 0, 2, 16, 128, 48, 6, 0, 0, 2, 8, 0, 0, 3, 0, 0, 1, 8, 0, 0, 3, 0, 1, 16, 1099511627776, 8, 3, 8, 3]>
// CHECK: func.func @main
// CHECK: func.call @decode_attention
memory.placeholder @q "in" : memref<2x4x1x8xf32>
memory.placeholder @k "in" : memref<2x2x16x8xf32>
memory.placeholder @v "in" : memref<2x2x16x3xf32>
memory.placeholder @n "in" : memref<2xi64>
memory.placeholder @s "out" : memref<16xf32>
memory.placeholder @y "out" : memref<2x4x1x3xf32>
func.func @main() {
  %q = memory.get @q : memref<2x4x1x8xf32>
  %k = memory.get @k : memref<2x2x16x8xf32>
  %v = memory.get @v : memref<2x2x16x3xf32>
  %n = memory.get @n : memref<2xi64>
  %s = memory.get @s : memref<16xf32>
  %y = memory.get @y : memref<2x4x1x3xf32>
  memory.decode_attention ins(%q : memref<2x4x1x8xf32>, %k : memref<2x2x16x8xf32>, %v : memref<2x2x16x3xf32> valid_length %n : memref<2xi64>) scratch(%s : memref<16xf32>) outs(%y : memref<2x4x1x3xf32>) {scale = 0.5 : f64}
  func.return
}
