// RUN: glow-opt %s --split-input-file -p graph-to-memory | filecheck %s

// Keys and values are read where they lie, also with heads in another order; scores
// have room in a buffer of the run.
// CHECK-LABEL: @main
// CHECK:         [[Q:%.*]] = memory.get @q
// CHECK:         [[K:%.*]] = memory.get @k
// CHECK:         [[N:%.*]] = memory.get @n
// CHECK:         [[V:%.*]] = memory.view [[K]] : memref<1x16x2x8xf32> -> memref<1x2x16x8xf32, strided<[256, 8, 16, 1]>>
// CHECK:         [[S:%.*]] = memory.alloc : memref<16xf32>
// CHECK-NEXT:    [[Y:%.*]] = memory.get @y
// CHECK-NEXT:    memory.decode_attention ins([[Q]] : {{.*}}, [[V]] : {{.*}}, [[V]] : {{.*}} valid_length [[N]] : {{.*}}) scratch([[S]] : {{.*}}) outs([[Y]] : {{.*}}) {scale = 5.000000e-01 : f64}
// CHECK-NEXT:    func.return
graph.placeholder @q "in" : tensor<1x4x1x8xf32>
graph.placeholder @k "in" : tensor<1x16x2x8xf32>
graph.placeholder @n "in" : tensor<1xi64>
graph.placeholder @y "out" : tensor<1x4x1x8xf32>
func.func @main() {
  %q = graph.load @q : tensor<1x4x1x8xf32>
  %k = graph.load @k : tensor<1x16x2x8xf32>
  %n = graph.load @n : tensor<1xi64>
  %0 = graph.transpose %k {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x16x2x8xf32>) -> tensor<1x2x16x8xf32>
  %y = graph.attention %q, %0, %0 valid_length %n : tensor<1xi64> {scale = 0.5 : f64} : (tensor<1x4x1x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) -> tensor<1x4x1x8xf32>
  graph.save @y, %y : tensor<1x4x1x8xf32>
  func.return
}

// -----

// Where elements of a head are not neighbors, they are copied.
// CHECK-LABEL: @main
// CHECK:         memory.copy ins(%{{.*}} : memref<1x2x16x8xf32, strided<[256, 128, 1, 16]>>) outs([[K:%.*]] : memref<1x2x16x8xf32>)
// CHECK:         memory.decode_attention ins(%{{.*}} : {{.*}}, [[K]] : memref<1x2x16x8xf32>,
graph.placeholder @q "in" : tensor<1x4x1x8xf32>
graph.placeholder @k "in" : tensor<1x2x8x16xf32>
graph.placeholder @v "in" : tensor<1x2x16x8xf32>
graph.placeholder @n "in" : tensor<1xi64>
graph.placeholder @y "out" : tensor<1x4x1x8xf32>
func.func @main() {
  %q = graph.load @q : tensor<1x4x1x8xf32>
  %k = graph.load @k : tensor<1x2x8x16xf32>
  %v = graph.load @v : tensor<1x2x16x8xf32>
  %n = graph.load @n : tensor<1xi64>
  %0 = graph.transpose %k {permutation = array<i64: 0, 1, 3, 2>} : (tensor<1x2x8x16xf32>) -> tensor<1x2x16x8xf32>
  %y = graph.attention %q, %0, %v valid_length %n : tensor<1xi64> : (tensor<1x4x1x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) -> tensor<1x4x1x8xf32>
  graph.save @y, %y : tensor<1x4x1x8xf32>
  func.return
}

// -----

// Two queries of a head of keys are computed one by one; each sees one key more.
// CHECK-LABEL: @main
// CHECK:         memory.decode_attention {{.*}} scratch({{.*}} : memref<16xf32>) {{.*}} {scale = 5.000000e-01 : f64, right_window_size = 0 : i64}
graph.placeholder @q "in" : tensor<1x2x2x8xf32>
graph.placeholder @k "in" : tensor<1x2x16x8xf32>
graph.placeholder @y "out" : tensor<1x2x2x8xf32>
func.func @main() {
  %q = graph.load @q : tensor<1x2x2x8xf32>
  %k = graph.load @k : tensor<1x2x16x8xf32>
  %y = graph.attention %q, %k, %k {scale = 0.5 : f64, causal} : (tensor<1x2x2x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) -> tensor<1x2x2x8xf32>
  graph.save @y, %y : tensor<1x2x2x8xf32>
  func.return
}

