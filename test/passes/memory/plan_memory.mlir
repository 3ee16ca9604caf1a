// RUN: glow-opt %s --split-input-file -p plan-memory | filecheck %s

// Both are alive at the copy: 64 bytes each, in units of 64.
// CHECK: glow.arena_bytes = 128 : i64, glow.arena_lower_bound = 128 : i64
// CHECK: memory.alloc {offset = 0 : i64} : memref<16xf32>
// CHECK: memory.alloc {offset = 64 : i64} : memref<16xf32>
func.func @together() {
  %a = memory.alloc : memref<16xf32>
  memory.fill outs(%a : memref<16xf32>) {value = 1.0 : f32}
  %b = memory.alloc : memref<16xf32>
  memory.copy ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  memory.dealloc %a : memref<16xf32>
  memory.dealloc %b : memref<16xf32>
  func.return
}

// -----

// The second begins after the first has ended.
// CHECK: glow.arena_bytes = 64 : i64, glow.arena_lower_bound = 64 : i64
// CHECK-COUNT-2: memory.alloc {offset = 0 : i64}
func.func @one_after_the_other() {
  %a = memory.alloc : memref<16xf32>
  memory.fill outs(%a : memref<16xf32>) {value = 1.0 : f32}
  memory.dealloc %a : memref<16xf32>
  %b = memory.alloc : memref<9xf32>
  memory.fill outs(%b : memref<9xf32>) {value = 1.0 : f32}
  memory.dealloc %b : memref<9xf32>
  func.return
}

// -----

// Physical bytes count: 10 * 10 * 4 floats with the border.
// CHECK: glow.arena_bytes = 1600 : i64
func.func @border_counts() {
  %a = memory.alloc : memref<1x4x8x8xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>
  memory.fill outs(%a : memref<1x4x8x8xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>) {value = 1.0 : f32}
  func.return
}

// -----

// A use of a view keeps the allocation.
// CHECK: glow.arena_bytes = 128 : i64
func.func @view_keeps() {
  %a = memory.alloc : memref<16xf32>
  memory.fill outs(%a : memref<16xf32>) {value = 1.0 : f32}
  %v = memory.view %a : memref<16xf32> -> memref<8xf32>
  %b = memory.alloc : memref<8xf32>
  memory.copy ins(%v : memref<8xf32>) outs(%b : memref<8xf32>)
  func.return
}
