// RUN: glow-opt %s -p 'assign-layouts{target="cpu:avx2"}' | filecheck %s
// RUN: glow-opt %s -p 'assign-layouts{target="cpu:avx2"},assign-layouts{target="cpu:avx2"}' | filecheck %s

graph.placeholder @image "in" : tensor<1x3x8x8xf64>
graph.placeholder @scores "out" : tensor<1x4x8x8xf64>

// One transform where the image comes in, one where the scores go out.
// CHECK-LABEL: @placeholders_stay_row_major
// CHECK:         %[[X:.*]] = graph.load @image : tensor<1x3x8x8xf64>
// CHECK-NEXT:    %[[L:.*]] = layout.transform %[[X]] : tensor<1x3x8x8xf64> -> tensor<1x3x8x8xf64, #layout.physical<NHWC>>
// CHECK-NEXT:    %[[C:.*]] = graph.conv %[[L]], %w {{.*}} -> tensor<1x4x8x8xf64, #layout.physical<NHWC>>
// CHECK-NEXT:    %[[R:.*]] = graph.relu %[[C]] : {{.*}} -> tensor<1x4x8x8xf64, #layout.physical<NHWC>>
// CHECK-NEXT:    %[[D:.*]] = graph.conv %[[R]], %v {{.*}} -> tensor<1x4x8x8xf64, #layout.physical<NHWC>>
// CHECK-NEXT:    %[[A:.*]] = graph.add %[[D]], %[[R]] : {{.*}} -> tensor<1x4x8x8xf64, #layout.physical<NHWC>>
// CHECK-NEXT:    %[[O:.*]] = layout.transform %[[A]] : {{.*}} -> tensor<1x4x8x8xf64>
// CHECK-NEXT:    graph.save @scores, %[[O]] : tensor<1x4x8x8xf64>
func.func @placeholders_stay_row_major(%w: tensor<4x3x1x1xf64>, %v: tensor<4x4x1x1xf64>) {
  %0 = graph.load @image : tensor<1x3x8x8xf64>
  %1 = graph.conv %0, %w : (tensor<1x3x8x8xf64>, tensor<4x3x1x1xf64>) -> tensor<1x4x8x8xf64>
  %2 = graph.relu %1 : (tensor<1x4x8x8xf64>) -> tensor<1x4x8x8xf64>
  %3 = graph.conv %2, %v : (tensor<1x4x8x8xf64>, tensor<4x4x1x1xf64>) -> tensor<1x4x8x8xf64>
  %4 = graph.add %3, %2 : (tensor<1x4x8x8xf64>, tensor<1x4x8x8xf64>) -> tensor<1x4x8x8xf64>
  graph.save @scores, %4 : tensor<1x4x8x8xf64>
  func.return
}

// CHECK-LABEL: @a_value_is_transformed_once
// CHECK-COUNT-1: layout.transform %x
// CHECK-NOT:     layout.transform %x
// CHECK:         graph.max_pool
// CHECK-NOT:     layout.transform %x
// CHECK:         graph.avg_pool
func.func @a_value_is_transformed_once(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) {
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32>
  %1 = graph.avg_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32>
  func.return %0, %1 : tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>
}

// CHECK-LABEL: @one_and_three_spatial_axes
// CHECK:         graph.lp_pool {{.*}} -> tensor<1x2x3xf32, #layout.physical<NWC>>
// CHECK:         graph.max_pool {{.*}} -> (tensor<1x2x3x3x3xf32, #layout.physical<NDHWC>>, tensor<1x2x3x3x3xi64, #layout.physical<NDHWC>>)
func.func @one_and_three_spatial_axes(%x: tensor<1x2x4xf32>, %y: tensor<1x2x4x4x4xf32>) {
  %0 = graph.lp_pool %x {kernel_shape = array<i64: 2>} : (tensor<1x2x4xf32>) -> tensor<1x2x3xf32>
  %1, %2 = graph.max_pool %y {kernel_shape = array<i64: 2, 2, 2>, with_indices} : (tensor<1x2x4x4x4xf32>) -> (tensor<1x2x3x3x3xf32>, tensor<1x2x3x3x3xi64>)
  func.return
}

// Space of one pixel, or one channel, is row-major in every order.
// CHECK-LABEL: @no_transform_where_no_byte_moves
// CHECK-NOT:     layout
// CHECK:         graph.conv {{.*}} -> tensor<1x4x1x1xf64>
// CHECK-NEXT:    graph.global_max_pool {{.*}} -> tensor<2x1x1x1xf64>
func.func @no_transform_where_no_byte_moves(%x: tensor<1x4x1x1xf64>, %w: tensor<4x4x1x1xf64>, %y: tensor<2x1x5x5xf64>) {
  %0 = graph.conv %x, %w : (tensor<1x4x1x1xf64>, tensor<4x4x1x1xf64>) -> tensor<1x4x1x1xf64>
  %1 = graph.global_max_pool %y : (tensor<2x1x5x5xf64>) -> tensor<2x1x1x1xf64>
  func.return
}

