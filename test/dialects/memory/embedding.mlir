// RUN: ROUNDTRIP

// CHECK-LABEL: @bags
func.func @bags(%t: memref<9x8xf32>, %i: memref<5xi64>, %o: memref<2xi32>, %w: memref<5xf32>, %y: memref<2x8xf32>, %z: memref<1x8xf32>) {
  // CHECK: memory.embedding_bag ins(%t, %i : memref<9x8xf32>, memref<5xi64> offsets %o : memref<2xi32>) outs(%z : memref<1x8xf32>) {include_last_offset, kind = "mean"}
  memory.embedding_bag ins(%t, %i : memref<9x8xf32>, memref<5xi64> offsets %o : memref<2xi32>) outs(%z : memref<1x8xf32>) {include_last_offset, kind = "mean"}
  // CHECK: memory.embedding_bag ins(%t, %i : memref<9x8xf32>, memref<5xi64> lengths %o : memref<2xi32>) outs(%y : memref<2x8xf32>) {kind = "max", padding_idx = 2 : i64}
  memory.embedding_bag ins(%t, %i : memref<9x8xf32>, memref<5xi64> lengths %o : memref<2xi32>) outs(%y : memref<2x8xf32>) {kind = "max", padding_idx = 2 : i64}
  // CHECK: memory.embedding_bag ins(%t, %i : memref<9x8xf32>, memref<5xi64> lengths %o : memref<2xi32> weights %w : memref<5xf32>) outs(%y : memref<2x8xf32>) {kind = "sum"}
  memory.embedding_bag ins(%t, %i : memref<9x8xf32>, memref<5xi64> lengths %o : memref<2xi32> weights %w : memref<5xf32>) outs(%y : memref<2x8xf32>) {kind = "sum"}
  func.return
}

// A line of the indices is a bag.
// CHECK-LABEL: @even_bags
func.func @even_bags(%t: memref<9x8xf32>, %i: memref<2x5xi64>, %w: memref<2x5xf32>, %y: memref<2x8xf32>) {
  // CHECK: memory.embedding_bag ins(%t, %i : memref<9x8xf32>, memref<2x5xi64>) outs(%y : memref<2x8xf32>) {kind = "sum"}
  memory.embedding_bag ins(%t, %i : memref<9x8xf32>, memref<2x5xi64>) outs(%y : memref<2x8xf32>) {kind = "sum"}
  // CHECK: memory.embedding_bag ins(%t, %i : memref<9x8xf32>, memref<2x5xi64> weights %w : memref<2x5xf32>) outs(%y : memref<2x8xf32>) {kind = "sum"}
  memory.embedding_bag ins(%t, %i : memref<9x8xf32>, memref<2x5xi64> weights %w : memref<2x5xf32>) outs(%y : memref<2x8xf32>) {kind = "sum"}
  func.return
}
