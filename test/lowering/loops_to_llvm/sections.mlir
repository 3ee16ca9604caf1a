// RUN: glow-opt %s -p loops-to-llvm | filecheck %s

func.func private @f(memref<?xf32>, index, index)
func.func private @team_claim(memref<?xi64>, index, index, index) -> index
func.func private @team_wait(memref<?xi64>, index) -> index

// Sixteen units in pieces of five: the last one has one. One call does all pieces that
// a worker claims. Pointers are computed by who takes a piece, wherever they were.
// CHECK:      llvm.func @main(%arena: !llvm.ptr, %team: !llvm.ptr)
// CHECK:        llvm.br ^[[SECTION:bb[0-9]+]]
// CHECK-NEXT: ^[[SECTION]]:
// CHECK:      ^[[HEAD:bb[0-9]+]]:
// CHECK-NEXT:   %[[PIECE:[0-9]+]] = llvm.call @team_claim(%team, %{{[0-9]+}}, %{{[0-9]+}}, %[[FOUR:[0-9]+]])
// CHECK-NEXT:   %[[OVER:[0-9]+]] = llvm.icmp "slt" %[[PIECE]]
// CHECK-NEXT:   llvm.cond_br %[[OVER]], ^[[NEXT:bb[0-9]+]], ^[[BODY:bb[0-9]+]]
// CHECK-NEXT: ^[[BODY]]:
// CHECK-NEXT:   %[[WORD:[0-9]+]] = llvm.getelementptr %team[26]
// CHECK-NEXT:   %[[BEHIND:[0-9]+]] = llvm.load %[[WORD]]
// CHECK-NEXT:   %[[X:.*]] = llvm.getelementptr %arena
// CHECK-NEXT:   %[[BEGIN:[0-9]+]] = llvm.mul %[[PIECE]], %[[FIVE:[0-9]+]]
// CHECK-NEXT:   %[[END:[0-9]+]] = llvm.mul %[[BEHIND]], %[[FIVE]]
// CHECK-NEXT:   %[[FULL:[0-9]+]] = llvm.icmp "slt" %[[END]], %[[UNITS:[0-9]+]]
// CHECK-NEXT:   %[[LAST:[0-9]+]] = llvm.select %[[FULL]], %[[END]], %[[UNITS]]
// CHECK-NEXT:   llvm.call @f(%[[X]], %[[BEGIN]], %[[LAST]])
// CHECK-NEXT:   llvm.br ^[[HEAD]]
// One piece is claimed once.
// CHECK-NEXT: ^[[NEXT]]:
// CHECK-NEXT:   llvm.br ^{{bb[0-9]+}}
// CHECK-NEXT: ^{{bb[0-9]+}}:
// CHECK-NEXT:   llvm.call @team_claim
// CHECK:        llvm.call @f
// CHECK-NEXT:   llvm.br ^[[AFTER:bb[0-9]+]]
// Calls that go on with what others wrote do so for a few pieces at a time.
// CHECK-NEXT: ^[[AFTER]]:
// CHECK:        llvm.call @team_claim
// CHECK:      ^[[EACH:bb[0-9]+]](%[[NUMBER:[0-9]+]]: i64):
// CHECK-NEXT:   %[[FOLLOWING:[0-9]+]] = llvm.add %[[NUMBER]], %{{[0-9]+}}
// CHECK-NEXT:   %[[MORE:[0-9]+]] = llvm.icmp "slt" %[[FOLLOWING]]
// CHECK:        llvm.call @f
// CHECK:        llvm.call @f
// CHECK-NEXT:   llvm.cond_br %[[MORE]], ^[[EACH]](%[[FOLLOWING]] : i64)
// If they touch little, for all pieces.
// CHECK:        llvm.call @team_claim
// CHECK-NOT:    i64):
// CHECK:        llvm.call @f
// CHECK:        llvm.call @f
// CHECK-NEXT:   llvm.br ^
// Pieces of others come after a worker's own.
// CHECK:        %[[AGAIN:[0-9]+]] = llvm.call @team_wait(%team, %{{[0-9]+}})
// CHECK-NEXT:   %[[DONE:[0-9]+]] = llvm.icmp "slt" %[[AGAIN]]
// CHECK-NEXT:   llvm.cond_br %[[DONE]], ^[[END:bb[0-9]+]], ^[[SECTION]]
// CHECK-NEXT: ^[[END]]:
// CHECK-NEXT:   llvm.return
func.func @main(%arena: memref<?xi8>, %team: memref<?xi64>) {
  %x = llvm_ext.base %arena {offset = 64 : i64} : memref<?xi8> to memref<?xf32>
  team.section 0 on %team : memref<?xi64> {
    team.strand 0 {
      team.call @f(%x writes 0 to 64) units 16 step 5 cost 90 : memref<?xf32>
    }
    team.strand 1 {
      %y = llvm_ext.base %arena : memref<?xi8> to memref<?xf32>
      team.call @f(%y writes 0 to 64) units 3 step 3 cost 9 : memref<?xf32>
    }
    team.strand 2 {
      %z = llvm_ext.base %arena {offset = 128 : i64} : memref<?xi8> to memref<?xf32>
      team.call @f(%z writes 0 to 1048576 each 65536) units 16 step 1 cost 9 : memref<?xf32>
      team.call @f(%z writes 0 to 1048576 each 65536) units 16 step 1 cost 9 : memref<?xf32>
    }
    team.strand 3 {
      %w = llvm_ext.base %arena {offset = 1048704 : i64} : memref<?xi8> to memref<?xf32>
      team.call @f(%w writes 0 to 64 each 16) units 4 step 1 cost 9 : memref<?xf32>
      team.call @f(%w writes 0 to 64 each 16) units 4 step 1 cost 9 : memref<?xf32>
    }
  }
  func.return
}
