// RUN: REFUSED

// CHECK: expected an i1 per lane of vector<8xf32>, got vector<4xi1>
func.func @comparison_of_other_length(%x: vector<8xf32>) {
  %0 = "llvm_ext.cmpf"(%x, %x) <{predicate = 4 : i64}> : (vector<8xf32>, vector<8xf32>) -> vector<4xi1>
  func.return
}

// -----

// CHECK: expected a predicate out of false, oeq, {{.*}}, true, got 16
func.func @unknown_predicate_number(%x: vector<8xf32>) {
  %0 = "llvm_ext.cmpf"(%x, %x) <{predicate = 16 : i64}> : (vector<8xf32>, vector<8xf32>) -> vector<8xi1>
  func.return
}

// -----

// CHECK: expected a predicate out of eq, ne, slt
func.func @unknown_predicate(%x: vector<8xi32>) {
  %0 = llvm_ext.cmpi less, %x, %x : vector<8xi32>
  func.return
}

// -----

// CHECK: expected an i1 per lane of vector<8xf32>, got vector<4xi1>
func.func @condition_of_other_length(%m: vector<4xi1>, %x: vector<8xf32>) {
  %0 = "llvm_ext.select"(%m, %x, %x) : (vector<4xi1>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
  func.return
}

// -----

// CHECK: expected a result with the lanes of vector<8xf32>, got vector<4xi32>
func.func @conversion_of_other_length(%x: vector<8xf32>) {
  %0 = llvm_ext.fptosi %x : vector<8xf32> to vector<4xi32>
  func.return
}

// -----

// CHECK: expected more bits than vector<8xi32>, got vector<8xi32>
func.func @widening_to_the_same(%x: vector<8xi32>) {
  %0 = llvm_ext.extsi %x : vector<8xi32> to vector<8xi32>
  func.return
}

// -----

// CHECK: expected fewer bits than i8, got i32
func.func @narrowing_to_more(%x: i8) {
  %0 = llvm_ext.trunci %x : i8 to i32
  func.return
}

// -----

// CHECK: expected 1 indices, got 0
func.func @prefetch_without_index(%b: memref<?xf32>) {
  llvm_ext.prefetch %b[] : memref<?xf32>
  func.return
}

// -----

// CHECK: expected a locality from 0 to 3, got 4
func.func @prefetch_with_unknown_locality(%b: memref<?xf32>, %i: index) {
  llvm_ext.prefetch %b[%i] {locality = 4 : i32} : memref<?xf32>
  func.return
}

// -----

// CHECK: expected f32, got f64
func.func @lane_of_other_type(%x: vector<8xf32>, %i: i64) {
  %0 = llvm_ext.extractelement %x[%i] : vector<8xf32>, i64 -> f64
  func.return
}

// -----

// CHECK: expected 32 numbers of bf16, got 16
func.func @pairs_of_other_length(%x: vector<16xbf16>, %t: vector<16xf32>) {
  %0 = llvm_ext.dot_pairs %x, %x, %t : vector<16xbf16>, vector<16xf32>
  func.return
}

// -----

// CHECK: expected an entry of a table, got None
func.func @base_of_a_table(%t: memref<?xmemref<?xi8>>) {
  %0 = llvm_ext.base %t : memref<?xmemref<?xi8>> to memref<?xf32>
  func.return
}

// -----

// CHECK: expected no entry of bytes, got 1
func.func @entry_of_bytes(%b: memref<?xi8>) {
  %0 = llvm_ext.base %b {entry = 1 : i64} : memref<?xi8> to memref<?xf32>
  func.return
}

// -----

// CHECK: expected an entry of at least 0, got -1
func.func @negative_entry(%t: memref<?xmemref<?xi8>>) {
  %0 = llvm_ext.base %t {entry = -1 : i64} : memref<?xmemref<?xi8>> to memref<?xf32>
  func.return
}


// -----

// CHECK: expected 1 indices, got 0
func.func @atomic_without_an_index(%b: memref<?xi64>) {
  %0 = llvm_ext.atomic_load %b[] : memref<?xi64> -> i64
  func.return
}

// -----

// CHECK: expected i64, got i32
func.func @atomic_of_another_type(%b: memref<?xi64>, %i: index, %n: i32) {
  llvm_ext.atomic_store %b[%i], %n : memref<?xi64>, i32
  func.return
}

// -----

// CHECK: expected an integer of 1 to 8 bytes, got i1
func.func @atomic_of_a_bit(%b: memref<?xi1>, %i: index) {
  %0 = llvm_ext.atomic_load %b[%i] : memref<?xi1> -> i1
  func.return
}

// -----

// CHECK: expected a kind out of add, umax, got mul
func.func @atomic_product(%b: memref<?xi64>, %i: index, %n: i64) {
  %0 = llvm_ext.atomic_rmw %b[%i], %n {kind = "mul"} : memref<?xi64>, i64
  func.return
}

// -----

// CHECK: expected 1 indices, got 0
func.func @gather_without_an_index(%b: memref<?xf32>, %o: vector<8xi32>) {
  %0 = llvm_ext.gather_lanes %b[], %o : (memref<?xf32>, vector<8xi32>) -> vector<8xf32>
  func.return
}

// -----

// CHECK: expected a base of one axis, got memref<?x4xf32>
func.func @gather_of_rows(%b: memref<?x4xf32>, %i: index, %o: vector<8xi32>) {
  %0 = llvm_ext.gather_lanes %b[%i], %o : (memref<?x4xf32>, vector<8xi32>) -> vector<8xf32>
  func.return
}

// -----

// CHECK: expected elements of memref<?xf32>, got vector<8xf64>
func.func @gather_of_another_type(%b: memref<?xf32>, %i: index, %o: vector<8xi32>) {
  %0 = llvm_ext.gather_lanes %b[%i], %o : (memref<?xf32>, vector<8xi32>) -> vector<8xf64>
  func.return
}

// -----

// CHECK: expected as many lanes as vector<8xi32>, got vector<4xf32>
func.func @gather_of_fewer_lanes(%b: memref<?xf32>, %i: index, %o: vector<8xi32>) {
  %0 = llvm_ext.gather_lanes %b[%i], %o : (memref<?xf32>, vector<8xi32>) -> vector<4xf32>
  func.return
}
