// RUN: glow-opt %s -p loops-to-llvm | filecheck %s

// Constant parts of an index become literal offsets of one address.
// CHECK-LABEL: @address_is_shared
// CHECK-NEXT:    [[P:%\d+]] = llvm.getelementptr %b[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:    %x = llvm.load [[P]] {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NEXT:    [[Q:%\d+]] = llvm.getelementptr [[P]][4] : (!llvm.ptr) -> !llvm.ptr, f32
// CHECK-NEXT:    %y = llvm.load [[Q]] {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
// CHECK-NEXT:    [[R:%\d+]] = llvm.getelementptr %b[4] : (!llvm.ptr) -> !llvm.ptr, f32
// CHECK-NEXT:    llvm.store %y, [[R]] {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
func.func @address_is_shared(%b: memref<?xf32>, %i: index) {
  %c4 = arith.constant 4 : index
  %j = arith.addi %i, %c4 : index
  %x = memref.load %b[%i] : memref<?xf32>
  %y = vector.load %b[%j] : memref<?xf32>, vector<8xf32>
  vector.store %y, %b[%c4] : memref<?xf32>, vector<8xf32>
  func.return
}

// A sum of indices that only addresses need is none; others stand where they stood.
// CHECK-LABEL: @sums_of_indices
// CHECK-NEXT:    [[C:%\d+]] = llvm.mlir.constant(3) : i64
// CHECK-NEXT:    %twice{{\w*}} = llvm.add %i{{\w*}}, %i{{\w*}} : i64
// CHECK-NEXT:    %scaled{{\w*}} = llvm.mul %twice{{\w*}}, [[C]] : i64
// CHECK-NEXT:    [[P:%\d+]] = llvm.getelementptr %b{{\w*}}[%twice{{\w*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:    [[Q:%\d+]] = llvm.getelementptr [[P]][3] : (!llvm.ptr) -> !llvm.ptr, f32
// CHECK-NEXT:    %x{{\w*}} = llvm.load [[Q]] {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NEXT:    llvm.return %scaled{{\w*}} : i64
func.func @sums_of_indices(%b: memref<?xf32>, %i: index) -> index {
  %c3 = arith.constant 3 : index
  %twice = arith.addi %i, %i : index
  %scaled = arith.muli %twice, %c3 : index
  %next = arith.addi %twice, %c3 : index
  %x = memref.load %b[%next] : memref<?xf32>
  func.return %scaled : index
}

// One pointer and one index are two addresses where elements differ in size.
// CHECK-LABEL: @two_views
// CHECK-NEXT:    llvm.getelementptr %b{{\w*}}[%i{{\w*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:    llvm.load
// CHECK-NEXT:    llvm.getelementptr %b{{\w*}}[%i{{\w*}}] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-NEXT:    llvm.load
func.func @two_views(%b: memref<?xi8>, %i: index) {
  %c0 = arith.constant 0 : index
  %f = memref.view %b[%c0][%i] : memref<?xi8> to memref<?xf32>
  %x = memref.load %f[%i] : memref<?xf32>
  %y = memref.load %b[%i] : memref<?xi8>
  func.return
}

// CHECK-LABEL: @bases
// CHECK-NEXT:    [[P:%\d+]] = llvm.getelementptr %t[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK-NEXT:    [[Q:%\d+]] = llvm.load [[P]] {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
// CHECK-NEXT:    [[R:%\d+]] = llvm.getelementptr [[Q]][64] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT:    llvm.load [[R]]
// CHECK-NEXT:    [[S:%\d+]] = llvm.load %t {alignment = 8 : i64}
// CHECK-NEXT:    llvm.getelementptr [[S]][%i
// CHECK:         llvm.getelementptr %b{{\w*}}[%i
func.func @bases(%t: memref<?xmemref<?xi8>>, %b: memref<?xi8>, %i: index) {
  %c0 = arith.constant 0 : index
  %0 = llvm_ext.base %t {entry = 2 : i64, offset = 64 : i64} : memref<?xmemref<?xi8>> to memref<?xf32>
  %x = memref.load %0[%c0] : memref<?xf32>
  %1 = llvm_ext.base %t {entry = 0 : i64} : memref<?xmemref<?xi8>> to memref<?xf32>
  %y = memref.load %1[%i] : memref<?xf32>
  %2 = llvm_ext.base %b : memref<?xi8> to memref<?xf32>
  %z = memref.load %2[%i] : memref<?xf32>
  func.return
}

// CHECK-LABEL: @rows_of_panel
// CHECK:         [[O:%\d+]] = llvm.mul %i{{\w*}}, {{%\d+}} overflow<nsw> : i64
// CHECK-NEXT:    [[P:%\d+]] = llvm.getelementptr %b{{\w*}}[[[O]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:    llvm.getelementptr [[P]][8] : (!llvm.ptr) -> !llvm.ptr, f32
func.func @rows_of_panel(%b: memref<?x16xf32>, %i: index) -> f32 {
  %c8 = arith.constant 8 : index
  %x = memref.load %b[%i, %c8] : memref<?x16xf32>
  func.return %x : f32
}

