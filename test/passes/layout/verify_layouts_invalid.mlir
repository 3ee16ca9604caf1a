// RUN: glow-opt %s -p 'verify-layouts{target="cpu:avx2"}' --split-input-file --verify-diagnostics | filecheck %s

// CHECK: graph.max_pool at {{.*}}: expected input in NHWC, got tensor<1x4x7x7xf32>
func.func @operand(%x: tensor<1x4x7x7xf32>) {
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x4x7x7xf32>) -> tensor<1x4x6x6xf32>
  func.return
}

// -----

// CHECK: graph.max_pool at {{.*}}: expected indices in NHWC, got tensor<1x4x6x6xi64>
func.func @result(%x: tensor<1x4x7x7xf32, #layout.physical<NHWC>>) {
  %0, %1 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>, with_indices} : (tensor<1x4x7x7xf32, #layout.physical<NHWC>>) -> (tensor<1x4x6x6xf32, #layout.physical<NHWC>>, tensor<1x4x6x6xi64>)
  func.return
}

// -----

// CHECK: graph.matmul at {{.*}}: expected rhs in NK24n, got tensor<8x20xf32>
func.func @constant_operand(%x: tensor<5x8xf32>) {
  %k = graph.literal dense<1.0> : tensor<8x20xf32> : tensor<8x20xf32>
  %0 = graph.matmul %x, %k : (tensor<5x8xf32>, tensor<8x20xf32>) -> tensor<5x20xf32>
  func.return
}

// -----

