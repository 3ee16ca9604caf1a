// RUN: glow-opt %s -p fold-movement --print-debuginfo | filecheck %s

// Columns 0 to 3 of the flattened image were x[0, 0], x[0, 1], x[1, 0] and x[1, 1] of HWC.
// CHECK-LABEL: @flattened_image
// CHECK:         %[[W:.*]] = graph.literal dense<{{\[\[}}0.000000e+00, 1.000000e+00], [4.000000e+00, 5.000000e+00], [2.000000e+00, 3.000000e+00], [6.000000e+00, 7.000000e+00]]>
// CHECK-NEXT:    %[[F:.*]] = graph.reshape %x {shape = array<i64: 3, 4>} : (tensor<3x2x1x2xf32>) -> tensor<3x4xf32> loc(fused["t", "flatten"])
// CHECK-NEXT:    graph.matmul %[[F]], %[[W]] bias %b
// CHECK-NEXT:    func.return
func.func @flattened_image(%x: tensor<3x2x1x2xf32>, %b: tensor<2xf32>) -> tensor<3x2xf32> {
  %w = graph.literal dense<[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]]> : tensor<4x2xf32> : tensor<4x2xf32>
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : (tensor<3x2x1x2xf32>) -> tensor<3x1x2x2xf32> loc("t")
  %1 = graph.reshape %0 {shape = array<i64: 3, 4>} : (tensor<3x1x2x2xf32>) -> tensor<3x4xf32> loc("flatten")
  %2 = graph.matmul %1, %w bias %b : (tensor<3x4xf32>, tensor<4x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  func.return %2 : tensor<3x2xf32>
}

// CHECK-LABEL: @transposed_weight
// CHECK:         graph.literal dense<{{\[\[}}0.000000e+00, 2.000000e+00, 4.000000e+00, 1.000000e+00, 3.000000e+00, 5.000000e+00]]>
// CHECK-NEXT:    graph.reshape %x
// CHECK-NEXT:    graph.matmul
// CHECK-NEXT:    func.return
func.func @transposed_weight(%x: tensor<2x2x3xf32>) -> tensor<2x1xf32> {
  %w = graph.literal dense<[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]]> : tensor<1x6xf32> : tensor<1x6xf32>
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 1>} : (tensor<2x2x3xf32>) -> tensor<2x3x2xf32>
  %1 = graph.reshape %0 {shape = array<i64: 2, 6>} : (tensor<2x3x2xf32>) -> tensor<2x6xf32>
  %2 = graph.matmul %1, %w {transpose_rhs} : (tensor<2x6xf32>, tensor<1x6xf32>) -> tensor<2x1xf32>
  func.return %2 : tensor<2x1xf32>
}

// CHECK-LABEL: @unknown_weight
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    graph.reshape
func.func @unknown_weight(%x: tensor<3x2x4xf32>, %w: tensor<8x2xf32>) -> tensor<3x2xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 1>} : (tensor<3x2x4xf32>) -> tensor<3x4x2xf32>
  %1 = graph.reshape %0 {shape = array<i64: 3, 8>} : (tensor<3x4x2xf32>) -> tensor<3x8xf32>
  %2 = graph.matmul %1, %w : (tensor<3x8xf32>, tensor<8x2xf32>) -> tensor<3x2xf32>
  func.return %2 : tensor<3x2xf32>
}

// Rows of the result come from other axes.
// CHECK-LABEL: @rows_move_too
// CHECK:         graph.transpose
// CHECK-NEXT:    graph.reshape
func.func @rows_move_too(%x: tensor<3x2x4xf32>) -> tensor<4x2xf32> {
  %w = graph.literal dense<1.0> : tensor<6x2xf32> : tensor<6x2xf32>
  %0 = graph.transpose %x {permutation = array<i64: 2, 1, 0>} : (tensor<3x2x4xf32>) -> tensor<4x2x3xf32>
  %1 = graph.reshape %0 {shape = array<i64: 4, 6>} : (tensor<4x2x3xf32>) -> tensor<4x6xf32>
  %2 = graph.matmul %1, %w : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>
  func.return %2 : tensor<4x2xf32>
}

// CHECK-LABEL: @columns_mix_with_rows
// CHECK:         graph.transpose
// CHECK-NEXT:    graph.reshape
func.func @columns_mix_with_rows(%x: tensor<4x6xf32>) -> tensor<3x2xf32> {
  %w = graph.literal dense<1.0> : tensor<8x2xf32> : tensor<8x2xf32>
  %0 = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %1 = graph.reshape %0 {shape = array<i64: 3, 8>} : (tensor<6x4xf32>) -> tensor<3x8xf32>
  %2 = graph.matmul %1, %w : (tensor<3x8xf32>, tensor<8x2xf32>) -> tensor<3x2xf32>
  func.return %2 : tensor<3x2xf32>
}