// CHECK-LABEL: @all_that_works_on_channels_of_pixels
// CHECK:         graph.conv_transpose {{.*}} -> tensor<1x4x4x4xf32, #layout.physical<NHWC>>
// CHECK-NEXT:    graph.lrn {{.*}} -> tensor<1x4x4x4xf32, #layout.physical<NHWC>>
// CHECK-NEXT:    graph.space_to_depth {{.*}} -> tensor<1x16x2x2xf32, #layout.physical<NHWC>>
// CHECK-NEXT:    graph.depth_to_space {{.*}} -> tensor<1x4x4x4xf32, #layout.physical<NHWC>>
// CHECK-NEXT:    graph.global_avg_pool {{.*}} -> tensor<1x4x1x1xf32>
// CHECK-NOT:     layout.transform
// CHECK:       func.func
func.func @all_that_works_on_channels_of_pixels(%x: tensor<1x1x2x2xf32>, %w: tensor<1x4x2x2xf32>) {
  %0 = graph.conv_transpose %x, %w {strides = array<i64: 2, 2>} : (tensor<1x1x2x2xf32>, tensor<1x4x2x2xf32>) -> tensor<1x4x4x4xf32>
  %1 = graph.lrn %0 {size = 3} : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %2 = graph.space_to_depth %1 {block_size = 2 : i64} : (tensor<1x4x4x4xf32>) -> tensor<1x16x2x2xf32>
  %3 = graph.depth_to_space %2 {block_size = 2 : i64} : (tensor<1x16x2x2xf32>) -> tensor<1x4x4x4xf32>
  %4 = graph.global_avg_pool %3 : (tensor<1x4x4x4xf32>) -> tensor<1x4x1x1xf32>
  %5 = graph.global_lp_pool %3 : (tensor<1x4x4x4xf32>) -> tensor<1x4x1x1xf32>
  func.return
}

// A panel of output channels lies in one group; where none does, the kernel packs.
// CHECK-LABEL: @constant_filters_are_packed
// CHECK:         layout.transform {{.*}} -> tensor<20x4x3x3xf32, #layout.physical<OHWI24o>>
// CHECK:         layout.transform {{.*}} -> tensor<20x4x3xf32, #layout.physical<OWI24o>>
// CHECK:         layout.transform {{.*}} -> tensor<32x2x3x3xf32, #layout.physical<OHWI16o>>
// CHECK-NOT:     layout.transform %d
// CHECK:         func.return
func.func @constant_filters_are_packed(%x: tensor<1x4x7x7xf32>, %y: tensor<1x4x7xf32>) {
  %a = graph.literal dense<1.0> : tensor<20x4x3x3xf32> : tensor<20x4x3x3xf32>
  %b = graph.literal dense<1.0> : tensor<20x4x3xf32> : tensor<20x4x3xf32>
  %c = graph.literal dense<1.0> : tensor<32x2x3x3xf32> : tensor<32x2x3x3xf32>
  %d = graph.literal dense<1.0> : tensor<20x2x3x3xf32> : tensor<20x2x3x3xf32>
  %0 = graph.conv %x, %a : (tensor<1x4x7x7xf32>, tensor<20x4x3x3xf32>) -> tensor<1x20x5x5xf32>
  %1 = graph.conv %y, %b : (tensor<1x4x7xf32>, tensor<20x4x3xf32>) -> tensor<1x20x5xf32>
  %2 = graph.conv %x, %c {group = 2} : (tensor<1x4x7x7xf32>, tensor<32x2x3x3xf32>) -> tensor<1x32x5x5xf32>
  %3 = graph.conv %x, %d {group = 2} : (tensor<1x4x7x7xf32>, tensor<20x2x3x3xf32>) -> tensor<1x20x5x5xf32>
  func.return
}

// CHECK-LABEL: @filters_of_other_types_are_not_packed
// CHECK-NOT:     layout.transform %a
// CHECK:         graph.conv %{{.*}}, %a
func.func @filters_of_other_types_are_not_packed(%x: tensor<1x4x7x7xf64>) {
  %a = graph.literal dense<1.0> : tensor<20x4x3x3xf64> : tensor<20x4x3x3xf64>
  %0 = graph.conv %x, %a : (tensor<1x4x7x7xf64>, tensor<20x4x3x3xf64>) -> tensor<1x20x5x5xf64>
  func.return
}

// CHECK-LABEL: @constant_matrices_are_packed
// CHECK:         layout.transform {{.*}} -> tensor<8x20xf32, #layout.physical<NK24n>>
// CHECK:         layout.transform {{.*}} -> tensor<20x8xf32, #layout.physical<OI24o>>
// CHECK:         layout.transform {{.*}} -> tensor<3x8x20xf32, #layout.physical<NWC24w>>
func.func @constant_matrices_are_packed(%x: tensor<5x8xf32>) {
  %k = graph.literal dense<1.0> : tensor<8x20xf32> : tensor<8x20xf32>
  %t = graph.literal dense<1.0> : tensor<20x8xf32> : tensor<20x8xf32>
  %b = graph.literal dense<1.0> : tensor<3x8x20xf32> : tensor<3x8x20xf32>
  %0 = graph.matmul %x, %k : (tensor<5x8xf32>, tensor<8x20xf32>) -> tensor<5x20xf32>
  %1 = graph.matmul %x, %t {transpose_rhs} : (tensor<5x8xf32>, tensor<20x8xf32>) -> tensor<5x20xf32>
  %2 = graph.matmul %x, %b : (tensor<5x8xf32>, tensor<3x8x20xf32>) -> tensor<3x5x20xf32>
  func.return
}

// Known at run time only, a vector, not of f32: no panels.
// CHECK-LABEL: @other_matrices_are_not_packed
// CHECK-NOT:     layout
// CHECK:       func.func
func.func @other_matrices_are_not_packed(%x: tensor<5x8xf32>, %r: tensor<8x20xf32>, %d: tensor<5x8xf64>) {
  %v = graph.literal dense<1.0> : tensor<8xf32> : tensor<8xf32>
  %k = graph.literal dense<1.0> : tensor<8x20xf64> : tensor<8x20xf64>
  %0 = graph.matmul %x, %r : (tensor<5x8xf32>, tensor<8x20xf32>) -> tensor<5x20xf32>
  %1 = graph.matmul %x, %v : (tensor<5x8xf32>, tensor<8xf32>) -> tensor<5xf32>
  %2 = graph.matmul %d, %k : (tensor<5x8xf64>, tensor<8x20xf64>) -> tensor<5x20xf64>
  func.return
}

