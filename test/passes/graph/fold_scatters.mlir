// RUN: glow-opt %s -p fold-scatters,dce | filecheck %s

// CHECK-LABEL: @all_places
// CHECK-NEXT:    func.return %u
func.func @all_places(%x: tensor<2x2xf32>, %u: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %i = graph.literal dense<[[[0, 0], [0, 1]], [[1, 0], [1, 1]]]> : tensor<2x2x2xi64> : tensor<2x2x2xi64>
  %y = graph.scatter_nd %x, %i, %u : (tensor<2x2xf32>, tensor<2x2x2xi64>, tensor<2x2xf32>) -> tensor<2x2xf32>
  func.return %y : tensor<2x2xf32>
}

// What a grid is made of need not be folded.
// CHECK-LABEL: @begin_of_the_last_axis
// CHECK-NEXT:    [[A:%.*]] = graph.slice %x {starts = array<i64: 0, 3>
// CHECK-NEXT:    graph.concat %u, [[A]] {axis = 1 : i64}
func.func @begin_of_the_last_axis(%x: tensor<2x5xf32>, %u: tensor<2x3xf32>) -> tensor<2x5xf32> {
  %r = graph.literal dense<[[[0]], [[1]]]> : tensor<2x1x1xi64> : tensor<2x1x1xi64>
  %c = graph.literal dense<[[[0], [1], [2]]]> : tensor<1x3x1xi64> : tensor<1x3x1xi64>
  %0 = graph.expand %r {shape = array<i64: 2, 3, 1>} : (tensor<2x1x1xi64>) -> tensor<2x3x1xi64>
  %1 = graph.expand %c {shape = array<i64: 2, 3, 1>} : (tensor<1x3x1xi64>) -> tensor<2x3x1xi64>
  %i = graph.concat %0, %1 {axis = 2 : i64} : (tensor<2x3x1xi64>, tensor<2x3x1xi64>) -> tensor<2x3x2xi64>
  %y = graph.scatter_nd %x, %i, %u : (tensor<2x5xf32>, tensor<2x3x2xi64>, tensor<2x3xf32>) -> tensor<2x5xf32>
  func.return %y : tensor<2x5xf32>
}

// CHECK-LABEL: @rows_in_the_middle
// CHECK-NEXT:    [[B:%.*]] = graph.slice %x {starts = array<i64: 0, 0>, sizes = array<i64: 1, 3>
// CHECK-NEXT:    [[A:%.*]] = graph.slice %x {starts = array<i64: 3, 0>, sizes = array<i64: 2, 3>
// CHECK-NEXT:    graph.concat [[B]], %u, [[A]] {axis = 0 : i64}
func.func @rows_in_the_middle(%x: tensor<5x3xf32>, %u: tensor<2x3xf32>) -> tensor<5x3xf32> {
  %i = graph.literal dense<[[1], [2]]> : tensor<2x1xi64> : tensor<2x1xi64>
  %y = graph.scatter_nd %x, %i, %u : (tensor<5x3xf32>, tensor<2x1xi64>, tensor<2x3xf32>) -> tensor<5x3xf32>
  func.return %y : tensor<5x3xf32>
}

// CHECK-LABEL: @two_axes_in_part
// CHECK:         graph.scatter_nd
func.func @two_axes_in_part(%x: tensor<2x2xf32>, %u: tensor<1x1xf32>) -> tensor<2x2xf32> {
  %i = graph.literal dense<[[[0, 1]]]> : tensor<1x1x2xi64> : tensor<1x1x2xi64>
  %y = graph.scatter_nd %x, %i, %u : (tensor<2x2xf32>, tensor<1x1x2xi64>, tensor<1x1xf32>) -> tensor<2x2xf32>
  func.return %y : tensor<2x2xf32>
}

