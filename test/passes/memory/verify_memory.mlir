// RUN: glow-opt %s --split-input-file --verify-diagnostics -p verify-memory | filecheck %s

// A well-formed function passes.
// CHECK-LABEL: @good
memory.placeholder @x "in" : memref<4xf32>
memory.placeholder @y "out" : memref<4xf32>
func.func @good() {
  %x = memory.get @x : memref<4xf32>
  %y = memory.get @y : memref<4xf32>
  %a = memory.alloc : memref<4xf32>
  memory.copy ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  memory.elementwise ins(%a : memref<4xf32>) outs(%a : memref<4xf32>) {
  ^bb0(%e: f32):
    memory.yield %e : f32
  }
  memory.copy ins(%a : memref<4xf32>) outs(%y : memref<4xf32>)
  memory.dealloc %a : memref<4xf32>
  func.return
}

// -----

// CHECK: reads elements of a buffer that nothing has written
func.func @unwritten() {
  %a = memory.alloc : memref<4xf32>
  %b = memory.alloc : memref<4xf32>
  memory.copy ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
  func.return
}

// -----

// CHECK: reads elements of a buffer that nothing has written
memory.placeholder @y "out" : memref<4xf32>
func.func @unwritten_output() {
  %y = memory.get @y : memref<4xf32>
  %b = memory.alloc : memref<4xf32>
  memory.copy ins(%y : memref<4xf32>) outs(%b : memref<4xf32>)
  func.return
}

// -----

// A border alone is not a value.
// CHECK: reads elements of a buffer that nothing has written
func.func @only_border() {
  %a = memory.alloc : memref<4xf32>
  memory.zero_halo outs(%a : memref<4xf32>)
  %b = memory.alloc : memref<4xf32>
  memory.copy ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
  func.return
}

// -----

// CHECK: uses a buffer after its dealloc
func.func @dead() {
  %a = memory.alloc : memref<4xf32>
  memory.fill outs(%a : memref<4xf32>) {value = 1.0 : f32}
  memory.dealloc %a : memref<4xf32>
  memory.fill outs(%a : memref<4xf32>) {value = 1.0 : f32}
  func.return
}

// -----

// CHECK: the buffer was deallocated before
func.func @twice() {
  %a = memory.alloc : memref<4xf32>
  memory.dealloc %a : memref<4xf32>
  memory.dealloc %a : memref<4xf32>
  func.return
}

// -----

// CHECK: expected a buffer made by memory.alloc
memory.placeholder @x "in" : memref<4xf32>
func.func @no_alloc() {
  %x = memory.get @x : memref<4xf32>
  memory.dealloc %x : memref<4xf32>
  func.return
}

// -----

// CHECK: writes to input @x
memory.placeholder @x "in" : memref<4xf32>
func.func @input() {
  %x = memory.get @x : memref<4xf32>
  %v = memory.view %x : memref<4xf32> -> memref<2xf32>
  memory.fill outs(%v : memref<2xf32>) {value = 1.0 : f32}
  func.return
}

// -----

// CHECK: writes to constant @w
memory.constant @w #graph.resource<"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"> : memref<4xf32>
func.func @constant() {
  %w = memory.get @w : memref<4xf32>
  memory.fill outs(%w : memref<4xf32>) {value = 1.0 : f32}
  func.return
}

// -----

// CHECK: no placeholder or constant is named @x
func.func @unknown() {
  %x = memory.get @x : memref<4xf32>
  func.return
}

// -----

// CHECK: @x is memref<4xf32>, got memref<5xf32>
memory.placeholder @x "in" : memref<4xf32>
func.func @type() {
  %x = memory.get @x : memref<5xf32>
  func.return
}

// -----

// A copy within one buffer declares no overlap.
// CHECK: operand 0 overlaps operand 1, which is written; the op declares no such pair
func.func @overlap() {
  %a = memory.alloc : memref<8xf32>
  memory.fill outs(%a : memref<8xf32>) {value = 1.0 : f32}
  %v = memory.view %a : memref<8xf32> -> memref<4xf32, strided<[1], offset: 2>>
  %w = memory.view %a : memref<8xf32> -> memref<4xf32>
  memory.copy ins(%v : memref<4xf32, strided<[1], offset: 2>>) outs(%w : memref<4xf32>)
  func.return
}

