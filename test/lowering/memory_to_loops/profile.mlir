// RUN: glow-opt %s -p 'memory-to-loops{target="cpu:avx2" profile=true}' | filecheck %s
// RUN: glow-opt %s -p 'memory-to-loops{target="cpu:avx2" profile=true},verify-code' | filecheck %s
// RUN: glow-opt %s -p 'memory-to-loops{target="cpu:avx2"}' | filecheck %s --check-prefix OFF

// A group for each op: operations, extents, and of each buffer the bytes, how far they
// are and whether they are written, and steps of lanes; and a record for each call.
// CHECK:      glow.groups = [["both", "memory.elementwise", array<i64: 8>, array<i64: 4>, array<i64: 16, 16, 0, 16, 16, 1>, array<i64: 8, 0>], ["output y", "memory.ready", array<i64: 0>, array<i64>, array<i64>, array<i64>]]
// CHECK-SAME: glow.records = [[0 : i64, "elementwise_{{[0-9a-f]+}}", 0 : i64, 0 : i64, 0 : i64], [1 : i64, "notify_output_{{[0-9a-f]+}}", 0 : i64, 0 : i64, 0 : i64]]

// Behind the caller's two arrays and the hook, io has the records.
// CHECK-LABEL: func.func @main
// CHECK:         [[RECORDS:%.*]] = llvm_ext.base %io {entry = 3 : i64} {{.*}} to memref<?xi64>
// CHECK:         [[T:%.*]] = llvm_ext.cycle_counter : i64
// CHECK-NEXT:    memref.store [[T]], [[RECORDS]]
// CHECK-NEXT:    func.call @elementwise
// CHECK-NEXT:    [[U:%.*]] = llvm_ext.cycle_counter : i64
// CHECK-NEXT:    memref.store [[U]], [[RECORDS]]
// CHECK:         [[V:%.*]] = llvm_ext.cycle_counter : i64
// CHECK-NEXT:    memref.store [[V]], [[RECORDS]]
// CHECK-NEXT:    func.call @notify

// OFF-NOT:     glow.groups
// OFF-NOT:     llvm_ext.cycle_counter
memory.placeholder @x "in" : memref<4xf32>
memory.placeholder @y "out" : memref<4xf32>
func.func @main() {
  %x = memory.get @x : memref<4xf32>
  %y = memory.get @y : memref<4xf32>
  memory.elementwise ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%0: f32):
    %1 = math.absf %0 : f32
    %2 = arith.negf %1 : f32
    memory.yield %2 : f32
  } loc("both")
  memory.ready @y
  func.return
}
