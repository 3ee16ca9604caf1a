// RUN: glow-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: expected a kind out of sum, mean, max, got "min"
func.func @unknown_kind(%t: memref<9x8xf32>, %y: memref<2x8xf32>, %i: memref<2x3xi64>) {
  memory.embedding_bag ins(%t, %i : memref<9x8xf32>, memref<2x3xi64>) outs(%y : memref<2x8xf32>) {kind = "min"}
  func.return
}

// -----

// CHECK: expected offsets or lengths, got both
func.func @told_twice(%t: memref<9x8xf32>, %y: memref<2x8xf32>, %i: memref<3xi64>, %l: memref<2xi64>) {
  memory.embedding_bag ins(%t, %i : memref<9x8xf32>, memref<3xi64> offsets %l : memref<2xi64> lengths %l : memref<2xi64>) outs(%y : memref<2x8xf32>) {kind = "sum"}
  func.return
}

// -----

// CHECK: expected indices that are a list or row-major, got memref<2x3xi64, strided<[1, 2]>>
func.func @columns_of_indices(%t: memref<9x8xf32>, %y: memref<2x8xf32>, %i: memref<2x3xi64, strided<[1, 2]>>) {
  memory.embedding_bag ins(%t, %i : memref<9x8xf32>, memref<2x3xi64, strided<[1, 2]>>) outs(%y : memref<2x8xf32>) {kind = "sum"}
  func.return
}

// -----

// CHECK: expected weights that are a list or row-major, got memref<2x3xf32, strided<[4, 1]>>
func.func @gaps_in_weights(%t: memref<9x8xf32>, %y: memref<2x8xf32>, %i: memref<2x3xi64>, %w: memref<2x3xf32, strided<[4, 1]>>) {
  memory.embedding_bag ins(%t, %i : memref<9x8xf32>, memref<2x3xi64> weights %w : memref<2x3xf32, strided<[4, 1]>>) outs(%y : memref<2x8xf32>) {kind = "sum"}
  func.return
}
