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
