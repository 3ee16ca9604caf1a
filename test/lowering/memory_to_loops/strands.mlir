// RUN: glow-opt %s -p 'memory-to-loops{target="cpu:avx2" kernels=declared piece_ns=125}' --split-input-file | filecheck %s

// Two products with a function between them: each piece goes on with the rows that it
// wrote, and nobody waits. The rest of the columns is a call of its own.
// CHECK:      glow.strands = 1 : i64, glow.sections = 1 : i64
// CHECK:      team.section 0 on %team
// CHECK-NEXT:   team.strand 0 {
// CHECK:          team.call @gemm_{{.*}} writes 0 to 122880 each [[ROWS:[0-9]+]], {{.*}} units [[UNITS:[0-9]+]] step [[STEP:[0-9]+]] cost [[COST:[0-9]+]] beside 0
// CHECK-NOT:    team.strand
// CHECK:          team.call @gemm_{{.*}} writes 0 to 122880 each [[ROWS]], {{.*}} units [[UNITS]] step [[STEP]]
// CHECK-NOT:    team.strand
// CHECK:          team.call @elementwise_{{.*}} writes 0 to 122880 each 128
// CHECK-NOT:    team.strand
// CHECK:          team.call @gemm_{{.*}}reads 0 to 122880 each [[ROWS]], {{.*}} units [[UNITS]] step [[STEP]]
// CHECK-NOT:  team.section
builtin.module attributes {glow.arena_bytes = 245760 : i64} {
  memory.placeholder @x "in" : memref<256x32xf32>
  memory.placeholder @v "in" : memref<32x120xf32>
  memory.placeholder @w "in" : memref<120x48xf32>
  memory.placeholder @y "out" : memref<256x48xf32>
  func.func @main() {
    %x = memory.get @x : memref<256x32xf32>
    %v = memory.get @v : memref<32x120xf32>
    %w = memory.get @w : memref<120x48xf32>
    %y = memory.get @y : memref<256x48xf32>
    %a = memory.alloc {offset = 0 : i64} : memref<256x120xf32>
    %b = memory.alloc {offset = 122880 : i64} : memref<256x120xf32>
    memory.matmul ins(%x : memref<256x32xf32>, %v : memref<32x120xf32>) outs(%a : memref<256x120xf32>) {}
    memory.elementwise ins(%a : memref<256x120xf32>) outs(%b : memref<256x120xf32>) {
    ^bb0(%u: f32):
      %s = arith.addf %u, %u : f32
      memory.yield %s : f32
    }
    memory.matmul ins(%b : memref<256x120xf32>, %w : memref<120x48xf32>) outs(%y : memref<256x48xf32>) {}
    func.return
  }
}

// -----

// What reads columns must wait for all rows.
// CHECK:      glow.strands = 2 : i64, glow.sections = 2 : i64
builtin.module attributes {glow.arena_bytes = 65536 : i64} {
  memory.placeholder @x "in" : memref<128x128xf32>
  memory.placeholder @y "out" : memref<128x128xf32>
  func.func @main() {
    %x = memory.get @x : memref<128x128xf32>
    %y = memory.get @y : memref<128x128xf32>
    %a = memory.alloc {offset = 0 : i64} : memref<128x128xf32>
    %t = memory.view %a : memref<128x128xf32> -> memref<128x128xf32, strided<[1, 128]>>
    memory.elementwise ins(%x : memref<128x128xf32>) outs(%a : memref<128x128xf32>) {
    ^bb0(%u: f32):
      %s = arith.addf %u, %u : f32
      memory.yield %s : f32
    }
    memory.elementwise ins(%t : memref<128x128xf32, strided<[1, 128]>>) outs(%y : memref<128x128xf32>) {
    ^bb0(%u: f32):
      %s = arith.mulf %u, %u : f32
      memory.yield %s : f32
    }
    func.return
  }
}

// -----

// So must what writes where other pieces still read: the result of the last lies half a
// row behind what the first reads.
// CHECK:      glow.strands = 2 : i64, glow.sections = 2 : i64
builtin.module attributes {glow.arena_bytes = 262144 : i64} {
  memory.placeholder @x "out" : memref<16384xf32>
  func.func @main() {
    %x = memory.get @x : memref<16384xf32>
    %a = memory.alloc {offset = 0 : i64} : memref<16384xf32>
    %b = memory.alloc {offset = 64 : i64} : memref<16384xf32>
    memory.elementwise ins(%a : memref<16384xf32>) outs(%x : memref<16384xf32>) {
    ^bb0(%u: f32):
      %s = arith.addf %u, %u : f32
      memory.yield %s : f32
    }
    memory.elementwise ins(%x : memref<16384xf32>) outs(%b : memref<16384xf32>) {
    ^bb0(%u: f32):
      %s = arith.mulf %u, %u : f32
      memory.yield %s : f32
    }
    func.return
  }
}

// -----

// A product of few rows by a large matrix is cut along its panels too: 5 tiles of rows
// by 64 panels, in 64 pieces.
// CHECK:      glow.strands = 1 : i64, glow.sections = 1 : i64
// CHECK:        team.call @gemm_6x16_{{.*}} units 320 step 5 cost
builtin.module attributes {glow.arena_bytes = 0 : i64} {
  memory.placeholder @x "in" : memref<30x256xf32>
  memory.placeholder @y "out" : memref<30x1024xf32>
  memory.placeholder @w "in" : memref<256x1024xf32>
  func.func @main() {
    %x = memory.get @x : memref<30x256xf32>
    %w = memory.get @w : memref<256x1024xf32>
    %y = memory.get @y : memref<30x1024xf32>
    memory.matmul ins(%x : memref<30x256xf32>, %w : memref<256x1024xf32>) outs(%y : memref<30x1024xf32>) {}
    func.return
  }
}

// -----

// Two tiles of 4x4 pixels are one block, whose parts threads share.
// CHECK:      glow.strands = 3 : i64, glow.sections = 3 : i64
// CHECK:        team.call @winograd_input_
// CHECK:        team.call @gemm_2x16_
// CHECK:        team.call @winograd_output_
builtin.module attributes {glow.arena_bytes = 0 : i64} {
  memory.placeholder @x "in" : memref<1x16x4x8xf32, strided<[960, 1, 160, 16], offset: 176>>
  memory.placeholder @w "in" : memref<36x1x16x16xf32>
  memory.placeholder @s "out" : memref<3456xf32>
  memory.placeholder @y "out" : memref<1x16x4x8xf32, strided<[512, 1, 128, 16]>>
  func.func @main() {
    %x = memory.get @x : memref<1x16x4x8xf32, strided<[960, 1, 160, 16], offset: 176>>
    %w = memory.get @w : memref<36x1x16x16xf32>
    %s = memory.get @s : memref<3456xf32>
    %y = memory.get @y : memref<1x16x4x8xf32, strided<[512, 1, 128, 16]>>
    memory.conv ins(%x : memref<1x16x4x8xf32, strided<[960, 1, 160, 16], offset: 176>>, %w : memref<36x1x16x16xf32>) scratch(%s : memref<3456xf32>) outs(%y : memref<1x16x4x8xf32, strided<[512, 1, 128, 16]>>) {} {algorithm = "winograd", group = 1 : i64, halo, kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>}
    func.return
  }
}
