// RUN: REFUSED

// CHECK: expected condition of type memref<i1>, got memref<1xi1>
func.func @condition(%c: memref<1xi1>, %y: memref<4xf32>) {
  memory.if ins(%c : memref<1xi1>) outs(%y : memref<4xf32>) then @f else @f
  func.return
}

// -----

// CHECK: expected row-major buffers without gaps, got memref<4xf32, strided<[2]>>
func.func @gaps(%c: memref<i1>, %y: memref<4xf32, strided<[2]>>) {
  memory.if ins(%c : memref<i1>) outs(%y : memref<4xf32, strided<[2]>>) then @f else @f
  func.return
}

// -----

// CHECK: expected a limit or a condition, got neither
func.func @endless(%i: memref<i64>, %x: memref<4xf32>) {
  memory.loop ins(carried %x : memref<4xf32>) scratch(%i : memref<i64>) body @f
  func.return
}

// -----

// CHECK: expected iteration of type memref<i64>, got memref<i32>
func.func @iteration(%n: memref<i64>, %i: memref<i32>, %x: memref<4xf32>) {
  memory.loop ins(limit %n : memref<i64> carried %x : memref<4xf32>) scratch(%i : memref<i32>) body @f
  func.return
}
