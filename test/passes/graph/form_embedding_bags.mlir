// RUN: glow-opt %s -p form-embedding-bags | filecheck %s

// CHECK-LABEL: @sum
// CHECK-NEXT:    [[Y:%.*]] = graph.embedding_bag %t, %i : (tensor<9x8xf32>, tensor<2x3xi64>) -> tensor<2x8xf32>
// CHECK-NEXT:    func.return [[Y]]
func.func @sum(%t: tensor<9x8xf32>, %i: tensor<2x3xi64>) -> tensor<2x8xf32> {
  %0 = graph.gather %t, %i : (tensor<9x8xf32>, tensor<2x3xi64>) -> tensor<2x3x8xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 1>} : (tensor<2x3x8xf32>) -> tensor<2x8xf32>
  func.return %1 : tensor<2x8xf32>
}

// CHECK-LABEL: @kept_axis
// CHECK-NEXT:    [[Y:%.*]] = graph.embedding_bag %t, %i {mode = "mean"} : (tensor<9x8xf32>, tensor<2x3xi64>) -> tensor<2x8xf32>
// CHECK-NEXT:    graph.reshape [[Y]] {shape = array<i64: 2, 1, 8>}
func.func @kept_axis(%t: tensor<9x8xf32>, %i: tensor<2x3xi64>) -> tensor<2x1x8xf32> {
  %0 = graph.gather %t, %i {axis = -2 : i64} : (tensor<9x8xf32>, tensor<2x3xi64>) -> tensor<2x3x8xf32>
  %1 = graph.reduce_mean %0 {axes = array<i64: -2>, keepdims} : (tensor<2x3x8xf32>) -> tensor<2x1x8xf32>
  func.return %1 : tensor<2x1x8xf32>
}

// CHECK-LABEL: @weighted
// CHECK-NEXT:    [[W:%.*]] = graph.reshape %w {shape = array<i64: 2, 3>}
// CHECK-NEXT:    graph.embedding_bag %t, %i weights [[W]] : tensor<2x3xf32> {mode = "max"}
func.func @weighted(%t: tensor<9x8xf32>, %i: tensor<2x3xi64>, %w: tensor<2x3x1xf32>) -> tensor<2x8xf32> {
  %0 = graph.gather %t, %i : (tensor<9x8xf32>, tensor<2x3xi64>) -> tensor<2x3x8xf32>
  %1 = graph.mul %w, %0 : (tensor<2x3x1xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %2 = graph.reduce_max %1 {axes = array<i64: 1>} : (tensor<2x3x8xf32>) -> tensor<2x8xf32>
  func.return %2 : tensor<2x8xf32>
}

// One weight per place of a bag is expanded to all bags.
// CHECK-LABEL: @weighted_by_place
// CHECK-NEXT:    [[E:%.*]] = graph.expand %w {shape = array<i64: 2, 3, 1>}
// CHECK-NEXT:    [[W:%.*]] = graph.reshape [[E]] {shape = array<i64: 2, 3>}
// CHECK-NEXT:    graph.embedding_bag %t, %i weights [[W]] : tensor<2x3xf32> :
func.func @weighted_by_place(%t: tensor<9x8xf32>, %i: tensor<2x3xi64>, %w: tensor<3x1xf32>) -> tensor<2x8xf32> {
  %0 = graph.gather %t, %i : (tensor<9x8xf32>, tensor<2x3xi64>) -> tensor<2x3x8xf32>
  %1 = graph.mul %0, %w : (tensor<2x3x8xf32>, tensor<3x1xf32>) -> tensor<2x3x8xf32>
  %2 = graph.reduce_sum %1 {axes = array<i64: 1>} : (tensor<2x3x8xf32>) -> tensor<2x8xf32>
  func.return %2 : tensor<2x8xf32>
}

// Bags down the columns of the indices: these are transposed, not the rows.
// CHECK-LABEL: @along_another_axis
// CHECK-NEXT:    [[I:%.*]] = graph.transpose %i {permutation = array<i64: 1, 0>}
// CHECK-NEXT:    [[V:%.*]] = graph.reshape %w {shape = array<i64: 3, 2>}
// CHECK-NEXT:    [[W:%.*]] = graph.transpose [[V]] {permutation = array<i64: 1, 0>}
// CHECK-NEXT:    graph.embedding_bag %t, [[I]] weights [[W]] : tensor<2x3xf32> :
func.func @along_another_axis(%t: tensor<9x8xf32>, %i: tensor<3x2xi64>, %w: tensor<3x2x1xf32>) -> tensor<2x8xf32> {
  %0 = graph.gather %t, %i : (tensor<9x8xf32>, tensor<3x2xi64>) -> tensor<3x2x8xf32>
  %1 = graph.mul %0, %w : (tensor<3x2x8xf32>, tensor<3x2x1xf32>) -> tensor<3x2x8xf32>
  %2 = graph.reduce_sum %1 {axes = array<i64: 0>} : (tensor<3x2x8xf32>) -> tensor<2x8xf32>
  func.return %2 : tensor<2x8xf32>
}

// CHECK-LABEL: @rows_are_read_elsewhere
// CHECK-NOT:     graph.embedding_bag
func.func @rows_are_read_elsewhere(%t: tensor<9x8xf32>, %i: tensor<2x3xi64>) -> (tensor<2x8xf32>, tensor<2x3x8xf32>) {
  %0 = graph.gather %t, %i : (tensor<9x8xf32>, tensor<2x3xi64>) -> tensor<2x3x8xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 1>} : (tensor<2x3x8xf32>) -> tensor<2x8xf32>
  func.return %1, %0 : tensor<2x8xf32>, tensor<2x3x8xf32>
}

