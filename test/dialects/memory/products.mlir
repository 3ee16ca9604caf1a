// RUN: ROUNDTRIP

// CHECK-LABEL: @products
func.func @products(%x: memref<1x4x8x8xf32>, %w: memref<8x4x3x3xf32>, %t: memref<36x1x4x16xf32>, %b: memref<8xf32>, %s: memref<64xf32>, %y: memref<1x8x8x8xf32>, %m: memref<8x4xf32>, %n: memref<4x8xf32>, %o: memref<8x8xf32>) {
  // CHECK:      memory.conv ins(%x : memref<1x4x8x8xf32>, %w : memref<8x4x3x3xf32>) outs(%y : memref<1x8x8x8xf32>) {
  // CHECK-NEXT: } {kernel_shape = array<i64: 3, 3>
  memory.conv ins(%x : memref<1x4x8x8xf32>, %w : memref<8x4x3x3xf32>) outs(%y : memref<1x8x8x8xf32>) {} {kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 1 : i64, algorithm = "generic"}
  // CHECK:      memory.conv ins(%x : memref<1x4x8x8xf32>, %t : memref<36x1x4x16xf32> bias %b : memref<8xf32> extras %y : memref<1x8x8x8xf32>) scratch(%s : memref<64xf32>) outs(%y : memref<1x8x8x8xf32>) {
  // CHECK-NEXT: ^{{.*}}(%{{.*}}: f32, %{{.*}}: f32):
  // CHECK-NEXT:   arith.addf
  // CHECK-NEXT:   memory.yield %{{.*}} : f32
  // CHECK-NEXT: } {{.*}}halo
  memory.conv ins(%x : memref<1x4x8x8xf32>, %t : memref<36x1x4x16xf32> bias %b : memref<8xf32> extras %y : memref<1x8x8x8xf32>) scratch(%s : memref<64xf32>) outs(%y : memref<1x8x8x8xf32>) {
  ^bb0(%p: f32, %e: f32):
    %0 = arith.addf %p, %e : f32
    memory.yield %0 : f32
  } {kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 1 : i64, algorithm = "winograd", halo}
  // CHECK: memory.matmul ins(%m : memref<8x4xf32>, %n : memref<4x8xf32>) outs(%o : memref<8x8xf32>) {
  memory.matmul ins(%m : memref<8x4xf32>, %n : memref<4x8xf32>) outs(%o : memref<8x8xf32>) {}
  // CHECK: memory.matmul ins(%m : memref<8x4xf32>, %n : memref<4x8xf32>) scratch(%m : memref<8x4xf32>) outs(%o : memref<8x8xf32>) {
  memory.matmul ins(%m : memref<8x4xf32>, %n : memref<4x8xf32>) scratch(%m : memref<8x4xf32>) outs(%o : memref<8x8xf32>) {}
  // CHECK: memory.matmul ins(%m : memref<8x4xf32>, %n : memref<4x8xf32> bias %b : memref<8xf32>) outs(%o : memref<8x8xf32>) {
  memory.matmul ins(%m : memref<8x4xf32>, %n : memref<4x8xf32> bias %b : memref<8xf32>) outs(%o : memref<8x8xf32>) {}
  func.return
}
