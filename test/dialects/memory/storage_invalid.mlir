// RUN: glow-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: expected a direction; infer-io finds it at the graph level
memory.placeholder @x : memref<4xf32>

// -----

// CHECK: expected direction in of a "bound" placeholder, got "out"
memory.placeholder @x "out" "bound" : memref<4xf32>

// -----

// CHECK: expected an offset of at least 0, got -64
func.func @offset() {
  %a = memory.alloc {offset = -64 : i64} : memref<4xf32>
  func.return
}

// -----

// CHECK: expected elements of f32, got i32
func.func @element() {
  %a = memory.alloc : memref<4xf32>
  %v = memory.view %a : memref<4xf32> -> memref<4xi32>
  func.return
}

// -----

// CHECK: expected elements within 0..3 of the allocation, got 1..4
func.func @outside() {
  %a = memory.alloc : memref<4xf32>
  %v = memory.view %a : memref<4xf32> -> memref<4xf32, strided<[1], offset: 1>>
  func.return
}

// -----

// CHECK: expected elements within 0..3 of the allocation, got -1..2
func.func @before() {
  %a = memory.alloc : memref<4xf32>
  %v = memory.view %a : memref<4xf32> -> memref<4xf32, strided<[-1], offset: 2>>
  func.return
}

// -----

// CHECK: expected as many stored elements as memref<1x32x4x4xf32, #layout.physical<NCHW16c>>, got memref<4xf32>
func.func @blocked() {
  %a = memory.alloc : memref<1x32x4x4xf32, #layout.physical<NCHW16c>>
  %v = memory.view %a : memref<1x32x4x4xf32, #layout.physical<NCHW16c>> -> memref<4xf32>
  func.return
}

// -----

// CHECK: expected a direction out of in, out, inout, got "around"
memory.placeholder @x "around" : memref<8xf32>

// -----

// CHECK: expected the meaning of 2 axes, got 1
memory.placeholder @x "in" axes ["DATA_BATCH"] : memref<2x3xf32>

// -----

// CHECK: expected the meaning of 2 axes, got 3
memory.constant @w #graph.resource<"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"> axes ["A", "B", "C"] : memref<2x3xf32>