// CHECK-LABEL: @weighted_rows_are_read_elsewhere
// CHECK-NOT:     graph.embedding_bag
func.func @weighted_rows_are_read_elsewhere(%t: tensor<9x8xf32>, %i: tensor<2x3xi64>, %w: tensor<2x3x1xf32>) -> (tensor<2x8xf32>, tensor<2x3x8xf32>) {
  %0 = graph.gather %t, %i : (tensor<9x8xf32>, tensor<2x3xi64>) -> tensor<2x3x8xf32>
  %1 = graph.mul %0, %w : (tensor<2x3x8xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  %2 = graph.reduce_sum %1 {axes = array<i64: 1>} : (tensor<2x3x8xf32>) -> tensor<2x8xf32>
  func.return %2, %1 : tensor<2x8xf32>, tensor<2x3x8xf32>
}

// CHECK-LABEL: @weighted_and_plain_rows_are_read
// CHECK-NOT:     graph.embedding_bag
func.func @weighted_and_plain_rows_are_read(%t: tensor<9x8xf32>, %i: tensor<2x3xi64>, %w: tensor<2x3x1xf32>) -> (tensor<2x8xf32>, tensor<2x3x8xf32>) {
  %0 = graph.gather %t, %i : (tensor<9x8xf32>, tensor<2x3xi64>) -> tensor<2x3x8xf32>
  %1 = graph.mul %0, %w : (tensor<2x3x8xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  %2 = graph.reduce_sum %1 {axes = array<i64: 1>} : (tensor<2x3x8xf32>) -> tensor<2x8xf32>
  func.return %2, %0 : tensor<2x8xf32>, tensor<2x3x8xf32>
}

// CHECK-LABEL: @a_weight_for_each_column
// CHECK-NOT:     graph.embedding_bag
func.func @a_weight_for_each_column(%t: tensor<9x8xf32>, %i: tensor<2x3xi64>, %w: tensor<3x8xf32>) -> tensor<2x8xf32> {
  %0 = graph.gather %t, %i : (tensor<9x8xf32>, tensor<2x3xi64>) -> tensor<2x3x8xf32>
  %1 = graph.mul %0, %w : (tensor<2x3x8xf32>, tensor<3x8xf32>) -> tensor<2x3x8xf32>
  %2 = graph.reduce_sum %1 {axes = array<i64: 1>} : (tensor<2x3x8xf32>) -> tensor<2x8xf32>
  func.return %2 : tensor<2x8xf32>
}

// CHECK-LABEL: @weights_broadcast_the_rows
// CHECK-NOT:     graph.embedding_bag
func.func @weights_broadcast_the_rows(%t: tensor<9x8xf32>, %i: tensor<1x3xi64>, %w: tensor<2x3x1xf32>) -> tensor<2x8xf32> {
  %0 = graph.gather %t, %i : (tensor<9x8xf32>, tensor<1x3xi64>) -> tensor<1x3x8xf32>
  %1 = graph.mul %0, %w : (tensor<1x3x8xf32>, tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  %2 = graph.reduce_sum %1 {axes = array<i64: 1>} : (tensor<2x3x8xf32>) -> tensor<2x8xf32>
  func.return %2 : tensor<2x8xf32>
}

// CHECK-LABEL: @columns_are_combined
// CHECK-NOT:     graph.embedding_bag
func.func @columns_are_combined(%t: tensor<9x8xf32>, %i: tensor<2x3xi64>) -> tensor<2x3xf32> {
  %0 = graph.gather %t, %i : (tensor<9x8xf32>, tensor<2x3xi64>) -> tensor<2x3x8xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 2>} : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  func.return %1 : tensor<2x3xf32>
}

// CHECK-LABEL: @two_axes_are_combined
// CHECK-NOT:     graph.embedding_bag
func.func @two_axes_are_combined(%t: tensor<9x8xf32>, %i: tensor<2x3xi64>) -> tensor<8xf32> {
  %0 = graph.gather %t, %i : (tensor<9x8xf32>, tensor<2x3xi64>) -> tensor<2x3x8xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 0, 1>} : (tensor<2x3x8xf32>) -> tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// CHECK-LABEL: @columns_are_picked
// CHECK-NOT:     graph.embedding_bag
func.func @columns_are_picked(%t: tensor<9x8xf32>, %i: tensor<2x3xi64>) -> tensor<9x2xf32> {
  %0 = graph.gather %t, %i {axis = 1 : i64} : (tensor<9x8xf32>, tensor<2x3xi64>) -> tensor<9x2x3xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 2>} : (tensor<9x2x3xf32>) -> tensor<9x2xf32>
  func.return %1 : tensor<9x2xf32>
}

// CHECK-LABEL: @table_is_no_matrix
// CHECK-NOT:     graph.embedding_bag
func.func @table_is_no_matrix(%t: tensor<9x8x4xf32>, %i: tensor<2x3xi64>) -> tensor<2x8x4xf32> {
  %0 = graph.gather %t, %i : (tensor<9x8x4xf32>, tensor<2x3xi64>) -> tensor<2x3x8x4xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 1>} : (tensor<2x3x8x4xf32>) -> tensor<2x8x4xf32>
  func.return %1 : tensor<2x8x4xf32>
}