// CHECK-LABEL: @product_of_its_transpose
// CHECK:         graph.transpose
// CHECK-NEXT:    graph.reshape
func.func @product_of_its_transpose(%x: tensor<3x2x4xf32>) -> tensor<8x2xf32> {
  %w = graph.literal dense<1.0> : tensor<3x2xf32> : tensor<3x2xf32>
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 1>} : (tensor<3x2x4xf32>) -> tensor<3x4x2xf32>
  %1 = graph.reshape %0 {shape = array<i64: 3, 8>} : (tensor<3x4x2xf32>) -> tensor<3x8xf32>
  %2 = graph.matmul %1, %w {transpose_lhs} : (tensor<3x8xf32>, tensor<3x2xf32>) -> tensor<8x2xf32>
  func.return %2 : tensor<8x2xf32>
}

// The image that a product makes comes out in the order in which it is wanted.
// CHECK-LABEL: @split_columns
// CHECK:         %[[W:.*]] = graph.literal dense<{{\[\[}}0.000000e+00, 2.000000e+00, 1.000000e+00, 3.000000e+00]]>
// CHECK-NEXT:    %[[B:.*]] = graph.literal dense<[1.000000e+00, 3.000000e+00, 2.000000e+00, 4.000000e+00]>
// CHECK-NEXT:    %[[P:.*]] = graph.matmul %x, %[[W]] bias %[[B]] : {{.*}} loc("dense")
// CHECK-NEXT:    graph.reshape %[[P]] {shape = array<i64: 3, 2, 2>}
// CHECK-NEXT:    func.return
func.func @split_columns(%x: tensor<3x1xf32>) -> tensor<3x2x2xf32> {
  %w = graph.literal dense<[[0.0, 1.0, 2.0, 3.0]]> : tensor<1x4xf32> : tensor<1x4xf32>
  %b = graph.literal dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> : tensor<4xf32>
  %0 = graph.matmul %x, %w bias %b : (tensor<3x1xf32>, tensor<1x4xf32>, tensor<4xf32>) -> tensor<3x4xf32> loc("dense")
  %1 = graph.reshape %0 {shape = array<i64: 3, 2, 2>} : (tensor<3x4xf32>) -> tensor<3x2x2xf32>
  %2 = graph.transpose %1 {permutation = array<i64: 0, 2, 1>} : (tensor<3x2x2xf32>) -> tensor<3x2x2xf32>
  func.return %2 : tensor<3x2x2xf32>
}

