// RUN: ROUNDTRIP

func.func private @f(memref<?xf32>, memref<?xf32>, index, index)

// CHECK-LABEL: @sections
func.func @sections(%arena: memref<?xi8>, %io: memref<?xmemref<?xi8>>, %team: memref<?xi64>) {
  // CHECK-NEXT: team.section 0 on %team : memref<?xi64> {
  team.section 0 on %team : memref<?xi64> {
    // Pieces of both calls move on alike; the other strand writes other bytes.
    // CHECK-NEXT: team.strand 0 {
    team.strand 0 {
      %x = llvm_ext.base %io {entry = 0 : i64} : memref<?xmemref<?xi8>> to memref<?xf32>
      %y = llvm_ext.base %arena {offset = 64 : i64} : memref<?xi8> to memref<?xf32>
      // CHECK: team.call @f(%x reads 0 to 4096, %y writes 0 to 4096 each 256) units 16 step 4 cost 900 : memref<?xf32>, memref<?xf32>
      team.call @f(%x reads 0 to 4096, %y writes 0 to 4096 each 256) units 16 step 4 cost 900 : memref<?xf32>, memref<?xf32>
      // CHECK-NEXT: team.call @f(%y reads 0 to 4096 each 512, %y writes 0 to 4096 each 512) units 8 step 2 cost 20 attributes {note} : memref<?xf32>, memref<?xf32>
      team.call @f(%y reads 0 to 4096 each 512, %y writes 0 to 4096 each 512) units 8 step 2 cost 20 attributes {note} : memref<?xf32>, memref<?xf32>
    }
    team.strand 1 {
      %z = llvm_ext.base %arena {offset = 4160 : i64} : memref<?xi8> to memref<?xf32>
      // CHECK: team.call @f(%z, %z writes 0 to 64) units 1 step 1 cost 0 ordered : memref<?xf32>, memref<?xf32>
      team.call @f(%z, %z writes 0 to 64) units 1 step 1 cost 0 ordered : memref<?xf32>, memref<?xf32>
    }
  }
  // Halves of lines, and calls that are known to write elements of their own.
  team.section 1 on %team : memref<?xi64> {
    team.strand 2 {
      %a = llvm_ext.base %arena : memref<?xi8> to memref<?xf32>
      // CHECK: team.call @f(%a writes 0 to 4096 by 8 of 16, %a) units 1 step 1 cost 5 : memref<?xf32>, memref<?xf32>
      team.call @f(%a writes 0 to 4096 by 8 of 16, %a) units 1 step 1 cost 5 : memref<?xf32>, memref<?xf32>
    }
    team.strand 3 {
      %b = llvm_ext.base %arena {offset = 40 : i64} : memref<?xi8> to memref<?xf32>
      // CHECK: team.call @f(%b writes -32 to 4056 by 8 of 16, %b) units 1 step 1 cost 5 beside 7 : memref<?xf32>, memref<?xf32>
      team.call @f(%b writes -32 to 4056 by 8 of 16, %b) units 1 step 1 cost 5 beside 7 : memref<?xf32>, memref<?xf32>
    }
    team.strand 4 {
      %x = llvm_ext.base %arena {offset = 8 : i64} : memref<?xi8> to memref<?xf32>
      team.call @f(%x writes 0 to 4088 by 8 of 16, %x) units 1 step 1 cost 5 beside 7 : memref<?xf32>, memref<?xf32>
    }
  }
  // Some columns of each row, and what lies before them: pieces move on by whole rows.
  team.section 2 on %team : memref<?xi64> {
    team.strand 5 {
      %x = llvm_ext.base %arena : memref<?xi8> to memref<?xf32>
      %y = llvm_ext.base %arena {offset = 64 : i64} : memref<?xi8> to memref<?xf32>
      // CHECK: team.call @f({{%x.*}} writes 0 to 4000 by 64 of 256 each 512, {{%y.*}}) units 8 step 1 cost 5
      team.call @f(%x writes 0 to 4000 by 64 of 256 each 512, %y) units 8 step 1 cost 5 : memref<?xf32>, memref<?xf32>
      // CHECK-NEXT: team.call @f({{%x.*}} reads 0 to 4096 each 256, {{%y.*}} writes 0 to 4032 by 192 of 256 each 256) units 16 step 2 cost 5
      team.call @f(%x reads 0 to 4096 each 256, %y writes 0 to 4032 by 192 of 256 each 256) units 16 step 2 cost 5 : memref<?xf32>, memref<?xf32>
    }
  }
  func.return
}