// The kernel takes any strides of what lies before rows and columns, and asks for
// columns of the right factor, and rows or columns of the left one, in a row.
// CHECK-LABEL: @factors_keep_an_order_that_the_kernel_can_read
// CHECK:         %[[L:.*]] = graph.transpose %x {{.*}} -> tensor<2x8x5x4xf32, #layout.physical<NHCW>>
// CHECK-NEXT:    %[[R:.*]] = graph.transpose %y {{.*}} -> tensor<2x8x4x5xf32, #layout.physical<NWCH>>
// CHECK-NEXT:    %[[T:.*]] = layout.transform %[[R]] : {{.*}} -> tensor<2x8x4x5xf32>
// CHECK-NEXT:    %[[P:.*]] = graph.matmul %[[L]], %[[T]]
// CHECK-NEXT:    %[[Q:.*]] = graph.matmul %[[P]], %[[L]]
// CHECK-NEXT:    graph.matmul %[[R]], %[[P]]
func.func @factors_keep_an_order_that_the_kernel_can_read(%x: tensor<2x5x8x4xf32>, %y: tensor<2x5x8x4xf32>) {
  %0 = graph.transpose %x {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x5x8x4xf32>) -> tensor<2x8x5x4xf32>
  %1 = graph.transpose %y {permutation = array<i64: 0, 2, 3, 1>} : (tensor<2x5x8x4xf32>) -> tensor<2x8x4x5xf32>
  %2 = graph.matmul %0, %1 : (tensor<2x8x5x4xf32>, tensor<2x8x4x5xf32>) -> tensor<2x8x5x5xf32>
  %3 = graph.matmul %2, %0 : (tensor<2x8x5x5xf32>, tensor<2x8x5x4xf32>) -> tensor<2x8x5x4xf32>
  %4 = graph.matmul %1, %2 : (tensor<2x8x4x5xf32>, tensor<2x8x5x5xf32>) -> tensor<2x8x4x5xf32>
  func.return
}

// Neither rows nor columns are in a row here: batches are.
// CHECK-LABEL: @a_factor_with_batches_in_a_row_moves
// CHECK:         %[[T:.*]] = layout.transform %{{.*}} -> tensor<8x5x4xf32>
// CHECK-NEXT:    graph.matmul %[[T]], %y
func.func @a_factor_with_batches_in_a_row_moves(%x: tensor<5x4x8xf32>, %y: tensor<8x4x3xf32>) {
  %0 = graph.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<5x4x8xf32>) -> tensor<8x5x4xf32>
  %1 = graph.matmul %0, %y : (tensor<8x5x4xf32>, tensor<8x4x3xf32>) -> tensor<8x5x3xf32>
  func.return
}

// A product writes rows where the transpose behind it wants them.
// CHECK-LABEL: @a_product_is_made_in_the_order_that_its_transpose_wants
// CHECK:         graph.matmul %x, %y : {{.*}} -> tensor<2x8x5x3xf32, #layout.physical<NHCW>>
// CHECK-NEXT:    graph.transpose {{.*}} -> tensor<2x5x8x3xf32>
// CHECK-NEXT:    graph.reshape {{.*}} -> tensor<2x5x24xf32>
// CHECK-NOT:     layout.transform
// CHECK:         func.return
func.func @a_product_is_made_in_the_order_that_its_transpose_wants(%x: tensor<2x8x5x4xf32>, %y: tensor<2x8x4x3xf32>) -> tensor<2x5x24xf32> {
  %0 = graph.matmul %x, %y : (tensor<2x8x5x4xf32>, tensor<2x8x4x3xf32>) -> tensor<2x8x5x3xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x8x5x3xf32>) -> tensor<2x5x8x3xf32>
  %2 = graph.reshape %1 {shape = array<i64: 2, 5, 24>} : (tensor<2x5x8x3xf32>) -> tensor<2x5x24xf32>
  func.return %2 : tensor<2x5x24xf32>
}

// Its columns must stay in a row, and another reader has no say in it.
// CHECK-LABEL: @some_products_are_row_major
// CHECK:         graph.matmul %x, %y : {{.*}} -> tensor<2x8x5x3xf32>
// CHECK:         graph.matmul %x, %y : {{.*}} -> tensor<2x8x5x3xf32>
func.func @some_products_are_row_major(%x: tensor<2x8x5x4xf32>, %y: tensor<2x8x4x3xf32>) {
  %0 = graph.matmul %x, %y : (tensor<2x8x5x4xf32>, tensor<2x8x4x3xf32>) -> tensor<2x8x5x3xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 0, 1, 3, 2>} : (tensor<2x8x5x3xf32>) -> tensor<2x8x3x5xf32>
  %2 = graph.matmul %x, %y : (tensor<2x8x5x4xf32>, tensor<2x8x4x3xf32>) -> tensor<2x8x5x3xf32>
  %3 = graph.transpose %2 {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x8x5x3xf32>) -> tensor<2x5x8x3xf32>
  %4 = graph.relu %2 : (tensor<2x8x5x3xf32>) -> tensor<2x8x5x3xf32>
  func.return
}

// The choices grow with the factorial of the rank; so products of five axes have one.
// CHECK-LABEL: @a_product_of_many_axes_is_row_major
// CHECK:         graph.matmul %x, %y : {{.*}} -> tensor<1x2x8x5x3xf32>
func.func @a_product_of_many_axes_is_row_major(%x: tensor<1x2x8x5x4xf32>, %y: tensor<1x2x8x4x3xf32>) {
  %0 = graph.matmul %x, %y : (tensor<1x2x8x5x4xf32>, tensor<1x2x8x4x3xf32>) -> tensor<1x2x8x5x3xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 0, 1, 3, 2, 4>} : (tensor<1x2x8x5x3xf32>) -> tensor<1x2x5x8x3xf32>
  func.return
}

