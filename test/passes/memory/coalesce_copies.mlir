// RUN: glow-opt %s -p coalesce-copies | filecheck %s

memory.placeholder @s "inout" : memref<1x8x4xf32>
memory.placeholder @w "inout" : memref<4x4xf32>
memory.placeholder @a "inout" : memref<4xf32>
memory.placeholder @b "inout" : memref<4xf32>
memory.placeholder @x "in" : memref<4xf32>
memory.placeholder @u "in" : memref<1x1x4xf32>
memory.placeholder @n "in" : memref<1xi64>
memory.placeholder @y "out" : memref<4xf32>
memory.placeholder @p "inout" : memref<1x3x4x4xf32, #layout.physical<N[a=128]HWC>>

// What is copied, scattered into and copied back is scattered into.
// CHECK-LABEL: @scattered_state_stays
// CHECK-NEXT:    [[S:%.*]] = memory.get @s
// CHECK-NEXT:    memory.get @u
// CHECK-NEXT:    memory.get @n
// CHECK-NEXT:    memory.apply "graph.tensor_scatter" {{.*}} inouts([[S]] :
// CHECK-NEXT:    func.return
func.func @scattered_state_stays() {
  %s = memory.get @s : memref<1x8x4xf32>
  %u = memory.get @u : memref<1x1x4xf32>
  %n = memory.get @n : memref<1xi64>
  %t = memory.alloc : memref<1x8x4xf32>
  memory.copy ins(%s : memref<1x8x4xf32>) outs(%t : memref<1x8x4xf32>)
  memory.apply "graph.tensor_scatter" ins(%u, write_indices %n : memref<1x1x4xf32>, memref<1xi64>) inouts(%t : memref<1x8x4xf32>) {axis = 1 : i64}
  memory.copy ins(%t : memref<1x8x4xf32>) outs(%s : memref<1x8x4xf32>)
  func.return
}

// Readers before the update, of the old value, and behind it, of the new one, are
// fine. The placeholder may be named late.
// CHECK-LABEL: @readers_in_order
// CHECK-NEXT:    [[O:%.*]] = memory.get @a
// CHECK-NEXT:    [[Y:%.*]] = memory.get @y
// CHECK-NEXT:    [[A:%.*]] = memory.get @a
// CHECK-NEXT:    memory.elementwise ins([[O]] : {{.*}}) outs([[A]] :
// CHECK:         memory.copy ins([[A]] : {{.*}}) outs([[Y]] :
// CHECK-NEXT:    func.return
func.func @readers_in_order() {
  %old = memory.get @a : memref<4xf32>
  %y = memory.get @y : memref<4xf32>
  %t = memory.alloc : memref<4xf32>
  memory.elementwise ins(%old : memref<4xf32>) outs(%t : memref<4xf32>) {
  ^bb0(%e: f32):
    memory.yield %e : f32
  }
  memory.copy ins(%t : memref<4xf32>) outs(%y : memref<4xf32>)
  %a = memory.get @a : memref<4xf32>
  memory.copy ins(%t : memref<4xf32>) outs(%a : memref<4xf32>)
  func.return
}

// The same bytes under another shape and order are computed there, through a view.
// CHECK-LABEL: @same_bytes_in_another_order
// CHECK:         [[W:%.*]] = memory.get @w
// CHECK-NEXT:    [[V:%.*]] = memory.view [[W]] : memref<4x4xf32> -> memref<2x2x4xf32>
// CHECK-NEXT:    memory.fill outs([[V]] :
// CHECK-NEXT:    memory.view [[V]] : memref<2x2x4xf32> -> memref<4x4xf32, strided<[1, 4]>>
// CHECK-NEXT:    memory.view [[W]] : memref<4x4xf32> -> memref<4x4xf32, strided<[1, 4]>>
// CHECK-NEXT:    func.return
func.func @same_bytes_in_another_order() {
  %t = memory.alloc : memref<2x2x4xf32>
  memory.fill outs(%t : memref<2x2x4xf32>) {value = 1.0 : f32}
  %w = memory.get @w : memref<4x4xf32>
  %0 = memory.view %t : memref<2x2x4xf32> -> memref<4x4xf32, strided<[1, 4]>>
  %1 = memory.view %w : memref<4x4xf32> -> memref<4x4xf32, strided<[1, 4]>>
  memory.copy ins(%0 : memref<4x4xf32, strided<[1, 4]>>) outs(%1 : memref<4x4xf32, strided<[1, 4]>>)
  func.return
}