// -----

// More are in blocks.
// CHECK-LABEL: @main
// CHECK:         memory.attention ins({{.*}}) {scale = 5.000000e-01 : f64, query_block = {{[0-9]+}} : i64, key_block = 16 : i64}
graph.placeholder @q "in" : tensor<1x3x3x8xf32>
graph.placeholder @k "in" : tensor<1x3x16x8xf32>
graph.placeholder @y "out" : tensor<1x3x3x8xf32>
func.func @main() {
  %q = graph.load @q : tensor<1x3x3x8xf32>
  %k = graph.load @k : tensor<1x3x16x8xf32>
  %y = graph.attention %q, %k, %k {scale = 0.5 : f64} : (tensor<1x3x3x8xf32>, tensor<1x3x16x8xf32>, tensor<1x3x16x8xf32>) -> tensor<1x3x3x8xf32>
  graph.save @y, %y : tensor<1x3x3x8xf32>
  func.return
}

// -----

// A bias takes the scores of a block.
// CHECK-LABEL: @main
// CHECK:         memory.attention
graph.placeholder @q "in" : tensor<1x2x2x8xf32>
graph.placeholder @k "in" : tensor<1x2x16x8xf32>
graph.placeholder @y "out" : tensor<1x2x2x8xf32>
graph.placeholder @b "in" : tensor<16xf32>
func.func @main() {
  %q = graph.load @q : tensor<1x2x2x8xf32>
  %k = graph.load @k : tensor<1x2x16x8xf32>
  %b = graph.load @b : tensor<16xf32>
  %y = graph.attention %q, %k, %k bias %b : tensor<16xf32> {scale = 0.5 : f64} : (tensor<1x2x2x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) -> tensor<1x2x2x8xf32>
  graph.save @y, %y : tensor<1x2x2x8xf32>
  func.return
}

// -----

// So does a mask,
// CHECK-LABEL: @main
// CHECK:         memory.attention
graph.placeholder @q "in" : tensor<1x2x2x8xf32>
graph.placeholder @k "in" : tensor<1x2x16x8xf32>
graph.placeholder @y "out" : tensor<1x2x2x8xf32>
graph.placeholder @m "in" : tensor<16xi1>
func.func @main() {
  %q = graph.load @q : tensor<1x2x2x8xf32>
  %k = graph.load @k : tensor<1x2x16x8xf32>
  %m = graph.load @m : tensor<16xi1>
  %y = graph.attention %q, %k, %k mask %m : tensor<16xi1> {scale = 0.5 : f64} : (tensor<1x2x2x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) -> tensor<1x2x2x8xf32>
  graph.save @y, %y : tensor<1x2x2x8xf32>
  func.return
}

// -----

// a cap,
// CHECK-LABEL: @main
// CHECK:         memory.attention
graph.placeholder @q "in" : tensor<1x2x2x8xf32>
graph.placeholder @k "in" : tensor<1x2x16x8xf32>
graph.placeholder @y "out" : tensor<1x2x2x8xf32>
func.func @main() {
  %q = graph.load @q : tensor<1x2x2x8xf32>
  %k = graph.load @k : tensor<1x2x16x8xf32>
  %y = graph.attention %q, %k, %k {scale = 0.5 : f64, softcap = 2.0 : f64} : (tensor<1x2x2x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) -> tensor<1x2x2x8xf32>
  graph.save @y, %y : tensor<1x2x2x8xf32>
  func.return
}

// -----