// -----

// Columns of one matrix lie among each other and share nothing.
// CHECK-LABEL: @columns
func.func @columns() {
  %a = memory.alloc : memref<8x6xf32>
  memory.fill outs(%a : memref<8x6xf32>) {value = 1.0 : f32}
  %v = memory.view %a : memref<8x6xf32> -> memref<8x2xf32, strided<[6, 1]>>
  %w = memory.view %a : memref<8x6xf32> -> memref<8x2xf32, strided<[6, 1], offset: 3>>
  memory.copy ins(%v : memref<8x2xf32, strided<[6, 1]>>) outs(%w : memref<8x2xf32, strided<[6, 1], offset: 3>>)
  memory.dealloc %a : memref<8x6xf32>
  func.return
}

// -----

// Nor do they when one is read backwards.
// CHECK-LABEL: @columns_backwards
func.func @columns_backwards() {
  %a = memory.alloc : memref<8x6xf32>
  memory.fill outs(%a : memref<8x6xf32>) {value = 1.0 : f32}
  %v = memory.view %a : memref<8x6xf32> -> memref<8x2xf32, strided<[-6, -1], offset: 43>>
  %w = memory.view %a : memref<8x6xf32> -> memref<8x2xf32, strided<[6, 1], offset: 2>>
  memory.copy ins(%v : memref<8x2xf32, strided<[-6, -1], offset: 43>>) outs(%w : memref<8x2xf32, strided<[6, 1], offset: 2>>)
  memory.dealloc %a : memref<8x6xf32>
  func.return
}

// -----

// CHECK: bytes 32..48 belong to a buffer that is alive
func.func @arena() {
  %a = memory.alloc {offset = 0 : i64} : memref<16xf32>
  %b = memory.alloc {offset = 32 : i64} : memref<4xf32>
  func.return
}

// -----

// Bytes may be used again after a dealloc.
// CHECK-LABEL: @reuse
builtin.module attributes {glow.arena_bytes = 64 : i64} {
func.func @reuse() {
  %a = memory.alloc {offset = 0 : i64} : memref<16xf32>
  memory.dealloc %a : memref<16xf32>
  %b = memory.alloc {offset = 32 : i64} : memref<4xf32>
  memory.dealloc %b : memref<4xf32>
  func.return
}
}

// -----

// A buffer without elements needs no one to write it.
// CHECK-LABEL: @nothing_is_read
func.func @nothing_is_read() {
  %a = memory.alloc : memref<0x4xf32>
  %b = memory.alloc : memref<0x4xf32>
  memory.copy ins(%a : memref<0x4xf32>) outs(%b : memref<0x4xf32>)
  memory.dealloc %a : memref<0x4xf32>
  memory.dealloc %b : memref<0x4xf32>
  func.return
}

// -----

// CHECK: memory.fill {{.*}}: writes to input @x
memory.placeholder @x "in" : memref<4xf32>
func.func @write_to_a_view_of_an_input() {
  %x = memory.get @x : memref<4xf32>
  %v = memory.view %x : memref<4xf32> -> memref<2xf32, strided<[1], offset: 2>>
  memory.fill outs(%v : memref<2xf32, strided<[1], offset: 2>>) {value = 0.0 : f32}
  func.return
}

// -----

// CHECK: memory.fill {{.*}}: writes to input @x
memory.placeholder @x "in" "resident" : memref<4xf32>
func.func @write_to_what_stays_as_it_is() {
  %x = memory.get @x : memref<4xf32>
  memory.fill outs(%x : memref<4xf32>) {value = 0.0 : f32}
  func.return
}

// -----

// CHECK: memory.fill {{.*}}: writes to input @x
memory.placeholder @x "in" "bound" initial #graph.resource<"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"> : memref<4xf32>
func.func @write_to_what_is_bound() {
  %x = memory.get @x : memref<4xf32>
  memory.fill outs(%x : memref<4xf32>) {value = 0.0 : f32}
  func.return
}

// -----

// CHECK: memory.fill {{.*}}: writes to constant @w
memory.constant @w #graph.resource<"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"> : memref<4xf32>
func.func @write_to_a_view_of_a_constant() {
  %w = memory.get @w : memref<4xf32>
  %v = memory.view %w : memref<4xf32> -> memref<2xf32, strided<[1], offset: 2>>
  memory.fill outs(%v : memref<2xf32, strided<[1], offset: 2>>) {value = 0.0 : f32}
  func.return
}

