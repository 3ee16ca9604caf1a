// RUN: glow-opt %s -p group-ops | filecheck %s
// RUN: glow-opt %s -p group-ops,group-ops | filecheck %s

// CHECK-LABEL: @chain_is_one_group
// CHECK-NEXT:    [[Y:%.*]] = graph.fused(%x, %c) {
// CHECK-NEXT:    ^{{.*}}([[A:%.*]]: tensor<2x3xf32>, [[C:%.*]]: tensor<3xf32>):
// CHECK-NEXT:      [[N:%.*]] = graph.neg [[A]]
// CHECK-NEXT:      [[S:%.*]] = graph.add [[N]], [[C]]
// CHECK-NEXT:      [[E:%.*]] = graph.exp [[S]]
// CHECK-NEXT:      graph.yield [[E]] : tensor<2x3xf32>
// CHECK-NEXT:    } : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:    func.return [[Y]]
func.func @chain_is_one_group(%x: tensor<2x3xf32>, %c: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = graph.neg %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = graph.add %0, %c : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %2 = graph.exp %1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %2 : tensor<2x3xf32>
}

// CHECK-LABEL: @tree_of_many_types_is_one_group
// CHECK-NEXT:    graph.fused(%x, %y) {
// CHECK:           graph.less
// CHECK-NEXT:      graph.neg
// CHECK-NEXT:      graph.where
// CHECK-NEXT:      graph.cast
// CHECK-NEXT:      graph.yield
func.func @tree_of_many_types_is_one_group(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xi32> {
  %0 = graph.less %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = graph.neg %x : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.where %0, %1, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = graph.cast %2 {to = i32} : (tensor<4xf32>) -> tensor<4xi32>
  func.return %3 : tensor<4xi32>
}

// CHECK-LABEL: @single_op_is_kept
// CHECK-NOT:     graph.fused
func.func @single_op_is_kept(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// What somebody else reads must be stored anyhow.
// CHECK-LABEL: @value_read_outside_ends_a_group
// CHECK-NEXT:    [[E:%.*]] = graph.exp %x
// CHECK-NEXT:    [[Y:%.*]] = graph.fused([[E]]) {
// CHECK:           graph.neg
// CHECK-NEXT:      graph.relu
// CHECK:         func.return [[E]], [[Y]]
func.func @value_read_outside_ends_a_group(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.neg %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.relu %1 : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0, %2 : tensor<4xf32>, tensor<4xf32>
}

// A group around the reduction would need its own result.
// CHECK-LABEL: @group_never_encloses_another_op
// CHECK-NEXT:    [[E:%.*]] = graph.exp %x
// CHECK-NEXT:    [[S:%.*]] = graph.reduce_sum [[E]]
// CHECK-NEXT:    graph.div [[E]], [[S]]
func.func @group_never_encloses_another_op(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = graph.exp %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 1>, keepdims} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %2 = graph.div %0, %1 : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  func.return %2 : tensor<2x4xf32>
}

// The small value would be computed once per row.
// CHECK-LABEL: @broadcast_value_is_computed_before
// CHECK-NEXT:    [[E:%.*]] = graph.exp %c
// CHECK-NEXT:    graph.fused(%x, [[E]]) {
// CHECK:           graph.neg
// CHECK-NEXT:      graph.add
func.func @broadcast_value_is_computed_before(%x: tensor<2x4xf32>, %c: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = graph.exp %c : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.neg %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = graph.add %1, %0 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  func.return %2 : tensor<2x4xf32>
}

// CHECK-LABEL: @softmax_and_pools_stay_alone
// CHECK-NOT:     graph.fused
func.func @softmax_and_pools_stay_alone(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32> {
  %0 = graph.relu %x : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %1 = graph.softmax %0 {axis = 1 : i64} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %2 = graph.relu %1 : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %3 = graph.max_pool %2 {kernel_shape = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32>
  func.return %3 : tensor<1x2x3x3xf32>
}

// CHECK-LABEL: @layouts_are_kept
// CHECK-NEXT:    graph.fused(%x) {
// CHECK-NEXT:    ^{{.*}}(%{{.*}}: tensor<1x2x3x4xf32, #layout.physical<NHWC>>):
// CHECK-NEXT:      graph.neg %{{.*}} : (tensor<1x2x3x4xf32, #layout.physical<NHWC>>) -> tensor<1x2x3x4xf32, #layout.physical<NHWC>>
// CHECK-NEXT:      graph.relu
// CHECK-NEXT:      graph.yield %{{.*}} : tensor<1x2x3x4xf32, #layout.physical<NHWC>>
// CHECK-NEXT:    } : (tensor<1x2x3x4xf32, #layout.physical<NHWC>>) -> tensor<1x2x3x4xf32, #layout.physical<NHWC>>
func.func @layouts_are_kept(%x: tensor<1x2x3x4xf32, #layout.physical<NHWC>>) -> tensor<1x2x3x4xf32, #layout.physical<NHWC>> {
  %0 = graph.neg %x : (tensor<1x2x3x4xf32, #layout.physical<NHWC>>) -> tensor<1x2x3x4xf32, #layout.physical<NHWC>>
  %1 = graph.relu %0 : (tensor<1x2x3x4xf32, #layout.physical<NHWC>>) -> tensor<1x2x3x4xf32, #layout.physical<NHWC>>
  func.return %1 : tensor<1x2x3x4xf32, #layout.physical<NHWC>>
}

// CHECK-LABEL: @another_layout_ends_a_group
// CHECK-NOT:     graph.fused
func.func @another_layout_ends_a_group(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32, #layout.physical<NHWC>> {
  %0 = graph.neg %x : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %1 = graph.relu %0 : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32, #layout.physical<NHWC>>
  func.return %1 : tensor<1x2x3x4xf32, #layout.physical<NHWC>>
}

// CHECK-LABEL: @residual_goes_to_the_later_convolution
// CHECK-NEXT:    [[C:%.*]] = graph.conv %x, %v bias %b
// CHECK-NEXT:    graph.fused(%x, %w, [[C]]) {
// CHECK:           graph.conv
// CHECK-NEXT:      graph.add
// CHECK-NEXT:      graph.relu
// CHECK-NEXT:      graph.yield
func.func @residual_goes_to_the_later_convolution(%x: tensor<1x2x4x4xf32>, %v: tensor<2x2x1x1xf32>, %w: tensor<2x2x1x1xf32>, %b: tensor<2xf32>) -> tensor<1x2x4x4xf32> {
  %0 = graph.conv %x, %v bias %b : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  %1 = graph.conv %x, %w : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %2 = graph.add %0, %1 : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %3 = graph.relu %2 : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  func.return %3 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: @product_may_be_read_twice_inside
// CHECK-NEXT:    graph.fused(%a, %b) {
// CHECK:           graph.matmul
// CHECK-NEXT:      graph.sigmoid
// CHECK-NEXT:      graph.mul
// CHECK-NEXT:      graph.yield
func.func @product_may_be_read_twice_inside(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = graph.sigmoid %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = graph.mul %0, %1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return %2 : tensor<2x4xf32>
}

// CHECK-LABEL: @product_read_outside_stays_alone
// CHECK-NEXT:    graph.matmul
// CHECK-NEXT:    graph.sigmoid
func.func @product_read_outside_stays_alone(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = graph.sigmoid %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return %0, %1 : tensor<2x4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: @epilogue_ends_where_a_value_is_read_outside
// CHECK-NEXT:    [[F:%.*]] = graph.fused(%a, %b) {
// CHECK:           graph.matmul
// CHECK-NEXT:      graph.relu
// CHECK-NEXT:      graph.yield
// CHECK:         [[S:%.*]] = graph.reduce_sum [[F]]
// CHECK-NEXT:    graph.mul [[F]], [[S]]
func.func @epilogue_ends_where_a_value_is_read_outside(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = graph.relu %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = graph.reduce_sum %1 {axes = array<i64: 1>, keepdims} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %3 = graph.mul %1, %2 : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  func.return %3 : tensor<2x4xf32>
}

// CHECK-LABEL: @epilogue_keeps_one_element_type
// CHECK-NEXT:    graph.fused(%a, %b) {
// CHECK:           graph.matmul
// CHECK-NEXT:      graph.relu
// CHECK-NEXT:      graph.yield
// CHECK:         graph.cast
func.func @epilogue_keeps_one_element_type(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xi32> {
  %0 = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = graph.relu %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = graph.cast %1 {to = i32} : (tensor<2x4xf32>) -> tensor<2x4xi32>
  func.return %2 : tensor<2x4xi32>
}

// CHECK-LABEL: @epilogue_keeps_the_shape
// CHECK-NEXT:    graph.matmul
// CHECK-NEXT:    graph.add
func.func @epilogue_keeps_the_shape(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<5x1x4xf32>) -> tensor<5x2x4xf32> {
  %0 = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = graph.add %0, %c : (tensor<2x4xf32>, tensor<5x1x4xf32>) -> tensor<5x2x4xf32>
  func.return %1 : tensor<5x2x4xf32>
}

// Channels are the columns: one number per channel, or per place, can be read.
// CHECK-LABEL: @epilogue_reads_what_broadcasts
// CHECK-NEXT:    graph.fused(%x, %w, %c, %p, %s, %q) {
// CHECK:           graph.conv
// CHECK-NEXT:      graph.mul
// CHECK-NEXT:      graph.add
// CHECK-NEXT:      graph.div
// CHECK-NEXT:      graph.sub
// CHECK-NEXT:      graph.yield
func.func @epilogue_reads_what_broadcasts(%x: tensor<1x2x4x4xf32>, %w: tensor<2x2x1x1xf32>, %c: tensor<2x1x1xf32>, %p: tensor<4x4xf32>, %q: tensor<1x4x4xf32>, %s: tensor<f32>) -> tensor<1x2x4x4xf32> {
  %0 = graph.conv %x, %w : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = graph.mul %0, %c : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %2 = graph.add %1, %p : (tensor<1x2x4x4xf32>, tensor<4x4xf32>) -> tensor<1x2x4x4xf32>
  %3 = graph.div %2, %s : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %4 = graph.sub %3, %q : (tensor<1x2x4x4xf32>, tensor<1x4x4xf32>) -> tensor<1x2x4x4xf32>
  func.return %4 : tensor<1x2x4x4xf32>
}

// Its channels lie 16 elements apart.
// CHECK-LABEL: @epilogue_reads_no_distant_columns
// CHECK-NEXT:    graph.conv
// CHECK-NEXT:    graph.add
func.func @epilogue_reads_no_distant_columns(%x: tensor<1x2x4x4xf32>, %w: tensor<2x2x1x1xf32>, %c: tensor<2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %0 = graph.conv %x, %w : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = graph.add %0, %c : (tensor<1x2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<1x2x4x4xf32>
  func.return %1 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: @epilogue_reads_adjacent_columns
// CHECK-NEXT:    graph.fused(%a, %b, %mask) {
func.func @epilogue_reads_adjacent_columns(%a: tensor<6x2x3xf32>, %b: tensor<6x3x4xf32>, %mask: tensor<2x4xf32>) -> tensor<6x2x4xf32> {
  %0 = graph.matmul %a, %b : (tensor<6x2x3xf32>, tensor<6x3x4xf32>) -> tensor<6x2x4xf32>
  %1 = graph.add %0, %mask : (tensor<6x2x4xf32>, tensor<2x4xf32>) -> tensor<6x2x4xf32>
  func.return %1 : tensor<6x2x4xf32>
}

// CHECK-LABEL: @transposed_convolution_stays_alone
// CHECK-NEXT:    graph.conv_transpose
// CHECK-NEXT:    graph.relu
func.func @transposed_convolution_stays_alone(%x: tensor<1x2x4x4xf32>, %w: tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32> {
  %0 = graph.conv_transpose %x, %w : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = graph.relu %0 : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  func.return %1 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: @epilogue_reads_one_element_type
// CHECK-NEXT:    graph.matmul
// CHECK-NEXT:    graph.where
func.func @epilogue_reads_one_element_type(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %mask: tensor<2x4xi1>) -> tensor<2x4xf32> {
  %0 = graph.matmul %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = graph.where %mask, %0, %0 : (tensor<2x4xi1>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return %1 : tensor<2x4xf32>
}

// CHECK-LABEL: @epilogue_keeps_the_layout
// CHECK-NEXT:    graph.conv
// CHECK-NEXT:    graph.relu
func.func @epilogue_keeps_the_layout(%x: tensor<1x2x4x4xf32>, %w: tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32> {
  %0 = graph.conv %x, %w : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32, #layout.physical<NHWC>>
  %1 = graph.relu %0 : (tensor<1x2x4x4xf32, #layout.physical<NHWC>>) -> tensor<1x2x4x4xf32>
  func.return %1 : tensor<1x2x4x4xf32>
}

// One channel after the other lies in the residual as in the result.
// CHECK-LABEL: @epilogue_reads_the_layout_of_the_result
// CHECK-NEXT:    graph.fused(%x, %w, %r) {
func.func @epilogue_reads_the_layout_of_the_result(%x: tensor<1x2x4x4xf32>, %w: tensor<2x2x1x1xf32>, %r: tensor<1x2x4x4xf32, #layout.physical<NHWC>>) -> tensor<1x2x4x4xf32, #layout.physical<NHWC>> {
  %0 = graph.conv %x, %w : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32, #layout.physical<NHWC>>
  %1 = graph.add %0, %r : (tensor<1x2x4x4xf32, #layout.physical<NHWC>>, tensor<1x2x4x4xf32, #layout.physical<NHWC>>) -> tensor<1x2x4x4xf32, #layout.physical<NHWC>>
  func.return %1 : tensor<1x2x4x4xf32, #layout.physical<NHWC>>
}

// CHECK-LABEL: @blocked_values_have_no_adjacent_columns
// CHECK-NEXT:    graph.conv
// CHECK-NEXT:    graph.add
func.func @blocked_values_have_no_adjacent_columns(%x: tensor<1x8x4x4xf32>, %w: tensor<8x8x1x1xf32>, %r: tensor<1x8x1x4xf32, #layout.physical<NCHW4c>>) -> tensor<1x8x4x4xf32> {
  %0 = graph.conv %x, %w : (tensor<1x8x4x4xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x4x4xf32>
  %1 = graph.add %0, %r : (tensor<1x8x4x4xf32>, tensor<1x8x1x4xf32, #layout.physical<NCHW4c>>) -> tensor<1x8x4x4xf32>
  func.return %1 : tensor<1x8x4x4xf32>
}

// CHECK-LABEL: @what_nothing_reads_is_no_reader
// CHECK-NEXT:    graph.fused(%x) {
// CHECK-NOT:     graph.neg
// CHECK:         graph.yield
func.func @what_nothing_reads_is_no_reader(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %dead = graph.neg %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = graph.abs %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %1 : tensor<2x3xf32>
}

// CHECK-LABEL: @max_pool_takes_what_follows
// CHECK-NEXT:    graph.fused(%x, %r, %c) {
// CHECK:           graph.max_pool
// CHECK-NEXT:      graph.relu
// CHECK-NEXT:      graph.add
// CHECK-NEXT:      graph.mul
// CHECK-NEXT:      graph.yield
func.func @max_pool_takes_what_follows(%x: tensor<1x8x6x6xf32, #layout.physical<NHWC>>, %r: tensor<1x8x3x3xf32, #layout.physical<NHWC>>, %c: tensor<8x1x1xf32>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>> {
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x8x6x6xf32, #layout.physical<NHWC>>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>>
  %1 = graph.relu %0 : (tensor<1x8x3x3xf32, #layout.physical<NHWC>>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>>
  %2 = graph.add %1, %r : (tensor<1x8x3x3xf32, #layout.physical<NHWC>>, tensor<1x8x3x3xf32, #layout.physical<NHWC>>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>>
  %3 = graph.mul %2, %c : (tensor<1x8x3x3xf32, #layout.physical<NHWC>>, tensor<8x1x1xf32>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>>
  func.return %3 : tensor<1x8x3x3xf32, #layout.physical<NHWC>>
}

// CHECK-LABEL: @avg_pool_takes_what_follows
// CHECK-NEXT:    graph.fused(%x, %r, %c) {
// CHECK:           graph.avg_pool
// CHECK-NEXT:      graph.relu
// CHECK-NEXT:      graph.add
// CHECK-NEXT:      graph.mul
// CHECK-NEXT:      graph.yield
func.func @avg_pool_takes_what_follows(%x: tensor<1x8x6x6xf32, #layout.physical<NHWC>>, %r: tensor<1x8x3x3xf32, #layout.physical<NHWC>>, %c: tensor<8x1x1xf32>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>> {
  %0 = graph.avg_pool %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x8x6x6xf32, #layout.physical<NHWC>>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>>
  %1 = graph.relu %0 : (tensor<1x8x3x3xf32, #layout.physical<NHWC>>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>>
  %2 = graph.add %1, %r : (tensor<1x8x3x3xf32, #layout.physical<NHWC>>, tensor<1x8x3x3xf32, #layout.physical<NHWC>>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>>
  %3 = graph.mul %2, %c : (tensor<1x8x3x3xf32, #layout.physical<NHWC>>, tensor<8x1x1xf32>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>>
  func.return %3 : tensor<1x8x3x3xf32, #layout.physical<NHWC>>
}

// CHECK-LABEL: @lp_pool_takes_what_follows
// CHECK-NEXT:    graph.fused(%x, %r, %c) {
// CHECK:           graph.lp_pool
// CHECK-NEXT:      graph.relu
// CHECK-NEXT:      graph.add
// CHECK-NEXT:      graph.mul
// CHECK-NEXT:      graph.yield
func.func @lp_pool_takes_what_follows(%x: tensor<1x8x6x6xf32, #layout.physical<NHWC>>, %r: tensor<1x8x3x3xf32, #layout.physical<NHWC>>, %c: tensor<8x1x1xf32>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>> {
  %0 = graph.lp_pool %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x8x6x6xf32, #layout.physical<NHWC>>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>>
  %1 = graph.relu %0 : (tensor<1x8x3x3xf32, #layout.physical<NHWC>>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>>
  %2 = graph.add %1, %r : (tensor<1x8x3x3xf32, #layout.physical<NHWC>>, tensor<1x8x3x3xf32, #layout.physical<NHWC>>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>>
  %3 = graph.mul %2, %c : (tensor<1x8x3x3xf32, #layout.physical<NHWC>>, tensor<8x1x1xf32>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>>
  func.return %3 : tensor<1x8x3x3xf32, #layout.physical<NHWC>>
}

// CHECK-LABEL: @pool_over_all_of_space_takes_what_follows
// CHECK-NEXT:    graph.fused(%x) {
// CHECK:           graph.global_lp_pool
// CHECK-NEXT:      graph.abs
func.func @pool_over_all_of_space_takes_what_follows(%x: tensor<1x8x6x6xf32, #layout.physical<NHWC>>) -> tensor<1x8x1x1xf32, #layout.physical<NHWC>> {
  %0 = graph.global_lp_pool %x : (tensor<1x8x6x6xf32, #layout.physical<NHWC>>) -> tensor<1x8x1x1xf32, #layout.physical<NHWC>>
  %1 = graph.abs %0 : (tensor<1x8x1x1xf32, #layout.physical<NHWC>>) -> tensor<1x8x1x1xf32, #layout.physical<NHWC>>
  func.return %1 : tensor<1x8x1x1xf32, #layout.physical<NHWC>>
}

// It has two results.
// CHECK-LABEL: @pool_with_indices_stays_alone
// CHECK-NEXT:    graph.max_pool
// CHECK-NEXT:    graph.relu
func.func @pool_with_indices_stays_alone(%x: tensor<1x8x6x6xf32, #layout.physical<NHWC>>) -> (tensor<1x8x3x3xf32, #layout.physical<NHWC>>, tensor<1x8x3x3xi64, #layout.physical<NHWC>>) {
  %0, %i = graph.max_pool %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>, with_indices} : (tensor<1x8x6x6xf32, #layout.physical<NHWC>>) -> (tensor<1x8x3x3xf32, #layout.physical<NHWC>>, tensor<1x8x3x3xi64, #layout.physical<NHWC>>)
  %1 = graph.relu %0 : (tensor<1x8x3x3xf32, #layout.physical<NHWC>>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>>
  func.return %1, %i : tensor<1x8x3x3xf32, #layout.physical<NHWC>>, tensor<1x8x3x3xi64, #layout.physical<NHWC>>
}

// CHECK-LABEL: @pool_that_others_read_stays_alone
// CHECK-NEXT:    [[P:%.*]] = graph.max_pool
// CHECK-NEXT:    [[R:%.*]] = graph.relu [[P]]
// CHECK-NEXT:    func.return [[P]], [[R]]
func.func @pool_that_others_read_stays_alone(%x: tensor<1x8x6x6xf32, #layout.physical<NHWC>>) -> (tensor<1x8x3x3xf32, #layout.physical<NHWC>>, tensor<1x8x3x3xf32, #layout.physical<NHWC>>) {
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x8x6x6xf32, #layout.physical<NHWC>>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>>
  %1 = graph.relu %0 : (tensor<1x8x3x3xf32, #layout.physical<NHWC>>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>>
  func.return %0, %1 : tensor<1x8x3x3xf32, #layout.physical<NHWC>>, tensor<1x8x3x3xf32, #layout.physical<NHWC>>
}

// Its kernel would have to report a division by zero.
// CHECK-LABEL: @pool_of_integers_stays_alone
// CHECK-NEXT:    graph.max_pool
// CHECK-NEXT:    graph.div
func.func @pool_of_integers_stays_alone(%x: tensor<1x8x6x6xi32, #layout.physical<NHWC>>, %r: tensor<1x8x3x3xi32, #layout.physical<NHWC>>) -> tensor<1x8x3x3xi32, #layout.physical<NHWC>> {
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x8x6x6xi32, #layout.physical<NHWC>>) -> tensor<1x8x3x3xi32, #layout.physical<NHWC>>
  %1 = graph.div %0, %r : (tensor<1x8x3x3xi32, #layout.physical<NHWC>>, tensor<1x8x3x3xi32, #layout.physical<NHWC>>) -> tensor<1x8x3x3xi32, #layout.physical<NHWC>>
  func.return %1 : tensor<1x8x3x3xi32, #layout.physical<NHWC>>
}

// Where channels lie 36 elements apart, its kernel computes with single numbers.
// CHECK-LABEL: @pool_of_distant_channels_stays_alone
// CHECK-NEXT:    graph.avg_pool
// CHECK-NEXT:    graph.sigmoid
func.func @pool_of_distant_channels_stays_alone(%x: tensor<1x8x6x6xf32>) -> tensor<1x8x3x3xf32> {
  %0 = graph.avg_pool %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x8x6x6xf32>) -> tensor<1x8x3x3xf32>
  %1 = graph.sigmoid %0 : (tensor<1x8x3x3xf32>) -> tensor<1x8x3x3xf32>
  func.return %1 : tensor<1x8x3x3xf32>
}

// CHECK-LABEL: @pool_reads_no_distant_channels
// CHECK-NEXT:    graph.avg_pool
// CHECK-NEXT:    graph.add
func.func @pool_reads_no_distant_channels(%x: tensor<1x8x6x6xf32, #layout.physical<NHWC>>, %r: tensor<8x3x3xf32>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>> {
  %0 = graph.avg_pool %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x8x6x6xf32, #layout.physical<NHWC>>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>>
  %1 = graph.add %0, %r : (tensor<1x8x3x3xf32, #layout.physical<NHWC>>, tensor<8x3x3xf32>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>>
  func.return %1 : tensor<1x8x3x3xf32, #layout.physical<NHWC>>
}

// The pool is the later one; a convolution hides better what it reads besides.
// CHECK-LABEL: @product_takes_what_follows_before_a_pool
// CHECK-NEXT:    [[P:%.*]] = graph.max_pool
// CHECK-NEXT:    graph.fused(%x, %w, [[P]]) {
// CHECK:           graph.conv
func.func @product_takes_what_follows_before_a_pool(%x: tensor<1x8x6x6xf32, #layout.physical<NHWC>>, %w: tensor<8x8x1x1xf32>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>> {
  %0 = graph.conv %x, %w {strides = array<i64: 2, 2>} : (tensor<1x8x6x6xf32, #layout.physical<NHWC>>, tensor<8x8x1x1xf32>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>>
  %1 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x8x6x6xf32, #layout.physical<NHWC>>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>>
  %2 = graph.add %0, %1 : (tensor<1x8x3x3xf32, #layout.physical<NHWC>>, tensor<1x8x3x3xf32, #layout.physical<NHWC>>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>>
  func.return %2 : tensor<1x8x3x3xf32, #layout.physical<NHWC>>
}

// CHECK-LABEL: @pool_computes_one_element_type
// CHECK-NEXT:    graph.avg_pool
// CHECK-NEXT:    graph.cast
func.func @pool_computes_one_element_type(%x: tensor<1x8x6x6xf32, #layout.physical<NHWC>>) -> tensor<1x8x3x3xf64, #layout.physical<NHWC>> {
  %0 = graph.avg_pool %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x8x6x6xf32, #layout.physical<NHWC>>) -> tensor<1x8x3x3xf32, #layout.physical<NHWC>>
  %1 = graph.cast %0 {to = f64} : (tensor<1x8x3x3xf32, #layout.physical<NHWC>>) -> tensor<1x8x3x3xf64, #layout.physical<NHWC>>
  func.return %1 : tensor<1x8x3x3xf64, #layout.physical<NHWC>>
}

// Its vectors of channels would be few at each place, and the last not full.
// CHECK-LABEL: @pool_of_few_channels_computes_no_functions
// CHECK-NEXT:    graph.avg_pool
// CHECK-NEXT:    graph.fused
// CHECK:           graph.relu
// CHECK-NEXT:      graph.sigmoid
func.func @pool_of_few_channels_computes_no_functions(%x: tensor<1x24x6x6xf32, #layout.physical<NHWC>>) -> tensor<1x24x3x3xf32, #layout.physical<NHWC>> {
  %0 = graph.avg_pool %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x24x6x6xf32, #layout.physical<NHWC>>) -> tensor<1x24x3x3xf32, #layout.physical<NHWC>>
  %1 = graph.relu %0 : (tensor<1x24x3x3xf32, #layout.physical<NHWC>>) -> tensor<1x24x3x3xf32, #layout.physical<NHWC>>
  %2 = graph.sigmoid %1 : (tensor<1x24x3x3xf32, #layout.physical<NHWC>>) -> tensor<1x24x3x3xf32, #layout.physical<NHWC>>
  func.return %2 : tensor<1x24x3x3xf32, #layout.physical<NHWC>>
}

// CHECK-LABEL: @pool_of_full_vectors_computes_functions
// CHECK-NEXT:    graph.fused(%x) {
// CHECK:           graph.avg_pool
// CHECK-NEXT:      graph.relu
// CHECK-NEXT:      graph.sigmoid
func.func @pool_of_full_vectors_computes_functions(%x: tensor<1x64x6x6xf32, #layout.physical<NHWC>>) -> tensor<1x64x3x3xf32, #layout.physical<NHWC>> {
  %0 = graph.avg_pool %x {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x64x6x6xf32, #layout.physical<NHWC>>) -> tensor<1x64x3x3xf32, #layout.physical<NHWC>>
  %1 = graph.relu %0 : (tensor<1x64x3x3xf32, #layout.physical<NHWC>>) -> tensor<1x64x3x3xf32, #layout.physical<NHWC>>
  %2 = graph.sigmoid %1 : (tensor<1x64x3x3xf32, #layout.physical<NHWC>>) -> tensor<1x64x3x3xf32, #layout.physical<NHWC>>
  func.return %2 : tensor<1x64x3x3xf32, #layout.physical<NHWC>>
}