// a window that ends behind the query,
// CHECK-LABEL: @main
// CHECK:         memory.attention
graph.placeholder @q "in" : tensor<1x2x2x8xf32>
graph.placeholder @k "in" : tensor<1x2x16x8xf32>
graph.placeholder @y "out" : tensor<1x2x2x8xf32>
func.func @main() {
  %q = graph.load @q : tensor<1x2x2x8xf32>
  %k = graph.load @k : tensor<1x2x16x8xf32>
  %y = graph.attention %q, %k, %k {scale = 0.5 : f64, left_window_size = 0 : i64} : (tensor<1x2x2x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) -> tensor<1x2x2x8xf32>
  graph.save @y, %y : tensor<1x2x2x8xf32>
  func.return
}

// -----

// and another result where nothing is valid.
// CHECK-LABEL: @main
// CHECK:         memory.attention
graph.placeholder @q "in" : tensor<1x2x2x8xf32>
graph.placeholder @k "in" : tensor<1x2x16x8xf32>
graph.placeholder @y "out" : tensor<1x2x2x8xf32>
graph.placeholder @n "in" : tensor<1xi64>
func.func @main() {
  %q = graph.load @q : tensor<1x2x2x8xf32>
  %k = graph.load @k : tensor<1x2x16x8xf32>
  %n = graph.load @n : tensor<1xi64>
  %y = graph.attention %q, %k, %k valid_length %n : tensor<1xi64> {scale = 0.5 : f64, unseen = "nan"} : (tensor<1x2x2x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) -> tensor<1x2x2x8xf32>
  graph.save @y, %y : tensor<1x2x2x8xf32>
  func.return
}

// -----

// Zeros in the place of NaN do, too.
// CHECK-LABEL: @main
// CHECK:         memory.attention
graph.placeholder @q "in" : tensor<1x2x2x8xf32>
graph.placeholder @k "in" : tensor<1x2x16x8xf32>
graph.placeholder @y "out" : tensor<1x2x2x8xf32>
func.func @main() {
  %q = graph.load @q : tensor<1x2x2x8xf32>
  %k = graph.load @k : tensor<1x2x16x8xf32>
  %y = graph.attention %q, %k, %k {scale = 0.5 : f64, unseen = "nan_to_zero"} : (tensor<1x2x2x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>) -> tensor<1x2x2x8xf32>
  graph.save @y, %y : tensor<1x2x2x8xf32>
  func.return
}

// -----

// Heads that share keys are apart where blocks of one are as full,
// CHECK-LABEL: @main
// CHECK:         memory.attention
// CHECK-NOT:     joins_heads
graph.placeholder @q "in" : tensor<1x4x40x8xf32>
graph.placeholder @k "in" : tensor<1x2x40x8xf32>
graph.placeholder @y "out" : tensor<1x4x40x8xf32>
func.func @main() {
  %q = graph.load @q : tensor<1x4x40x8xf32>
  %k = graph.load @k : tensor<1x2x40x8xf32>
  %y = graph.attention %q, %k, %k {scale = 0.5 : f64} : (tensor<1x4x40x8xf32>, tensor<1x2x40x8xf32>, tensor<1x2x40x8xf32>) -> tensor<1x4x40x8xf32>
  graph.save @y, %y : tensor<1x4x40x8xf32>
  func.return
}

// -----

// and else together.
// CHECK-LABEL: @main
// CHECK:         memory.attention {{.*}} joins_heads
graph.placeholder @q "in" : tensor<1x8x4x8xf32>
graph.placeholder @k "in" : tensor<1x2x40x8xf32>
graph.placeholder @y "out" : tensor<1x8x4x8xf32>
func.func @main() {
  %q = graph.load @q : tensor<1x8x4x8xf32>
  %k = graph.load @k : tensor<1x2x40x8xf32>
  %y = graph.attention %q, %k, %k {scale = 0.5 : f64} : (tensor<1x8x4x8xf32>, tensor<1x2x40x8xf32>, tensor<1x2x40x8xf32>) -> tensor<1x8x4x8xf32>
  graph.save @y, %y : tensor<1x8x4x8xf32>
  func.return
}