// -----

// CHECK: graph.tensor_scatter {{.*}}: writes to input @x
memory.placeholder @x "in" : memref<2x4xf32>
memory.placeholder @u "in" : memref<2x1xf32>
memory.placeholder @k "in" : memref<2xi64>
func.func @update_of_an_input() {
  %x = memory.get @x : memref<2x4xf32>
  %u = memory.get @u : memref<2x1xf32>
  %k = memory.get @k : memref<2xi64>
  memory.apply "graph.tensor_scatter" ins(%u, write_indices %k : memref<2x1xf32>, memref<2xi64>) inouts(%x : memref<2x4xf32>) {axis = 1 : i64}
  func.return
}

// -----

// An output may hold something else before its last write, and be read then.
// CHECK-LABEL: @output_as_scratch
memory.placeholder @x "in" : memref<4xf32>
memory.placeholder @y "out" : memref<4xf32>
memory.placeholder @z "out" : memref<4xf32>
func.func @output_as_scratch() {
  %x = memory.get @x : memref<4xf32>
  %y = memory.get @y : memref<4xf32>
  %z = memory.get @z : memref<4xf32>
  memory.copy ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  memory.copy ins(%y : memref<4xf32>) outs(%z : memref<4xf32>)
  memory.ready @z
  memory.fill outs(%y : memref<4xf32>) {value = 0.0 : f32}
  memory.ready @y
  func.return
}

// -----

// So may scratch, whose first content nobody knows.
// CHECK: memory.copy {{.*}}: reads elements of a buffer that nothing has written
memory.placeholder @t "out" "scratch" : memref<4xf32>
memory.placeholder @y "out" : memref<4xf32>
func.func @read_of_scratch() {
  %t = memory.get @t : memref<4xf32>
  %y = memory.get @y : memref<4xf32>
  memory.copy ins(%t : memref<4xf32>) outs(%y : memref<4xf32>)
  func.return
}

// -----

// CHECK: memory.fill {{.*}}: writes to @y, which was ready
memory.placeholder @y "out" : memref<4xf32>
func.func @write_behind_the_mark() {
  %y = memory.get @y : memref<4xf32>
  memory.fill outs(%y : memref<4xf32>) {value = 0.0 : f32}
  memory.ready @y
  memory.fill outs(%y : memref<4xf32>) {value = 1.0 : f32}
  func.return
}

// -----

// CHECK: memory.ready {{.*}}: @y was ready before
memory.placeholder @y "out" : memref<4xf32>
func.func @two_marks() {
  memory.ready @y
  memory.ready @y
  func.return
}

// -----

// CHECK: memory.ready {{.*}}: expected an output, got @x; memory.ready {{.*}}: expected an output, got @t; memory.ready {{.*}}: expected an output, got @unknown
memory.placeholder @x "in" : memref<4xf32>
memory.placeholder @t "out" "scratch" : memref<4xf32>
func.func @marks_of_no_output() {
  memory.ready @x
  memory.ready @t
  memory.ready @unknown
  func.return
}

// -----

// CHECK: memory.placeholder @z: nothing says when it is ready
memory.placeholder @y "out" : memref<4xf32>
memory.placeholder @z "inout" : memref<4xf32>
func.func @one_mark_of_two() {
  memory.ready @y
  func.return
}

// -----

// Two halves are the whole, and each half can be read once it is written.
// CHECK-LABEL: @halves
memory.placeholder @x "in" : memref<2xf32>
memory.placeholder @y "out" : memref<4xf32>
func.func @halves() {
  %x = memory.get @x : memref<2xf32>
  %y = memory.get @y : memref<4xf32>
  %a = memory.alloc : memref<4xf32>
  %v = memory.view %a : memref<4xf32> -> memref<2xf32>
  %w = memory.view %a : memref<4xf32> -> memref<2xf32, strided<[1], offset: 2>>
  memory.copy ins(%x : memref<2xf32>) outs(%v : memref<2xf32>)
  memory.copy ins(%v : memref<2xf32>) outs(%w : memref<2xf32, strided<[1], offset: 2>>)
  memory.copy ins(%a : memref<4xf32>) outs(%y : memref<4xf32>)
  memory.dealloc %a : memref<4xf32>
  func.return
}

