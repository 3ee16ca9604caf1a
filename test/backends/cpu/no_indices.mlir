// RUN: glow-opt %s --stop-after llvm-ir | filecheck %s

// A place may go no distance from a pointer.
// CHECK: [[P:%.*]] = getelementptr float, ptr %0
// CHECK-NEXT: load float, ptr [[P]]
builtin.module attributes {glow.arena_bytes = 64 : i64} {
  llvm.func @main(%arena: !llvm.ptr, %io: !llvm.ptr, %constants: !llvm.ptr, %fault: !llvm.ptr) {
    %0 = llvm.getelementptr %arena[] : (!llvm.ptr) -> !llvm.ptr, f32
    %1 = llvm.load %0 : !llvm.ptr -> f32
    llvm.return
  }
}
