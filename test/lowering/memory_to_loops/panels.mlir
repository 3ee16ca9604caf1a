// RUN: glow-opt %s -p 'memory-to-loops{target="cpu:avx2" kernels=declared near_bytes=16384}' --split-input-file | filecheck %s

// A panel is packed, and multiplied by, then the next one.

// CHECK-LABEL: func.func @main
// CHECK:         call @runs
// CHECK-NEXT:    call @gemm
// CHECK:         call @runs
// CHECK:         call @gemm
// CHECK-NOT:     call
builtin.module {
  memory.placeholder @x "in" : memref<20x128xf32>
  memory.placeholder @w "in" : memref<128x32xf32>
  memory.placeholder @y "out" : memref<20x32xf32>
  func.func @main() {
    %x = memory.get @x : memref<20x128xf32>
    %w = memory.get @w : memref<128x32xf32>
    %p = memory.alloc {offset = 0 : i64} : memref<128x32xf32, #layout.physical<NK16n>>
    memory.copy ins(%w : memref<128x32xf32>) outs(%p : memref<128x32xf32, #layout.physical<NK16n>>)
    %y = memory.get @y : memref<20x32xf32>
    memory.matmul ins(%x : memref<20x128xf32>, %p : memref<128x32xf32, #layout.physical<NK16n>>) outs(%y : memref<20x32xf32>) {
    ^bb0(%0: f32):
      memory.yield %0 : f32
    }
    memory.dealloc %p : memref<128x32xf32, #layout.physical<NK16n>>
    func.return
  }
}

// -----

// More rows than columns: all is packed first, since rows would be read for each panel.

// CHECK-LABEL: func.func @main
// CHECK:         call @runs
// CHECK-NEXT:    call @gemm
// CHECK-NOT:     call
builtin.module {
  memory.placeholder @x "in" : memref<40x128xf32>
  memory.placeholder @w "in" : memref<128x32xf32>
  memory.placeholder @y "out" : memref<40x32xf32>
  func.func @main() {
    %x = memory.get @x : memref<40x128xf32>
    %w = memory.get @w : memref<128x32xf32>
    %p = memory.alloc {offset = 0 : i64} : memref<128x32xf32, #layout.physical<NK16n>>
    memory.copy ins(%w : memref<128x32xf32>) outs(%p : memref<128x32xf32, #layout.physical<NK16n>>)
    %y = memory.get @y : memref<40x32xf32>
    memory.matmul ins(%x : memref<40x128xf32>, %p : memref<128x32xf32, #layout.physical<NK16n>>) outs(%y : memref<40x32xf32>) {
    ^bb0(%0: f32):
      memory.yield %0 : f32
    }
    memory.dealloc %p : memref<128x32xf32, #layout.physical<NK16n>>
    func.return
  }
}

// -----

// Two products read the panels.

// CHECK-LABEL: func.func @main
// CHECK:         call @runs
// CHECK-NEXT:    call @gemm
// CHECK:         call @gemm
// CHECK-NOT:     call
builtin.module {
  memory.placeholder @x "in" : memref<20x128xf32>
  memory.placeholder @w "in" : memref<128x32xf32>
  memory.placeholder @y "out" : memref<20x32xf32>
  memory.placeholder @z "out" : memref<20x32xf32>
  func.func @main() {
    %x = memory.get @x : memref<20x128xf32>
    %w = memory.get @w : memref<128x32xf32>
    %p = memory.alloc {offset = 0 : i64} : memref<128x32xf32, #layout.physical<NK16n>>
    memory.copy ins(%w : memref<128x32xf32>) outs(%p : memref<128x32xf32, #layout.physical<NK16n>>)
    %y = memory.get @y : memref<20x32xf32>
    memory.matmul ins(%x : memref<20x128xf32>, %p : memref<128x32xf32, #layout.physical<NK16n>>) outs(%y : memref<20x32xf32>) {
    ^bb0(%0: f32):
      memory.yield %0 : f32
    }
    %z = memory.get @z : memref<20x32xf32>
    memory.matmul ins(%x : memref<20x128xf32>, %p : memref<128x32xf32, #layout.physical<NK16n>>) outs(%z : memref<20x32xf32>) {
    ^bb0(%0: f32):
      memory.yield %0 : f32
    }
    memory.dealloc %p : memref<128x32xf32, #layout.physical<NK16n>>
    func.return
  }
}

// -----

// The product writes what is packed: all of it is read first.

// CHECK-LABEL: func.func @main
// CHECK:         call @runs
// CHECK-NEXT:    call @gemm
// CHECK-NOT:     call
builtin.module {
  memory.placeholder @x "in" : memref<32x64xf32>
  memory.placeholder @w "inout" : memref<64x64xf32>
  func.func @main() {
    %x = memory.get @x : memref<32x64xf32>
    %w = memory.get @w : memref<64x64xf32>
    %p = memory.alloc {offset = 0 : i64} : memref<64x64xf32, #layout.physical<NK16n>>
    memory.copy ins(%w : memref<64x64xf32>) outs(%p : memref<64x64xf32, #layout.physical<NK16n>>)
    %y = memory.view %w : memref<64x64xf32> -> memref<32x64xf32, strided<[128, 1]>>
    memory.matmul ins(%x : memref<32x64xf32>, %p : memref<64x64xf32, #layout.physical<NK16n>>) outs(%y : memref<32x64xf32, strided<[128, 1]>>) {
    ^bb0(%0: f32):
      memory.yield %0 : f32
    }
    memory.dealloc %p : memref<64x64xf32, #layout.physical<NK16n>>
    func.return
  }
}

// -----

// What is packed may be written over by what comes next.

// CHECK-LABEL: func.func @main
// CHECK:         call @fill
// CHECK-NEXT:    call @runs
// CHECK-NEXT:    call @gemm
// CHECK-NOT:     call
builtin.module {
  memory.placeholder @x "in" : memref<20x128xf32>
  memory.placeholder @y "out" : memref<20x32xf32>
  func.func @main() {
    %x = memory.get @x : memref<20x128xf32>
    %w = memory.alloc {offset = 0 : i64} : memref<128x32xf32>
    memory.elementwise outs(%w : memref<128x32xf32>) {
      %c = arith.constant 1.000000e+00 : f32
      memory.yield %c : f32
    }
    %p = memory.alloc {offset = 16384 : i64} : memref<128x32xf32, #layout.physical<NK16n>>
    memory.copy ins(%w : memref<128x32xf32>) outs(%p : memref<128x32xf32, #layout.physical<NK16n>>)
    memory.dealloc %w : memref<128x32xf32>
    %y = memory.get @y : memref<20x32xf32>
    memory.matmul ins(%x : memref<20x128xf32>, %p : memref<128x32xf32, #layout.physical<NK16n>>) outs(%y : memref<20x32xf32>) {
    ^bb0(%0: f32):
      memory.yield %0 : f32
    }
    memory.dealloc %p : memref<128x32xf32, #layout.physical<NK16n>>
    func.return
  }
}
