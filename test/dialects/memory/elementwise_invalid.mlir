// RUN: glow-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: expected 1 region arguments, got 2
func.func @arguments(%a: memref<8xf32>, %y: memref<8xf32>) {
  memory.elementwise ins(%a : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%p: f32, %q: f32):
    memory.yield %p : f32
  }
  func.return
}

// -----

// CHECK: expected the region to yield 1 values
func.func @yield(%a: memref<8xf32>, %y: memref<8xf32>) {
  memory.elementwise ins(%a : memref<8xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%p: f32):
    memory.yield %p, %p : f32, f32
  }
  func.return
}

// -----

// CHECK: expected an operand that broadcasts to [8], got memref<4xf32>
func.func @broadcast(%a: memref<4xf32>, %y: memref<8xf32>) {
  memory.elementwise ins(%a : memref<4xf32>) outs(%y : memref<8xf32>) {
  ^bb0(%p: f32):
    memory.yield %p : f32
  }
  func.return
}

// -----

// An input larger than the result is not a broadcast.
// CHECK: expected an operand that broadcasts to [1], got memref<4xf32>
func.func @larger(%a: memref<4xf32>, %y: memref<1xf32>) {
  memory.elementwise ins(%a : memref<4xf32>) outs(%y : memref<1xf32>) {
  ^bb0(%p: f32):
    memory.yield %p : f32
  }
  func.return
}

// -----

// CHECK: expected equal shapes and elements, got memref<4xf32>, memref<8xf32>
func.func @copy(%a: memref<4xf32>, %y: memref<8xf32>) {
  memory.copy ins(%a : memref<4xf32>) outs(%y : memref<8xf32>)
  func.return
}

// -----

// CHECK: expected at least one result, got none
"memory.elementwise"() <{operandSegmentSizes = array<i32: 0, 0>}> ({
  "memory.yield"() : () -> ()
}) : () -> ()

// -----

// CHECK: expected argument 0 of type i8, got ui8
func.func @signed_argument(%a: memref<8xui8>, %y: memref<8xui8>) {
  memory.elementwise ins(%a : memref<8xui8>) outs(%y : memref<8xui8>) {
  ^bb0(%p: ui8):
    memory.yield %p : ui8
  }
  func.return
}

// -----

// CHECK: expected yielded value 0 of type i16, got i8
func.func @yielded_type(%a: memref<8xi8>, %y: memref<8xui16>) {
  memory.elementwise ins(%a : memref<8xi8>) outs(%y : memref<8xui16>) {
  ^bb0(%p: i8):
    memory.yield %p : i8
  }
  func.return
}
