// RUN: glow-opt %s -p 'loops-to-llvm{target="cpu:avx2"}' | filecheck %s
// RUN: glow-opt %s -p 'loops-to-llvm{target="cpu:neon"}' | filecheck %s --check-prefix ARM

// CHECK: llvm.call_intrinsic "llvm.x86.sse2.pause"
// ARM:   llvm.call_intrinsic "llvm.aarch64.isb"(%{{.*}}) : (i32) -> ()
func.func @waits() {
  llvm_ext.spin_hint
  func.return
}