// CHECK: graph.matmul at {{.*}}: expected rhs in an order of whole axes with axis 1 innermost, got tensor<8x20xf64, #layout.physical<NK16n>>
func.func @variable_operand(%x: tensor<5x8xf64>, %k: tensor<8x20xf64, #layout.physical<NK16n>>) {
  %0 = graph.matmul %x, %k : (tensor<5x8xf64>, tensor<8x20xf64, #layout.physical<NK16n>>) -> tensor<5x20xf64>
  func.return
}

// -----

// CHECK: graph.concat at {{.*}}: expected layouts that target cpu can carry, got inputs[0] tensor<1x16x2x2xf32>, inputs[1] tensor<1x16x2x2xf32, #layout.physical<NCHW8c>>, result tensor<1x32x2x2xf32>
func.func @blocks(%x: tensor<1x16x2x2xf32>, %y: tensor<1x16x2x2xf32, #layout.physical<NCHW8c>>) {
  %0 = graph.concat %x, %y {axis = 1 : i64} : (tensor<1x16x2x2xf32>, tensor<1x16x2x2xf32, #layout.physical<NCHW8c>>) -> tensor<1x32x2x2xf32>
  func.return
}

// -----

// CHECK: graph.pad at {{.*}}: expected layouts that target cpu can carry, got input tensor<1x16x2x2xf32, #layout.physical<NCHW8c>>
func.func @blocks_of_another_shape(%x: tensor<1x16x2x2xf32, #layout.physical<NCHW8c>>) {
  %0 = graph.pad %x {pads = array<i64: 0, 1, 0, 0, 0, 0, 0, 0>} : (tensor<1x16x2x2xf32, #layout.physical<NCHW8c>>) -> tensor<1x17x2x2xf32, #layout.physical<NCHW8c>>
  func.return
}

// -----

// CHECK: graph.transpose at {{.*}}: expected result in row-major, got tensor<2x4x3xf32, #layout.physical<NWC>>
func.func @transposed(%x: tensor<2x3x4xf32, #layout.physical<NWC>>) {
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 1>} : (tensor<2x3x4xf32, #layout.physical<NWC>>) -> tensor<2x4x3xf32, #layout.physical<NWC>>
  func.return
}

// -----

// CHECK: graph.reshape at {{.*}}: expected result in [0, 1:36, 1:?:36], got tensor<2x144xf32>
func.func @flattened(%x: tensor<2x4x6x6xf32, #layout.physical<NHWC>>) {
  %0 = graph.reshape %x {shape = array<i64: 2, 144>} : (tensor<2x4x6x6xf32, #layout.physical<NHWC>>) -> tensor<2x144xf32>
  func.return
}

// -----

// CHECK: graph.reshape at {{.*}}: expected an input whose axes merge in place, got tensor<2x12x6x6xf32, #layout.physical<NCHW8c>>
func.func @flattened_blocks(%x: tensor<2x12x6x6xf32, #layout.physical<NCHW8c>>) {
  %0 = graph.reshape %x {shape = array<i64: 24, 36>} : (tensor<2x12x6x6xf32, #layout.physical<NCHW8c>>) -> tensor<24x36xf32>
  func.return
}

// -----

graph.placeholder @x "in" : tensor<2x3xf32>

// CHECK: graph.load at {{.*}}: expected tensor<2x3xf32> as @x has, got tensor<2x3xf32, #layout.physical<NK>>
func.func @loaded() {
  %0 = graph.load @x : tensor<2x3xf32, #layout.physical<[1, 0]>>
  func.return
}

// -----

graph.placeholder @x "out" : tensor<2x3xf32>

// CHECK: graph.save at {{.*}}: expected tensor<2x3xf32> as @x has, got tensor<2x3xf32, #layout.physical<
func.func @saved(%x: tensor<2x3xf32, #layout.physical<[1, 0]>>) {
  graph.save @x, %x : tensor<2x3xf32, #layout.physical<[1, 0]>>
  func.return
}

// -----

// CHECK: graph.relu at {{.*}}: expected a layout of rank 2, got #layout.physical<NHWC> in tensor<2x3xf32, #layout.physical<NHWC>>
func.func @rank(%x: tensor<2x3xf32>) {
  %0 = graph.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32, #layout.physical<NHWC>>
  func.return
}

// -----

// CHECK: graph.placeholder at {{.*}}: expected a layout of rank 2
graph.placeholder @x "in" : tensor<2x3xf32, #layout.physical<NHWC>>

// -----

// CHECK: func.func at {{.*}}: expected a layout of rank 2
func.func @argument(%x: tensor<2x3xf32, #layout.physical<NHWC>>) {
  func.return
}

// -----

// The padding of the result would not be zero.
// CHECK: graph.exp at {{.*}}: expected layouts that target cpu can carry
func.func @padded_blocks(%x: tensor<1x9x2x2xf32, #layout.physical<NCHW8c>>) {
  %0 = graph.exp %x : (tensor<1x9x2x2xf32, #layout.physical<NCHW8c>>) -> tensor<1x9x2x2xf32, #layout.physical<NCHW8c>>
  func.return
}

// -----

// Where a function is called, types say layouts, too.
// CHECK: func.call at {{.*}}: operand type mismatch: expected operand type tensor<2x3xf32, #layout.physical<NK>>
func.func private @callee(%x: tensor<2x3xf32, #layout.physical<[1, 0]>>) {
  func.return
}
func.func @caller(%x: tensor<2x3xf32>) {
  func.call @callee(%x) : (tensor<2x3xf32>) -> ()
  func.return
}

// -----

// CHECK: func.return at {{.*}}: Expected arguments to have the same types as the function output types
func.func @returned(%x: tensor<2x3xf32>) -> tensor<2x3xf32, #layout.physical<[1, 0]>> {
  func.return %x : tensor<2x3xf32>
}

// -----

// Aligned rows are other bytes than rows without a gap.
// CHECK: graph.max_pool at {{.*}}: expected input in NHWC, got tensor<1x3x7x7xf32, #layout.physical<NH[a=64]WC>>
func.func @alignment(%x: tensor<1x3x7x7xf32, #layout.physical<NH[a=64]WC>>) {
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x3x7x7xf32, #layout.physical<NH[a=64]WC>>) -> tensor<1x3x6x6xf32, #layout.physical<NHWC>>
  func.return
}

// -----

// CHECK: graph.transpose at {{.*}}: expected a permutation of 2 axes, got [0, 0]
func.func @no_permutation(%x: tensor<2x3xf32>) {
  %0 = graph.transpose %x {permutation = array<i64: 0, 0>} : (tensor<2x3xf32>) -> tensor<2x2xf32>
  func.return
}

// -----

// Inside a group as outside.
// CHECK: graph.max_pool at {{.*}}: expected input in NHWC, got tensor<1x4x7x7xf32>
func.func @in_a_group(%x: tensor<1x4x7x7xf32>) {
  %0 = graph.fused(%x) {
  ^bb0(%a: tensor<1x4x7x7xf32>):
    %1 = graph.max_pool %a {kernel_shape = array<i64: 2, 2>} : (tensor<1x4x7x7xf32>) -> tensor<1x4x6x6xf32, #layout.physical<NHWC>>
    %2 = graph.relu %1 : (tensor<1x4x6x6xf32, #layout.physical<NHWC>>) -> tensor<1x4x6x6xf32, #layout.physical<NHWC>>
    graph.yield %2 : tensor<1x4x6x6xf32, #layout.physical<NHWC>>
  } : (tensor<1x4x7x7xf32>) -> tensor<1x4x6x6xf32, #layout.physical<NHWC>>
  func.return
}

// -----

// An operand that may be absent is asked for when it is there.
// CHECK: graph.attention at {{.*}}: expected mask in row-major, got tensor<5x7xi1, #layout.physical<NK>>
func.func @mask(%q: tensor<1x2x5x8xf32>, %k: tensor<1x2x7x8xf32>, %m: tensor<5x7xi1, #layout.physical<NK>>) {
  %y = graph.attention %q, %k, %k mask %m : tensor<5x7xi1, #layout.physical<NK>> : (tensor<1x2x5x8xf32>, tensor<1x2x7x8xf32>, tensor<1x2x7x8xf32>) -> tensor<1x2x5x8xf32>
  func.return
}

// -----

// What one kernel computes wants elements of a head in a row.
// CHECK: graph.attention at {{.*}}: expected value in an order of whole axes with axis 3 innermost, got tensor<1x2x7x8xf32, #layout.physical<NCWH>>
func.func @value(%q: tensor<1x2x5x8xf32>, %k: tensor<1x2x7x8xf32>, %v: tensor<1x2x7x8xf32, #layout.physical<NCWH>>, %n: tensor<1xi64>) {
  %y = graph.attention %q, %k, %v valid_length %n : tensor<1xi64> : (tensor<1x2x5x8xf32>, tensor<1x2x7x8xf32>, tensor<1x2x7x8xf32, #layout.physical<NCWH>>) -> tensor<1x2x5x8xf32>
  func.return
}
