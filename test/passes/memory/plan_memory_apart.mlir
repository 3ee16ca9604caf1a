// RUN: glow-opt %s -p 'plan-memory{apart=1}' | filecheck %s

// What ends at one op is not overwritten by the next, but by the one after it, as what is
// larger than 2 MiB is by the next.
// CHECK: glow.arena_lower_bound = 4194304 : i64
// CHECK: memory.alloc {offset = 0 : i64} : memref<16xf32>
// CHECK: memory.alloc {offset = 64 : i64} : memref<9xf32>
// CHECK: memory.alloc {offset = 4194304 : i64} : memref<8xf32>
// CHECK: memory.alloc {offset = 0 : i64} : memref<1048576xf32>
// CHECK: memory.alloc {offset = 0 : i64} : memref<1048575xf32>
func.func @next_but_one() {
  %a = memory.alloc : memref<16xf32>
  memory.fill outs(%a : memref<16xf32>) {value = 1.0 : f32}
  memory.dealloc %a : memref<16xf32>
  %b = memory.alloc : memref<9xf32>
  memory.fill outs(%b : memref<9xf32>) {value = 1.0 : f32}
  memory.dealloc %b : memref<9xf32>
  %c = memory.alloc : memref<8xf32>
  memory.fill outs(%c : memref<8xf32>) {value = 1.0 : f32}
  memory.dealloc %c : memref<8xf32>
  %d = memory.alloc : memref<1048576xf32>
  memory.fill outs(%d : memref<1048576xf32>) {value = 1.0 : f32}
  memory.dealloc %d : memref<1048576xf32>
  %e = memory.alloc : memref<1048575xf32>
  memory.fill outs(%e : memref<1048575xf32>) {value = 1.0 : f32}
  memory.dealloc %e : memref<1048575xf32>
  func.return
}