// Columns of a transposed factor are its rows.
// CHECK-LABEL: @a_transposed_factor_has_its_columns_in_a_row
// CHECK:         %[[T:.*]] = layout.transform %y : tensor<3x4xf32> -> tensor<3x4xf32, #layout.physical<NK>>
// CHECK-NEXT:    graph.matmul %x, %[[T]] {transpose_rhs}
func.func @a_transposed_factor_has_its_columns_in_a_row(%x: tensor<5x4xf32>, %y: tensor<3x4xf32>) {
  %0 = graph.matmul %x, %y {transpose_rhs} : (tensor<5x4xf32>, tensor<3x4xf32>) -> tensor<5x3xf32>
  func.return
}

// CHECK-LABEL: @whoever_broadcasts_keeps_its_order_if_one_axis_counts
// CHECK:         graph.mul %{{.*}}, %c : (tensor<1x4x6x6xf32, #layout.physical<NHWC>>, tensor<4x1x1xf32>) -> tensor<1x4x6x6xf32, #layout.physical<NHWC>>
// CHECK-NEXT:    graph.add %s, %{{.*}} : (tensor<f32>, tensor<1x4x6x6xf32, #layout.physical<NHWC>>) -> tensor<1x4x6x6xf32, #layout.physical<NHWC>>
// CHECK-NEXT:    graph.add %{{.*}}, %hw : (tensor<1x4x6x6xf32, #layout.physical<NHWC>>, tensor<6x6xf32>) -> tensor<1x4x6x6xf32, #layout.physical<NHWC>>
// CHECK-NEXT:    %[[T:.*]] = layout.transform %chw : tensor<4x6x6xf32> -> tensor<4x6x6xf32, #layout.physical<IWO>>
// CHECK-NEXT:    graph.add %{{.*}}, %[[T]]
func.func @whoever_broadcasts_keeps_its_order_if_one_axis_counts(%x: tensor<1x4x7x7xf32>, %c: tensor<4x1x1xf32>, %s: tensor<f32>, %hw: tensor<6x6xf32>, %chw: tensor<4x6x6xf32>) {
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x4x7x7xf32>) -> tensor<1x4x6x6xf32>
  %1 = graph.mul %0, %c : (tensor<1x4x6x6xf32>, tensor<4x1x1xf32>) -> tensor<1x4x6x6xf32>
  %2 = graph.add %s, %1 : (tensor<f32>, tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %3 = graph.add %2, %hw : (tensor<1x4x6x6xf32>, tensor<6x6xf32>) -> tensor<1x4x6x6xf32>
  %4 = graph.add %3, %chw : (tensor<1x4x6x6xf32>, tensor<4x6x6xf32>) -> tensor<1x4x6x6xf32>
  func.return
}

// The condition has one byte per element, the others have four.
// CHECK-LABEL: @the_fewest_bytes_move
// CHECK:         %[[P:.*]] = graph.greater
// CHECK-NEXT:    %[[T:.*]] = layout.transform %[[P]] : {{.*}} -> tensor<1x4x6x6xi1>
// CHECK-NEXT:    graph.where %[[T]], %y, %z : {{.*}} -> tensor<1x4x6x6xf32>
func.func @the_fewest_bytes_move(%x: tensor<1x4x7x7xf32>, %s: tensor<f32>, %y: tensor<1x4x6x6xf32>, %z: tensor<1x4x6x6xf32>) {
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x4x7x7xf32>) -> tensor<1x4x6x6xf32>
  %1 = graph.greater %0, %s : (tensor<1x4x6x6xf32>, tensor<f32>) -> tensor<1x4x6x6xi1>
  %2 = graph.where %1, %y, %z : (tensor<1x4x6x6xi1>, tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  func.return
}

// CHECK-LABEL: @of_equal_costs_row_major_gives_way
// CHECK:         %[[T:.*]] = layout.transform %y : {{.*}} -> tensor<1x4x6x6xf32, #layout.physical<NHWC>>
// CHECK-NEXT:    graph.add %[[T]], %{{.*}} : {{.*}} -> tensor<1x4x6x6xf32, #layout.physical<NHWC>>
func.func @of_equal_costs_row_major_gives_way(%x: tensor<1x4x7x7xf32>, %y: tensor<1x4x6x6xf32>) {
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x4x7x7xf32>) -> tensor<1x4x6x6xf32>
  %1 = graph.add %y, %0 : (tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  func.return
}

// Neither operand has all axes of the result, so neither says where they go.
// CHECK-LABEL: @an_outer_product_is_row_major
// CHECK-NOT:     layout
// CHECK:         func.return
func.func @an_outer_product_is_row_major(%x: tensor<1x4x1x1xf32>, %y: tensor<1x1x6x6xf32>) {
  %0 = graph.mul %x, %y : (tensor<1x4x1x1xf32>, tensor<1x1x6x6xf32>) -> tensor<1x4x6x6xf32>
  func.return
}

// A constant moves when the model is compiled, which costs nothing.
// CHECK-LABEL: @constants_follow
// CHECK:         %[[T:.*]] = layout.transform %k : {{.*}} -> tensor<1x4x6x6xf32, #layout.physical<NHWC>>
// CHECK-NEXT:    graph.where %{{.*}}, %[[T]], %[[T]] : {{.*}} -> tensor<1x4x6x6xf32, #layout.physical<NHWC>>
func.func @constants_follow(%x: tensor<1x4x7x7xf32>, %s: tensor<f32>) {
  %k = graph.literal dense<1.0> : tensor<1x4x6x6xf32> : tensor<1x4x6x6xf32>
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x4x7x7xf32>) -> tensor<1x4x6x6xf32>
  %1 = graph.greater %0, %s : (tensor<1x4x6x6xf32>, tensor<f32>) -> tensor<1x4x6x6xi1>
  %2 = graph.where %1, %k, %k : (tensor<1x4x6x6xi1>, tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  func.return
}

