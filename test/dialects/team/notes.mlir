// RUN: glow-opt %s --split-input-file --verify-diagnostics | filecheck %s

func.func private @f(memref<?xf32>, index, index)

// CHECK-LABEL: @main
// CHECK:      team.note %records from 12 : memref<?xi64>
// CHECK-NEXT: team.call @f
func.func @main(%x: memref<?xf32>, %records: memref<?xi64>, %team: memref<?xi64>) {
  team.section 0 on %team : memref<?xi64> {
    team.strand 0 {
      team.note %records from 12 : memref<?xi64>
      team.call @f(%x) units 4 step 2 cost 9 : memref<?xf32>
    }
  }
  func.return
}

// -----

// CHECK: expected team.call after it, got nothing
func.func @last(%x: memref<?xf32>, %records: memref<?xi64>, %team: memref<?xi64>) {
  team.section 0 on %team : memref<?xi64> {
    team.strand 0 {
      team.call @f(%x) units 4 step 2 cost 9 : memref<?xf32>
      team.note %records from 12 : memref<?xi64>
    }
  }
  func.return
}

// -----

// CHECK: expected a record of at least 0, got -1
func.func @below(%x: memref<?xf32>, %records: memref<?xi64>, %team: memref<?xi64>) {
  team.section 0 on %team : memref<?xi64> {
    team.strand 0 {
      team.note %records from -1 : memref<?xi64>
      team.call @f(%x) units 4 step 2 cost 9 : memref<?xf32>
    }
  }
  func.return
}
