// RUN: glow-opt %s -p fold-gathers,dce | filecheck %s

// The first token of each sequence.
// CHECK-LABEL: @one_place(
// CHECK-NEXT:    [[A:%.*]] = graph.slice %x {starts = array<i64: 0, 0, 0>, sizes = array<i64: 2, 1, 4>, steps = array<i64: 1, 1, 1>}
// CHECK-NEXT:    graph.reshape [[A]] {shape = array<i64: 2, 4>}
func.func @one_place(%x: tensor<2x3x4xf32>) -> tensor<2x4xf32> {
  %i = graph.literal dense<0> : tensor<i64> : tensor<i64>
  %y = graph.gather %x, %i {axis = 1 : i64} : (tensor<2x3x4xf32>, tensor<i64>) -> tensor<2x4xf32>
  func.return %y : tensor<2x4xf32>
}

// CHECK-LABEL: @places_from_the_end(
// CHECK-NEXT:    [[A:%.*]] = graph.slice %x {starts = array<i64: 0, 1>, sizes = array<i64: 2, 2>, steps = array<i64: 1, 2>}
// CHECK-NEXT:    func.return [[A]]
func.func @places_from_the_end(%x: tensor<2x5xf32>) -> tensor<2x2xf32> {
  %i = graph.literal dense<[-4, -2]> : tensor<2xi64> : tensor<2xi64>
  %y = graph.gather %x, %i {axis = -1 : i64} : (tensor<2x5xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  func.return %y : tensor<2x2xf32>
}

// A mask by key as tracing makes it: of batch and key, counted in one.
// CHECK-LABEL: @places_in_a_flat_mask(
// CHECK-NEXT:    [[A:%.*]] = graph.reshape %m {shape = array<i64: 2, 1, 1, 3, 1>}
// CHECK-NEXT:    func.return [[A]]
func.func @places_in_a_flat_mask(%m: tensor<2x3xi1>) -> tensor<2x1x1x3x1xi1> {
  %0 = graph.reshape %m {shape = array<i64: 6, 1>} : (tensor<2x3xi1>) -> tensor<6x1xi1>
  %i = graph.literal dense<[[[[0, 1, 2]]], [[[3, 4, 5]]]]> : tensor<2x1x1x3xi64> : tensor<2x1x1x3xi64>
  %y = graph.gather %0, %i : (tensor<6x1xi1>, tensor<2x1x1x3xi64>) -> tensor<2x1x1x3x1xi1>
  func.return %y : tensor<2x1x1x3x1xi1>
}

// Of a row only a part is wanted: that is a slice of what was flattened.
// CHECK-LABEL: @part_of_a_flat_mask(
// CHECK-NEXT:    [[A:%.*]] = graph.slice %m {starts = array<i64: 0, 1>, sizes = array<i64: 2, 2>
// CHECK-NEXT:    func.return [[A]]
func.func @part_of_a_flat_mask(%m: tensor<2x3xi1>) -> tensor<2x2xi1> {
  %0 = graph.reshape %m {shape = array<i64: 6>} : (tensor<2x3xi1>) -> tensor<6xi1>
  %i = graph.literal dense<[[1, 2], [4, 5]]> : tensor<2x2xi64> : tensor<2x2xi64>
  %y = graph.gather %0, %i : (tensor<6xi1>, tensor<2x2xi64>) -> tensor<2x2xi1>
  func.return %y : tensor<2x2xi1>
}

// CHECK-LABEL: @rows_that_run_on(
// CHECK-NEXT:    [[A:%.*]] = graph.slice %x {starts = array<i64: 1>, sizes = array<i64: 6>
// CHECK-NEXT:    graph.reshape [[A]] {shape = array<i64: 2, 3>}
func.func @rows_that_run_on(%x: tensor<8xf32>) -> tensor<2x3xf32> {
  %i = graph.literal dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64> : tensor<2x3xi64>
  %y = graph.gather %x, %i : (tensor<8xf32>, tensor<2x3xi64>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}

// CHECK-LABEL: @one_place_for_all(
// CHECK-NEXT:    [[A:%.*]] = graph.slice %x {starts = array<i64: 2>, sizes = array<i64: 1>
// CHECK-NEXT:    graph.expand [[A]] {shape = array<i64: 3>}
func.func @one_place_for_all(%x: tensor<4xf32>) -> tensor<3xf32> {
  %i = graph.literal dense<2> : tensor<3xi64> : tensor<3xi64>
  %y = graph.gather %x, %i : (tensor<4xf32>, tensor<3xi64>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}

// A mask by key as TorchDynamo makes it: pairs of batch and key, for each query.
// CHECK-LABEL: @pairs_of_places(
// CHECK-NEXT:    [[A:%.*]] = graph.slice %m {starts = array<i64: 0, 1>, sizes = array<i64: 2, 2>
// CHECK-NEXT:    [[B:%.*]] = graph.reshape [[A]] {shape = array<i64: 2, 1, 2>}
// CHECK-NEXT:    graph.expand [[B]] {shape = array<i64: 2, 4, 2>}
func.func @pairs_of_places(%m: tensor<2x3xi1>) -> tensor<2x4x2xi1> {
  %b = graph.literal dense<[[[[0]]], [[[1]]]]> : tensor<2x1x1x1xi64> : tensor<2x1x1x1xi64>
  %k = graph.literal dense<[[[[1], [2]]]]> : tensor<1x1x2x1xi64> : tensor<1x1x2x1xi64>
  %0 = graph.expand %b {shape = array<i64: 2, 4, 2, 1>} : (tensor<2x1x1x1xi64>) -> tensor<2x4x2x1xi64>
  %1 = graph.expand %k {shape = array<i64: 2, 4, 2, 1>} : (tensor<1x1x2x1xi64>) -> tensor<2x4x2x1xi64>
  %i = graph.concat %0, %1 {axis = 3 : i64} : (tensor<2x4x2x1xi64>, tensor<2x4x2x1xi64>) -> tensor<2x4x2x2xi64>
  %y = graph.gather_nd %m, %i : (tensor<2x3xi1>, tensor<2x4x2x2xi64>) -> tensor<2x4x2xi1>
  func.return %y : tensor<2x4x2xi1>
}

// CHECK-LABEL: @places_by_batch(
// CHECK-NEXT:    [[A:%.*]] = graph.slice %x {starts = array<i64: 0, 1, 0>, sizes = array<i64: 2, 1, 4>
// CHECK-NEXT:    graph.reshape [[A]] {shape = array<i64: 2, 4>}
func.func @places_by_batch(%x: tensor<2x3x4xf32>) -> tensor<2x4xf32> {
  %i = graph.literal dense<[[1], [1]]> : tensor<2x1xi64> : tensor<2x1xi64>
  %y = graph.gather_nd %x, %i {batch_dims = 1 : i64} : (tensor<2x3x4xf32>, tensor<2x1xi64>) -> tensor<2x4xf32>
  func.return %y : tensor<2x4xf32>
}

// CHECK-LABEL: @elements(
// CHECK-NEXT:    [[A:%.*]] = graph.slice %x {starts = array<i64: 0, 1>, sizes = array<i64: 2, 2>
// CHECK-NEXT:    func.return [[A]]
func.func @elements(%x: tensor<3x3xf32>) -> tensor<2x2xf32> {
  %i = graph.literal dense<[[1, 2], [1, 2]]> : tensor<2x2xi64> : tensor<2x2xi64>
  %y = graph.gather_elements %x, %i {axis = 1 : i64} : (tensor<3x3xf32>, tensor<2x2xi64>) -> tensor<2x2xf32>
  func.return %y : tensor<2x2xf32>
}

// Every fourth element of all nine.
// CHECK-LABEL: @diagonal(
// CHECK-NEXT:    [[A:%.*]] = graph.reshape %x {shape = array<i64: 9>}
// CHECK-NEXT:    graph.slice [[A]] {starts = array<i64: 0>, sizes = array<i64: 3>, steps = array<i64: 4>}
func.func @diagonal(%x: tensor<3x3xf32>) -> tensor<3xf32> {
  %i = graph.literal dense<[[0, 0], [1, 1], [2, 2]]> : tensor<3x2xi64> : tensor<3x2xi64>
  %y = graph.gather_nd %x, %i : (tensor<3x3xf32>, tensor<3x2xi64>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}

// CHECK-LABEL: @in_another_order(
// CHECK:         graph.gather_nd
func.func @in_another_order(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %i = graph.literal dense<[[[0, 0], [1, 0]], [[0, 1], [1, 1]]]> : tensor<2x2x2xi64> : tensor<2x2x2xi64>
  %y = graph.gather_nd %x, %i : (tensor<2x2xf32>, tensor<2x2x2xi64>) -> tensor<2x2xf32>
  func.return %y : tensor<2x2xf32>
}

// CHECK-LABEL: @backwards(
// CHECK:         graph.gather
func.func @backwards(%x: tensor<3xf32>) -> tensor<3xf32> {
  %i = graph.literal dense<[2, 1, 0]> : tensor<3xi64> : tensor<3xi64>
  %y = graph.gather %x, %i : (tensor<3xf32>, tensor<3xi64>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}

// CHECK-LABEL: @irregular(
// CHECK:         graph.gather
func.func @irregular(%x: tensor<4xf32>) -> tensor<3xf32> {
  %i = graph.literal dense<[0, 1, 3]> : tensor<3xi64> : tensor<3xi64>
  %y = graph.gather %x, %i : (tensor<4xf32>, tensor<3xi64>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}

// Three rows of the two that overlap: no slice has them.
// CHECK-LABEL: @windows(
// CHECK:         graph.gather
func.func @windows(%x: tensor<4xf32>) -> tensor<3x2xf32> {
  %i = graph.literal dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64> : tensor<3x2xi64>
  %y = graph.gather %x, %i : (tensor<4xf32>, tensor<3x2xi64>) -> tensor<3x2xf32>
  func.return %y : tensor<3x2xf32>
}

// Every fourth element is in no column of rows of three.
// CHECK-LABEL: @places_across_rows(
// CHECK-NOT:     graph.slice %x
// CHECK:         func.return
func.func @places_across_rows(%x: tensor<3x3xf32>) -> tensor<2xf32> {
  %0 = graph.reshape %x {shape = array<i64: 9>} : (tensor<3x3xf32>) -> tensor<9xf32>
  %i = graph.literal dense<[0, 4]> : tensor<2xi64> : tensor<2xi64>
  %y = graph.gather %0, %i : (tensor<9xf32>, tensor<2xi64>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// An index that is wrong is the run's to tell.
// CHECK-LABEL: @beyond_the_end(
// CHECK:         graph.gather
func.func @beyond_the_end(%x: tensor<3xf32>) -> tensor<2xf32> {
  %i = graph.literal dense<[2, 3]> : tensor<2xi64> : tensor<2xi64>
  %y = graph.gather %x, %i : (tensor<3xf32>, tensor<2xi64>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// CHECK-LABEL: @before_the_begin(
// CHECK:         graph.gather
func.func @before_the_begin(%x: tensor<3xf32>) -> tensor<2xf32> {
  %i = graph.literal dense<[-4, -3]> : tensor<2xi64> : tensor<2xi64>
  %y = graph.gather %x, %i : (tensor<3xf32>, tensor<2xi64>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// CHECK-LABEL: @places_of_the_run(
// CHECK:         graph.gather
func.func @places_of_the_run(%x: tensor<3xf32>, %i: tensor<2xi64>) -> tensor<2xf32> {
  %y = graph.gather %x, %i : (tensor<3xf32>, tensor<2xi64>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// CHECK-LABEL: @one_coordinate_of_the_run(
// CHECK:         graph.gather_nd
func.func @one_coordinate_of_the_run(%x: tensor<3x3xf32>, %j: tensor<2x1xi64>) -> tensor<2xf32> {
  %0 = graph.literal dense<0> : tensor<2x1xi64> : tensor<2x1xi64>
  %i = graph.concat %0, %j {axis = 1 : i64} : (tensor<2x1xi64>, tensor<2x1xi64>) -> tensor<2x2xi64>
  %y = graph.gather_nd %x, %i : (tensor<3x3xf32>, tensor<2x2xi64>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// CHECK-LABEL: @no_place(
// CHECK:         graph.gather
func.func @no_place(%x: tensor<3xf32>) -> tensor<0xf32> {
  %i = graph.literal dense<0> : tensor<0xi64> : tensor<0xi64>
  %y = graph.gather %x, %i : (tensor<3xf32>, tensor<0xi64>) -> tensor<0xf32>
  func.return %y : tensor<0xf32>
}

// CHECK-LABEL: @result_has_a_layout(
// CHECK:         graph.gather
func.func @result_has_a_layout(%x: tensor<1x2x3x5xf32>) -> tensor<1x2x3x4xf32, #layout.physical<NHWC>> {
  %i = graph.literal dense<[0, 1, 2, 3]> : tensor<4xi64> : tensor<4xi64>
  %y = graph.gather %x, %i {axis = 3 : i64} : (tensor<1x2x3x5xf32>, tensor<4xi64>) -> tensor<1x2x3x4xf32, #layout.physical<NHWC>>
  func.return %y : tensor<1x2x3x4xf32, #layout.physical<NHWC>>
}

// What lies behind a reshape is read only if it has no layout.
// CHECK-LABEL: @source_has_a_layout(
// CHECK:         [[R:%.*]] = graph.reshape %x
// CHECK-NEXT:    graph.slice [[R]]
func.func @source_has_a_layout(%x: tensor<1x2x3x4xf32, #layout.physical<NHWC>>) -> tensor<8xf32> {
  %0 = graph.reshape %x {shape = array<i64: 24>} : (tensor<1x2x3x4xf32, #layout.physical<NHWC>>) -> tensor<24xf32>
  %i = graph.literal dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi64> : tensor<8xi64>
  %y = graph.gather %0, %i : (tensor<24xf32>, tensor<8xi64>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}
