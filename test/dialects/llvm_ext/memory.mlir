// RUN: ROUNDTRIP

// CHECK-LABEL: @buffers
func.func @buffers(%b: memref<?xf32>, %i: index, %t: memref<?xi8>, %s: memref<?xi8>, %v: i8) {
  // CHECK-NEXT: llvm_ext.prefetch %b[%i] : memref<?xf32>
  llvm_ext.prefetch %b[%i] : memref<?xf32>
  // CHECK-NEXT: llvm_ext.prefetch %b[%i] {locality = 2 : i32, write} : memref<?xf32>
  llvm_ext.prefetch %b[%i] {locality = 2 : i32, write} : memref<?xf32>
  // CHECK-NEXT: llvm_ext.memcpy %t, %s, %i : memref<?xi8>
  llvm_ext.memcpy %t, %s, %i : memref<?xi8>
  // CHECK-NEXT: llvm_ext.memset %t, %v, %i : memref<?xi8>
  llvm_ext.memset %t, %v, %i : memref<?xi8>
  func.return
}

// CHECK-LABEL: @bases
func.func @bases(%arena: memref<?xi8>, %t: memref<?xmemref<?xi8>>) {
  // CHECK-NEXT: llvm_ext.base %arena : memref<?xi8> to memref<?xf32>
  %a = llvm_ext.base %arena {offset = 0 : i64} : memref<?xi8> to memref<?xf32>
  // CHECK-NEXT: llvm_ext.base %arena {offset = 64 : i64} : memref<?xi8> to memref<?xf32>
  %b = llvm_ext.base %arena {offset = 64 : i64} : memref<?xi8> to memref<?xf32>
  // CHECK-NEXT: llvm_ext.base %t {entry = 3 : i64} : memref<?xmemref<?xi8>> to memref<?xi32>
  %c = llvm_ext.base %t {entry = 3 : i64} : memref<?xmemref<?xi8>> to memref<?xi32>
  func.return
}

// CHECK-LABEL: @pointers
func.func @pointers(%p: !llvm.ptr, %m: vector<8xi1>, %x: vector<8xf32>, %i: i64, %o: vector<8xi32>, %b: memref<?xi64>, %n: index) {
  // CHECK-NEXT: %v = llvm_ext.masked_load %p, %m, %x {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
  %v = llvm_ext.masked_load %p, %m, %x {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
  // CHECK-NEXT: llvm_ext.masked_store %v, %p, %m {alignment = 4 : i32} : vector<8xf32>, !llvm.ptr, vector<8xi1>
  llvm_ext.masked_store %v, %p, %m {alignment = 4 : i32} : vector<8xf32>, !llvm.ptr, vector<8xi1>
  // CHECK-NEXT: %g = llvm_ext.gather_lanes %p[], %o : (!llvm.ptr, vector<8xi32>) -> vector<8xf32>
  %g = llvm_ext.gather_lanes %p[], %o : (!llvm.ptr, vector<8xi32>) -> vector<8xf32>
  // CHECK-NEXT: %h = llvm_ext.gather_lanes %b[%n], %o : (memref<?xi64>, vector<8xi32>) -> vector<8xi64>
  %h = llvm_ext.gather_lanes %b[%n], %o : (memref<?xi64>, vector<8xi32>) -> vector<8xi64>
  // CHECK-NEXT: %e = llvm_ext.extractelement %v[%i] : vector<8xf32>, i64 -> f32
  %e = llvm_ext.extractelement %v[%i] : vector<8xf32>, i64 -> f32
  func.return
}
