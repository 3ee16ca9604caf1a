// RUN: glow-opt %s -p mark-outputs,verify-memory --split-input-file | filecheck %s

// The mark stands behind the last of several writes, also of one through a view, and
// reads do not matter.
// CHECK-LABEL: @last_write
// CHECK:         memory.fill
// CHECK-NOT:     memory.ready
// CHECK:         memory.copy ins(%x {{.*}} outs(%v
// CHECK-NEXT:    memory.ready @y
// CHECK:         memory.copy ins(%y {{.*}} outs(%z
// CHECK-NEXT:    memory.ready @z
// CHECK-NEXT:    func.return
memory.placeholder @x "in" : memref<2xf32>
memory.placeholder @y "out" : memref<4xf32>
memory.placeholder @z "out" : memref<4xf32>
func.func @last_write() {
  %x = memory.get @x : memref<2xf32>
  %y = memory.get @y : memref<4xf32>
  %z = memory.get @z : memref<4xf32>
  memory.fill outs(%y : memref<4xf32>) {value = 0.0 : f32}
  %v = memory.view %y : memref<4xf32> -> memref<2xf32, strided<[1], offset: 2>>
  memory.copy ins(%x : memref<2xf32>) outs(%v : memref<2xf32, strided<[1], offset: 2>>)
  memory.copy ins(%y : memref<4xf32>) outs(%z : memref<4xf32>)
  func.return
}

// -----

// What holds already what it is to hold is ready at once; marks of before go.
// CHECK-LABEL: @nothing_written
// CHECK-NEXT:    memory.ready @kept
// CHECK-NEXT:    func.return
memory.placeholder @kept "inout" "resident" : memref<4xf32>
func.func @nothing_written() {
  memory.ready @kept
  func.return
}

// -----

// Inputs and scratch are nobody's outputs.
// CHECK-LABEL: @no_output
// CHECK-NOT:     memory.ready
memory.placeholder @x "in" : memref<4xf32>
memory.placeholder @t "out" "scratch" : memref<4xf32>
func.func @no_output() {
  %x = memory.get @x : memref<4xf32>
  %t = memory.get @t : memref<4xf32>
  memory.copy ins(%x : memref<4xf32>) outs(%t : memref<4xf32>)
  func.return
}
