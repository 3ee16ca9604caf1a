// RUN: ROUNDTRIP

// CHECK-LABEL: @elementwise
func.func @elementwise(%x: vector<8xf32>, %i: vector<8xi32>, %s: f64) {
  // CHECK-NEXT: %m = llvm_ext.cmpf olt, %x, %x : vector<8xf32>
  %m = llvm_ext.cmpf olt, %x, %x : vector<8xf32>
  // CHECK-NEXT: %n = llvm_ext.cmpi uge, %i, %i {origin = "here"} : vector<8xi32>
  %n = llvm_ext.cmpi uge, %i, %i {origin = "here"} : vector<8xi32>
  // CHECK-NEXT: %r = llvm_ext.select %m, %x, %x : vector<8xf32>
  %r = llvm_ext.select %m, %x, %x : vector<8xf32>
  // CHECK-NEXT: %f = llvm_ext.remf %s, %s : f64
  %f = llvm_ext.remf %s, %s : f64
  func.return
}

// CHECK-LABEL: @conversions
func.func @conversions(%x: vector<8xf32>, %i: vector<8xi32>, %s: f32, %m: vector<8xi1>) {
  // CHECK-NEXT: %a = llvm_ext.fptosi %x : vector<8xf32> to vector<8xi32>
  %a = llvm_ext.fptosi %x : vector<8xf32> to vector<8xi32>
  // CHECK-NEXT: %b = llvm_ext.fptoui %s : f32 to i8
  %b = llvm_ext.fptoui %s : f32 to i8
  // CHECK-NEXT: %c = llvm_ext.fptosi_sat %s : f32 to i32
  %c = llvm_ext.fptosi_sat %s : f32 to i32
  // CHECK-NEXT: %d = llvm_ext.fptoui_sat %s : f32 to i8
  %d = llvm_ext.fptoui_sat %s : f32 to i8
  // CHECK-NEXT: %e = llvm_ext.sitofp %i : vector<8xi32> to vector<8xf64>
  %e = llvm_ext.sitofp %i : vector<8xi32> to vector<8xf64>
  // CHECK-NEXT: %f = llvm_ext.uitofp %b : i8 to f32
  %f = llvm_ext.uitofp %b : i8 to f32
  // CHECK-NEXT: %g = llvm_ext.extsi %i : vector<8xi32> to vector<8xi64>
  %g = llvm_ext.extsi %i : vector<8xi32> to vector<8xi64>
  // CHECK-NEXT: %h = llvm_ext.extui %m : vector<8xi1> to vector<8xi8>
  %h = llvm_ext.extui %m : vector<8xi1> to vector<8xi8>
  // CHECK-NEXT: %j = llvm_ext.trunci %i : vector<8xi32> to vector<8xi8>
  %j = llvm_ext.trunci %i : vector<8xi32> to vector<8xi8>
  func.return
}

// CHECK-LABEL: @pairs
func.func @pairs(%x: vector<32xbf16>, %t: vector<16xf32>) {
  // CHECK-NEXT: %r = llvm_ext.dot_pairs %x, %x, %t : vector<32xbf16>, vector<16xf32>
  %r = llvm_ext.dot_pairs %x, %x, %t : vector<32xbf16>, vector<16xf32>
  func.return
}
