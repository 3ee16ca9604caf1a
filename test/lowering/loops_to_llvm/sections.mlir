// RUN: glow-opt %s -p loops-to-llvm | filecheck %s

func.func private @f(memref<?xf32>, index, index)
func.func private @team_claim(memref<?xi64>, index, index) -> index
func.func private @team_done(memref<?xi64>, index)
func.func private @team_wait(memref<?xi64>, index, index)

// Sixteen units in pieces of five: the last one has one.
// CHECK:      llvm.func @main(%arena: !llvm.ptr, %team: !llvm.ptr)
// CHECK:      ^[[HEAD:bb[0-9]+]]:
// CHECK-NEXT:   %[[PIECE:[0-9]+]] = llvm.call @team_claim(%team, %{{[0-9]+}}, %[[FOUR:[0-9]+]])
// CHECK-NEXT:   %[[OVER:[0-9]+]] = llvm.icmp "slt" %[[PIECE]]
// CHECK-NEXT:   llvm.cond_br %[[OVER]], ^[[NEXT:bb[0-9]+]], ^[[BODY:bb[0-9]+]]
// CHECK-NEXT: ^[[BODY]]:
// CHECK-NEXT:   %[[X:.*]] = llvm.getelementptr %arena
// CHECK-NEXT:   %[[BEGIN:[0-9]+]] = llvm.mul %[[PIECE]], %[[FIVE:[0-9]+]]
// CHECK-NEXT:   %[[END:[0-9]+]] = llvm.add %[[BEGIN]], %[[FIVE]]
// CHECK-NEXT:   %[[FULL:[0-9]+]] = llvm.icmp "slt" %[[END]], %[[UNITS:[0-9]+]]
// CHECK-NEXT:   %[[LAST:[0-9]+]] = llvm.select %[[FULL]], %[[END]], %[[UNITS]]
// CHECK-NEXT:   llvm.call @f(%[[X]], %[[BEGIN]], %[[LAST]])
// CHECK-NEXT:   llvm.call @team_done(%team
// CHECK-NEXT:   llvm.br ^[[HEAD]]
// One piece is claimed once.
// CHECK-NEXT: ^[[NEXT]]:
// CHECK-NEXT:   llvm.br ^{{bb[0-9]+}}
// CHECK-NEXT: ^{{bb[0-9]+}}:
// CHECK-NEXT:   llvm.call @team_claim
// CHECK:        llvm.call @f
// CHECK-NEXT:   llvm.call @team_done(%team
// CHECK-NEXT:   llvm.br ^[[AFTER:bb[0-9]+]]
// CHECK-NEXT: ^[[AFTER]]:
// CHECK-NEXT:   llvm.call @team_wait(%team, %{{[0-9]+}}, %{{[0-9]+}})
// CHECK-NEXT:   llvm.return
func.func @main(%arena: memref<?xi8>, %team: memref<?xi64>) {
  team.section 0 on %team : memref<?xi64> {
    team.strand 0 {
      %x = llvm_ext.base %arena {offset = 64 : i64} : memref<?xi8> to memref<?xf32>
      team.call @f(%x writes 0 to 64) units 16 step 5 cost 90 : memref<?xf32>
    }
    team.strand 1 {
      %y = llvm_ext.base %arena : memref<?xi8> to memref<?xf32>
      team.call @f(%y writes 0 to 64) units 3 step 3 cost 9 : memref<?xf32>
    }
  }
  func.return
}
