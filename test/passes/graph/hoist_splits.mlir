// RUN: glow-opt %s -p hoist-splits | filecheck %s

// Both sides of a split are functions of elements: views of x are split, the bias too.
// CHECK-LABEL: @gates
// CHECK-NEXT:    [[X0:%.*]], [[X1:%.*]] = graph.split %x {axis = 1 : i64, sizes = array<i64: 16, 32>}
// CHECK-NEXT:    [[B0:%.*]], [[B1:%.*]] = graph.split %b {sizes = array<i64: 16, 32>}
// CHECK-NEXT:    [[S0:%.*]] = graph.add [[X0]], [[B0]]
// CHECK-NEXT:    [[S1:%.*]] = graph.add [[X1]], [[B1]]
// CHECK-NEXT:    %{{.*}} = graph.sigmoid [[S0]]
// CHECK-NEXT:    %{{.*}} = graph.tanh [[S1]]
func.func @gates(%x: tensor<4x48xf32>, %b: tensor<48xf32>) -> (tensor<4x16xf32>, tensor<4x32xf32>) {
  %0 = graph.add %x, %b : (tensor<4x48xf32>, tensor<48xf32>) -> tensor<4x48xf32>
  %1, %2 = graph.split %0 {axis = -1 : i64, sizes = array<i64: 16, 32>} : (tensor<4x48xf32>) -> (tensor<4x16xf32>, tensor<4x32xf32>)
  %3 = graph.sigmoid %1 : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %4 = graph.tanh %2 : (tensor<4x32xf32>) -> tensor<4x32xf32>
  func.return %3, %4 : tensor<4x16xf32>, tensor<4x32xf32>
}

// What broadcasts along the axis stays whole.
// CHECK-LABEL: @column
// CHECK-NEXT:    [[X0:%.*]], [[X1:%.*]] = graph.split %x
// CHECK-NEXT:    [[S0:%.*]] = graph.mul [[X0]], %c
// CHECK-NEXT:    [[S1:%.*]] = graph.mul [[X1]], %c
// CHECK-NEXT:    graph.sub [[S0]], [[S1]]
func.func @column(%x: tensor<4x32xf32>, %c: tensor<4x1xf32>) -> tensor<4x16xf32> {
  %0 = graph.mul %x, %c : (tensor<4x32xf32>, tensor<4x1xf32>) -> tensor<4x32xf32>
  %1, %2 = graph.split %0 {axis = 1 : i64, sizes = array<i64: 16, 16>} : (tensor<4x32xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>)
  %3 = graph.sub %1, %2 : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  func.return %3 : tensor<4x16xf32>
}

// CHECK-LABEL: @another_reader
// CHECK-NEXT:    graph.exp %x
// CHECK-NEXT:    graph.split
func.func @another_reader(%x: tensor<4x32xf32>) -> (tensor<4x16xf32>, tensor<4x32xf32>) {
  %0 = graph.exp %x : (tensor<4x32xf32>) -> tensor<4x32xf32>
  %1, %2 = graph.split %0 {axis = 1 : i64, sizes = array<i64: 16, 16>} : (tensor<4x32xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>)
  %3 = graph.sub %1, %2 : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  func.return %3, %0 : tensor<4x16xf32>, tensor<4x32xf32>
}

// CHECK-LABEL: @part_that_is_an_output
// CHECK-NEXT:    graph.exp %x
// CHECK-NEXT:    graph.split
func.func @part_that_is_an_output(%x: tensor<4x32xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %0 = graph.exp %x : (tensor<4x32xf32>) -> tensor<4x32xf32>
  %1, %2 = graph.split %0 {axis = 1 : i64, sizes = array<i64: 16, 16>} : (tensor<4x32xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>)
  %3 = graph.neg %1 : (tensor<4x16xf32>) -> tensor<4x16xf32>
  func.return %3, %2 : tensor<4x16xf32>, tensor<4x16xf32>
}

// CHECK-LABEL: @parts_of_few_neighbors
// CHECK-NEXT:    graph.exp %x
// CHECK-NEXT:    graph.split
func.func @parts_of_few_neighbors(%x: tensor<64x4xf32>) -> tensor<64x2xf32> {
  %0 = graph.exp %x : (tensor<64x4xf32>) -> tensor<64x4xf32>
  %1, %2 = graph.split %0 {axis = 1 : i64, sizes = array<i64: 2, 2>} : (tensor<64x4xf32>) -> (tensor<64x2xf32>, tensor<64x2xf32>)
  %3 = graph.sub %1, %2 : (tensor<64x2xf32>, tensor<64x2xf32>) -> tensor<64x2xf32>
  func.return %3 : tensor<64x2xf32>
}

// A product computes the addition as well.
// CHECK-LABEL: @product
// CHECK-NEXT:    graph.matmul
// CHECK-NEXT:    graph.add
// CHECK-NEXT:    graph.relu
// CHECK-NEXT:    graph.split
func.func @product(%x: tensor<4x8xf32>, %w: tensor<8x32xf32>, %b: tensor<32xf32>) -> tensor<4x16xf32> {
  %p = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x32xf32>) -> tensor<4x32xf32>
  %s = graph.add %p, %b : (tensor<4x32xf32>, tensor<32xf32>) -> tensor<4x32xf32>
  %0 = graph.relu %s : (tensor<4x32xf32>) -> tensor<4x32xf32>
  %1, %2 = graph.split %0 {axis = 1 : i64, sizes = array<i64: 16, 16>} : (tensor<4x32xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>)
  %3 = graph.sub %1, %2 : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  func.return %3 : tensor<4x16xf32>
}
