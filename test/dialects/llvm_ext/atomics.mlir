// RUN: ROUNDTRIP

// CHECK-LABEL: @words
func.func @words(%words: memref<?xi64>, %i: index, %n: i64, %m: i64) {
  // CHECK-NEXT: %a = llvm_ext.atomic_load %words[%i] : memref<?xi64> -> i64
  %a = llvm_ext.atomic_load %words[%i] : memref<?xi64> -> i64
  // CHECK-NEXT: llvm_ext.atomic_store %words[%i], %a : memref<?xi64>, i64
  llvm_ext.atomic_store %words[%i], %a : memref<?xi64>, i64
  // CHECK-NEXT: %b = llvm_ext.atomic_rmw %words[%i], %n {kind = "add"} : memref<?xi64>, i64
  %b = llvm_ext.atomic_rmw %words[%i], %n {kind = "add"} : memref<?xi64>, i64
  // CHECK-NEXT: %c = llvm_ext.compare_exchange %words[%i], %n, %m : memref<?xi64>, i64
  %c = llvm_ext.compare_exchange %words[%i], %n, %m : memref<?xi64>, i64
  func.return
}

// CHECK-LABEL: @pointers
func.func @pointers(%p: !llvm.ptr, %n: i32) {
  // CHECK-NEXT: %a = llvm_ext.atomic_rmw %p[], %n {kind = "umax"} : !llvm.ptr, i32
  %a = llvm_ext.atomic_rmw %p[], %n {kind = "umax"} : !llvm.ptr, i32
  func.return
}
