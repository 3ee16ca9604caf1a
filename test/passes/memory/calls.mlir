// RUN: glow-opt %s -p coalesce-copies,share-buffers,sink-allocs,insert-deallocs,plan-memory,mark-outputs,verify-memory | filecheck %s

// What the body puts back is made in the argument that is carried; what it reads after
// the new value is made stays a copy. Its allocations are in the frame of the loop.
// CHECK: glow.arena_bytes = 128 : i64
// CHECK-LABEL: @main
// CHECK:         %i = memory.alloc {offset = 0 : i64} : memref<i64>
// CHECK-NEXT:    %0 = memory.alloc {offset = 64 : i64} : memref<64xi8>
// CHECK-NEXT:    memory.loop ins(limit %n : memref<i64> carried %x, %y : memref<4xf32>, memref<4xf32>) scratch(%i : memref<i64> frame %0 : memref<64xi8>) body @body
// CHECK:         memory.dealloc %0
// CHECK-LABEL: func.func private @body
// CHECK-NEXT:    %t = memory.alloc {offset = 0 : i64} : memref<4xf32>
// CHECK-NEXT:    memory.elementwise ins(%a, %b : memref<4xf32>, memref<4xf32>) outs(%t : memref<4xf32>)
// CHECK:         memory.elementwise ins(%a : memref<4xf32>) outs(%a : memref<4xf32>)
// CHECK:         memory.copy ins(%t : memref<4xf32>) outs(%b : memref<4xf32>)
memory.placeholder @n "in" : memref<i64>
memory.placeholder @x "out" : memref<4xf32>
memory.placeholder @y "out" : memref<4xf32>
func.func @main() {
  %n = memory.get @n : memref<i64>
  %x = memory.get @x : memref<4xf32>
  %y = memory.get @y : memref<4xf32>
  memory.fill outs(%x : memref<4xf32>) {value = 1.0 : f32}
  memory.fill outs(%y : memref<4xf32>) {value = 2.0 : f32}
  %i = memory.alloc : memref<i64>
  memory.loop ins(limit %n : memref<i64> carried %x, %y : memref<4xf32>, memref<4xf32>) scratch(%i : memref<i64>) body @body
  func.return
}
func.func private @body(%i: memref<i64> {memory.access = "in"}, %a: memref<4xf32> {memory.access = "inout"}, %b: memref<4xf32> {memory.access = "inout"}) {
  %t = memory.alloc : memref<4xf32>
  memory.elementwise ins(%a, %b : memref<4xf32>, memref<4xf32>) outs(%t : memref<4xf32>) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    memory.yield %2 : f32
  }
  %u = memory.alloc : memref<4xf32>
  memory.elementwise ins(%a : memref<4xf32>) outs(%u : memref<4xf32>) {
  ^bb0(%0: f32):
    %1 = arith.negf %0 : f32
    memory.yield %1 : f32
  }
  memory.copy ins(%b : memref<4xf32>) outs(%u : memref<4xf32>)
  memory.copy ins(%u : memref<4xf32>) outs(%a : memref<4xf32>)
  memory.copy ins(%t : memref<4xf32>) outs(%b : memref<4xf32>)
  func.return
}
