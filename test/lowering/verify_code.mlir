// RUN: glow-opt %s --split-input-file -p verify-code --verify-diagnostics | filecheck %s
// RUN: glow-opt %s --split-input-file -p verify-code{trust=true} --verify-diagnostics | filecheck %s --check-prefix TRUST

// What is inside is as it was; calls of kernels with bodies and of what only computes.
// CHECK: func.func @main
builtin.module attributes {glow.arena_bytes = 64 : i64, glow.signature = [["x", "in", memref<4xf32>], ["n", "inout", memref<2xi8>, "resident"]]} {
  func.func private @kernel(%x: memref<?xf32>) {
    %zero = arith.constant 0 : index
    %0 = memref.load %x[%zero] : memref<?xf32>
    %1 = func.call @expf(%0) : (f32) -> f32
    func.return
  }
  func.func private @expf(f32) -> f32
  func.func @main(%arena: memref<?xi8>, %io: memref<?xmemref<?xi8>>, %constants: memref<?xmemref<?xi8>>, %fault: memref<?xi32>) {
    %zero = arith.constant 0 : index
    %two = arith.constant 2 : index
    %end = arith.constant 64 : index
    %0 = memref.view %arena[%end][%zero] : memref<?xi8> to memref<?xf32>
    %1 = memref.load %io[%zero] : memref<?xmemref<?xi8>>
    %2 = memref.view %1[%two][%zero] : memref<?xi8> to memref<?xf32>
    %3 = memref.load %io[%two] : memref<?xmemref<?xi8>>
    %4 = llvm_ext.base %arena {offset = 64 : i64} : memref<?xi8> to memref<?xf32>
    %5 = llvm_ext.base %io {entry = 1 : i64, offset = 2 : i64} : memref<?xmemref<?xi8>> to memref<?xi8>
    func.call @kernel(%2) : (memref<?xf32>) -> ()
    func.return
  }
}

// -----

// CHECK: func.call {{.*}}: @system is neither of the module nor known only to compute
// TRUST: func.call @system
func.func private @system(memref<?xi8>) -> i32
func.func @f(%x: memref<?xi8>) {
  %0 = func.call @system(%x) : (memref<?xi8>) -> i32
  func.return
}

// -----

// CHECK: llvm.call {{.*}}: @system is neither
// CHECK-SAME: llvm.mlir.addressof {{.*}}: @puts is neither
// TRUST: llvm.call @system
llvm.func @system(!llvm.ptr) -> i32
llvm.func @f(%x: !llvm.ptr, %n: i32) {
  %0 = llvm.call @system(%x) : (!llvm.ptr) -> i32
  %1 = llvm.mlir.addressof @puts : !llvm.ptr
  llvm.return
}

// -----

// CHECK: func.func {{.*}}: expected (memref<?xi8>, memref<?xmemref<?xi8>>, memref<?xmemref<?xi8>>, memref<?xi32>) -> (), got (memref<?xi8>) -> ()
// TRUST: expected (memref<?xi8>,
func.func @main(%arena: memref<?xi8>) {
  func.return
}

// -----

// CHECK: llvm_ext.base {{.*}}: byte 66 lies outside the arena, of 64 bytes
// CHECK-SAME: memref.view {{.*}}: byte 65 lies outside the arena, of 64 bytes
// CHECK-SAME: llvm_ext.base {{.*}}: entry 3 is none of 2 arrays of the signature
// CHECK-SAME: llvm_ext.base {{.*}}: byte 18 lies outside entry 0 of arrays of the signature, of 16 bytes
// CHECK-SAME: memref.load {{.*}}: entry 2 is none of 2 arrays of the signature
// CHECK-SAME: memref.view {{.*}}: byte 17 lies outside entry 0 of arrays of the signature, of 16 bytes
// CHECK-SAME: memref.load {{.*}}: entry 0 is none of 0 constants
builtin.module attributes {glow.arena_bytes = 64 : i64, glow.signature = [["x", "in", memref<4xf32>]]} {
  func.func @main(%arena: memref<?xi8>, %io: memref<?xmemref<?xi8>>, %constants: memref<?xmemref<?xi8>>, %fault: memref<?xi32>) {
    %zero = arith.constant 0 : index
    %two = arith.constant 2 : index
    %seventeen = arith.constant 17 : index
    %far = arith.constant 65 : index
    %0 = memref.view %arena[%far][%zero] : memref<?xi8> to memref<?xf32>
    %1 = memref.load %io[%zero] : memref<?xmemref<?xi8>>
    %2 = memref.view %1[%seventeen][%zero] : memref<?xi8> to memref<?xf32>
    %3 = memref.load %io[%two] : memref<?xmemref<?xi8>>
    %4 = memref.load %constants[%zero] : memref<?xmemref<?xi8>>
    %5 = llvm_ext.base %arena {offset = 66 : i64} : memref<?xi8> to memref<?xf32>
    %6 = llvm_ext.base %io {entry = 0 : i64, offset = 18 : i64} : memref<?xmemref<?xi8>> to memref<?xf32>
    %7 = llvm_ext.base %io {entry = 3 : i64} : memref<?xmemref<?xi8>> to memref<?xf32>
    func.return
  }
}

