// RUN: glow-opt %s -p insert-deallocs | filecheck %s

// CHECK-LABEL: @after_last_use
// CHECK:         memory.copy ins(%x : memref<4xf32>) outs(%a
// CHECK-NEXT:    memory.copy ins(%a : memref<4xf32>) outs(%y
// CHECK-NEXT:    memory.dealloc %a
// CHECK-NEXT:    memory.copy ins(%x : memref<4xf32>) outs(%z
func.func @after_last_use() {
  %x = memory.get @x : memref<4xf32>
  %y = memory.get @y : memref<4xf32>
  %z = memory.get @z : memref<4xf32>
  %a = memory.alloc : memref<4xf32>
  memory.copy ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  memory.copy ins(%a : memref<4xf32>) outs(%y : memref<4xf32>)
  memory.copy ins(%x : memref<4xf32>) outs(%z : memref<4xf32>)
  func.return
}

// A view of a view is a use, too.
// CHECK-LABEL: @views_count
// CHECK:         memory.copy ins(%w
// CHECK-NEXT:    memory.dealloc %a
func.func @views_count() {
  %x = memory.get @x : memref<4xf32>
  %y = memory.get @y : memref<1xf32>
  %a = memory.alloc : memref<4xf32>
  memory.copy ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %v = memory.view %a : memref<4xf32> -> memref<2xf32, strided<[1], offset: 2>>
  %w = memory.view %v : memref<2xf32, strided<[1], offset: 2>> -> memref<1xf32, strided<[1], offset: 3>>
  memory.copy ins(%w : memref<1xf32, strided<[1], offset: 3>>) outs(%y : memref<1xf32>)
  func.return
}

// CHECK-LABEL: @present_one_is_kept
// CHECK:         memory.dealloc
// CHECK-NOT:     memory.dealloc
func.func @present_one_is_kept() {
  %x = memory.get @x : memref<4xf32>
  %a = memory.alloc : memref<4xf32>
  memory.copy ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  memory.dealloc %a : memref<4xf32>
  func.return
}