// -----

// CHECK: memory.copy {{.*}}: reads elements of a buffer that nothing has written
memory.placeholder @x "in" : memref<2xf32>
memory.placeholder @y "out" : memref<4xf32>
func.func @one_half() {
  %x = memory.get @x : memref<2xf32>
  %y = memory.get @y : memref<4xf32>
  %a = memory.alloc : memref<4xf32>
  %v = memory.view %a : memref<4xf32> -> memref<2xf32>
  memory.copy ins(%x : memref<2xf32>) outs(%v : memref<2xf32>)
  memory.copy ins(%a : memref<4xf32>) outs(%y : memref<4xf32>)
  memory.dealloc %a : memref<4xf32>
  func.return
}

// -----

// Every second element is not the whole, though the first and the last are written.
// CHECK: memory.copy {{.*}}: reads elements of a buffer that nothing has written
memory.placeholder @x "in" : memref<3xf32>
memory.placeholder @y "out" : memref<5xf32>
func.func @every_second() {
  %x = memory.get @x : memref<3xf32>
  %y = memory.get @y : memref<5xf32>
  %a = memory.alloc : memref<5xf32>
  %v = memory.view %a : memref<5xf32> -> memref<3xf32, strided<[2]>>
  memory.copy ins(%x : memref<3xf32>) outs(%v : memref<3xf32, strided<[2]>>)
  memory.copy ins(%a : memref<5xf32>) outs(%y : memref<5xf32>)
  memory.dealloc %a : memref<5xf32>
  func.return
}

// -----

// CHECK: memory.placeholder @y: expected a function that writes each element
memory.placeholder @y "out" : memref<4xf32>
func.func @output_of_one_element() {
  %y = memory.get @y : memref<4xf32>
  %v = memory.view %y : memref<4xf32> -> memref<1xf32>
  memory.fill outs(%v : memref<1xf32>) {value = 0.0 : f32}
  func.return
}

// -----

// CHECK: memory.placeholder @y: expected a function that writes each element
memory.placeholder @y "out" : memref<4xf32>
func.func @no_output_at_all() {
  func.return
}

// -----

// CHECK: memory.alloc {{.*}}: memref<4xf32> is never deallocated
func.func @kept() {
  %a = memory.alloc : memref<4xf32>
  func.return
}

// -----

// CHECK: memory.alloc {{.*}}: bytes 48..64 lie outside the arena, whose size is glow.arena_bytes = 56
builtin.module attributes {glow.arena_bytes = 56 : i64} {
  func.func @beyond() {
    %a = memory.alloc {offset = 48 : i64} : memref<4xf32>
    memory.dealloc %a : memref<4xf32>
    func.return
  }
}

// -----

// CHECK: memory.alloc {{.*}}: bytes 64..80 lie outside the arena, whose size is glow.arena_bytes = 0
func.func @no_arena() {
  %a = memory.alloc {offset = 64 : i64} : memref<4xf32>
  memory.dealloc %a : memref<4xf32>
  func.return
}

// -----

// CHECK: memory.alloc {{.*}}: expected an offset, as there is an arena
builtin.module attributes {glow.arena_bytes = 64 : i64} {
  func.func @nowhere() {
    %a = memory.alloc : memref<4xf32>
    memory.dealloc %a : memref<4xf32>
    func.return
  }
}

// -----

// Two buffers of one symbol are the same bytes.
// CHECK: operand 0 overlaps operand 1, which is written; the op declares no such pair
memory.placeholder @x "inout" : memref<8xf32>
func.func @overlap_of_a_symbol() {
  %a = memory.get @x : memref<8xf32>
  %b = memory.get @x : memref<8xf32>
  %v = memory.view %a : memref<8xf32> -> memref<4xf32, strided<[1], offset: 2>>
  %w = memory.view %b : memref<8xf32> -> memref<4xf32>
  memory.copy ins(%v : memref<4xf32, strided<[1], offset: 2>>) outs(%w : memref<4xf32>)
  func.return
}

// -----

// CHECK: glow.arena_bytes: expected an integer of at least 0, got -8 : i64
builtin.module attributes {glow.arena_bytes = -8 : i64} {
}

// -----

