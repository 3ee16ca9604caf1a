// RUN: ROUNDTRIP

// CHECK-LABEL: @times
func.func @times() -> i64 {
  // CHECK-NEXT: %t = llvm_ext.cycle_counter : i64
  %t = llvm_ext.cycle_counter : i64
  func.return %t : i64
}
