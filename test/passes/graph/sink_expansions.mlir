// RUN: glow-opt %s -p sink-expansions | filecheck %s

// CHECK-LABEL: @function_expands_too(
// CHECK-NEXT:    [[A:%.*]] = graph.add %x, %y : (tensor<1x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    func.return [[A]]
func.func @function_expands_too(%x: tensor<1x3xf32>, %y: tensor<2x1xf32>) -> tensor<2x3xf32> {
  %0 = graph.expand %x {shape = array<i64: 2, 3>} : (tensor<1x3xf32>) -> tensor<2x3xf32>
  %1 = graph.add %0, %y : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  func.return %1 : tensor<2x3xf32>
}

// CHECK-LABEL: @mask_for_each_query(
// CHECK-NEXT:    [[C:%.*]] = graph.cast %m {to = i1} : (tensor<1x3xi64>) -> tensor<1x3xi1>
// CHECK-NEXT:    [[N:%.*]] = graph.not [[C]] : (tensor<1x3xi1>) -> tensor<1x3xi1>
// CHECK-NEXT:    [[W:%.*]] = graph.where [[N]], %a, %b : (tensor<1x3xi1>, tensor<f32>, tensor<f32>) -> tensor<1x3xf32>
// CHECK-NEXT:    [[E:%.*]] = graph.expand [[W]] {shape = array<i64: 4, 3>}
// CHECK-NEXT:    func.return [[E]]
func.func @mask_for_each_query(%m: tensor<1x3xi64>, %a: tensor<f32>, %b: tensor<f32>) -> tensor<4x3xf32> {
  %0 = graph.expand %m {shape = array<i64: 4, 3>} : (tensor<1x3xi64>) -> tensor<4x3xi64>
  %1 = graph.cast %0 {to = i1} : (tensor<4x3xi64>) -> tensor<4x3xi1>
  %2 = graph.not %1 : (tensor<4x3xi1>) -> tensor<4x3xi1>
  %3 = graph.where %2, %a, %b : (tensor<4x3xi1>, tensor<f32>, tensor<f32>) -> tensor<4x3xf32>
  func.return %3 : tensor<4x3xf32>
}

// CHECK-LABEL: @parameters_are_kept(
// CHECK-NEXT:    [[A:%.*]] = graph.leaky_relu %x {alpha = 5.000000e-01 : f64} : (tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT:    graph.expand [[A]]
func.func @parameters_are_kept(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = graph.expand %x {shape = array<i64: 2, 3>} : (tensor<3xf32>) -> tensor<2x3xf32>
  %1 = graph.leaky_relu %0 {alpha = 0.5} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %1 : tensor<2x3xf32>
}

// A sum is not a function of elements.
// CHECK-LABEL: @sum_is_kept(
// CHECK:         graph.expand
// CHECK-NEXT:    graph.reduce_sum
func.func @sum_is_kept(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = graph.expand %x {shape = array<i64: 2, 3>} : (tensor<3xf32>) -> tensor<2x3xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<3xf32>
  func.return %1 : tensor<3xf32>
}

// CHECK-LABEL: @nothing_expands(
// CHECK-NEXT:    graph.relu %x
// CHECK-NEXT:    func.return
func.func @nothing_expands(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = graph.relu %x : (tensor<3xf32>) -> tensor<3xf32>
  func.return %0 : tensor<3xf32>
}

// CHECK-LABEL: @layout_of_the_result_is_kept(
// CHECK:         graph.expand
// CHECK-NEXT:    graph.relu
func.func @layout_of_the_result_is_kept(%x: tensor<4xf32>) -> tensor<1x2x3x4xf32, #layout.physical<NHWC>> {
  %0 = graph.expand %x {shape = array<i64: 1, 2, 3, 4>} : (tensor<4xf32>) -> tensor<1x2x3x4xf32>
  %1 = graph.relu %0 : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32, #layout.physical<NHWC>>
  func.return %1 : tensor<1x2x3x4xf32, #layout.physical<NHWC>>
}

