// RUN: glow-opt %s -p 'memory-to-loops{target="cpu:avx2" kernels=declared piece_ns=250}' --split-input-file | filecheck %s

// Two branches run side by side, what joins them after both; bytes of an alloc may be
// used again when who reads them has ended, by each piece when it has.
// CHECK:      builtin.module attributes
// CHECK-SAME: glow.strands = 3 : i64, glow.sections = 2 : i64, glow.worker_bytes = 0 : i64
// CHECK:      func.func private @team_claim(memref<?xi64>, index, index, index) -> index
// CHECK:      func.func @main(%arena: memref<?xi8>, %io: memref<?xmemref<?xi8>>, %constants: memref<?xmemref<?xi8>>, %fault: memref<?xi32>, %team: memref<?xi64>, %scratch: memref<?xi8>)
// CHECK:      team.section 0 on %team
// CHECK-NEXT:   team.strand 0 {
// CHECK:          team.call @elementwise_{{.*}}reads 0 to 65536 each 128, {{.*}}writes 0 to 65536 each 128
// CHECK:        team.strand 1 {
// CHECK:          team.call @elementwise_{{.*}}reads 0 to 65536 each 128, {{.*}}writes 0 to 65536 each 128
// CHECK:      team.section 1 on %team
// CHECK-NEXT:   team.strand 2 {
// CHECK:          team.call @elementwise_{{.*}}reads 0 to 65536 each 128, {{.*}}reads 0 to 65536 each 128, {{.*}}writes 0 to 65536 each 128
// CHECK-NOT:    team.strand
// CHECK:          team.call @fill_{{.*}}writes 0 to 65536 each 128
// CHECK-NOT:  team.section
builtin.module attributes {glow.arena_bytes = 131072 : i64} {
  memory.placeholder @x "in" : memref<16384xf32>
  memory.placeholder @y "out" : memref<16384xf32>
  func.func @main() {
    %x = memory.get @x : memref<16384xf32>
    %y = memory.get @y : memref<16384xf32>
    %a = memory.alloc {offset = 0 : i64} : memref<16384xf32>
    %b = memory.alloc {offset = 65536 : i64} : memref<16384xf32>
    memory.elementwise ins(%x : memref<16384xf32>) outs(%a : memref<16384xf32>) {
    ^bb0(%v: f32):
      %s = arith.addf %v, %v : f32
      memory.yield %s : f32
    }
    memory.elementwise ins(%x : memref<16384xf32>) outs(%b : memref<16384xf32>) {
    ^bb0(%v: f32):
      %s = arith.mulf %v, %v : f32
      memory.yield %s : f32
    }
    memory.elementwise ins(%a, %b : memref<16384xf32>, memref<16384xf32>) outs(%y : memref<16384xf32>) {
    ^bb0(%v: f32, %w: f32):
      %s = arith.subf %v, %w : f32
      memory.yield %s : f32
    }
    memory.dealloc %a : memref<16384xf32>
    %c = memory.alloc {offset = 0 : i64} : memref<16384xf32>
    memory.fill outs(%c : memref<16384xf32>) {value = 1.0 : f32}
    func.return
  }
}

// -----

// What takes less time than to wake a second thread is not shared.
// CHECK:      builtin.module attributes
// CHECK-NOT:  glow.sections
// CHECK:      func.func @main({{.*}}, %fault: memref<?xi32>)
// CHECK:        func.call @fill_
builtin.module attributes {glow.arena_bytes = 0 : i64} {
  memory.placeholder @y "out" : memref<16xf32>
  func.func @main() {
    %y = memory.get @y : memref<16xf32>
    memory.fill outs(%y : memref<16xf32>) {value = 1.0 : f32}
    func.return
  }
}

// -----