// CHECK-LABEL: @strides_of_type
// CHECK-NEXT:    {{%\d+}} = llvm.mlir.constant(5) : i64
// CHECK-NEXT:    llvm.mul
// CHECK-NEXT:    llvm.getelementptr
// CHECK-NEXT:    llvm.getelementptr {{.*}}[6] : (!llvm.ptr) -> !llvm.ptr, f32
func.func @strides_of_type(%b: memref<4x4xf32, strided<[5, 2]>>, %i: index) -> f32 {
  %c3 = arith.constant 3 : index
  %x = memref.load %b[%i, %c3] : memref<4x4xf32, strided<[5, 2]>>
  func.return %x : f32
}

// A promise on the op is the alignment.
// CHECK-LABEL: @promised_alignment
// CHECK:         llvm.load {{.*}} {alignment = 64 : i64}
func.func @promised_alignment(%b: memref<?xf32>, %i: index) -> vector<16xf32> {
  %x = vector.load %b[%i] {alignment = 64 : i64} : memref<?xf32>, vector<16xf32>
  func.return %x : vector<16xf32>
}

// CHECK-LABEL: @bool_is_a_byte
// CHECK:         [[A:%\d+]] = llvm.load {{.*}} {alignment = 1 : i64} : !llvm.ptr -> i8
// CHECK-NEXT:    [[B:%\w+]] = llvm.trunc [[A]] : i8 to i1
// CHECK-NEXT:    [[C:%\d+]] = llvm.zext [[B]] : i1 to i8
// CHECK-NEXT:    llvm.store [[C]]
// CHECK:         llvm.load {{.*}} : !llvm.ptr -> vector<8xi8>
// CHECK-NEXT:    llvm.trunc {{.*}} : vector<8xi8> to vector<8xi1>
func.func @bool_is_a_byte(%b: memref<?xi1>, %i: index) -> vector<8xi1> {
  %x = memref.load %b[%i] : memref<?xi1>
  memref.store %x, %b[%i] : memref<?xi1>
  %y = vector.load %b[%i] : memref<?xi1>, vector<8xi1>
  func.return %y : vector<8xi1>
}

// CHECK-LABEL: @index_is_64_bits
// CHECK:         llvm.load {{.*}} {alignment = 8 : i64} : !llvm.ptr -> i64
func.func @index_is_64_bits(%b: memref<?xindex>, %i: index) -> index {
  %x = memref.load %b[%i] : memref<?xindex>
  func.return %x : index
}

// CHECK-LABEL: @table_of_pointers
// CHECK-NEXT:    llvm.getelementptr
// CHECK-NEXT:    [[P:%\w+]] = llvm.load {{.*}} {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
// CHECK-NEXT:    [[Q:%\d+]] = llvm.getelementptr [[P]][256] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT:    llvm.getelementptr [[Q]][%i{{\w*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f32
func.func @table_of_pointers(%io: memref<?xmemref<?xi8>>, %i: index) -> f32 {
  %c256 = arith.constant 256 : index
  %p = memref.load %io[%i] : memref<?xmemref<?xi8>>
  %q = memref.view %p[%c256][%i] : memref<?xi8> to memref<?xf32>
  %x = memref.load %q[%i] : memref<?xf32>
  func.return %x : f32
}

// An offset that an i32 cannot hold is a value.
// CHECK-LABEL: @far_offset
// CHECK-NEXT:    [[C:%\d+]] = llvm.mlir.constant(4294967296) : i64
// CHECK-NEXT:    llvm.getelementptr %b{{\w*}}[[[C]]]
func.func @far_offset(%b: memref<?xi8>) -> i8 {
  %far = arith.constant 4294967296 : index
  %x = memref.load %b[%far] : memref<?xi8>
  func.return %x : i8
}

// CHECK-LABEL: @nontemporal
// CHECK:         llvm.store {{.*}} {alignment = 4 : i64, nontemporal}
func.func @nontemporal(%b: memref<?xf32>, %i: index, %x: vector<8xf32>) {
  "vector.store"(%x, %b, %i) <{nontemporal = true}> : (vector<8xf32>, memref<?xf32>, index) -> ()
  func.return
}

// CHECK-LABEL: @masked
// CHECK:         [[X:%\w+]] = llvm_ext.masked_load {{.*}} {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
// CHECK-NEXT:    llvm_ext.masked_store [[X]], {{.*}} {alignment = 4 : i32}
func.func @masked(%b: memref<?xf32>, %i: index, %m: vector<8xi1>, %o: vector<8xf32>) {
  %x = vector.maskedload %b[%i], %m, %o : memref<?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  vector.maskedstore %b[%i], %m, %x : memref<?xf32>, vector<8xi1>, vector<8xf32>
  func.return
}