// CHECK: memory.fill {{.*}}: its buffers are too large: to check each element takes
builtin.module attributes {glow.arena_bytes = 4398046511104 : i64} {
  memory.placeholder @y "out" : memref<4xf32>
  func.func @main() {
    %a = memory.alloc {offset = 0 : i64} : memref<1099511627776xf32>
    %v = memory.view %a : memref<1099511627776xf32> -> memref<4xf32>
    %y = memory.get @y : memref<4xf32>
    memory.fill outs(%v : memref<4xf32>) {value = 7.0 : f32}
    memory.copy ins(%v : memref<4xf32>) outs(%y : memref<4xf32>)
    memory.dealloc %a : memref<1099511627776xf32>
    func.return
  }
}

// -----

// Tiles of 4 x 4 outputs reach one beyond the padding of 15 x 15.
// CHECK-LABEL: @tiles_on_zeros
memory.placeholder @x "in" : memref<1x64x15x15xf32>
memory.placeholder @w "in" : memref<36x4x64x16xf32>
memory.placeholder @y "out" : memref<1x64x15x15xf32, #layout.physical<NHWC>>
func.func @tiles_on_zeros() {
  %x = memory.get @x : memref<1x64x15x15xf32>
  %w = memory.get @w : memref<36x4x64x16xf32>
  %y = memory.get @y : memref<1x64x15x15xf32, #layout.physical<NHWC>>
  %a = memory.alloc : memref<1x64x15x15xf32, #layout.physical<NHWC, halo = [0, 0, 1:2, 1:2]>>
  memory.zero_halo outs(%a : memref<1x64x15x15xf32, #layout.physical<NHWC, halo = [0, 0, 1:2, 1:2]>>)
  memory.copy ins(%x : memref<1x64x15x15xf32>) outs(%a : memref<1x64x15x15xf32, #layout.physical<NHWC, halo = [0, 0, 1:2, 1:2]>>)
  %s = memory.alloc : memref<74880xf32>
  memory.conv ins(%a : memref<1x64x15x15xf32, #layout.physical<NHWC, halo = [0, 0, 1:2, 1:2]>>, %w : memref<36x4x64x16xf32>) scratch(%s : memref<74880xf32>) outs(%y : memref<1x64x15x15xf32, #layout.physical<NHWC>>) {
  } {kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 1 : i64, algorithm = "winograd", halo}
  memory.dealloc %s : memref<74880xf32>
  memory.dealloc %a : memref<1x64x15x15xf32, #layout.physical<NHWC, halo = [0, 0, 1:2, 1:2]>>
  func.return
}

// -----

// CHECK: expected zeros around the input, as wide as the op reads
memory.placeholder @x "in" : memref<1x64x15x15xf32>
memory.placeholder @w "in" : memref<36x4x64x16xf32>
memory.placeholder @y "out" : memref<1x64x15x15xf32, #layout.physical<NHWC>>
func.func @tiles_beyond_zeros() {
  %x = memory.get @x : memref<1x64x15x15xf32>
  %w = memory.get @w : memref<36x4x64x16xf32>
  %y = memory.get @y : memref<1x64x15x15xf32, #layout.physical<NHWC>>
  %a = memory.alloc : memref<1x64x15x15xf32, #layout.physical<NHWC, halo = [0, 0, 1:2, 1]>>
  memory.zero_halo outs(%a : memref<1x64x15x15xf32, #layout.physical<NHWC, halo = [0, 0, 1:2, 1]>>)
  memory.copy ins(%x : memref<1x64x15x15xf32>) outs(%a : memref<1x64x15x15xf32, #layout.physical<NHWC, halo = [0, 0, 1:2, 1]>>)
  %s = memory.alloc : memref<74880xf32>
  memory.conv ins(%a : memref<1x64x15x15xf32, #layout.physical<NHWC, halo = [0, 0, 1:2, 1]>>, %w : memref<36x4x64x16xf32>) scratch(%s : memref<74880xf32>) outs(%y : memref<1x64x15x15xf32, #layout.physical<NHWC>>) {
  } {kernel_shape = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 1 : i64, algorithm = "winograd", halo}
  memory.dealloc %s : memref<74880xf32>
  memory.dealloc %a : memref<1x64x15x15xf32, #layout.physical<NHWC, halo = [0, 0, 1:2, 1]>>
  func.return
}
