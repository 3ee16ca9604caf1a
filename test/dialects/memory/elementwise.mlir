// RUN: ROUNDTRIP

// CHECK-LABEL: @elementwise
func.func @elementwise(%a: memref<8x4xf32>, %b: memref<4xf32>, %y: memref<8x4xf32>, %z: memref<8x4xi1>) {
  // CHECK:      memory.elementwise ins(%a, %b : memref<8x4xf32>, memref<4xf32>) outs(%y : memref<8x4xf32>) {
  // CHECK-NEXT: ^{{.*}}(%{{.*}}: f32, %{{.*}}: f32):
  memory.elementwise ins(%a, %b : memref<8x4xf32>, memref<4xf32>) outs(%y : memref<8x4xf32>) {
  ^bb0(%p: f32, %q: f32):
    %0 = arith.addf %p, %q : f32
    memory.yield %0 : f32
  }
  // Two results, and none of its inputs.
  // CHECK:      memory.elementwise outs(%y, %z : memref<8x4xf32>, memref<8x4xi1>) {
  memory.elementwise outs(%y, %z : memref<8x4xf32>, memref<8x4xi1>) {
    %1 = arith.constant 1.0 : f32
    %2 = arith.constant true
    memory.yield %1, %2 : f32, i1
  }
  // CHECK: memory.copy ins(%a : memref<8x4xf32>) outs(%y : memref<8x4xf32>)
  memory.copy ins(%a : memref<8x4xf32>) outs(%y : memref<8x4xf32>)
  // CHECK: memory.fill outs(%y : memref<8x4xf32>) {value = 1.000000e+00 : f32}
  memory.fill outs(%y : memref<8x4xf32>) {value = 1.0 : f32}
  // CHECK: memory.zero_halo outs(%y : memref<8x4xf32>)
  memory.zero_halo outs(%y : memref<8x4xf32>)
  func.return
}