// -----

// CHECK: llvm.getelementptr {{.*}}: byte 68 lies outside the arena, of 64 bytes
// CHECK-SAME: llvm.getelementptr {{.*}}: entry 2 is none of 2 arrays of the signature
// CHECK-SAME: byte -1 lies outside entry 0 of arrays of the signature, of 16 bytes
// CHECK-SAME: llvm.load {{.*}}: entry 0 is none of 0 constants
builtin.module attributes {glow.arena_bytes = 64 : i64, glow.signature = [["x", "in", memref<4xf32>]]} {
  llvm.func @main(%arena: !llvm.ptr, %io: !llvm.ptr, %constants: !llvm.ptr, %fault: !llvm.ptr) {
    %0 = llvm.getelementptr %arena[17] : (!llvm.ptr) -> !llvm.ptr, f32
    %1 = llvm.load %io : !llvm.ptr -> !llvm.ptr
    %2 = llvm.getelementptr %1[-1] : (!llvm.ptr) -> !llvm.ptr, i8
    %3 = llvm.getelementptr %io[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %4 = llvm.load %3 : !llvm.ptr -> !llvm.ptr
    %5 = llvm.load %constants : !llvm.ptr -> !llvm.ptr
    %6 = llvm.getelementptr %arena[] : (!llvm.ptr) -> !llvm.ptr, f32
    llvm.return
  }
}

// -----

// CHECK: glow.arena_bytes: expected an integer of at least 0, got -1 : i64
// CHECK-SAME: glow.constants: expected a list of graph.resource, got 1 : i64
// CHECK-SAME: glow.messages: expected a list of string, got 2 : i64
// CHECK-SAME: glow.signature: expected a name, a direction and a buffer, got ["x", memref<4xf32>]
// CHECK-SAME: glow.signature: expected a direction that goes with the residency, got ["y", "sideways", memref<4xf32>]
// CHECK-SAME: glow.signature: expected a direction that goes with the residency, got ["z", "out", memref<4xf32>, "resident"]
// CHECK-SAME: glow.signature: expected the number of one of 1 constants, got ["a", "in", memref<4xf32>, 1 : i64]
// CHECK-SAME: glow.signature: expected names that differ, got ["b", "out", memref<4xf32>]
builtin.module attributes {
    glow.arena_bytes = -1 : i64, glow.constants = [1 : i64], glow.messages = 2 : i64,
    glow.signature = [["x", memref<4xf32>], ["y", "sideways", memref<4xf32>],
      ["z", "out", memref<4xf32>, "resident"], ["a", "in", memref<4xf32>, 1 : i64],
      ["b", "in", memref<4xf32>], ["b", "out", memref<4xf32>]]} {
}

// -----

// What is profiled has records behind the hook, as many as the module says.
// CHECK: llvm_ext.base (from {{.*}}): byte 32 lies outside entry 2 of arrays of the signature, of 24 bytes
builtin.module attributes {glow.signature = [["x", "in", memref<4xf32>]], glow.groups = [["a", "memory.conv", array<i64: 2>, array<i64>, array<i64>, array<i64>]], glow.records = [[0 : i64, "gemm", 0 : i64, 0 : i64, 0 : i64]]} {
  func.func @main(%arena: memref<?xi8>, %io: memref<?xmemref<?xi8>>, %constants: memref<?xmemref<?xi8>>, %fault: memref<?xi32>) {
    %0 = llvm_ext.base %io {entry = 2 : i64, offset = 32 : i64} : memref<?xmemref<?xi8>> to memref<?xi64>
    func.return
  }
}

// -----

// CHECK: glow.groups: expected name, op and four arrays, got ["a"]; glow.records: expected the number of one of 1 groups, a kernel, and numbers of piece, section and strand, got [1 : i64, "gemm", 0 : i64, 0 : i64, 0 : i64]
builtin.module attributes {glow.groups = [["a"]], glow.records = [[1 : i64, "gemm", 0 : i64, 0 : i64, 0 : i64]]} {
}

// -----

// CHECK: llvm.load {{.*}}: expected an alignment of a power of 2, got 24; llvm.store {{.*}}: expected an alignment of a power of 2, got 0
builtin.module attributes {glow.arena_bytes = 64 : i64} {
  llvm.func @main(%arena: !llvm.ptr, %io: !llvm.ptr, %constants: !llvm.ptr, %fault: !llvm.ptr) {
    %0 = llvm.load %arena {alignment = 24 : i64} : !llvm.ptr -> f32
    "llvm.store"(%0, %arena) <{alignment = 0 : i64, ordering = 0 : i64}> : (f32, !llvm.ptr) -> ()
    %1 = llvm.load %arena {alignment = 64 : i64} : !llvm.ptr -> f32
    llvm.return
  }
}

// -----

// A pointer that is given, or loaded, may be called; one that is computed may not.
// CHECK: llvm_ext.call_pointer {{.*}}: expected to call a pointer that a function is given or that was loaded; text that computes one has to be trusted
// CHECK-NOT: llvm_ext.call_pointer
// TRUST: llvm_ext.call_pointer
func.func @f(%hook: memref<?xi8>, %table: memref<?xmemref<?xi8>>, %n: index) {
  %0 = llvm_ext.base %hook {offset = 8 : i64} : memref<?xi8> to memref<?xi8>
  llvm_ext.call_pointer %0(%n) : memref<?xi8>, index
  func.return
}

// -----

// CHECK: @given
// CHECK-COUNT-3: llvm_ext.call_pointer
func.func @given(%hook: memref<?xi8>, %table: memref<?xmemref<?xi8>>, %n: index) {
  %0 = llvm_ext.base %table {entry = 1 : i64, offset = 0 : i64} : memref<?xmemref<?xi8>> to memref<?xi8>
  %1 = memref.load %table[%n] : memref<?xmemref<?xi8>>
  llvm_ext.call_pointer %hook(%n) : memref<?xi8>, index
  llvm_ext.call_pointer %0(%n) : memref<?xi8>, index
  llvm_ext.call_pointer %1(%n) : memref<?xi8>, index
  func.return
}

// -----

// CHECK: llvm.inttoptr {{.*}}: an address made of a number may be anywhere; text that makes one has to be trusted
// CHECK-SAME: llvm.call {{.*}}: expected to call a pointer
// TRUST: llvm.inttoptr
llvm.func @f(%hook: !llvm.ptr, %n: i64) {
  %0 = llvm.inttoptr %n : i64 to !llvm.ptr
  %1 = llvm.load %hook : !llvm.ptr -> !llvm.ptr
  llvm.call %hook(%n) : !llvm.ptr, (i64) -> ()
  llvm.call %1(%n) : !llvm.ptr, (i64) -> ()
  llvm.call %0(%n) : !llvm.ptr, (i64) -> ()
  llvm.return
}

// -----

// Three pieces and two records.
// CHECK: team.note {{.*}}: expected records 0 to 1, got 0 to 2
builtin.module attributes {glow.sections = 1 : i64, glow.strands = 1 : i64, glow.worker_bytes = 0 : i64, glow.groups = [["a", "memory.conv", array<i64: 2>, array<i64>, array<i64>, array<i64>]], glow.records = [[0 : i64, "f", 0 : i64, 0 : i64, 0 : i64], [0 : i64, "f", 1 : i64, 0 : i64, 0 : i64]]} {
  func.func private @f(%n: memref<?xi64>, %begin: index, %end: index) {
    func.return
  }
  func.func @main(%arena: memref<?xi8>, %io: memref<?xmemref<?xi8>>, %constants: memref<?xmemref<?xi8>>, %fault: memref<?xi32>, %team: memref<?xi64>, %scratch: memref<?xi8>) {
    %n = llvm_ext.base %io {entry = 1 : i64} : memref<?xmemref<?xi8>> to memref<?xi64>
    team.section 0 on %team : memref<?xi64> {
      team.strand 0 {
        team.note %n from 0 : memref<?xi64>
        team.call @f(%team) units 3 step 1 cost 9 : memref<?xi64>
      }
    }
    func.return
  }
}

// -----

// CHECK: memref.load {{.*}}: expected an alignment of a power of 2, got 3; llvm_ext.masked_load {{.*}}: expected an alignment of a power of 2, got 14
func.func @f(%x: memref<?xf32>, %n: index) {
  %0 = memref.load %x[%n] {alignment = 3 : i64} : memref<?xf32>
  func.return
}
llvm.func @g(%p: !llvm.ptr, %m: vector<4xi1>, %x: vector<4xf32>) {
  %0 = llvm_ext.masked_load %p, %m, %x {alignment = 14 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  llvm.return
}
