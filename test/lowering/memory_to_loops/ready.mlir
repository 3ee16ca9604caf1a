// RUN: glow-opt %s -p 'memory-to-loops{target="cpu:avx2"}' | filecheck %s

// A kernel looks whether anyone wants to be told, and whether the run is fine.
// CHECK:       func.func private @notify_output_{{[0-9a-f]+}}(%hook: memref<?xi8>, %fault: memref<?xi32>
// CHECK:         [[ADDRESS:%.*]] = "memref.extract_aligned_pointer_as_index"(%hook)
// CHECK-NEXT:    [[SET:%.*]] = arith.cmpi ne, [[ADDRESS]]
// CHECK-NEXT:    scf.if [[SET]]
// CHECK:           [[FINE:%.*]] = arith.cmpi eq
// CHECK-NEXT:      scf.if [[FINE]]
// CHECK:             llvm_ext.call_pointer %hook(%output)

// Behind the caller's two arrays and its state, io has what is to be called.
// CHECK-LABEL: @main
// CHECK:         [[HOOK:%.*]] = llvm_ext.base %io {entry = 3 : i64}
// CHECK:         func.call @runs
// CHECK-NEXT:    func.call @notify_output_{{.*}}([[HOOK]], %fault
// Nobody takes a state.
// CHECK-NOT:     @notify
memory.placeholder @x "in" : memref<4xf32>
memory.placeholder @y "out" : memref<4xf32>
memory.placeholder @n "inout" "resident" : memref<4xf32>
func.func @main() {
  %x = memory.get @x : memref<4xf32>
  %y = memory.get @y : memref<4xf32>
  %n = memory.get @n : memref<4xf32>
  memory.copy ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  memory.ready @y
  memory.copy ins(%x : memref<4xf32>) outs(%n : memref<4xf32>)
  memory.ready @n
  func.return
}