// CHECK-LABEL: @all_that_carries_layouts
// CHECK:         graph.concat {{.*}} -> tensor<1x8x6x6xf32, #layout.physical<NHWC>>
// CHECK-NEXT:    graph.slice {{.*}} -> tensor<1x8x4x6xf32, #layout.physical<NHWC>>
// CHECK-NEXT:    graph.pad {{.*}} -> tensor<1x8x6x6xf32, #layout.physical<NHWC>>
// CHECK-NEXT:    graph.split {{.*}} -> (tensor<1x5x6x6xf32, #layout.physical<NHWC>>, tensor<1x3x6x6xf32, #layout.physical<NHWC>>)
// CHECK-NEXT:    graph.reduce_mean {{.*}} -> tensor<1x6x6xf32>
// CHECK-NEXT:    graph.reduce_max {{.*}} -> tensor<1x5x6xf32, #layout.physical<NWC>>
// CHECK-NEXT:    graph.softmax {{.*}} -> tensor<1x3x6x6xf32, #layout.physical<NHWC>>
func.func @all_that_carries_layouts(%x: tensor<1x4x7x7xf32>) {
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x4x7x7xf32>) -> tensor<1x4x6x6xf32>
  %1 = graph.concat %0, %0 {axis = 1 : i64} : (tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>) -> tensor<1x8x6x6xf32>
  %2 = graph.slice %1 {starts = array<i64: 0, 0, 1, 0>, sizes = array<i64: 1, 8, 4, 6>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x8x6x6xf32>) -> tensor<1x8x4x6xf32>
  %3 = graph.pad %2 {pads = array<i64: 0, 0, 1, 0, 0, 0, 1, 0>} : (tensor<1x8x4x6xf32>) -> tensor<1x8x6x6xf32>
  %4, %5 = graph.split %3 {axis = 1 : i64, sizes = array<i64: 5, 3>} : (tensor<1x8x6x6xf32>) -> (tensor<1x5x6x6xf32>, tensor<1x3x6x6xf32>)
  %6 = graph.reduce_mean %4 {axes = array<i64: 1>} : (tensor<1x5x6x6xf32>) -> tensor<1x6x6xf32>
  %7 = graph.reduce_max %4 {axes = array<i64: 2>} : (tensor<1x5x6x6xf32>) -> tensor<1x5x6xf32>
  %8 = graph.softmax %5 {axis = 1} : (tensor<1x3x6x6xf32>) -> tensor<1x3x6x6xf32>
  func.return
}

// CHECK-LABEL: @a_transpose_moves_nothing
// CHECK:         graph.transpose %{{.*}} : (tensor<1x4x6x6xf32, #layout.physical<NHWC>>) -> tensor<1x6x6x4xf32>
// CHECK-NEXT:    graph.transpose %y {{.*}} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32, #layout.physical<IWO>>
// CHECK-NEXT:    func.return
func.func @a_transpose_moves_nothing(%x: tensor<1x4x7x7xf32>, %y: tensor<2x3x4xf32>) {
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x4x7x7xf32>) -> tensor<1x4x6x6xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x4x6x6xf32>) -> tensor<1x6x6x4xf32>
  %2 = graph.transpose %y {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  func.return
}

// Channels-last data with transposes around the pool, as other frameworks export it.
// CHECK-LABEL: @transposes_around_a_pool_vanish_in_layouts
// CHECK-NOT:     layout.transform
// CHECK:         func.return
func.func @transposes_around_a_pool_vanish_in_layouts(%x: tensor<1x7x7x4xf32>) -> tensor<1x6x6x4xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x7x7x4xf32>) -> tensor<1x4x7x7xf32>
  %1 = graph.max_pool %0 {kernel_shape = array<i64: 2, 2>} : (tensor<1x4x7x7xf32>) -> tensor<1x4x6x6xf32>
  %2 = graph.transpose %1 {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x4x6x6xf32>) -> tensor<1x6x6x4xf32>
  func.return %2 : tensor<1x6x6x4xf32>
}

// CHECK-LABEL: @a_reshape_that_splits_keeps_bytes
// CHECK:         graph.reshape %{{.*}} : (tensor<2x4x6x6xf32, #layout.physical<NHWC>>) -> tensor<2x2x2x6x6xf32, #layout.physical<NHWCD>>
func.func @a_reshape_that_splits_keeps_bytes(%x: tensor<2x4x7x7xf32>) {
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<2x4x7x7xf32>) -> tensor<2x4x6x6xf32>
  %1 = graph.reshape %0 {shape = array<i64: 2, 2, 2, 6, 6>} : (tensor<2x4x6x6xf32>) -> tensor<2x2x2x6x6xf32>
  func.return
}

// The merged axis has two digits the wrong way round.
// CHECK-LABEL: @a_reshape_that_flattens_keeps_bytes
// CHECK:         graph.reshape %{{.*}} : (tensor<2x4x6x6xf32, #layout.physical<NHWC>>) -> tensor<2x144xf32, #layout.physical<[0, 1:36, 1:?:36]>>
func.func @a_reshape_that_flattens_keeps_bytes(%x: tensor<2x4x7x7xf32>) {
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<2x4x7x7xf32>) -> tensor<2x4x6x6xf32>
  %1 = graph.reshape %0 {shape = array<i64: 2, 144>} : (tensor<2x4x6x6xf32>) -> tensor<2x144xf32>
  func.return
}

// Panels have their rows in the order in which an image was flattened.
// CHECK-LABEL: @constant_matrices_follow_what_is_flattened
// CHECK-NOT:     layout.transform {{.*}} -> tensor<2x144xf32>
// CHECK:         layout.transform %k : {{.*}} -> tensor<144x20xf32, #layout.physical<[1:?:24, 0:36, 0:?:36, 1:24]>>
// CHECK-NEXT:    graph.matmul {{.*}} : (tensor<2x144xf32, #layout.physical<[0, 1:36, 1:?:36]>>, tensor<144x20xf32
func.func @constant_matrices_follow_what_is_flattened(%x: tensor<2x4x7x7xf32>) {
  %k = graph.literal dense<1.0> : tensor<144x20xf32> : tensor<144x20xf32>
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<2x4x7x7xf32>) -> tensor<2x4x6x6xf32>
  %1 = graph.reshape %0 {shape = array<i64: 2, 144>} : (tensor<2x4x6x6xf32>) -> tensor<2x144xf32>
  %2 = graph.matmul %1, %k : (tensor<2x144xf32>, tensor<144x20xf32>) -> tensor<2x20xf32>
  func.return
}

