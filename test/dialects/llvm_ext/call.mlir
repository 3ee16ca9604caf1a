// RUN: ROUNDTRIP

// CHECK-LABEL: @calls
func.func @calls(%f: memref<?xi8>, %n: index) {
  // CHECK-NEXT: llvm_ext.call_pointer %f(%n) : memref<?xi8>, index
  llvm_ext.call_pointer %f(%n) : memref<?xi8>, index
  // CHECK-NEXT: llvm_ext.call_pointer %f() : memref<?xi8>
  llvm_ext.call_pointer %f() : memref<?xi8>
  func.return
}