// The border of an image is zeroed while others write its pixels, by lines if these are
// copied. Who reads the image comes after both.
// CHECK:       func.func @main
// CHECK:       team.section 0 on %team
// CHECK-DAG:     team.call @fill_{{.*}} writes 0 to 202800 by 1572 of 201228 each 201228,
// CHECK-DAG:     team.call @fill_{{.*}} writes 0 to 196584 by 24 of 1560 each 1560,
// CHECK-DAG:     team.call @interleave_{{.*}} writes 0 to 199656 by 1536 of 1560 each 1560,
// CHECK-DAG:     team.call @fill_{{.*}} writes 0 to 52272 by 804 of 51468 each 51468,
// CHECK-DAG:     team.call @fill_{{.*}} writes 0 to 49128 by 24 of 792 each 792,
// CHECK:       team.section 1 on %team
// CHECK:         team.call @pool_max_{{.*}} writes 0 to 50664 by 768 of 792,
// CHECK:       team.section 2 on %team
// CHECK:         team.call @pool_max_
// CHECK-NOT:   team.section
builtin.module attributes {glow.arena_bytes = 256000 : i64} {
  memory.placeholder @x "in" : memref<1x3x128x128xf32>
  memory.placeholder @y "out" : memref<1x3x32x32xf32>
  func.func @main() {
    %x = memory.get @x : memref<1x3x128x128xf32>
    %y = memory.get @y : memref<1x3x32x32xf32>
    %a = memory.alloc {offset = 0 : i64} : memref<1x3x128x128xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>
    %b = memory.alloc {offset = 203008 : i64} : memref<1x3x64x64xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>
    memory.zero_halo outs(%a : memref<1x3x128x128xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>)
    memory.zero_halo outs(%b : memref<1x3x64x64xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>)
    memory.copy ins(%x : memref<1x3x128x128xf32>) outs(%a : memref<1x3x128x128xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>)
    memory.apply "graph.max_pool" ins(%a : memref<1x3x128x128xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>) outs(%b : memref<1x3x64x64xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>) {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} epilogue {
    ^bb0(%0: f32):
      memory.yield %0 : f32
    }
    memory.apply "graph.max_pool" ins(%b : memref<1x3x64x64xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>) outs(%y : memref<1x3x32x32xf32>) {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} epilogue {
    ^bb0(%0: f32):
      memory.yield %0 : f32
    }
    func.return
  }
}

// -----

// A border that is zeroed where the pixels of another image are still read waits.
// CHECK:       func.func @main
// CHECK:       team.section 0 on %team
// CHECK-NOT:     team.call @fill_
// CHECK:         team.call @separate_
// CHECK:       team.section 1 on %team
// CHECK:         team.call @fill_
builtin.module attributes {glow.arena_bytes = 256000 : i64} {
  memory.placeholder @y "out" : memref<1x3x128x128xf32>
  func.func @main() {
    %y = memory.get @y : memref<1x3x128x128xf32>
    %a = memory.alloc {offset = 0 : i64} : memref<1x3x128x128xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>
    memory.copy ins(%a : memref<1x3x128x128xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>) outs(%y : memref<1x3x128x128xf32>)
    memory.dealloc %a : memref<1x3x128x128xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>
    %b = memory.alloc {offset = 64 : i64} : memref<1x3x128x128xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>
    memory.zero_halo outs(%b : memref<1x3x128x128xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>)
    func.return
  }
}

// -----

// Lines are copied four at a time. Where the last four repeat what others copied, units
// have no rows of their own.
// CHECK:       func.func @main
// CHECK-DAG:     team.call @runs_{{.*}} reads 0 to 120 by 8 of 16 each 64, {{.*}} writes 0 to 120 by 8 of 16 each 64, {{.*}} units 2
// CHECK-DAG:     team.call @runs_{{.*}} reads 0 to 136, {{.*}} writes 0 to 136 by 8 of 16, {{.*}} units 3
builtin.module attributes {glow.arena_bytes = 0 : i64} {
  memory.placeholder @x "in" : memref<8x2xf32, strided<[4, 1]>>
  memory.placeholder @y "out" : memref<8x2xf32, strided<[4, 1]>>
  memory.placeholder @v "in" : memref<9x2xf32, strided<[4, 1]>>
  memory.placeholder @w "out" : memref<9x2xf32, strided<[4, 1]>>
  memory.placeholder @long "out" : memref<65536xf32>
  func.func @main() {
    %x = memory.get @x : memref<8x2xf32, strided<[4, 1]>>
    %y = memory.get @y : memref<8x2xf32, strided<[4, 1]>>
    %v = memory.get @v : memref<9x2xf32, strided<[4, 1]>>
    %w = memory.get @w : memref<9x2xf32, strided<[4, 1]>>
    %long = memory.get @long : memref<65536xf32>
    memory.copy ins(%x : memref<8x2xf32, strided<[4, 1]>>) outs(%y : memref<8x2xf32, strided<[4, 1]>>)
    memory.copy ins(%v : memref<9x2xf32, strided<[4, 1]>>) outs(%w : memref<9x2xf32, strided<[4, 1]>>)
    memory.fill outs(%long : memref<65536xf32>) {value = 1.0 : f32}
    func.return
  }
}