// CHECK-LABEL: @others_do_not_follow_what_is_flattened
// CHECK:         layout.transform %{{.*}} -> tensor<2x144xf32>
// CHECK:         graph.matmul %{{.*}} : (tensor<2x144xf32>, tensor<144x20xf32>) -> tensor<2x20xf32>
func.func @others_do_not_follow_what_is_flattened(%x: tensor<2x4x7x7xf32>, %k: tensor<144x20xf32>) {
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<2x4x7x7xf32>) -> tensor<2x4x6x6xf32>
  %1 = graph.reshape %0 {shape = array<i64: 2, 144>} : (tensor<2x4x6x6xf32>) -> tensor<2x144xf32>
  %2 = graph.matmul %1, %k : (tensor<2x144xf32>, tensor<144x20xf32>) -> tensor<2x20xf32>
  func.return
}

// Keys are multiplied by columns: the product that makes them stores them so.
// CHECK-LABEL: @products_store_what_is_transposed
// CHECK-NOT:     layout.transform %{{[0-9]}}
// CHECK:         graph.matmul %x, %{{.*}} -> tensor<1x64x128xf32, #layout.physical<NWC>>
// CHECK-NOT:     layout.transform %{{[0-9]}}
// CHECK:         graph.matmul %q, %{{.*}} : (tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>) -> tensor<1x2x64x64xf32>
func.func @products_store_what_is_transposed(%x: tensor<1x64x32xf32>, %q: tensor<1x2x64x64xf32>) {
  %w = graph.literal dense<1.0> : tensor<32x128xf32> : tensor<32x128xf32>
  %0 = graph.matmul %x, %w : (tensor<1x64x32xf32>, tensor<32x128xf32>) -> tensor<1x64x128xf32>
  %1 = graph.reshape %0 {shape = array<i64: 1, 64, 2, 64>} : (tensor<1x64x128xf32>) -> tensor<1x64x2x64xf32>
  %2 = graph.transpose %1 {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x64x2x64xf32>) -> tensor<1x2x64x64xf32>
  %3 = graph.matmul %q, %2 : (tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>) -> tensor<1x2x64x64xf32>
  func.return
}

// Channels of groups take turns, in the order in which the next op wants them.
// CHECK-LABEL: @convolutions_store_what_is_shuffled
// CHECK:         graph.conv %{{.*}} -> tensor<1x80x7x7xf32, #layout.physical<[0, 2, 3, 1:40, 1:?:40]>>
// CHECK-NEXT:    graph.reshape %{{.*}} -> tensor<1x2x40x7x7xf32, #layout.physical<NHWDC>>
// CHECK-NEXT:    graph.transpose %{{.*}} -> tensor<1x40x2x7x7xf32, #layout.physical<NHWCD>>
// CHECK-NEXT:    graph.reshape %{{.*}} -> tensor<1x80x7x7xf32, #layout.physical<NHWC2c>>
// CHECK-NEXT:    graph.max_pool
func.func @convolutions_store_what_is_shuffled(%x: tensor<1x8x7x7xf32>) {
  %f = graph.literal dense<1.0> : tensor<80x4x1x1xf32> : tensor<80x4x1x1xf32>
  %0 = graph.conv %x, %f {group = 2} : (tensor<1x8x7x7xf32>, tensor<80x4x1x1xf32>) -> tensor<1x80x7x7xf32>
  %1 = graph.reshape %0 {shape = array<i64: 1, 2, 40, 7, 7>} : (tensor<1x80x7x7xf32>) -> tensor<1x2x40x7x7xf32>
  %2 = graph.transpose %1 {permutation = array<i64: 0, 2, 1, 3, 4>} : (tensor<1x2x40x7x7xf32>) -> tensor<1x40x2x7x7xf32>
  %3 = graph.reshape %2 {shape = array<i64: 1, 80, 7, 7>} : (tensor<1x40x2x7x7xf32>) -> tensor<1x80x7x7xf32>
  %4 = graph.max_pool %3 {kernel_shape = array<i64: 2, 2>} : (tensor<1x80x7x7xf32>) -> tensor<1x80x6x6xf32>
  func.return
}

// CHECK-LABEL: @groups_stay_apart_where_nothing_shuffles_them
// CHECK:         graph.conv %{{.*}} -> tensor<1x80x7x7xf32, #layout.physical<NHWC>>
// CHECK-NEXT:    graph.max_pool
func.func @groups_stay_apart_where_nothing_shuffles_them(%x: tensor<1x8x7x7xf32>) {
  %f = graph.literal dense<1.0> : tensor<80x4x1x1xf32> : tensor<80x4x1x1xf32>
  %0 = graph.conv %x, %f {group = 2} : (tensor<1x8x7x7xf32>, tensor<80x4x1x1xf32>) -> tensor<1x80x7x7xf32>
  %1 = graph.max_pool %0 {kernel_shape = array<i64: 2, 2>} : (tensor<1x80x7x7xf32>) -> tensor<1x80x6x6xf32>
  func.return
}

// Axes that end up in other axes: nothing but row-major will do.
// CHECK-LABEL: @a_reshape_across_axes_is_row_major
// CHECK:         %[[T:.*]] = layout.transform %{{.*}} -> tensor<2x4x6x6xf32>
// CHECK-NEXT:    graph.reshape %[[T]] {{.*}} : (tensor<2x4x6x6xf32>) -> tensor<2x9x4x4xf32>
func.func @a_reshape_across_axes_is_row_major(%x: tensor<2x4x7x7xf32>) {
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<2x4x7x7xf32>) -> tensor<2x4x6x6xf32>
  %1 = graph.reshape %0 {shape = array<i64: 2, 9, 4, 4>} : (tensor<2x4x6x6xf32>) -> tensor<2x9x4x4xf32>
  func.return
}

