// RUN: glow-opt %s --target cpu --cpu-features avx2 --stop-after memory | filecheck %s

// A weight that is passed to a body is loaded in it, and packed there.
// CHECK:       memory.constant @literal #graph.resource<"{{.*}}"> : memref<40x40xf32, #layout.physical<NK24n>>
// CHECK:       func.func private @body(
// CHECK:         [[W:%.*]] = memory.get @literal
// CHECK:         memory.matmul ins(%s : memref<8x40xf32>, [[W]] : memref<40x40xf32, #layout.physical<NK24n>>)
func.func @main(%n: tensor<i64>, %x: tensor<8x40xf32>) -> tensor<8x40xf32> {
  %w = graph.literal dense<0.5> : tensor<40x40xf32> : tensor<40x40xf32>
  %y = graph.loop @body limit %n : tensor<i64> carries (%x : tensor<8x40xf32>) with (%w : tensor<40x40xf32>) -> tensor<8x40xf32>
  func.return %y : tensor<8x40xf32>
}
func.func private @body(%i: tensor<i64>, %s: tensor<8x40xf32>, %w: tensor<40x40xf32>) -> tensor<8x40xf32> {
  %t = graph.matmul %s, %w : (tensor<8x40xf32>, tensor<40x40xf32>) -> tensor<8x40xf32>
  func.return %t : tensor<8x40xf32>
}
