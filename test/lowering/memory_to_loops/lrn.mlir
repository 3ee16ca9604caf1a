// RUN: glow-opt %s --split-input-file -p 'memory-to-loops{target="cpu:avx2"}' | filecheck %s

!image = memref<1x64x4x4xf32, #layout.physical<NHWC>>

// Channels last: neighbours come out of registers, the power out of roots.
// CHECK:       dense<[16, 64, 64, 64]> : tensor<4xindex>
// CHECK:       func.func private @lrn_{{[0-9a-f]*}}(
// CHECK-COUNT-4: vector.shuffle
// CHECK-COUNT-2: math.sqrt
// CHECK-NOT:     math.sqrt
// CHECK:         arith.divf
memory.placeholder @x "in" : !image
memory.placeholder @y "out" : !image
func.func @main() {
  %x = memory.get @x : !image
  %y = memory.get @y : !image
  memory.lrn ins(%x : !image) outs(%y : !image) {size = 5 : i64, alpha = 1.0e-4 : f64, beta = 0.75 : f64, bias = 1.0 : f64}
  func.return
}

// -----

// A window that reaches further than a vector: one channel after the other.
// CHECK:       func.func private @lrn_columns_
// CHECK-NOT:     vector
memory.placeholder @x "in" : memref<1x64xf32>
memory.placeholder @y "out" : memref<1x64xf32>
func.func @main() {
  %x = memory.get @x : memref<1x64xf32>
  %y = memory.get @y : memref<1x64xf32>
  memory.lrn ins(%x : memref<1x64xf32>) outs(%y : memref<1x64xf32>) {size = 19 : i64, alpha = 1.0e-4 : f64, beta = 0.75 : f64, bias = 1.0 : f64}
  func.return
}

// -----

// Row-major images: lanes are places; another power goes through the logarithm.
// CHECK:       dense<[64, 16, 16, 16, 1, 1]> : tensor<6xindex>
// CHECK:       func.func private @lrn_columns_
// CHECK:         vector.load
// CHECK:         math.log {{.*}} : vector<8xf32>
// CHECK:         math.exp {{.*}} : vector<8xf32>
memory.placeholder @x "in" : memref<1x64x4x4xf32>
memory.placeholder @y "out" : memref<1x64x4x4xf32>
func.func @main() {
  %x = memory.get @x : memref<1x64x4x4xf32>
  %y = memory.get @y : memref<1x64x4x4xf32>
  memory.lrn ins(%x : memref<1x64x4x4xf32>) outs(%y : memref<1x64x4x4xf32>) {size = 3 : i64, alpha = 1.0e-4 : f64, beta = 0.6 : f64, bias = 1.0 : f64}
  func.return
}

// -----

// f64: scalars, from the C library.
// CHECK:       func.func private @lrn_columns_
// CHECK-NOT:     vector
// CHECK:         math.powf
memory.placeholder @x "in" : memref<2x64xf64>
memory.placeholder @y "out" : memref<2x64xf64>
func.func @main() {
  %x = memory.get @x : memref<2x64xf64>
  %y = memory.get @y : memref<2x64xf64>
  memory.lrn ins(%x : memref<2x64xf64>) outs(%y : memref<2x64xf64>) {size = 3 : i64, alpha = 1.0e-4 : f64, beta = 0.6 : f64, bias = 1.0 : f64}
  func.return
}