// No order of whole axes is kept by both shapes, but bytes are.
// CHECK-LABEL: @a_reshape_that_cuts_axes_keeps_bytes
// CHECK:         graph.reshape {{.*}} -> tensor<2x8xf32, #layout.physical<[1:4, 0, 1:?:4]>>
func.func @a_reshape_that_cuts_axes_keeps_bytes(%x: tensor<4x4xf32>) {
  %0 = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = graph.reshape %0 {shape = array<i64: 2, 8>} : (tensor<4x4xf32>) -> tensor<2x8xf32>
  func.return
}

// CHECK-LABEL: @a_channel_shuffle_moves_once
// CHECK:         graph.max_pool
// CHECK-NEXT:    graph.reshape
// CHECK-NEXT:    graph.transpose {{.*}} -> tensor<1x3x2x6x6xf32, #layout.physical<NHWDC>>
// CHECK-NEXT:    graph.reshape {{.*}} -> tensor<1x6x6x6xf32, #layout.physical<[0, 2, 3, 1:2, 1:?:2]>>
// CHECK-NEXT:    layout.transform {{.*}} -> tensor<1x6x6x6xf32, #layout.physical<NHWC>>
// CHECK-NEXT:    graph.avg_pool
// CHECK-NEXT:    func.return
func.func @a_channel_shuffle_moves_once(%x: tensor<1x6x7x7xf32>) {
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x6x7x7xf32>) -> tensor<1x6x6x6xf32>
  %1 = graph.reshape %0 {shape = array<i64: 1, 2, 3, 6, 6>} : (tensor<1x6x6x6xf32>) -> tensor<1x2x3x6x6xf32>
  %2 = graph.transpose %1 {permutation = array<i64: 0, 2, 1, 3, 4>} : (tensor<1x2x3x6x6xf32>) -> tensor<1x3x2x6x6xf32>
  %3 = graph.reshape %2 {shape = array<i64: 1, 6, 6, 6>} : (tensor<1x3x2x6x6xf32>) -> tensor<1x6x6x6xf32>
  %4 = graph.avg_pool %3 {kernel_shape = array<i64: 2, 2>} : (tensor<1x6x6x6xf32>) -> tensor<1x6x5x5xf32>
  func.return
}

// Indices that are picked stay together where the axis was; nobody says in what order.
// CHECK-LABEL: @a_gather_reads_any_order
// CHECK-NOT:     layout.transform %{{[0-9]}}
// CHECK:         graph.gather %{{.*}}, %i {{.*}} (tensor<1x4x6x6xf32, #layout.physical<NHWC>>, tensor<2xi64>) -> tensor<1x2x6x6xf32>
func.func @a_gather_reads_any_order(%x: tensor<1x4x7x7xf32>, %i: tensor<2xi64>) {
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x4x7x7xf32>) -> tensor<1x4x6x6xf32>
  %1 = graph.gather %0, %i {axis = 1 : i64} : (tensor<1x4x6x6xf32>, tensor<2xi64>) -> tensor<1x2x6x6xf32>
  func.return
}

// CHECK-LABEL: @arguments_and_results_keep_what_they_have
// CHECK-SAME:    %x: tensor<1x4x7x7xf32, #layout.physical<NHWC>>
// CHECK-NEXT:    graph.max_pool %x {{.*}} -> tensor<1x4x6x6xf32, #layout.physical<NHWC>>
// CHECK-NEXT:    layout.transform {{.*}} -> tensor<1x4x6x6xf32, #layout.physical<NWCH>>
// CHECK-NEXT:    func.return
func.func @arguments_and_results_keep_what_they_have(%x: tensor<1x4x7x7xf32, #layout.physical<NHWC>>) -> tensor<1x4x6x6xf32, #layout.physical<NWCH>> {
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x4x7x7xf32, #layout.physical<NHWC>>) -> tensor<1x4x6x6xf32, #layout.physical<NWCH>>
  func.return %0 : tensor<1x4x6x6xf32, #layout.physical<NWCH>>
}

