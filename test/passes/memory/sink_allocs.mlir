// RUN: glow-opt %s -p sink-allocs | filecheck %s

// An allocation begins where it is first needed, and so do views of it.
// CHECK-LABEL: @to_first_use
// CHECK:         memory.copy ins(%x : memref<4xf32>) outs(%y
// CHECK-NEXT:    %a = memory.alloc
// CHECK-NEXT:    %v = memory.view %a
// CHECK-NEXT:    memory.fill outs(%v
func.func @to_first_use() {
  %x = memory.get @x : memref<4xf32>
  %y = memory.get @y : memref<4xf32>
  %a = memory.alloc : memref<4xf32>
  %v = memory.view %a : memref<4xf32> -> memref<2xf32, strided<[1], offset: 2>>
  memory.copy ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  memory.fill outs(%v : memref<2xf32, strided<[1], offset: 2>>) {value = 1.0 : f32}
  func.return
}

// CHECK-LABEL: @unused_goes
// CHECK-NOT:     memory.alloc
// CHECK-NOT:     memory.view
func.func @unused_goes() {
  %a = memory.alloc : memref<4xf32>
  %v = memory.view %a : memref<4xf32> -> memref<2xf32, strided<[1], offset: 2>>
  func.return
}

// A later use does not move it again.
// CHECK-LABEL: @once
// CHECK:         %a = memory.alloc
// CHECK-NEXT:    memory.fill
// CHECK-NEXT:    memory.fill
func.func @once() {
  %a = memory.alloc : memref<4xf32>
  memory.fill outs(%a : memref<4xf32>) {value = 1.0 : f32}
  memory.fill outs(%a : memref<4xf32>) {value = 2.0 : f32}
  func.return
}