// CHECK-LABEL: @gathered
// CHECK:         [[P:%\w+]] = llvm.getelementptr {{.*}} !llvm.ptr, f32
// CHECK-NEXT:    llvm_ext.gather_lanes [[P]][], {{.*}} : (!llvm.ptr, vector<8xi32>) -> vector<8xf32>
func.func @gathered(%b: memref<?xf32>, %i: index, %o: vector<8xi32>) {
  %x = llvm_ext.gather_lanes %b[%i], %o : (memref<?xf32>, vector<8xi32>) -> vector<8xf32>
  func.return
}

// CHECK-LABEL: @hints_and_block_moves
// CHECK:         llvm.call_intrinsic "llvm.prefetch.p0"
// CHECK-NEXT:    llvm.call_intrinsic "llvm.memcpy.p0.p0.i64"
// CHECK-NEXT:    llvm.call_intrinsic "llvm.memset.p0.i64"
// CHECK-NEXT:    llvm.call_intrinsic "llvm.memcpy.p0.p0.i64"
func.func @hints_and_block_moves(%b: memref<?xi8>, %i: index, %v: i8, %s: memref<4x4xf32>) {
  llvm_ext.prefetch %b[%i] {locality = 2 : i32} : memref<?xi8>
  llvm_ext.memcpy %b, %b, %i : memref<?xi8>
  llvm_ext.memset %b, %v, %i : memref<?xi8>
  "memref.copy"(%s, %s) : (memref<4x4xf32>, memref<4x4xf32>) -> ()
  func.return
}

// Scratch in a loop is reserved once.
// CHECK-LABEL: @scratch
// CHECK-NEXT:    {{%\d+}} = llvm.mlir.constant(32) : i64
// CHECK-NEXT:    %a = llvm.alloca {{%\d+}} x f32 {alignment = 64 : i64}
// CHECK:         llvm.br
func.func @scratch(%n: index) {
  "scf.for"(%n, %n, %n) ({
  ^bb0(%i: index):
    %a = memref.alloca() : memref<2x16xf32>
    scf.yield
  }) {nonempty} : (index, index, index) -> ()
  func.return
}

// CHECK:         llvm.mlir.global internal constant @table(dense<[1, 2, 3, 4]> : vector<4xi64>) {{{.*}}alignment = 64 : i64{{.*}}} : !llvm.array<4 x i64>
// CHECK:         llvm.mlir.global internal @buffer() {{{.*}}alignment = 32 : i64{{.*}}} : !llvm.array<8 x f32>
// CHECK-LABEL: @globals
// CHECK:         llvm.mlir.addressof @table : !llvm.ptr
"memref.global"() <{sym_name = "table", type = memref<2x2xindex>, initial_value = dense<[[1, 2], [3, 4]]> : tensor<2x2xindex>, sym_visibility = "private", constant}> : () -> ()
"memref.global"() <{sym_name = "buffer", type = memref<8xf32>, initial_value, sym_visibility = "private", alignment = 32 : i64}> : () -> ()
func.func @globals() -> memref<2x2xindex> {
  %t = memref.get_global @table : memref<2x2xindex>
  func.return %t : memref<2x2xindex>
}

// CHECK-LABEL: @views
// CHECK:         llvm.getelementptr %s{{\w*}}[%i{{\w*}}]
// CHECK-NEXT:    [[P:%\d+]] = llvm.getelementptr {{.*}}[2] : (!llvm.ptr) -> !llvm.ptr, f32
// CHECK-NEXT:    [[Q:%\d+]] = llvm.getelementptr [[P]][3] : (!llvm.ptr) -> !llvm.ptr, f32
// CHECK-NEXT:    [[N:%\w+]] = llvm.ptrtoint [[Q]] : !llvm.ptr to i64
// CHECK-NEXT:    llvm.return [[N]] : i64
func.func @views(%s: memref<?x1xf32>, %i: index) -> index {
  %a = memref.subview %s[%i, 2] [1, 1] [1, 1] : memref<?x1xf32> to memref<1x1xf32, strided<[1, 1], offset: ?>>
  %b = memref.reinterpret_cast %a to offset: [3], sizes: [8], strides: [1] : memref<1x1xf32, strided<[1, 1], offset: ?>> to memref<8xf32, strided<[1], offset: 3>>
  %c = "memref.cast"(%b) : (memref<8xf32, strided<[1], offset: 3>>) -> memref<?xf32, strided<[1], offset: 3>>
  %n = "memref.extract_aligned_pointer_as_index"(%c) : (memref<?xf32, strided<[1], offset: 3>>) -> index
  func.return %n : index
}
