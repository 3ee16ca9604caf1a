// RUN: glow-opt %s -p loops-to-llvm | filecheck %s

func.func private @f(memref<?xf32>, index, index)
func.func private @team_claim(memref<?xi64>, index, index, index) -> index
func.func private @team_wait(memref<?xi64>, index) -> index

// The worker and the time before, the call, the time after: in three words of record
// 12 and so on, by the piece: each is done for itself.
// CHECK:        llvm.call @team_claim
// CHECK:      ^{{bb[0-9]+}}(%[[PIECE:[0-9]+]]: i64):
// CHECK:        %[[NUMBER:[0-9]+]] = llvm.add %[[TWELVE:[0-9]+]], %[[PIECE]]
// CHECK-NEXT:   %[[WORDS:[0-9]+]] = llvm.mul %[[NUMBER]], %[[THREE:[0-9]+]]
// CHECK-NEXT:   %[[RECORD:[0-9]+]] = llvm.getelementptr %records[%[[WORDS]]] : (!llvm.ptr, i64) -> !llvm.ptr, i64
// CHECK-NEXT:   %[[PLACE:[0-9]+]] = llvm.getelementptr %team[0]
// CHECK-NEXT:   %[[WORKER:[0-9]+]] = llvm.load %[[PLACE]]
// CHECK-NEXT:   llvm.store %[[WORKER]], %[[RECORD]]
// CHECK-NEXT:   %[[BEGIN:[0-9]+]] = llvm.call_intrinsic "llvm.readcyclecounter"()
// CHECK-NEXT:   %[[AT:[0-9]+]] = llvm.getelementptr %[[RECORD]][1]
// CHECK-NEXT:   llvm.store %[[BEGIN]], %[[AT]]
// CHECK:        llvm.call @f
// CHECK-NEXT:   %[[END:[0-9]+]] = llvm.call_intrinsic "llvm.readcyclecounter"()
// CHECK-NEXT:   %[[AT:[0-9]+]] = llvm.getelementptr %[[RECORD]][2]
// CHECK-NEXT:   llvm.store %[[END]], %[[AT]]
// CHECK-NEXT:   llvm.cond_br
func.func @main(%x: memref<?xf32>, %records: memref<?xi64>, %team: memref<?xi64>) {
  team.section 0 on %team : memref<?xi64> {
    team.strand 0 {
      team.note %records from 12 : memref<?xi64>
      team.call @f(%x) units 4 step 2 cost 9 : memref<?xf32>
    }
  }
  func.return
}