// Copies of copies become one, also those of what is written over later.
// CHECK-LABEL: @copies_of_copies
// CHECK-NOT:     memory.alloc
// CHECK:         memory.copy ins(%a : {{.*}}) outs(%y :
// CHECK-NEXT:    memory.fill outs(%a :
// CHECK-NEXT:    func.return
func.func @copies_of_copies() {
  %x = memory.get @x : memref<4xf32>
  %y = memory.get @y : memref<4xf32>
  %a = memory.get @a : memref<4xf32>
  %t = memory.alloc : memref<4xf32>
  memory.copy ins(%a : memref<4xf32>) outs(%t : memref<4xf32>)
  %r = memory.alloc : memref<4xf32>
  memory.copy ins(%t : memref<4xf32>) outs(%r : memref<4xf32>)
  memory.copy ins(%r : memref<4xf32>) outs(%y : memref<4xf32>)
  memory.fill outs(%a : memref<4xf32>) {value = 0.0 : f32}
  func.return
}

// The old value is read once more, here through a view: the new one waits elsewhere.
// CHECK-LABEL: @old_value_is_read_later
// CHECK:         memory.copy ins([[S:%.*]] : {{.*}}) outs([[T:%.*]] :
// CHECK:         memory.apply "graph.tensor_scatter" {{.*}} inouts([[T]] :
// CHECK:         [[V:%.*]] = memory.view [[S]]
// CHECK-NEXT:    memory.copy ins([[V]] : {{.*}}) outs(%y :
// CHECK-NEXT:    memory.copy ins([[T]] : {{.*}}) outs([[S]] :
func.func @old_value_is_read_later() {
  %s = memory.get @s : memref<1x8x4xf32>
  %u = memory.get @u : memref<1x1x4xf32>
  %n = memory.get @n : memref<1xi64>
  %y = memory.get @y : memref<4xf32>
  %t = memory.alloc : memref<1x8x4xf32>
  memory.copy ins(%s : memref<1x8x4xf32>) outs(%t : memref<1x8x4xf32>)
  memory.apply "graph.tensor_scatter" ins(%u, write_indices %n : memref<1x1x4xf32>, memref<1xi64>) inouts(%t : memref<1x8x4xf32>) {axis = 1 : i64}
  %v = memory.view %s : memref<1x8x4xf32> -> memref<4xf32, strided<[4], offset: 3>>
  memory.copy ins(%v : memref<4xf32, strided<[4], offset: 3>>) outs(%y : memref<4xf32>)
  memory.copy ins(%t : memref<1x8x4xf32>) outs(%s : memref<1x8x4xf32>)
  func.return
}

// Placeholders that swap: one value at least waits in a temporary.
// CHECK-LABEL: @swapped_states
// CHECK:         memory.alloc
// CHECK-COUNT-3: memory.copy
func.func @swapped_states() {
  %a = memory.get @a : memref<4xf32>
  %b = memory.get @b : memref<4xf32>
  %t = memory.alloc : memref<4xf32>
  memory.copy ins(%a : memref<4xf32>) outs(%t : memref<4xf32>)
  memory.copy ins(%b : memref<4xf32>) outs(%a : memref<4xf32>)
  memory.copy ins(%t : memref<4xf32>) outs(%b : memref<4xf32>)
  func.return
}

// A product reads its factors all over while it writes.
// CHECK-LABEL: @factor_is_kept
// CHECK:         memory.matmul {{.*}} outs([[T:%.*]] : memref<4x4xf32>)
// CHECK:         memory.copy ins([[T]] :
func.func @factor_is_kept() {
  %w = memory.get @w : memref<4x4xf32>
  %t = memory.alloc : memref<4x4xf32>
  memory.matmul ins(%w : memref<4x4xf32>, %w : memref<4x4xf32>) outs(%t : memref<4x4xf32>) {
  }
  memory.copy ins(%t : memref<4x4xf32>) outs(%w : memref<4x4xf32>)
  func.return
}

