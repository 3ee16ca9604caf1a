// RUN: glow-opt %s --split-input-file --verify-diagnostics -p verify-memory | filecheck %s

// CHECK: memory.if (from {{.*}}): no function with a body is named @f
func.func @unknown(%c: memref<i1>, %y: memref<4xf32>) {
  memory.if ins(%c : memref<i1>) outs(%y : memref<4xf32>) then @f else @f
  func.return
}

// -----

// CHECK: @f: expected a function of (memref<4xf32>), got (memref<5xf32>)
func.func @other_types(%c: memref<i1>, %y: memref<4xf32>) {
  memory.if ins(%c : memref<i1>) outs(%y : memref<4xf32>) then @f else @f
  func.return
}
func.func private @f(%y: memref<5xf32> {memory.access = "out"}) {
  memory.fill outs(%y : memref<5xf32>) {value = 1.0 : f32}
  func.return
}

// -----

// CHECK: @f: expected arguments that are ['out'], got ['in']
// CHECK-SAME: writes to an argument that the function only reads
func.func @other_accesses(%c: memref<i1>, %y: memref<4xf32>) {
  memory.if ins(%c : memref<i1>) outs(%y : memref<4xf32>) then @f else @f
  func.return
}
func.func private @f(%y: memref<4xf32> {memory.access = "in"}) {
  memory.fill outs(%y : memref<4xf32>) {value = 1.0 : f32}
  func.return
}

// -----

// CHECK: argument 0 is not written whole
func.func @written_in_part(%c: memref<i1>, %y: memref<4xf32>) {
  memory.if ins(%c : memref<i1>) outs(%y : memref<4xf32>) then @f else @f
  func.return
}
func.func private @f(%y: memref<4xf32> {memory.access = "out"}) {
  %v = memory.view %y : memref<4xf32> -> memref<2xf32, strided<[1]>>
  memory.fill outs(%v : memref<2xf32, strided<[1]>>) {value = 1.0 : f32}
  func.return
}

// -----

// CHECK: memory.get (from {{.*}}): is in @f, which an op calls: pass the buffer
memory.placeholder @x "in" : memref<4xf32>
func.func @placeholder(%c: memref<i1>, %y: memref<4xf32>) {
  memory.if ins(%c : memref<i1>) outs(%y : memref<4xf32>) then @f else @f
  func.return
}
func.func private @f(%y: memref<4xf32> {memory.access = "out"}) {
  %x = memory.get @x : memref<4xf32>
  memory.copy ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  func.return
}

// -----

// CHECK: expected functions that do not recur, got @f
func.func private @f(%i: memref<i64> {memory.access = "in"}, %x: memref<i64> {memory.access = "inout"}) {
  %t = memory.alloc : memref<i64>
  memory.loop ins(limit %i : memref<i64> carried %x : memref<i64>) scratch(%t : memref<i64>) body @f
  memory.dealloc %t : memref<i64>
  func.return
}

// -----

// The frame is too small for what the function allocates.
// CHECK: bytes 0..16 lie outside the arena, whose size is glow.arena_bytes = 8
builtin.module attributes {glow.arena_bytes = 8 : i64} {
  func.func @frame(%c: memref<i1>, %y: memref<4xf32>) {
    %f = memory.alloc {offset = 0 : i64} : memref<8xi8>
    memory.if ins(%c : memref<i1>) outs(%y : memref<4xf32>) scratch(%f : memref<8xi8>) then @f else @f
    memory.dealloc %f : memref<8xi8>
    func.return
  }
  func.func private @f(%y: memref<4xf32> {memory.access = "out"}) {
    %t = memory.alloc {offset = 0 : i64} : memref<4xf32>
    memory.fill outs(%t : memref<4xf32>) {value = 1.0 : f32}
    memory.copy ins(%t : memref<4xf32>) outs(%y : memref<4xf32>)
    memory.dealloc %t : memref<4xf32>
    func.return
  }
}

// -----

// An operand of a loop overlaps one that it replaces.
// CHECK: operand 2 overlaps operand 1, which is written
func.func @overlap(%n: memref<i64>, %i: memref<i64>, %x: memref<4xf32>) {
  memory.loop ins(limit %n : memref<i64> carried %x : memref<4xf32> inputs %x : memref<4xf32>) scratch(%i : memref<i64>) body @g
  func.return
}
func.func private @g(%i: memref<i64> {memory.access = "in"}, %x: memref<4xf32> {memory.access = "inout"}, %y: memref<4xf32> {memory.access = "in"}) {
  memory.copy ins(%y : memref<4xf32>) outs(%x : memref<4xf32>)
  func.return
}
