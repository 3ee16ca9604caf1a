// RUN: glow-opt %s -p fold-movement --print-debuginfo | filecheck %s

// CHECK-LABEL: @transposes
// CHECK-NEXT:    %{{.*}} = graph.transpose %x {permutation = array<i64: 2, 1, 0>} : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32> loc(fused["first", "second"])
// CHECK-NEXT:    func.return
func.func @transposes(%x: tensor<2x3x4xf32>) -> tensor<4x3x2xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32> loc("first")
  %1 = graph.transpose %0 {permutation = array<i64: 1, 0, 2>} : (tensor<3x4x2xf32>) -> tensor<4x3x2xf32> loc("second")
  func.return %1 : tensor<4x3x2xf32>
}

// The first stays for its other reader.
// CHECK-LABEL: @transpose_with_two_readers
// CHECK-NEXT:    graph.transpose %x {permutation = array<i64: 1, 2, 0>}
// CHECK-NEXT:    graph.transpose %x {permutation = array<i64: 2, 1, 0>}
func.func @transpose_with_two_readers(%x: tensor<2x3x4xf32>) -> (tensor<3x4x2xf32>, tensor<4x3x2xf32>) {
  %0 = graph.transpose %x {permutation = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 1, 0, 2>} : (tensor<3x4x2xf32>) -> tensor<4x3x2xf32>
  func.return %0, %1 : tensor<3x4x2xf32>, tensor<4x3x2xf32>
}

// CHECK-LABEL: @transposes_with_a_layout
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    graph.transpose
func.func @transposes_with_a_layout(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32, #layout.physical<NHWC>> {
  %0 = graph.transpose %x {permutation = array<i64: 0, 1, 3, 2>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x4x3xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 0, 1, 3, 2>} : (tensor<1x2x4x3xf32>) -> tensor<1x2x3x4xf32, #layout.physical<NHWC>>
  func.return %1 : tensor<1x2x3x4xf32, #layout.physical<NHWC>>
}

// CHECK-LABEL: @reshapes
// CHECK-NEXT:    %{{.*}} = graph.reshape %x {shape = array<i64: 4, 6>} : (tensor<2x3x4xf32>) -> tensor<4x6xf32> loc(fused["a", "b", "c"])
// CHECK-NEXT:    func.return
func.func @reshapes(%x: tensor<2x3x4xf32>) -> tensor<4x6xf32> {
  %0 = graph.reshape %x {shape = array<i64: 24>} : (tensor<2x3x4xf32>) -> tensor<24xf32> loc("a")
  %1 = graph.reshape %0 {shape = array<i64: 2, 12>} : (tensor<24xf32>) -> tensor<2x12xf32> loc("b")
  %2 = graph.reshape %1 {shape = array<i64: 4, 6>} : (tensor<2x12xf32>) -> tensor<4x6xf32> loc("c")
  func.return %2 : tensor<4x6xf32>
}

// CHECK-LABEL: @reshapes_with_a_layout
// CHECK-NEXT:    graph.reshape
// CHECK-NEXT:    graph.reshape
func.func @reshapes_with_a_layout(%x: tensor<2x12xf32>) -> tensor<1x2x3x4xf32, #layout.physical<NHWC>> {
  %0 = graph.reshape %x {shape = array<i64: 24>} : (tensor<2x12xf32>) -> tensor<24xf32>
  %1 = graph.reshape %0 {shape = array<i64: 1, 2, 3, 4>} : (tensor<24xf32>) -> tensor<1x2x3x4xf32, #layout.physical<NHWC>>
  func.return %1 : tensor<1x2x3x4xf32, #layout.physical<NHWC>>
}

// CHECK-LABEL: @expansions
// CHECK-NEXT:    graph.expand %x {shape = array<i64: 2, 3, 4>} : (tensor<3x1xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT:    func.return
func.func @expansions(%x: tensor<3x1xf32>) -> tensor<2x3x4xf32> {
  %0 = graph.expand %x {shape = array<i64: 3, 4>} : (tensor<3x1xf32>) -> tensor<3x4xf32>
  %1 = graph.expand %0 {shape = array<i64: 2, 1, 1>} : (tensor<3x4xf32>) -> tensor<2x3x4xf32>
  func.return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @expansions_with_a_layout
// CHECK-NEXT:    graph.expand
// CHECK-NEXT:    graph.expand
func.func @expansions_with_a_layout(%x: tensor<1x1x3x4xf32>) -> tensor<5x2x3x4xf32, #layout.physical<NHWC>> {
  %0 = graph.expand %x {shape = array<i64: 1, 2, 3, 4>} : (tensor<1x1x3x4xf32>) -> tensor<1x2x3x4xf32>
  %1 = graph.expand %0 {shape = array<i64: 5, 2, 3, 4>} : (tensor<1x2x3x4xf32>) -> tensor<5x2x3x4xf32, #layout.physical<NHWC>>
  func.return %1 : tensor<5x2x3x4xf32, #layout.physical<NHWC>>
}

