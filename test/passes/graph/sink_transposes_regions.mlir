// RUN: glow-opt %s -p sink-transposes | filecheck %s
// RUN: glow-opt %s -p sink-transposes,fold-movement,remove-identities,sink-transposes | filecheck %s

// What another op needs transposed stays, and is one movement as before.
// CHECK-LABEL: @reader_that_needs_it
// CHECK-NEXT:    %[[T:.*]] = graph.transpose %x
// CHECK-NEXT:    %[[P:.*]] = graph.max_pool %[[T]]
// CHECK-NEXT:    %[[R:.*]] = graph.relu %x
// CHECK-NEXT:    func.return %[[P]], %[[R]]
func.func @reader_that_needs_it(%x: tensor<1x2x3x4xf32>) -> (tensor<1x3x3x1xf32>, tensor<1x2x3x4xf32>) {
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x3x4x2xf32>
  %1 = graph.max_pool %0 {kernel_shape = array<i64: 2, 2>} : (tensor<1x3x4x2xf32>) -> tensor<1x3x3x1xf32>
  %2 = graph.relu %0 : (tensor<1x3x4x2xf32>) -> tensor<1x3x4x2xf32>
  %3 = graph.transpose %2 {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x3x4x2xf32>) -> tensor<1x2x3x4xf32>
  func.return %1, %3 : tensor<1x3x3x1xf32>, tensor<1x2x3x4xf32>
}

// Below both readers there would be two transposes.
// CHECK-LABEL: @two_readers
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    graph.relu
// CHECK-NEXT:    graph.exp
// CHECK-NEXT:    func.return
func.func @two_readers(%x: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %0 = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = graph.relu %0 : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %2 = graph.exp %0 : (tensor<3x2xf32>) -> tensor<3x2xf32>
  func.return %1, %2 : tensor<3x2xf32>, tensor<3x2xf32>
}

// CHECK-LABEL: @two_readers_that_join
// CHECK-NEXT:    graph.sigmoid %x
// CHECK-NEXT:    graph.mul
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    func.return
func.func @two_readers_that_join(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = graph.sigmoid %0 : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %2 = graph.mul %1, %0 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  func.return %2 : tensor<3x2xf32>
}

// The other operand gets the inverse: one transpose instead of two.
// CHECK-LABEL: @one_sided
// CHECK-NEXT:    %[[B:.*]] = graph.transpose %b {permutation = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    %[[S:.*]] = graph.add %a, %[[B]]
// CHECK-NEXT:    func.return %[[S]]
func.func @one_sided(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> tensor<2x3xf32> {
  %0 = graph.transpose %a {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = graph.add %0, %b : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %2 = graph.transpose %1 {permutation = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  func.return %2 : tensor<2x3xf32>
}

// CHECK-LABEL: @one_sided_for_nothing
// CHECK-NEXT:    graph.transpose %a
// CHECK-NEXT:    graph.add
// CHECK-NEXT:    func.return
func.func @one_sided_for_nothing(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = graph.transpose %a {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = graph.add %0, %b : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  func.return %1 : tensor<3x2xf32>
}

// The inverse on the other operand exists: it moves up to where both can read it.
// CHECK-LABEL: @inverse_exists
// CHECK-NEXT:    %[[B:.*]] = graph.transpose %b
// CHECK-NEXT:    %[[S:.*]] = graph.add %a, %[[B]]
// CHECK-NEXT:    %[[E:.*]] = graph.exp %[[B]]
// CHECK-NEXT:    func.return %[[S]], %[[E]]
func.func @inverse_exists(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = graph.transpose %a {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = graph.add %0, %b : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %2 = graph.transpose %1 {permutation = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %3 = graph.transpose %b {permutation = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %4 = graph.exp %3 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %2, %4 : tensor<2x3xf32>, tensor<2x3xf32>
}

// The smaller of two values is the one to transpose.
// CHECK-LABEL: @smaller_operand
// CHECK-NEXT:    %[[B:.*]] = graph.transpose %b {permutation = array<i64: 2, 0, 1>} : (tensor<3x1x2xf32>) -> tensor<2x3x1xf32>
// CHECK-NEXT:    graph.add %a, %[[B]]
// CHECK-NEXT:    func.return
func.func @smaller_operand(%a: tensor<2x3x999xf32>, %b: tensor<3x1x2xf32>) -> tensor<2x3x999xf32> {
  %0 = graph.transpose %a {permutation = array<i64: 1, 2, 0>} : (tensor<2x3x999xf32>) -> tensor<3x999x2xf32>
  %1 = graph.add %0, %b : (tensor<3x999x2xf32>, tensor<3x1x2xf32>) -> tensor<3x999x2xf32>
  %2 = graph.transpose %1 {permutation = array<i64: 2, 0, 1>} : (tensor<3x999x2xf32>) -> tensor<2x3x999xf32>
  func.return %2 : tensor<2x3x999xf32>
}

// A residual body in NHWC: both convolutions end up without transposes between them.
// CHECK-LABEL: @residual
// CHECK-NEXT:    graph.transpose %x
// CHECK-NEXT:    graph.conv
// CHECK-NEXT:    graph.relu
// CHECK-NEXT:    graph.conv
// CHECK-NEXT:    graph.add
// CHECK-NEXT:    graph.relu
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    func.return
func.func @residual(%x: tensor<1x8x8x4xf32>, %w: tensor<4x4x1x1xf32>) -> tensor<1x8x8x4xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x8x8x4xf32>) -> tensor<1x4x8x8xf32>
  %1 = graph.conv %0, %w : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %2 = graph.transpose %1 {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x4x8x8xf32>) -> tensor<1x8x8x4xf32>
  %3 = graph.relu %2 : (tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
  %4 = graph.transpose %3 {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x8x8x4xf32>) -> tensor<1x4x8x8xf32>
  %5 = graph.conv %4, %w : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %6 = graph.transpose %5 {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x4x8x8xf32>) -> tensor<1x8x8x4xf32>
  %7 = graph.add %6, %x : (tensor<1x8x8x4xf32>, tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
  %8 = graph.relu %7 : (tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
  func.return %8 : tensor<1x8x8x4xf32>
}

// What is left of the axes is in order: nothing to transpose behind the maximum.
// CHECK-LABEL: @order_of_the_rest
// CHECK-NEXT:    %[[M:.*]] = graph.reduce_max %x {axes = array<i64: 1>}
// CHECK-NEXT:    %[[E:.*]] = graph.exp %x
// CHECK-NEXT:    %[[T:.*]] = graph.transpose %[[E]]
// CHECK-NEXT:    %[[C:.*]] = graph.concat %[[M]], %[[M]]
// CHECK-NEXT:    func.return %[[T]], %[[C]]
func.func @order_of_the_rest(%x: tensor<3x2x2xf32>) -> (tensor<2x3x2xf32>, tensor<3x4xf32>) {
  %0 = graph.transpose %x {permutation = array<i64: 1, 0, 2>} : (tensor<3x2x2xf32>) -> tensor<2x3x2xf32>
  %1 = graph.reduce_max %0 {axes = array<i64: 0>} : (tensor<2x3x2xf32>) -> tensor<3x2xf32>
  %2 = graph.exp %0 : (tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
  %3 = graph.concat %1, %1 {axis = 1 : i64} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  func.return %2, %3 : tensor<2x3x2xf32>, tensor<3x4xf32>
}