// CHECK-LABEL: @integers
// CHECK-NOT:     graph.embedding_bag
func.func @integers(%t: tensor<9x8xi32>, %i: tensor<2x3xi64>) -> tensor<2x8xi32> {
  %0 = graph.gather %t, %i : (tensor<9x8xi32>, tensor<2x3xi64>) -> tensor<2x3x8xi32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 1>} : (tensor<2x3x8xi32>) -> tensor<2x8xi32>
  func.return %1 : tensor<2x8xi32>
}

// The maximum of nothing is the lowest number, an empty bag is 0.
// CHECK-LABEL: @empty_bags
// CHECK-NOT:     graph.embedding_bag
func.func @empty_bags(%t: tensor<9x8xf32>, %i: tensor<2x0xi64>) -> tensor<2x8xf32> {
  %0 = graph.gather %t, %i : (tensor<9x8xf32>, tensor<2x0xi64>) -> tensor<2x0x8xf32>
  %1 = graph.reduce_max %0 {axes = array<i64: 1>} : (tensor<2x0x8xf32>) -> tensor<2x8xf32>
  func.return %1 : tensor<2x8xf32>
}

// CHECK-LABEL: @even_offsets
// CHECK:         [[I:%.*]] = graph.reshape %i {shape = array<i64: 2, 3>}
// CHECK-NEXT:    [[W:%.*]] = graph.reshape %w {shape = array<i64: 2, 3>}
// CHECK-NEXT:    graph.embedding_bag %t, [[I]] weights [[W]] : tensor<2x3xf32> {{{.*}}padding_idx = 1 : i64} : (tensor<9x8xf32>, tensor<2x3xi64>)
// CHECK-NEXT:    [[J:%.*]] = graph.reshape %i {shape = array<i64: 2, 3>}
// CHECK-NEXT:    graph.embedding_bag %t, [[J]] {mode = "mean"} : (tensor<9x8xf32>, tensor<2x3xi64>)
func.func @even_offsets(%t: tensor<9x8xf32>, %i: tensor<6xi64>, %w: tensor<6xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %o = graph.literal dense<[0, 3]> : tensor<2xi64> : tensor<2xi64>
  %p = graph.literal dense<[0, 3, 6]> : tensor<3xi64> : tensor<3xi64>
  %0 = graph.embedding_bag %t, %i offsets %o : tensor<2xi64> weights %w : tensor<6xf32> {padding_idx = 1 : i64} : (tensor<9x8xf32>, tensor<6xi64>) -> tensor<2x8xf32>
  %1 = graph.embedding_bag %t, %i offsets %p : tensor<3xi64> {mode = "mean", include_last_offset} : (tensor<9x8xf32>, tensor<6xi64>) -> tensor<2x8xf32>
  func.return %0, %1 : tensor<2x8xf32>, tensor<2x8xf32>
}