// CHECK-LABEL: @transpose_of_ones_is_a_reshape
// CHECK-NEXT:    graph.reshape %x {shape = array<i64: 1, 3, 1, 4>}
// CHECK-NEXT:    func.return
func.func @transpose_of_ones_is_a_reshape(%x: tensor<1x1x3x4xf32>) -> tensor<1x3x1x4xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x1x3x4xf32>) -> tensor<1x3x1x4xf32>
  func.return %0 : tensor<1x3x1x4xf32>
}

// CHECK-LABEL: @expansion_by_ones_is_a_reshape
// CHECK-NEXT:    graph.reshape %x {shape = array<i64: 1, 3, 4>}
// CHECK-NEXT:    func.return
func.func @expansion_by_ones_is_a_reshape(%x: tensor<3x4xf32>) -> tensor<1x3x4xf32> {
  %0 = graph.expand %x {shape = array<i64: 1, 1, 1>} : (tensor<3x4xf32>) -> tensor<1x3x4xf32>
  func.return %0 : tensor<1x3x4xf32>
}

// CHECK-LABEL: @moving_ops_are_kept
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    graph.expand
func.func @moving_ops_are_kept(%x: tensor<1x3x4xf32>) -> (tensor<1x4x3xf32>, tensor<2x3x4xf32>) {
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 1>} : (tensor<1x3x4xf32>) -> tensor<1x4x3xf32>
  %1 = graph.expand %x {shape = array<i64: 2, 1, 1>} : (tensor<1x3x4xf32>) -> tensor<2x3x4xf32>
  func.return %0, %1 : tensor<1x4x3xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: @transpose_of_ones_with_a_layout
// CHECK-NEXT:    graph.transpose
func.func @transpose_of_ones_with_a_layout(%x: tensor<1x1x3x4xf32>) -> tensor<1x3x1x4xf32, #layout.physical<NHWC>> {
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x1x3x4xf32>) -> tensor<1x3x1x4xf32, #layout.physical<NHWC>>
  func.return %0 : tensor<1x3x1x4xf32, #layout.physical<NHWC>>
}

// CHECK-LABEL: @transposes_of_both_factors
// CHECK-NEXT:    graph.matmul %a, %b bias %c {transpose_lhs} : {{.*}} loc(fused["left", "right", "product"])
// CHECK-NEXT:    func.return
func.func @transposes_of_both_factors(%a: tensor<4x2x3xf32>, %b: tensor<2x5xf32>, %c: tensor<5xf32>) -> tensor<4x3x5xf32> {
  %0 = graph.transpose %a {permutation = array<i64: 0, 2, 1>} : (tensor<4x2x3xf32>) -> tensor<4x3x2xf32> loc("left")
  %1 = graph.transpose %b {permutation = array<i64: 1, 0>} : (tensor<2x5xf32>) -> tensor<5x2xf32> loc("right")
  %2 = graph.matmul %0, %1 bias %c {transpose_rhs} : (tensor<4x3x2xf32>, tensor<5x2xf32>, tensor<5xf32>) -> tensor<4x3x5xf32> loc("product")
  func.return %2 : tensor<4x3x5xf32>
}

// CHECK-LABEL: @transpose_of_batches_is_kept
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    graph.matmul %{{.*}}, %b :
func.func @transpose_of_batches_is_kept(%a: tensor<2x4x3xf32>, %b: tensor<2x5xf32>) -> tensor<4x3x5xf32> {
  %0 = graph.transpose %a {permutation = array<i64: 1, 2, 0>} : (tensor<2x4x3xf32>) -> tensor<4x3x2xf32>
  %1 = graph.matmul %0, %b : (tensor<4x3x2xf32>, tensor<2x5xf32>) -> tensor<4x3x5xf32>
  func.return %1 : tensor<4x3x5xf32>
}

// CHECK-LABEL: @transpose_of_a_vector_is_left_alone
// CHECK-NEXT:    graph.reshape
// CHECK-NEXT:    graph.matmul
func.func @transpose_of_a_vector_is_left_alone(%a: tensor<3xf32>, %b: tensor<3x5xf32>) -> tensor<5xf32> {
  %0 = graph.transpose %a {permutation = array<i64: 0>} : (tensor<3xf32>) -> tensor<3xf32>
  %1 = graph.matmul %0, %b : (tensor<3xf32>, tensor<3x5xf32>) -> tensor<5xf32>
  func.return %1 : tensor<5xf32>
}

// CHECK-LABEL: @product_with_a_layout_is_kept
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    graph.matmul
func.func @product_with_a_layout_is_kept(%a: tensor<2x1x4x3xf32>, %b: tensor<2x1x4x5xf32>) -> tensor<2x1x3x5xf32, #layout.physical<NHWC>> {
  %0 = graph.transpose %a {permutation = array<i64: 0, 1, 3, 2>} : (tensor<2x1x4x3xf32>) -> tensor<2x1x3x4xf32>
  %1 = graph.matmul %0, %b : (tensor<2x1x3x4xf32>, tensor<2x1x4x5xf32>) -> tensor<2x1x3x5xf32, #layout.physical<NHWC>>
  func.return %1 : tensor<2x1x3x5xf32, #layout.physical<NHWC>>
}