// Blocks are gone through in one go where all values are alike and nothing is padded.
// CHECK-LABEL: @blocks_are_carried_by_those_alike
// CHECK:         graph.relu %x : {{.*}} -> tensor<1x16x7x7xf32, #layout.physical<NCHW8c>>
// CHECK-NEXT:    layout.transform %y : {{.*}} -> tensor<1x12x7x7xf32, #layout.physical<NHWC>>
// CHECK-NEXT:    graph.relu
func.func @blocks_are_carried_by_those_alike(%x: tensor<1x16x7x7xf32, #layout.physical<NCHW8c>>, %y: tensor<1x12x7x7xf32, #layout.physical<NCHW8c>>) {
  %0 = graph.relu %x : (tensor<1x16x7x7xf32, #layout.physical<NCHW8c>>) -> tensor<1x16x7x7xf32>
  %1 = graph.relu %y : (tensor<1x12x7x7xf32, #layout.physical<NCHW8c>>) -> tensor<1x12x7x7xf32>
  func.return
}

// CHECK-LABEL: @blocks_are_not_reduced
// CHECK:         layout.transform %x : {{.*}} -> tensor<1x16x7x7xf32, #layout.physical<NHWC>>
// CHECK-NEXT:    graph.reduce_sum
func.func @blocks_are_not_reduced(%x: tensor<1x16x7x7xf32, #layout.physical<NCHW8c>>) {
  %0 = graph.reduce_sum %x {axes = array<i64: 1>} : (tensor<1x16x7x7xf32, #layout.physical<NCHW8c>>) -> tensor<1x7x7xf32>
  func.return
}

// What is transformed already is transformed from where it came.
// CHECK-LABEL: @transforms_do_not_pile_up
// CHECK:         %[[T:.*]] = layout.transform %x : tensor<1x4x7x7xf32> -> tensor<1x4x7x7xf32, #layout.physical<NHWC>>
// CHECK-NEXT:    graph.max_pool %[[T]]
func.func @transforms_do_not_pile_up(%x: tensor<1x4x7x7xf32>) {
  %0 = layout.transform %x : tensor<1x4x7x7xf32> -> tensor<1x4x7x7xf32, #layout.physical<NCHW8c>>
  %1 = graph.max_pool %0 {kernel_shape = array<i64: 2, 2>} : (tensor<1x4x7x7xf32, #layout.physical<NCHW8c>>) -> tensor<1x4x6x6xf32>
  func.return
}

// CHECK-LABEL: @others_see_what_they_saw
// CHECK:         "test.op"(%{{.*}}) : (tensor<1x4x6x6xf32>) -> ()
func.func @others_see_what_they_saw(%x: tensor<1x4x7x7xf32>) {
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x4x7x7xf32>) -> tensor<1x4x6x6xf32>
  "test.op"(%0) : (tensor<1x4x6x6xf32>) -> ()
  func.return
}

// A transform that nothing reads goes, of an argument that nothing else reads too.
// CHECK-LABEL: @unread_argument
// CHECK-NEXT:    func.return %y : tensor<2x3xf32>
func.func @unread_argument(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = layout.transform %x : tensor<2x3xf32> -> tensor<2x3xf32, #layout.physical<CN>>
  func.return %y : tensor<2x3xf32>
}

// Of one channel, both layouts are the same bytes; a function returns what it declares.
// CHECK-LABEL: @declared_results
// CHECK:         %[[R:.*]] = graph.relu
// CHECK:         %[[C:.*]] = layout.transform %[[R]]
// CHECK-NEXT:    func.return %{{.*}}, %{{.*}} : tensor<2x1x3x4xf32, #layout.physical<NHWC>>, tensor<2x1x3x4xf32>
func.func @declared_results(%x: tensor<2x1x3x4xf32>) -> (tensor<2x1x3x4xf32, #layout.physical<NHWC>>, tensor<2x1x3x4xf32>) {
  %0 = graph.relu %x : (tensor<2x1x3x4xf32>) -> tensor<2x1x3x4xf32>
  %1 = layout.transform %0 : tensor<2x1x3x4xf32> -> tensor<2x1x3x4xf32, #layout.physical<NHWC>>
  func.return %1, %0 : tensor<2x1x3x4xf32, #layout.physical<NHWC>>, tensor<2x1x3x4xf32>
}

// A stack of vectors by its transpose: what it stores are rows, and these are moved once.
// CHECK-LABEL: @parts_of_one_element_are_not_interleaved
// CHECK:         %[[S:.*]] = graph.concat
// CHECK-NEXT:    %[[T:.*]] = layout.transform %[[S]] : {{.*}} -> tensor<8x4x64xf32, #layout.physical<NWC>>
// CHECK-NEXT:    graph.matmul %[[S]], %[[T]]
func.func @parts_of_one_element_are_not_interleaved(%x: tensor<8x64xf32>) -> tensor<8x4x4xf32> {
  %0 = graph.relu %x : (tensor<8x64xf32>) -> tensor<8x64xf32>
  %1 = graph.reshape %0 {shape = array<i64: 8, 1, 64>} : (tensor<8x64xf32>) -> tensor<8x1x64xf32>
  %2 = graph.concat %1, %1, %1, %1 {axis = 1 : i64} : (tensor<8x1x64xf32>, tensor<8x1x64xf32>, tensor<8x1x64xf32>, tensor<8x1x64xf32>) -> tensor<8x4x64xf32>
  %3 = graph.matmul %2, %2 {transpose_rhs} : (tensor<8x4x64xf32>, tensor<8x4x64xf32>) -> tensor<8x4x4xf32>
  func.return %3 : tensor<8x4x4xf32>
}

// A run puts a matrix into panels that enough rows are multiplied by, transposed or not.
// CHECK-LABEL: @factors_of_many_rows_are_packed
// CHECK:         layout.transform %w : tensor<64x32xf32> -> tensor<64x32xf32, #layout.physical<NK16n>>
// CHECK:         layout.transform %v : tensor<48x32xf32> -> tensor<48x32xf32, #layout.physical<OI24o>>
func.func @factors_of_many_rows_are_packed(%x: tensor<64x64xf32>, %w: tensor<64x32xf32>, %v: tensor<48x32xf32>) -> tensor<64x48xf32> {
  %0 = graph.matmul %x, %w : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  %1 = graph.matmul %0, %v {transpose_rhs} : (tensor<64x32xf32>, tensor<48x32xf32>) -> tensor<64x48xf32>
  func.return %1 : tensor<64x48xf32>
}

// It does not for few rows, columns that fill no panel, a factor for each of a batch, or f64.
// CHECK-LABEL: @other_factors_are_not_packed
// CHECK-NOT:     layout.transform
// CHECK:         func.return
func.func @other_factors_are_not_packed(%x: tensor<4x64xf32>, %w: tensor<64x32xf32>, %y: tensor<64x64xf32>, %v: tensor<64x8xf32>, %a: tensor<2x64x64xf32>, %b: tensor<2x64x32xf32>, %c: tensor<64x64xf64>, %d: tensor<64x32xf64>) {
  %0 = graph.matmul %x, %w : (tensor<4x64xf32>, tensor<64x32xf32>) -> tensor<4x32xf32>
  %1 = graph.matmul %y, %v : (tensor<64x64xf32>, tensor<64x8xf32>) -> tensor<64x8xf32>
  %2 = graph.matmul %a, %b : (tensor<2x64x64xf32>, tensor<2x64x32xf32>) -> tensor<2x64x32xf32>
  %3 = graph.matmul %c, %d : (tensor<64x64xf64>, tensor<64x32xf64>) -> tensor<64x32xf64>
  func.return
}