// CHECK-LABEL: @rows_in_another_order
// CHECK:         graph.scatter_nd
func.func @rows_in_another_order(%x: tensor<2x3xf32>, %u: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %i = graph.literal dense<[[1], [0]]> : tensor<2x1xi64> : tensor<2x1xi64>
  %y = graph.scatter_nd %x, %i, %u : (tensor<2x3xf32>, tensor<2x1xi64>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}

// CHECK-LABEL: @columns_before_rows
// CHECK:         graph.scatter_nd
func.func @columns_before_rows(%x: tensor<2x2xf32>, %u: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %i = graph.literal dense<[[[0, 0], [1, 0]], [[0, 1], [1, 1]]]> : tensor<2x2x2xi64> : tensor<2x2x2xi64>
  %y = graph.scatter_nd %x, %i, %u : (tensor<2x2xf32>, tensor<2x2x2xi64>, tensor<2x2xf32>) -> tensor<2x2xf32>
  func.return %y : tensor<2x2xf32>
}

// CHECK-LABEL: @counted_from_the_end
// CHECK:         graph.scatter_nd
func.func @counted_from_the_end(%x: tensor<5x3xf32>, %u: tensor<2x3xf32>) -> tensor<5x3xf32> {
  %i = graph.literal dense<[[-1], [0]]> : tensor<2x1xi64> : tensor<2x1xi64>
  %y = graph.scatter_nd %x, %i, %u : (tensor<5x3xf32>, tensor<2x1xi64>, tensor<2x3xf32>) -> tensor<5x3xf32>
  func.return %y : tensor<5x3xf32>
}

// An index that is wrong is the run's to tell.
// CHECK-LABEL: @beyond_the_end
// CHECK:         graph.scatter_nd
func.func @beyond_the_end(%x: tensor<5x3xf32>, %u: tensor<2x3xf32>) -> tensor<5x3xf32> {
  %i = graph.literal dense<[[4], [5]]> : tensor<2x1xi64> : tensor<2x1xi64>
  %y = graph.scatter_nd %x, %i, %u : (tensor<5x3xf32>, tensor<2x1xi64>, tensor<2x3xf32>) -> tensor<5x3xf32>
  func.return %y : tensor<5x3xf32>
}

// CHECK-LABEL: @combined
// CHECK:         graph.scatter_nd
func.func @combined(%x: tensor<2x3xf32>, %u: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %i = graph.literal dense<[[0], [1]]> : tensor<2x1xi64> : tensor<2x1xi64>
  %y = graph.scatter_nd %x, %i, %u {reduction = "add"} : (tensor<2x3xf32>, tensor<2x1xi64>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}

// CHECK-LABEL: @places_of_the_run
// CHECK:         graph.scatter_nd
func.func @places_of_the_run(%x: tensor<2x3xf32>, %i: tensor<2x1xi64>, %u: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = graph.scatter_nd %x, %i, %u : (tensor<2x3xf32>, tensor<2x1xi64>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}

// Two rows of places for one axis: updates have another shape than the block.
// CHECK-LABEL: @in_another_arrangement
// CHECK:         graph.scatter_nd
func.func @in_another_arrangement(%x: tensor<2x3xf32>, %u: tensor<1x2x3xf32>) -> tensor<2x3xf32> {
  %i = graph.literal dense<[[[0], [1]]]> : tensor<1x2x1xi64> : tensor<1x2x1xi64>
  %y = graph.scatter_nd %x, %i, %u : (tensor<2x3xf32>, tensor<1x2x1xi64>, tensor<1x2x3xf32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}

// CHECK-LABEL: @several_coordinates_in_one
// CHECK:         graph.scatter_nd
func.func @several_coordinates_in_one(%x: tensor<1x2xf32>, %u: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %i = graph.literal dense<[[[0, 0], [0, 1]]]> : tensor<1x2x2xi64> : tensor<1x2x2xi64>
  %j = graph.concat %i {axis = 2 : i64} : (tensor<1x2x2xi64>) -> tensor<1x2x2xi64>
  %y = graph.scatter_nd %x, %j, %u : (tensor<1x2xf32>, tensor<1x2x2xi64>, tensor<1x2xf32>) -> tensor<1x2xf32>
  func.return %y : tensor<1x2xf32>
}

// Joined along another axis than that of the coordinates.
// CHECK-LABEL: @rows_of_places_joined
// CHECK:         graph.scatter_nd
func.func @rows_of_places_joined(%x: tensor<2x3xf32>, %u: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.literal dense<[[0]]> : tensor<1x1xi64> : tensor<1x1xi64>
  %1 = graph.literal dense<[[1]]> : tensor<1x1xi64> : tensor<1x1xi64>
  %i = graph.concat %0, %1 {axis = 0 : i64} : (tensor<1x1xi64>, tensor<1x1xi64>) -> tensor<2x1xi64>
  %y = graph.scatter_nd %x, %i, %u : (tensor<2x3xf32>, tensor<2x1xi64>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}

// CHECK-LABEL: @nothing_is_written
// CHECK:         graph.scatter_nd
func.func @nothing_is_written(%x: tensor<2x3xf32>, %i: tensor<0x1xi64>, %u: tensor<0x3xf32>) -> tensor<2x3xf32> {
  %y = graph.scatter_nd %x, %i, %u : (tensor<2x3xf32>, tensor<0x1xi64>, tensor<0x3xf32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}

// Rows by turns, each at one place; what no turn writes stays.
// CHECK-LABEL: @rows_of_several_scatters(
// CHECK-NEXT:    [[R:%.*]] = graph.slice %x {starts = array<i64: 1, 0>, sizes = array<i64: 1, 2>
// CHECK-NEXT:    [[A:%.*]] = graph.reshape %a {shape = array<i64: 1, 2>}
// CHECK-NEXT:    [[Y:%.*]] = graph.concat %b, [[R]], [[A]] {axis = 0 : i64}
// CHECK-NEXT:    func.return [[Y]]
func.func @rows_of_several_scatters(%x: tensor<3x2xf32>, %a: tensor<2xf32>, %b: tensor<1x2xf32>) -> tensor<3x2xf32> {
  %i = graph.literal dense<2> : tensor<1xi64> : tensor<1xi64>
  %j = graph.literal dense<0> : tensor<1x1xi64> : tensor<1x1xi64>
  %0 = graph.scatter_nd %x, %i, %a : (tensor<3x2xf32>, tensor<1xi64>, tensor<2xf32>) -> tensor<3x2xf32>
  %1 = graph.scatter_nd %0, %j, %b : (tensor<3x2xf32>, tensor<1x1xi64>, tensor<1x2xf32>) -> tensor<3x2xf32>
  func.return %1 : tensor<3x2xf32>
}

// The second one writes over the first.
// CHECK-LABEL: @rows_at_one_place(
// CHECK:         [[W:%.*]] = graph.concat
// CHECK-NEXT:    [[R:%.*]] = graph.slice [[W]] {starts = array<i64: 0, 0>, sizes = array<i64: 1, 2>
// CHECK-NEXT:    [[B:%.*]] = graph.reshape %b {shape = array<i64: 1, 2>}
// CHECK-NEXT:    [[Y:%.*]] = graph.concat [[R]], [[B]] {axis = 0 : i64}
// CHECK-NEXT:    func.return [[Y]]
func.func @rows_at_one_place(%x: tensor<2x2xf32>, %a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2x2xf32> {
  %i = graph.literal dense<1> : tensor<1xi64> : tensor<1xi64>
  %0 = graph.scatter_nd %x, %i, %a : (tensor<2x2xf32>, tensor<1xi64>, tensor<2xf32>) -> tensor<2x2xf32>
  %1 = graph.scatter_nd %0, %i, %b : (tensor<2x2xf32>, tensor<1xi64>, tensor<2xf32>) -> tensor<2x2xf32>
  func.return %1 : tensor<2x2xf32>
}

// CHECK-LABEL: @row_at_an_unknown_place_is_kept(
// CHECK:         graph.concat
// CHECK:         graph.scatter_nd
func.func @row_at_an_unknown_place_is_kept(%x: tensor<2x2xf32>, %i: tensor<1xi64>, %a: tensor<2xf32>) -> tensor<2x2xf32> {
  %j = graph.literal dense<1> : tensor<1xi64> : tensor<1xi64>
  %0 = graph.scatter_nd %x, %j, %a : (tensor<2x2xf32>, tensor<1xi64>, tensor<2xf32>) -> tensor<2x2xf32>
  %1 = graph.scatter_nd %0, %i, %a : (tensor<2x2xf32>, tensor<1xi64>, tensor<2xf32>) -> tensor<2x2xf32>
  func.return %1 : tensor<2x2xf32>
}