// Elements are read in another order than they are written.
// CHECK-LABEL: @turned_state_is_kept
// CHECK:         memory.elementwise {{.*}} outs([[T:%.*]] : memref<4x4xf32>)
// CHECK:         memory.copy ins([[T]] :
func.func @turned_state_is_kept() {
  %w = memory.get @w : memref<4x4xf32>
  %v = memory.view %w : memref<4x4xf32> -> memref<4x4xf32, strided<[1, 4]>>
  %t = memory.alloc : memref<4x4xf32>
  memory.elementwise ins(%v : memref<4x4xf32, strided<[1, 4]>>) outs(%t : memref<4x4xf32>) {
  ^bb0(%e: f32):
    memory.yield %e : f32
  }
  memory.copy ins(%t : memref<4x4xf32>) outs(%w : memref<4x4xf32>)
  func.return
}

// What comes from an input and is written over needs a buffer of its own.
// CHECK-LABEL: @inputs_are_kept
// CHECK:         memory.alloc
// CHECK-NEXT:    memory.copy
// CHECK:         memory.apply "graph.scatter_nd"
func.func @inputs_are_kept() {
  %x = memory.get @x : memref<4xf32>
  %n = memory.get @n : memref<1xi64>
  %t = memory.alloc : memref<4xf32>
  memory.copy ins(%x : memref<4xf32>) outs(%t : memref<4xf32>)
  %i = memory.view %n : memref<1xi64> -> memref<1x1xi64>
  %o = memory.view %x : memref<4xf32> -> memref<1xf32, strided<[1]>>
  memory.apply "graph.scatter_nd" ins(%i, %o : memref<1x1xi64>, memref<1xf32, strided<[1]>>) inouts(%t : memref<4xf32>)
  func.return
}

// A part is copied; the order of bytes changes; all elements are one; one op writes
// both: four copies stay.
// CHECK-LABEL: @other_copies_stay
// CHECK:         memory.elementwise outs(
// CHECK-COUNT-4: memory.copy
func.func @other_copies_stay() {
  %a = memory.get @a : memref<4xf32>
  %w = memory.get @w : memref<4x4xf32>
  %b = memory.get @b : memref<4xf32>
  %t = memory.alloc : memref<4x4xf32>
  %o = memory.alloc : memref<4xf32>
  memory.elementwise outs(%o, %b : memref<4xf32>, memref<4xf32>) {
    %0 = arith.constant 1.0 : f32
    memory.yield %0, %0 : f32, f32
  }
  memory.fill outs(%t : memref<4x4xf32>) {value = 1.0 : f32}
  %0 = memory.view %t : memref<4x4xf32> -> memref<4xf32, strided<[1], offset: 4>>
  memory.copy ins(%0 : memref<4xf32, strided<[1], offset: 4>>) outs(%a : memref<4xf32>)
  %1 = memory.view %t : memref<4x4xf32> -> memref<4x4xf32, strided<[1, 4]>>
  memory.copy ins(%1 : memref<4x4xf32, strided<[1, 4]>>) outs(%w : memref<4x4xf32>)
  memory.copy ins(%o : memref<4xf32>) outs(%b : memref<4xf32>)
  %r = memory.alloc : memref<4xf32>
  memory.fill outs(%r : memref<4xf32>) {value = 1.0 : f32}
  %2 = memory.view %r : memref<4xf32> -> memref<4xf32, strided<[0]>>
  %3 = memory.view %a : memref<4xf32> -> memref<4xf32, strided<[0]>>
  memory.copy ins(%2 : memref<4xf32, strided<[0]>>) outs(%3 : memref<4xf32, strided<[0]>>)
  func.return
}

// A copy makes the padding of what it fills zero, so this one stays.
// CHECK-LABEL: @padding_is_made
// CHECK:         memory.alloc
// CHECK:         memory.copy
func.func @padding_is_made() {
  %p = memory.get @p : memref<1x3x4x4xf32, #layout.physical<N[a=128]HWC>>
  %t = memory.alloc : memref<1x3x4x4xf32, #layout.physical<N[a=128]HWC>>
  memory.fill outs(%t : memref<1x3x4x4xf32, #layout.physical<N[a=128]HWC>>) {value = 1.0 : f32}
  memory.copy ins(%t : memref<1x3x4x4xf32, #layout.physical<N[a=128]HWC>>) outs(%p : memref<1x3x4x4xf32, #layout.physical<N[a=128]HWC>>)
  func.return
}
