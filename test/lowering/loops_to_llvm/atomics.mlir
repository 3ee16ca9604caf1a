// RUN: glow-opt %s -p loops-to-llvm | filecheck %s

// CHECK-LABEL: llvm.func @words
// CHECK:         %0 = llvm.getelementptr %words[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
// CHECK-NEXT:    %a = llvm_ext.atomic_load %0[] : !llvm.ptr -> i64
// CHECK-NEXT:    llvm_ext.atomic_store %0[], %a : !llvm.ptr, i64
// CHECK-NEXT:    %b = llvm_ext.atomic_rmw %0[], %a {kind = "add"} : !llvm.ptr, i64
// CHECK-NEXT:    %c = llvm_ext.compare_exchange %0[], %a, %b : !llvm.ptr, i64
func.func @words(%words: memref<?xi64>, %i: index) {
  %a = llvm_ext.atomic_load %words[%i] : memref<?xi64> -> i64
  llvm_ext.atomic_store %words[%i], %a : memref<?xi64>, i64
  %b = llvm_ext.atomic_rmw %words[%i], %a {kind = "add"} : memref<?xi64>, i64
  %c = llvm_ext.compare_exchange %words[%i], %a, %b : memref<?xi64>, i64
  func.return
}
