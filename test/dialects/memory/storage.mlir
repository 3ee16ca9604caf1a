// RUN: ROUNDTRIP

// CHECK: memory.placeholder @data "in" : memref<1x3x8x8xf32>
memory.placeholder @data "in" : memref<1x3x8x8xf32>

// CHECK: memory.placeholder @"a/b" "out" : memref<4xi1>
memory.placeholder @"a/b" "out" : memref<4xi1>

// CHECK: memory.placeholder @steps "inout" "resident" initial #graph.resource<"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"> : memref<i64>
memory.placeholder @steps "inout" "resident" initial #graph.resource<"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"> : memref<i64>

// CHECK: memory.placeholder @private "out" "scratch" : memref<4xf32>
memory.placeholder @private "out" "scratch" : memref<4xf32>

// CHECK: memory.constant @w #graph.resource<"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"> : memref<2xf32>
memory.constant @w #graph.resource<"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"> : memref<2xf32>

// CHECK-LABEL: @main
func.func @main() {
  // CHECK: memory.get @data : memref<1x3x8x8xf32>
  %x = memory.get @data : memref<1x3x8x8xf32>
  // CHECK: memory.alloc : memref<1x3x8x8xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>
  %a = memory.alloc : memref<1x3x8x8xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>
  // CHECK: memory.alloc {offset = 64 : i64} : memref<8x4xf32>
  %b = memory.alloc {offset = 64 : i64} : memref<8x4xf32>
  // CHECK: memory.view %b : memref<8x4xf32> -> memref<4x2xf32, strided<[1, 4], offset: 8>>
  %v = memory.view %b : memref<8x4xf32> -> memref<4x2xf32, strided<[1, 4], offset: 8>>
  // A reversal and a broadcast are views, too.
  // CHECK: memref<8x4xf32, strided<[-4, 1], offset: 28>>
  %r = memory.view %b : memref<8x4xf32> -> memref<8x4xf32, strided<[-4, 1], offset: 28>>
  // CHECK: memref<9x8x4xf32, strided<[0, 4, 1]>>
  %e = memory.view %b : memref<8x4xf32> -> memref<9x8x4xf32, strided<[0, 4, 1]>>
  // Panels of a matrix are panels of its transpose.
  %p = memory.alloc : memref<64x8xf32, #layout.physical<[0:?:32, 1, 0:32]>>
  // CHECK: memory.view %p : memref<64x8xf32, #layout.physical<OI32o>> -> memref<8x64xf32, #layout.physical<NK32n>>
  %t = memory.view %p : memref<64x8xf32, #layout.physical<[0:?:32, 1, 0:32]>> -> memref<8x64xf32, #layout.physical<[1:?:32, 0, 1:32]>>
  // CHECK: memory.ready @"a/b"
  memory.ready @"a/b"
  // CHECK: memory.dealloc %b : memref<8x4xf32>
  memory.dealloc %b : memref<8x4xf32>
  func.return
}
