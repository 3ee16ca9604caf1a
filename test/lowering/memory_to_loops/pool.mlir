// RUN: glow-opt %s -p 'memory-to-loops{target="cpu:avx512"}' --split-input-file --verify-diagnostics | filecheck %s

// Factors of channels are loaded as vectors, and those of places are spread over them.
// CHECK:       func.func private @[[POOL:pool_max_.*]](%x: {{.*}}, %extra0: memref<?xf32>, %extra1: memref<?xf32>
// CHECK:         vector.load %extra0
// CHECK:         [[F:%.*]] = memref.load %extra1
// CHECK:         vector.broadcast [[F]]
// CHECK:         vector.store {{.*}}, %y[
// CHECK:       func.func @main
// CHECK:         func.call @[[POOL]]
memory.placeholder @x "in" : memref<1x8x6x6xf32, strided<[288, 1, 48, 8]>>
memory.placeholder @a "in" : memref<8x1x1xf32>
memory.placeholder @b "in" : memref<5x5xf32>
memory.placeholder @y "out" : memref<1x8x5x5xf32, strided<[200, 1, 40, 8]>>
func.func @main() {
  %x = memory.get @x : memref<1x8x6x6xf32, strided<[288, 1, 48, 8]>>
  %a = memory.get @a : memref<8x1x1xf32>
  %b = memory.get @b : memref<5x5xf32>
  %y = memory.get @y : memref<1x8x5x5xf32, strided<[200, 1, 40, 8]>>
  memory.apply "graph.max_pool" ins(%x : memref<1x8x6x6xf32, strided<[288, 1, 48, 8]>>) outs(%y : memref<1x8x5x5xf32, strided<[200, 1, 40, 8]>>) extras(%a, %b : memref<8x1x1xf32>, memref<5x5xf32>) {kernel_shape = array<i64: 2, 2>} epilogue {
  ^bb0(%0: f32, %1: f32, %2: f32):
    %3 = arith.mulf %0, %1 : f32
    %4 = arith.mulf %3, %2 : f32
    memory.yield %4 : f32
  }
  func.return
}

// -----

// CHECK: no kernel computes an epilogue after graph.softmax
memory.placeholder @x "in" : memref<2x3xf32>
memory.placeholder @y "out" : memref<2x3xf32>
func.func @main() {
  %x = memory.get @x : memref<2x3xf32>
  %y = memory.get @y : memref<2x3xf32>
  memory.apply "graph.softmax" ins(%x : memref<2x3xf32>) outs(%y : memref<2x3xf32>) epilogue {
  ^bb0(%0: f32):
    memory.yield %0 : f32
  }
  func.return
}

// -----

// CHECK: cannot divide integers after graph.max_pool
memory.placeholder @x "in" : memref<1x2x4xi32>
memory.placeholder @y "out" : memref<1x2x3xi32>
func.func @main() {
  %x = memory.get @x : memref<1x2x4xi32>
  %y = memory.get @y : memref<1x2x3xi32>
  memory.apply "graph.max_pool" ins(%x : memref<1x2x4xi32>) outs(%y : memref<1x2x3xi32>) {kernel_shape = array<i64: 2>} epilogue {
  ^bb0(%0: i32):
    %1 = arith.divsi %0, %0 : i32
    memory.yield %1 : i32
  }
  func.return
}

// -----

// CHECK: expected an unblocked layout, got memref<1x8x3xf32, #layout.physical<NCW4c>>
memory.placeholder @x "in" : memref<1x8x4xf32>
memory.placeholder @r "in" : memref<1x8x3xf32, #layout.physical<NCW4c>>
memory.placeholder @y "out" : memref<1x8x3xf32>
func.func @main() {
  %x = memory.get @x : memref<1x8x4xf32>
  %r = memory.get @r : memref<1x8x3xf32, #layout.physical<NCW4c>>
  %y = memory.get @y : memref<1x8x3xf32>
  memory.apply "graph.max_pool" ins(%x : memref<1x8x4xf32>) outs(%y : memref<1x8x3xf32>) extras(%r : memref<1x8x3xf32, #layout.physical<NCW4c>>) {kernel_shape = array<i64: 2>} epilogue {
  ^bb0(%0: f32, %1: f32):
    memory.yield %1 : f32
  }
  func.return
}
