// RUN: glow-opt %s -p 'loops-to-llvm{main=numbers}' | filecheck %s

// A main that does more than call kernels stays code.
// CHECK-NOT:  glow.calls
// CHECK:      llvm.func @main(
// CHECK:        llvm.call @f
// CHECK:        llvm.store
"memref.global"() <{sym_name = "layer_rows", type = memref<1xindex>, initial_value = dense<[7]> : tensor<1xindex>, constant, sym_visibility = "private"}> : () -> ()
func.func private @f(memref<?xi32>)
func.func @main(%arena: memref<?xi8>, %io: memref<?xmemref<?xi8>>, %constants: memref<?xmemref<?xi8>>, %fault: memref<?xi32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : i32
  func.call @f(%fault) : (memref<?xi32>) -> ()
  memref.store %1, %fault[%0] : memref<?xi32>
  func.return
}
