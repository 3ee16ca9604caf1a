// RUN: glow-opt %s -p 'loops-to-llvm{main=numbers}' | filecheck %s

// Each kind of call has a number; then come its operands, and -1 behind the last call.
// Two calls of @f that find their operands alike are of one kind.
// CHECK:      glow.calls = {{\[\[}}"f", "entry 1", "bytes 0", "rows", "number", "number", "number"], ["f", "bytes 0", "bytes 0", "rows", "number", "number", "number"], ["g", "a 3"]]
// CHECK-SAME: glow.numbers = array<i64: 10, 11, 12, 0, 2, 8, 64, 0, 0, 16, 1, 128, 64, 2, 0, 16, 1, 256, 64, 2, 0, 16, 2, -1>
// CHECK-SAME: glow.rows = 3 : i64
// CHECK-NOT:  llvm.mlir.global
// CHECK:      llvm.func @f(
// CHECK:      llvm.func @main(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr)
// CHECK-NOT:  llvm.call
"memref.global"() <{sym_name = "layer_rows", type = memref<3xindex>, initial_value = dense<[10, 11, 12]> : tensor<3xindex>, constant, sym_visibility = "private"}> : () -> ()
func.func private @f(memref<?xf32>, memref<?xf32>, memref<?xindex>, index, index, index)
func.func private @g(memref<?xi32>)
func.func @main(%arena: memref<?xi8>, %io: memref<?xmemref<?xi8>>, %constants: memref<?xmemref<?xi8>>, %fault: memref<?xi32>) {
  %rows = memref.get_global @layer_rows : memref<?xindex>
  %0 = arith.constant 0 : index
  %2 = arith.constant 2 : index
  %16 = arith.constant 16 : index
  %x = llvm_ext.base %io {entry = 2 : i64, offset = 8 : i64} : memref<?xmemref<?xi8>> to memref<?xf32>
  %a = llvm_ext.base %arena {offset = 64 : i64} : memref<?xi8> to memref<?xf32>
  %b = llvm_ext.base %arena {offset = 128 : i64} : memref<?xi8> to memref<?xf32>
  %c = llvm_ext.base %arena {offset = 256 : i64} : memref<?xi8> to memref<?xf32>
  func.call @f(%x, %a, %rows, %0, %0, %16) : (memref<?xf32>, memref<?xf32>, memref<?xindex>, index, index, index) -> ()
  func.call @f(%b, %a, %rows, %2, %0, %16) : (memref<?xf32>, memref<?xf32>, memref<?xindex>, index, index, index) -> ()
  func.call @f(%c, %a, %rows, %2, %0, %16) : (memref<?xf32>, memref<?xf32>, memref<?xindex>, index, index, index) -> ()
  func.call @g(%fault) : (memref<?xi32>) -> ()
  func.return
}
