// RUN: glow-opt %s -p loops-to-llvm | filecheck %s

// What an index has from outside of a loop is added to the pointer there, once.
// CHECK-LABEL: @row_is_found_in_front
// CHECK:         [[ROW:%\d+]] = llvm.getelementptr %b[%row]
// CHECK:       ^bb
// CHECK-NOT:     llvm.getelementptr %b[
// CHECK:         llvm.getelementptr [[ROW]][%k]
// CHECK-NEXT:    llvm.load
// CHECK-NOT:     llvm.getelementptr %b[
// CHECK:         llvm.return
func.func @row_is_found_in_front(%b: memref<?xf32>, %n: index, %t: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %row = memref.load %t[%n] : memref<?xindex>
  scf.for %k = %c0 to %n step %c1 {
    %i = arith.addi %row, %k : index
    %x = memref.load %b[%i] : memref<?xf32>
    %j = arith.addi %k, %row : index
    memref.store %x, %b[%j] : memref<?xf32>
  }
  func.return
}

// So it is of an outer loop, whose induction variable is an argument of a block.
// CHECK-LABEL: @outer_loop
// CHECK:       (%r{{\w*}}: i64):
// CHECK-NEXT:    [[ROW:%\d+]] = llvm.getelementptr %b{{\w*}}[%r{{\w*}}]
// CHECK:       (%k{{\w*}}: i64):
// CHECK:         llvm.getelementptr [[ROW]][%k
func.func @outer_loop(%b: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %r = %c0 to %n step %c1 {
    scf.for %k = %c0 to %n step %c1 {
      %i = arith.addi %r, %k : index
      %x = memref.load %b[%i] : memref<?xf32>
      memref.store %x, %b[%k] : memref<?xf32>
    }
  }
  func.return
}

// Both parts change in the loop.
// CHECK-LABEL: @no_part_is_from_outside
// CHECK:         %i{{\w*}} = llvm.add
// CHECK-NEXT:    llvm.getelementptr %b{{\w*}}[%i{{\w*}}]
func.func @no_part_is_from_outside(%b: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %m = arith.muli %k, %n : index
    %i = arith.addi %m, %k : index
    %x = memref.load %b[%i] : memref<?xf32>
    memref.store %x, %b[%k] : memref<?xf32>
  }
  func.return
}

// The sum is one that the loop does not change.
// CHECK-LABEL: @sum_is_from_outside
// CHECK:         %i{{\w*}} = llvm.add
// CHECK:       ^bb
// CHECK:         llvm.getelementptr %b{{\w*}}[%i{{\w*}}]
func.func @sum_is_from_outside(%b: memref<?xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = arith.addi %n, %m : index
  scf.for %k = %c0 to %n step %c1 {
    %x = memref.load %b[%i] : memref<?xf32>
    memref.store %x, %b[%k] : memref<?xf32>
  }
  func.return
}

// Where the row is known, this memory may not have been reserved yet.
// CHECK-LABEL: @memory_is_no_argument
// CHECK:       ^bb
// CHECK:         %i{{\w*}} = llvm.add
// CHECK-NEXT:    llvm.getelementptr %b{{\w*}}[%i{{\w*}}]
func.func @memory_is_no_argument(%n: index, %row: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = memref.alloca() : memref<64xf32>
  scf.for %k = %c0 to %n step %c1 {
    %i = arith.addi %row, %k : index
    %x = memref.load %b[%i] : memref<64xf32>
    memref.store %x, %b[%k] : memref<64xf32>
  }
  func.return
}
