// RUN: glow-opt %s -p 'memory-to-loops{target="cpu:avx2" kernels=declared}' | filecheck %s

// A choice and a loop are functions, which are passed what their buffers begin with.
// CHECK:       func.func private @[[ADD:.*]](memref<?xf32>
// CHECK:       func.func private @main.if_1(%buffer: memref<?xi8>, %buffer_1: memref<?xi8>, %buffer_2: memref<?xi8>, %constants: memref<?xmemref<?xi8>>, %fault: memref<?xi32>, %begin: index, %end: index)
// CHECK:         scf.if %{{.*}} {
// CHECK:           func.call @
// CHECK:         } else {
// CHECK:           func.call @
// CHECK:       func.func private @main.loop_0(
// CHECK:         arith.maxsi
// CHECK:         scf.if
// CHECK:           scf.while
// CHECK:             memref.store %{{.*}} : memref<?xi64>
// CHECK:             func.call @main.if_1(
// CHECK:             scf.condition
// CHECK:       func.func @main(
// CHECK:         llvm_ext.base %arena {offset = 128 : i64} : memref<?xi8> to memref<?xi8>
// CHECK:         func.call @main.loop_0(
builtin.module attributes {glow.arena_bytes = 192 : i64} {
  memory.placeholder @n "in" : memref<i64>
  memory.placeholder @c "in" : memref<i1>
  memory.placeholder @y "inout" : memref<4xf32>
  func.func @main() {
    %n = memory.get @n : memref<i64>
    %c = memory.get @c : memref<i1>
    %y = memory.get @y : memref<4xf32>
    %i = memory.alloc {offset = 0 : i64} : memref<i64>
    %f = memory.alloc {offset = 128 : i64} : memref<64xi8>
    memory.loop ins(limit %n : memref<i64> carried %y : memref<4xf32> inputs %c : memref<i1>) scratch(%i : memref<i64> frame %f : memref<64xi8>) body @body
    func.return
  }
  func.func private @body(%i: memref<i64> {memory.access = "in"}, %x: memref<4xf32> {memory.access = "inout"}, %c: memref<i1> {memory.access = "in"}) {
    %t = memory.alloc {offset = 0 : i64} : memref<4xf32>
    memory.if ins(%c : memref<i1> inputs %x : memref<4xf32>) outs(%t : memref<4xf32>) then @same else @other
    memory.copy ins(%t : memref<4xf32>) outs(%x : memref<4xf32>)
    func.return
  }
  func.func private @same(%x: memref<4xf32> {memory.access = "in"}, %y: memref<4xf32> {memory.access = "out"}) {
    memory.copy ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
    func.return
  }
  func.func private @other(%x: memref<4xf32> {memory.access = "in"}, %y: memref<4xf32> {memory.access = "out"}) {
    memory.fill outs(%y : memref<4xf32>) {value = 1.0 : f32}
    func.return
  }
}
