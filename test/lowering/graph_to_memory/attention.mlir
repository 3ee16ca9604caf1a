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
// CHECK-NEXT:    memory.attention ins([[Q]] : {{.*}}, [[V]] : {{.*}}, [[V]] : {{.*}}, [[N]] : {{.*}}) scratch([[S]] : {{.*}}) outs([[Y]] : {{.*}}) {scale = 5.000000e-01 : f64}
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

// Where elements of a head are no neighbours, they are copied.
// CHECK-LABEL: @main
// CHECK:         memory.copy ins(%{{.*}} : memref<1x2x16x8xf32, strided<[256, 128, 1, 16]>>) outs([[K:%.*]] : memref<1x2x16x8xf32>)
// CHECK:         memory.attention ins(%{{.*}} : {{.*}}, [[K]] : memref<1x2x16x8xf32>,
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
