// RUN: REFUSED

// CHECK: @f and @f of section 3 may run at the same time: expected that neither touches what the other writes
func.func @one_reads_what_the_other_writes(%arena: memref<?xi8>, %team: memref<?xi64>) {
  team.section 3 on %team : memref<?xi64> {
    team.strand 0 {
      %x = llvm_ext.base %arena : memref<?xi8> to memref<?xf32>
      team.call @f(%x reads 0 to 64) units 1 step 1 cost 5 : memref<?xf32>
    }
    team.strand 1 {
      %y = llvm_ext.base %arena {offset = 60 : i64} : memref<?xi8> to memref<?xf32>
      team.call @f(%y writes 0 to 64) units 1 step 1 cost 5 : memref<?xf32>
    }
  }
  func.return
}

// -----

// CHECK: @f and @g of section 0 may run at the same time
func.func @both_write(%io: memref<?xmemref<?xi8>>, %team: memref<?xi64>) {
  team.section 0 on %team : memref<?xi64> {
    team.strand 0 {
      %x = llvm_ext.base %io {entry = 1 : i64} : memref<?xmemref<?xi8>> to memref<?xf32>
      team.call @f(%x writes 0 to 64 by 8 of 16) units 1 step 1 cost 5 beside 0 : memref<?xf32>
    }
    team.strand 1 {
      %x = llvm_ext.base %io {entry = 1 : i64} : memref<?xmemref<?xi8>> to memref<?xf32>
      team.call @g(%x writes 4 to 64 by 8 of 16) units 1 step 1 cost 5 beside 1 : memref<?xf32>
    }
  }
  func.return
}

// -----

// CHECK: pieces of @f and @g may run at the same time: expected that they touch no byte which the other writes, got Bytes(begin=0, end=64
func.func @pieces_move_on_by_other_bytes(%x: memref<?xf32>, %team: memref<?xi64>) {
  team.section 0 on %team : memref<?xi64> {
    team.strand 0 {
      team.call @f(%x writes 0 to 64 each 16) units 4 step 1 cost 5 : memref<?xf32>
      team.call @g(%x reads 0 to 128 each 32) units 4 step 1 cost 5 : memref<?xf32>
    }
  }
  func.return
}

// -----

// CHECK: expected calls of one number of pieces, got [2, 4]
func.func @calls_of_other_pieces(%x: memref<?xf32>, %team: memref<?xi64>) {
  team.section 0 on %team : memref<?xi64> {
    team.strand 0 {
      team.call @f(%x) units 4 step 1 cost 5 : memref<?xf32>
      team.call @f(%x) units 4 step 2 cost 5 : memref<?xf32>
    }
  }
  func.return
}

// -----

// CHECK: expected calls and pointers, got 0 calls and 1 other ops
func.func @no_calls(%arena: memref<?xi8>, %team: memref<?xi64>) {
  team.section 0 on %team : memref<?xi64> {
    team.strand 0 {
      %x = llvm_ext.base %arena : memref<?xi8> to memref<?xf32>
    }
  }
  func.return
}

// -----

// CHECK: expected strands, got team.call
func.func @no_strand(%x: memref<?xf32>, %team: memref<?xi64>) {
  team.section 0 on %team : memref<?xi64> {
    team.call @f(%x) units 4 step 1 cost 5 : memref<?xf32>
  }
  func.return
}

// -----

// CHECK: expected units of at least 1, got 0
func.func @no_units(%x: memref<?xf32>) {
  team.call @f(%x) units 0 step 1 cost 5 : memref<?xf32>
  func.return
}

// -----

// CHECK: expected step of at least 1, got 0
func.func @no_step(%x: memref<?xf32>) {
  team.call @f(%x) units 4 step 0 cost 5 : memref<?xf32>
  func.return
}

// -----

// CHECK: expected bytes from begin to end in parts, got Bytes(begin=0, end=64, length=16, period=8)
func.func @parts_longer_than_their_distance(%x: memref<?xf32>) {
  team.call @f(%x reads 0 to 64 by 16 of 8) units 4 step 1 cost 5 : memref<?xf32>
  func.return
}

// -----

// CHECK: expected bytes of one of 1 arguments, got number 1
func.func @bytes_of_no_argument(%x: memref<?xf32>) {
  "team.call"(%x) <{callee = @f, touched = [array<i64: 1, 0, 0, 64, 0, 0, 0>], units = 1 : i64, step = 1 : i64, cost = 1 : i64}> : (memref<?xf32>) -> ()
  func.return
}

// -----

// CHECK: expected seven numbers of what is touched, got array<i64: 0, 0>
func.func @few_numbers(%x: memref<?xf32>) {
  "team.call"(%x) <{callee = @f, touched = [array<i64: 0, 0>], units = 1 : i64, step = 1 : i64, cost = 1 : i64}> : (memref<?xf32>) -> ()
  func.return
}

// -----

// CHECK: pieces of @f and @g may run at the same time
func.func @rows_of_the_next_piece(%x: memref<?xf32>, %team: memref<?xi64>) {
  team.section 0 on %team : memref<?xi64> {
    team.strand 0 {
      %y = llvm_ext.base %x {offset = 64 : i64} : memref<?xf32> to memref<?xf32>
      team.call @f(%x writes 0 to 512 each 128) units 4 step 1 cost 5 : memref<?xf32>
      team.call @g(%y reads 0 to 480 by 96 of 128 each 128) units 4 step 1 cost 5 : memref<?xf32>
    }
  }
  func.return
}

// -----

// CHECK: expected units that move on by whole parts, 16 bytes, got 24
func.func @fraction_of_a_part(%x: memref<?xf32>) {
  team.call @f(%x reads 0 to 64 by 8 of 16 each 24) units 4 step 1 cost 5 : memref<?xf32>
  func.return
}