// CHECK-LABEL: @layout_of_the_small_one_is_kept(
// CHECK:         graph.expand
// CHECK-NEXT:    graph.relu
func.func @layout_of_the_small_one_is_kept(%x: tensor<1x1x3x4xf32, #layout.physical<NHWC>>) -> tensor<1x2x3x4xf32> {
  %0 = graph.expand %x {shape = array<i64: 1, 2, 3, 4>} : (tensor<1x1x3x4xf32, #layout.physical<NHWC>>) -> tensor<1x2x3x4xf32>
  %1 = graph.relu %0 : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %1 : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @parts_are_expanded(
// CHECK-NEXT:    [[A:%.*]], [[B:%.*]] = graph.split %x {axis = 1 : i64, sizes = array<i64: 1, 2>}
// CHECK-NEXT:    [[E:%.*]] = graph.expand [[A]] {shape = array<i64: 2, 1>}
// CHECK-NEXT:    [[F:%.*]] = graph.expand [[B]] {shape = array<i64: 2, 2>}
// CHECK-NEXT:    func.return [[E]], [[F]]
func.func @parts_are_expanded(%x: tensor<1x3xf32>) -> (tensor<2x1xf32>, tensor<2x2xf32>) {
  %0 = graph.expand %x {shape = array<i64: 2, 3>} : (tensor<1x3xf32>) -> tensor<2x3xf32>
  %a, %b = graph.split %0 {axis = 1 : i64, sizes = array<i64: 1, 2>} : (tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x2xf32>)
  func.return %a, %b : tensor<2x1xf32>, tensor<2x2xf32>
}

// CHECK-LABEL: @parts_of_what_broadcasts_are_alike(
// CHECK-NEXT:    [[E:%.*]] = graph.expand %x {shape = array<i64: 1, 3>}
// CHECK-NEXT:    [[F:%.*]] = graph.expand %x {shape = array<i64: 2, 3>}
// CHECK-NEXT:    func.return [[E]], [[F]]
func.func @parts_of_what_broadcasts_are_alike(%x: tensor<3xf32>) -> (tensor<1x3xf32>, tensor<2x3xf32>) {
  %0 = graph.expand %x {shape = array<i64: 3, 3>} : (tensor<3xf32>) -> tensor<3x3xf32>
  %a, %b = graph.split %0 {axis = 0 : i64, sizes = array<i64: 1, 2>} : (tensor<3x3xf32>) -> (tensor<1x3xf32>, tensor<2x3xf32>)
  func.return %a, %b : tensor<1x3xf32>, tensor<2x3xf32>
}

// Behind the axes that the reshape joins.
// CHECK-LABEL: @axis_behind_a_reshape(
// CHECK-NEXT:    graph.split %x {axis = 1 : i64
// CHECK:         graph.expand %{{.*}} {shape = array<i64: 2, 2, 3>}
// CHECK-NEXT:    graph.reshape %{{.*}} {shape = array<i64: 4, 3>}
func.func @axis_behind_a_reshape(%x: tensor<1x6xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %0 = graph.expand %x {shape = array<i64: 2, 2, 6>} : (tensor<1x6xf32>) -> tensor<2x2x6xf32>
  %1 = graph.reshape %0 {shape = array<i64: 4, 6>} : (tensor<2x2x6xf32>) -> tensor<4x6xf32>
  %a, %b = graph.split %1 {axis = 1 : i64, sizes = array<i64: 3, 3>} : (tensor<4x6xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>)
  func.return %a, %b : tensor<4x3xf32>, tensor<4x3xf32>
}

// CHECK-LABEL: @joined_axis_is_kept(
// CHECK:         graph.reshape
// CHECK-NEXT:    graph.split
func.func @joined_axis_is_kept(%x: tensor<1x6xf32>) -> (tensor<1x6xf32>, tensor<3x6xf32>) {
  %0 = graph.expand %x {shape = array<i64: 2, 2, 6>} : (tensor<1x6xf32>) -> tensor<2x2x6xf32>
  %1 = graph.reshape %0 {shape = array<i64: 4, 6>} : (tensor<2x2x6xf32>) -> tensor<4x6xf32>
  %a, %b = graph.split %1 {axis = 0 : i64, sizes = array<i64: 1, 3>} : (tensor<4x6xf32>) -> (tensor<1x6xf32>, tensor<3x6xf32>)
  func.return %a, %b : tensor<1x6xf32>, tensor<3x6xf32>
}