// CHECK-LABEL: @split_rows_of_the_weight
// CHECK:         graph.literal dense<{{\[\[}}0.000000e+00], [3.000000e+00], [1.000000e+00], [4.000000e+00], [2.000000e+00], [5.000000e+00]]>
// CHECK-NEXT:    graph.literal dense<5.000000e+00> : tensor<3x1xf32>
// CHECK-NEXT:    graph.matmul
// CHECK-NEXT:    graph.reshape
// CHECK-NEXT:    func.return
func.func @split_rows_of_the_weight(%x: tensor<3x1xf32>) -> tensor<3x3x2xf32> {
  %w = graph.literal dense<[[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]> : tensor<6x1xf32> : tensor<6x1xf32>
  %b = graph.literal dense<5.0> : tensor<3x1xf32> : tensor<3x1xf32>
  %0 = graph.matmul %x, %w bias %b {transpose_rhs} : (tensor<3x1xf32>, tensor<6x1xf32>, tensor<3x1xf32>) -> tensor<3x6xf32>
  %1 = graph.reshape %0 {shape = array<i64: 3, 2, 3>} : (tensor<3x6xf32>) -> tensor<3x2x3xf32>
  %2 = graph.transpose %1 {permutation = array<i64: 0, 2, 1>} : (tensor<3x2x3xf32>) -> tensor<3x3x2xf32>
  func.return %2 : tensor<3x3x2xf32>
}

// CHECK-LABEL: @unknown_bias
// CHECK:         graph.matmul
// CHECK-NEXT:    graph.reshape
// CHECK-NEXT:    graph.transpose
func.func @unknown_bias(%x: tensor<3x1xf32>, %b: tensor<6xf32>) -> tensor<3x3x2xf32> {
  %w = graph.literal dense<1.0> : tensor<1x6xf32> : tensor<1x6xf32>
  %0 = graph.matmul %x, %w bias %b : (tensor<3x1xf32>, tensor<1x6xf32>, tensor<6xf32>) -> tensor<3x6xf32>
  %1 = graph.reshape %0 {shape = array<i64: 3, 2, 3>} : (tensor<3x6xf32>) -> tensor<3x2x3xf32>
  %2 = graph.transpose %1 {permutation = array<i64: 0, 2, 1>} : (tensor<3x2x3xf32>) -> tensor<3x3x2xf32>
  func.return %2 : tensor<3x3x2xf32>
}

// CHECK-LABEL: @split_with_two_readers
// CHECK:         graph.matmul
// CHECK-NEXT:    graph.reshape
// CHECK-NEXT:    graph.transpose
func.func @split_with_two_readers(%x: tensor<3x1xf32>) -> (tensor<3x2x3xf32>, tensor<3x3x2xf32>) {
  %w = graph.literal dense<1.0> : tensor<1x6xf32> : tensor<1x6xf32>
  %0 = graph.matmul %x, %w : (tensor<3x1xf32>, tensor<1x6xf32>) -> tensor<3x6xf32>
  %1 = graph.reshape %0 {shape = array<i64: 3, 2, 3>} : (tensor<3x6xf32>) -> tensor<3x2x3xf32>
  %2 = graph.transpose %1 {permutation = array<i64: 0, 2, 1>} : (tensor<3x2x3xf32>) -> tensor<3x3x2xf32>
  func.return %1, %2 : tensor<3x2x3xf32>, tensor<3x3x2xf32>
}

// CHECK-LABEL: @product_with_two_readers
// CHECK:         graph.matmul
// CHECK-NEXT:    graph.reshape
// CHECK-NEXT:    graph.transpose
func.func @product_with_two_readers(%x: tensor<3x1xf32>) -> (tensor<3x6xf32>, tensor<3x3x2xf32>) {
  %w = graph.literal dense<1.0> : tensor<1x6xf32> : tensor<1x6xf32>
  %0 = graph.matmul %x, %w : (tensor<3x1xf32>, tensor<1x6xf32>) -> tensor<3x6xf32>
  %1 = graph.reshape %0 {shape = array<i64: 3, 2, 3>} : (tensor<3x6xf32>) -> tensor<3x2x3xf32>
  %2 = graph.transpose %1 {permutation = array<i64: 0, 2, 1>} : (tensor<3x2x3xf32>) -> tensor<3x3x2xf32>
  func.return %0, %2 : tensor<3x6xf32>, tensor<3x3x2xf32>
}

// CHECK-LABEL: @rows_of_the_result_move
// CHECK:         graph.matmul
// CHECK-NEXT:    graph.reshape
// CHECK-NEXT:    graph.transpose
func.func @rows_of_the_result_move(%x: tensor<3x1xf32>) -> tensor<3x2x3xf32> {
  %w = graph.literal dense<1.0> : tensor<1x6xf32> : tensor<1x6xf32>
  %0 = graph.matmul %x, %w : (tensor<3x1xf32>, tensor<1x6xf32>) -> tensor<3x6xf32>
  %1 = graph.reshape %0 {shape = array<i64: 3, 2, 3>} : (tensor<3x6xf32>) -> tensor<3x2x3xf32>
  %2 = graph.transpose %1 {permutation = array<i64: 2, 1, 0>} : (tensor<3x2x3xf32>) -> tensor<3x2x3xf32>
  func.return %2 : tensor<3x2x3xf32>
}

// CHECK-LABEL: @equal_transposes
// CHECK-NEXT:    %[[T:.*]] = graph.transpose
// CHECK-NEXT:    func.return %[[T]], %[[T]]
func.func @equal_transposes(%x: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %0 = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  func.return %0, %1 : tensor<3x2xf32>, tensor<3x2xf32>
}

// CHECK-LABEL: @transposes_that_differ
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    graph.transpose
func.func @transposes_that_differ(%x: tensor<2x2x2xf32>) -> (tensor<2x2x2xf32>, tensor<2x2x2xf32>) {
  %0 = graph.transpose %x {permutation = array<i64: 1, 2, 0>} : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %1 = graph.transpose %x {permutation = array<i64: 1, 0, 2>} : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  func.return %0, %1 : tensor<2x2x2xf32>, tensor<2x2x2xf32>
}

// CHECK-LABEL: @equal_transposes_to_layouts
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    graph.transpose
func.func @equal_transposes_to_layouts(%x: tensor<1x2x3x4xf32>) -> (tensor<1x2x4x3xf32>, tensor<1x2x4x3xf32, #layout.physical<NHWC>>) {
  %0 = graph.transpose %x {permutation = array<i64: 0, 1, 3, 2>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x4x3xf32>
  %1 = graph.transpose %x {permutation = array<i64: 0, 1, 3, 2>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x4x3xf32, #layout.physical<NHWC>>
  func.return %0, %1 : tensor<1x2x4x3xf32>, tensor<1x2x4x3xf32, #layout.physical<NHWC>>
}