// CHECK-LABEL: @even_lengths
// CHECK:         [[I:%.*]] = graph.reshape %i {shape = array<i64: 2, 3>}
// CHECK-NEXT:    graph.embedding_bag %t, [[I]] {{.*}}: (tensor<9x8xf32>, tensor<2x3xi64>)
func.func @even_lengths(%t: tensor<9x8xf32>, %i: tensor<6xi64>) -> tensor<2x8xf32> {
  %l = graph.literal dense<3> : tensor<2xi32> : tensor<2xi32>
  %0 = graph.sparse_lengths_sum %t, %i lengths %l : (tensor<9x8xf32>, tensor<6xi64>, tensor<2xi32>) -> tensor<2x8xf32>
  func.return %0 : tensor<2x8xf32>
}

// Uneven ones, ones known at run time only, and ones that are wrong stay.
// CHECK-LABEL: @uneven
// CHECK-NOT:     graph.reshape
func.func @uneven(%t: tensor<9x8xf32>, %i: tensor<6xi64>, %l: tensor<2xi64>) -> (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) {
  %o = graph.literal dense<[0, 2]> : tensor<2xi64> : tensor<2xi64>
  %p = graph.literal dense<[0, 2, 4]> : tensor<3xi64> : tensor<3xi64>
  %0 = graph.embedding_bag %t, %i offsets %o : tensor<2xi64> : (tensor<9x8xf32>, tensor<6xi64>) -> tensor<2x8xf32>
  %1 = graph.embedding_bag %t, %i offsets %p : tensor<3xi64> {include_last_offset} : (tensor<9x8xf32>, tensor<6xi64>) -> tensor<2x8xf32>
  %2 = graph.sparse_lengths_sum %t, %i lengths %l : (tensor<9x8xf32>, tensor<6xi64>, tensor<2xi64>) -> tensor<2x8xf32>
  %3 = graph.sparse_lengths_sum %t, %i lengths %o : (tensor<9x8xf32>, tensor<6xi64>, tensor<2xi64>) -> tensor<2x8xf32>
  func.return %0, %1, %2, %3 : tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>
}
