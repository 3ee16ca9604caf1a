// RUN: ROUNDTRIP

// CHECK-LABEL: @choice
// CHECK-NEXT:    memory.if ins(%c : memref<i1> inputs %x : memref<4xf32>) outs(%y : memref<4xf32>) then @copy else @copy
// CHECK-NEXT:    memory.if ins(%c : memref<i1>) outs(%y : memref<4xf32>) scratch(%f : memref<64xi8>) then @make else @make
func.func @choice(%c: memref<i1>, %x: memref<4xf32>, %y: memref<4xf32>, %f: memref<64xi8>) {
  memory.if ins(%c : memref<i1> inputs %x : memref<4xf32>) outs(%y : memref<4xf32>) then @copy else @copy
  memory.if ins(%c : memref<i1>) outs(%y : memref<4xf32>) scratch(%f : memref<64xi8>) then @make else @make
  func.return
}

// CHECK-LABEL: @loops
// CHECK-NEXT:    memory.loop ins(limit %n : memref<i64> carried %x : memref<4xf32> inputs %y : memref<4xf32>) scratch(%i : memref<i64> frame %f : memref<64xi8>) body @f
// CHECK-NEXT:    memory.loop ins(condition %c : memref<i1> carried %x : memref<4xf32>) scratch(%i : memref<i64>) body @g
func.func @loops(%c: memref<i1>, %n: memref<i64>, %i: memref<i64>, %x: memref<4xf32>, %y: memref<4xf32>, %f: memref<64xi8>) {
  memory.loop ins(limit %n : memref<i64> carried %x : memref<4xf32> inputs %y : memref<4xf32>) scratch(%i : memref<i64> frame %f : memref<64xi8>) body @f
  memory.loop ins(condition %c : memref<i1> carried %x : memref<4xf32>) scratch(%i : memref<i64>) body @g
  func.return
}
