// RUN: glow-opt %s -p 'loops-to-llvm{main=numbers}' | filecheck %s

// A section: its strands and all their pieces. A strand: its number, place and pieces,
// how many of these a call does, and the numbers up to the next. A call ends in its
// units and those of a piece. A section without strands is the end.
// CHECK:      glow.calls = {{\[\[}}"f", "bytes 0", "rows", "number"]]
// CHECK-SAME: glow.numbers = array<i64: 7,
// CHECK-SAME: 2, 5, 0, 0, 4, 4, 6, 0, 64, 3, 16, 5, -1, 1, 1, 1, 1, 6, 0, 128, 3, 8, 8, -1,
// CHECK-SAME: 1, 2, 2, 0, 2, 2, 6, 0, 0, 3, 8, 4, -1,
// CHECK-SAME: 0>
"memref.global"() <{sym_name = "layer_rows", type = memref<1xindex>, initial_value = dense<[7]> : tensor<1xindex>, constant, sym_visibility = "private"}> : () -> ()
func.func private @f(memref<?xf32>, memref<?xindex>, index, index, index)
func.func private @team_claim(memref<?xi64>, index, index, index) -> index
func.func private @team_wait(memref<?xi64>, index) -> index
func.func @main(%arena: memref<?xi8>, %io: memref<?xmemref<?xi8>>, %constants: memref<?xmemref<?xi8>>, %fault: memref<?xi32>, %team: memref<?xi64>, %scratch: memref<?xi8>) {
  %rows = memref.get_global @layer_rows : memref<?xindex>
  %3 = arith.constant 3 : index
  team.section 0 on %team : memref<?xi64> {
    team.strand 0 {
      %x = llvm_ext.base %arena {offset = 64 : i64} : memref<?xi8> to memref<?xf32>
      team.call @f(%x, %rows, %3) units 16 step 5 cost 9 : memref<?xf32>, memref<?xindex>, index
    }
    team.strand 1 {
      %x = llvm_ext.base %arena {offset = 128 : i64} : memref<?xi8> to memref<?xf32>
      team.call @f(%x, %rows, %3) units 8 step 8 cost 9 : memref<?xf32>, memref<?xindex>, index
    }
  }
  team.section 1 on %team : memref<?xi64> {
    team.strand 2 {
      %x = llvm_ext.base %arena : memref<?xi8> to memref<?xf32>
      team.call @f(%x, %rows, %3) units 8 step 4 cost 9 : memref<?xf32>, memref<?xindex>, index
    }
  }
  func.return
}
