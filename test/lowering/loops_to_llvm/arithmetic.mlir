// RUN: glow-opt %s -p loops-to-llvm | filecheck %s

// Machine code of every op is compared with NumPy elsewhere; here is what it cannot see.

// CHECK-LABEL: @flags_are_kept
// CHECK-NEXT:    llvm.add %i, %i overflow<nsw> : i64
// CHECK-NEXT:    llvm.mul %i, %i overflow<nsw,nuw> : i64
// CHECK-NEXT:    llvm.sub %i, %i : i64
// CHECK-NEXT:    llvm.fadd %x, %x {fastmathFlags = #llvm.fastmath<contract>} : f32
// CHECK-NEXT:    llvm.call_intrinsic "llvm.maximum.f32"(%x, %x) {fastmathFlags = #llvm.fastmath<nsz>}
func.func @flags_are_kept(%i: i64, %x: f32) {
  %0 = arith.addi %i, %i overflow<nsw> : i64
  %1 = arith.muli %i, %i overflow<nsw, nuw> : i64
  %2 = arith.subi %i, %i : i64
  %3 = arith.addf %x, %x fastmath<contract> : f32
  %4 = arith.maximumf %x, %x fastmath<nsz> : f32
  func.return
}

// CHECK-LABEL: @index_constants_are_shared
// CHECK-NEXT:    [[C:%\d+]] = llvm.mlir.constant(7) : i64
// CHECK-NEXT:    llvm.add [[C]], [[C]] : i64
func.func @index_constants_are_shared() -> index {
  %0 = arith.constant 7 : index
  %1 = arith.constant 7 : index
  %2 = arith.addi %0, %1 : index
  func.return %2 : index
}

// CHECK-LABEL: @vectors_of_index
// CHECK-NEXT:    {{%\w+}} = llvm.mlir.constant(dense<[0, 1]> : vector<2xi64>) : vector<2xi64>
// CHECK-NEXT:    llvm.add {{.*}} : vector<2xi64>
func.func @vectors_of_index(%v: vector<2xindex>) -> vector<2xindex> {
  %0 = arith.constant dense<[0, 1]> : vector<2xindex>
  %1 = arith.addi %v, %0 : vector<2xindex>
  func.return %1 : vector<2xindex>
}

// CHECK-LABEL: @comparison_and_choice
// CHECK-NEXT:    [[A:%\w+]] = llvm.fcmp "olt" %x
// CHECK-NEXT:    llvm.select [[A]], %x
// CHECK-NEXT:    [[B:%\w+]] = llvm_ext.cmpf olt, %v
// CHECK-NEXT:    llvm_ext.select [[B]], %v
// CHECK-NEXT:    llvm.icmp "uge" %i{{\w*}}, %i{{\w*}} : vector<8xi32>
func.func @comparison_and_choice(%x: f32, %v: vector<8xf32>, %i: vector<8xi32>) {
  %0 = arith.cmpf olt, %x, %x : f32
  %1 = arith.select %0, %x, %x : f32
  %2 = llvm_ext.cmpf olt, %v, %v : vector<8xf32>
  %3 = llvm_ext.select %2, %v, %v : vector<8xf32>
  %4 = llvm_ext.cmpi uge, %i, %i : vector<8xi32>
  func.return
}

// CHECK-LABEL: @index_casts
// CHECK-NEXT:    [[A:%\w+]] = llvm.sext %i{{\w*}} : i32 to i64
// CHECK-NEXT:    llvm.trunc [[A]] : i64 to i8
// CHECK-NEXT:    llvm.return [[A]] : i64
func.func @index_casts(%i: i32) -> i64 {
  %0 = arith.index_cast %i : i32 to index
  %1 = arith.index_cast %0 : index to i8
  %2 = arith.index_cast %0 : index to i64
  func.return %2 : i64
}

// A pointer to other elements is the same pointer.
// CHECK-LABEL: @bitcast_of_buffer
// CHECK-NEXT:    llvm.return %b{{\w*}} : !llvm.ptr
func.func @bitcast_of_buffer(%b: memref<?xf32>) -> memref<?xi32> {
  %0 = arith.bitcast %b : memref<?xf32> to memref<?xi32>
  func.return %0 : memref<?xi32>
}

// A function without an instruction comes from the C library, lane by lane.
// CHECK-LABEL: llvm.func @library
// CHECK-NEXT:    llvm.call @sinf(%x{{\w*}}) : (f32) -> f32
// CHECK-NEXT:    llvm.call @pow(%d{{\w*}}, %d{{\w*}}) : (f64, f64) -> f64
func.func @library(%x: f32, %d: f64) {
  %0 = math.sin %x : f32
  %1 = math.powf %d, %d : f64
  func.return
}

// CHECK-LABEL: llvm.func @library_on_vector
// CHECK-COUNT-4: llvm.call @cosf
// CHECK-NOT:     llvm.call @cosf
// CHECK:         llvm.return
func.func @library_on_vector(%v: vector<4xf32>) -> vector<4xf32> {
  %0 = math.cos %v : vector<4xf32>
  func.return %0 : vector<4xf32>
}

// CHECK-LABEL: llvm.func @pairs
// CHECK-COUNT-2: llvm.bitcast {{.*}} : vector<8xi16> to vector<8xbf16>
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.128"(%t, {{.*}}) : (vector<4xf32>, vector<8xbf16>, vector<8xbf16>) -> vector<4xf32>
func.func @pairs(%x: vector<8xbf16>, %t: vector<4xf32>) -> vector<4xf32> {
  %0 = llvm_ext.dot_pairs %x, %x, %t : vector<8xbf16>, vector<4xf32>
  func.return %0 : vector<4xf32>
}

// CHECK-LABEL: @sums_of_f16
// CHECK-COUNT-2: llvm.bitcast {{.*}} : vector<32xi16> to vector<32xf16>
// CHECK-NEXT:    llvm.fadd {{.*}} : vector<32xf16>
// CHECK-NEXT:    llvm.bitcast {{.*}} : vector<32xf16> to vector<32xi16>
func.func @sums_of_f16(%x: vector<32xf16>) -> vector<32xf16> {
  %0 = arith.addf %x, %x : vector<32xf16>
  func.return %0 : vector<32xf16>
}

// CHECK:         llvm.func @sinf(f32) -> f32
// CHECK:         llvm.func @pow(f64, f64) -> f64
// CHECK:         llvm.func @cosf(f32) -> f32
