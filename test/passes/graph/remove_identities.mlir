// RUN: glow-opt %s -p remove-identities | filecheck %s

// CHECK-LABEL: @minus_zero_is_added(
// CHECK-NEXT:    func.return %x :
func.func @minus_zero_is_added(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = graph.literal dense<-0.0> : tensor<f32> : tensor<f32>
  %0 = graph.add %x, %c : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @zero_is_subtracted(
// CHECK-NEXT:    func.return %x :
func.func @zero_is_subtracted(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = graph.literal dense<0.0> : tensor<f32> : tensor<f32>
  %0 = graph.sub %x, %c : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @product_with_one(
// CHECK-NEXT:    func.return %x :
func.func @product_with_one(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %0 = graph.mul %x, %c : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @quotient_by_one(
// CHECK-NEXT:    func.return %x :
func.func @quotient_by_one(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %0 = graph.div %x, %c : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @first_power(
// CHECK-NEXT:    func.return %x :
func.func @first_power(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %0 = graph.pow %x, %c : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @one_times_it(
// CHECK-NEXT:    func.return %x :
func.func @one_times_it(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = graph.literal dense<1.0> : tensor<2x3xf32> : tensor<2x3xf32>
  %0 = graph.mul %c, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @and_true(
// CHECK-NEXT:    func.return %x :
func.func @and_true(%x: tensor<3xi1>) -> tensor<3xi1> {
  %c = graph.literal dense<true> : tensor<i1> : tensor<i1>
  %0 = graph.and %c, %x : (tensor<i1>, tensor<3xi1>) -> tensor<3xi1>
  func.return %0 : tensor<3xi1>
}

// CHECK-LABEL: @or_false(
// CHECK-NEXT:    func.return %x :
func.func @or_false(%x: tensor<3xi1>) -> tensor<3xi1> {
  %c = graph.literal dense<false> : tensor<i1> : tensor<i1>
  %0 = graph.or %c, %x : (tensor<i1>, tensor<3xi1>) -> tensor<3xi1>
  func.return %0 : tensor<3xi1>
}

// CHECK-LABEL: @and_not_everywhere_true(
// CHECK:         graph.and
func.func @and_not_everywhere_true(%x: tensor<2xi1>) -> tensor<2xi1> {
  %c = graph.literal dense<[true, false]> : tensor<2xi1> : tensor<2xi1>
  %0 = graph.and %x, %c : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  func.return %0 : tensor<2xi1>
}

// CHECK-LABEL: @or_true(
// CHECK:         graph.or
func.func @or_true(%x: tensor<2xi1>) -> tensor<2xi1> {
  %c = graph.literal dense<true> : tensor<i1> : tensor<i1>
  %0 = graph.or %x, %c : (tensor<2xi1>, tensor<i1>) -> tensor<2xi1>
  func.return %0 : tensor<2xi1>
}

// CHECK-LABEL: @integer_zero_is_added(
// CHECK-NEXT:    func.return %x :
func.func @integer_zero_is_added(%x: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %c = graph.literal dense<0> : tensor<3xi32> : tensor<3xi32>
  %0 = graph.add %c, %x : (tensor<3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  func.return %0 : tensor<2x3xi32>
}

// -0.0 + 0.0 is 0.0.
// CHECK-LABEL: @zero_is_added(
// CHECK:         graph.add
func.func @zero_is_added(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = graph.literal dense<0.0> : tensor<f32> : tensor<f32>
  %0 = graph.add %x, %c : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// -0.0 - -0.0 is 0.0.
// CHECK-LABEL: @minus_zero_is_subtracted(
// CHECK:         graph.sub
func.func @minus_zero_is_subtracted(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = graph.literal dense<-0.0> : tensor<f32> : tensor<f32>
  %0 = graph.sub %x, %c : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @it_is_subtracted_from_zero(
// CHECK:         graph.sub
func.func @it_is_subtracted_from_zero(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = graph.literal dense<0.0> : tensor<f32> : tensor<f32>
  %0 = graph.sub %c, %x : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @one_is_divided_by_it(
// CHECK:         graph.div
func.func @one_is_divided_by_it(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %0 = graph.div %c, %x : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @not_all_are_one(
// CHECK:         graph.mul
func.func @not_all_are_one(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = graph.literal dense<[1.0, 1.0, 2.0]> : tensor<3xf32> : tensor<3xf32>
  %0 = graph.mul %x, %c : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @unknown_factor(
// CHECK:         graph.mul
func.func @unknown_factor(%x: tensor<2x3xf32>, %c: tensor<f32>) -> tensor<2x3xf32> {
  %0 = graph.mul %x, %c : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @ones_that_add_elements(
// CHECK-NOT:     graph.mul
// CHECK:         graph.expand %x {shape = array<i64: 2, 3>}
func.func @ones_that_add_elements(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  %c = graph.literal dense<1.0> : tensor<2x3xf32> : tensor<2x3xf32>
  %0 = graph.mul %x, %c : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @product_that_changes_the_layout(
// CHECK:         graph.mul
func.func @product_that_changes_the_layout(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32, #layout.physical<NHWC>> {
  %c = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %0 = graph.mul %x, %c : (tensor<1x2x3x4xf32>, tensor<f32>) -> tensor<1x2x3x4xf32, #layout.physical<NHWC>>
  func.return %0 : tensor<1x2x3x4xf32, #layout.physical<NHWC>>
}

// CHECK-LABEL: @unmoving_reshape(
// CHECK-NEXT:    func.return %x :
func.func @unmoving_reshape(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.reshape %x {shape = array<i64: 2, 3>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @unmoving_expand(
// CHECK-NEXT:    func.return %x :
func.func @unmoving_expand(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.expand %x {shape = array<i64: 3>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @unmoving_tile(
// CHECK-NEXT:    func.return %x :
func.func @unmoving_tile(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.tile %x {repeats = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @unmoving_cast(
// CHECK-NEXT:    func.return %x :
func.func @unmoving_cast(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.cast %x {to = f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @unmoving_space_to_depth(
// CHECK-NEXT:    func.return %x :
func.func @unmoving_space_to_depth(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %0 = graph.space_to_depth %x {block_size = 1} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %0 : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @unmoving_depth_to_space(
// CHECK-NEXT:    func.return %x :
func.func @unmoving_depth_to_space(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %0 = graph.depth_to_space %x {block_size = 1} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %0 : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @unmoving_split(
// CHECK-NEXT:    func.return %x :
func.func @unmoving_split(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.split %x {axis = 0, sizes = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @unmoving_concat(
// CHECK-NEXT:    func.return %x :
func.func @unmoving_concat(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.concat %x {axis = 0} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @unmoving_transpose(
// CHECK-NEXT:    func.return %x :
func.func @unmoving_transpose(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 0, 1>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  func.return %0 : tensor<2x2xf32>
}

// CHECK-LABEL: @unmoving_transpose_of_ones(
// CHECK-NEXT:    func.return %x :
func.func @unmoving_transpose_of_ones(%x: tensor<1x1x4xf32>) -> tensor<1x1x4xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 1, 0, 2>} : (tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
  func.return %0 : tensor<1x1x4xf32>
}

// CHECK-LABEL: @unmoving_slice(
// CHECK-NEXT:    func.return %x :
func.func @unmoving_slice(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.slice %x {starts = array<i64: 0, 0>, sizes = array<i64: 2, 3>, steps = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @unmoving_slice_of_one(
// CHECK-NEXT:    func.return %x :
func.func @unmoving_slice_of_one(%x: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %0 = graph.slice %x {starts = array<i64: 0, 0>, sizes = array<i64: 1, 3>, steps = array<i64: -1, 1>} : (tensor<1x3xf32>) -> tensor<1x3xf32>
  func.return %0 : tensor<1x3xf32>
}

// CHECK-LABEL: @unmoving_pad(
// CHECK-NEXT:    func.return %x :
func.func @unmoving_pad(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.pad %x {pads = array<i64: 0, 0, 0, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @moving_transpose(
// CHECK:         graph.transpose
func.func @moving_transpose(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  func.return %0 : tensor<2x2xf32>
}

// CHECK-LABEL: @reversing_slice(
// CHECK:         graph.slice
func.func @reversing_slice(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.slice %x {starts = array<i64: 0, 2>, sizes = array<i64: 2, 3>, steps = array<i64: 1, -1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @shifting_pad(
// CHECK:         graph.pad
func.func @shifting_pad(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.pad %x {pads = array<i64: 0, 1, 0, -1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @concat_with_itself(
// CHECK:         graph.concat
func.func @concat_with_itself(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
  %0 = graph.concat %x, %x {axis = 0} : (tensor<0x3xf32>, tensor<0x3xf32>) -> tensor<0x3xf32>
  func.return %0 : tensor<0x3xf32>
}

// CHECK-LABEL: @cast_to_another_type(
// CHECK:         graph.cast
func.func @cast_to_another_type(%x: tensor<2x3xf32>) -> tensor<2x3xf64> {
  %0 = graph.cast %x {to = f64} : (tensor<2x3xf32>) -> tensor<2x3xf64>
  func.return %0 : tensor<2x3xf64>
}

// CHECK-LABEL: @transpose_that_changes_the_layout(
// CHECK:         graph.transpose
func.func @transpose_that_changes_the_layout(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32, #layout.physical<NHWC>> {
  %0 = graph.transpose %x {permutation = array<i64: 0, 1, 2, 3>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32, #layout.physical<NHWC>>
  func.return %0 : tensor<1x2x3x4xf32, #layout.physical<NHWC>>
}

// CHECK-LABEL: @other_ops_of_the_same_type(
// CHECK:         graph.relu
func.func @other_ops_of_the_same_type(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @reduce_sum_of_one(
// CHECK-NEXT:    func.return %x :
func.func @reduce_sum_of_one(%x: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %0 = graph.reduce_sum %x {axes = array<i64: 0>, keepdims} : (tensor<1x3xf32>) -> tensor<1x3xf32>
  func.return %0 : tensor<1x3xf32>
}

// CHECK-LABEL: @reduce_mean_of_one(
// CHECK-NEXT:    func.return %x :
func.func @reduce_mean_of_one(%x: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %0 = graph.reduce_mean %x {axes = array<i64: 0>, keepdims} : (tensor<1x3xf32>) -> tensor<1x3xf32>
  func.return %0 : tensor<1x3xf32>
}

// CHECK-LABEL: @reduce_max_of_one(
// CHECK-NEXT:    func.return %x :
func.func @reduce_max_of_one(%x: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %0 = graph.reduce_max %x {axes = array<i64: 0>, keepdims} : (tensor<1x3xf32>) -> tensor<1x3xf32>
  func.return %0 : tensor<1x3xf32>
}

// CHECK-LABEL: @reduce_min_of_one(
// CHECK-NEXT:    func.return %x :
func.func @reduce_min_of_one(%x: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %0 = graph.reduce_min %x {axes = array<i64: 0>, keepdims} : (tensor<1x3xf32>) -> tensor<1x3xf32>
  func.return %0 : tensor<1x3xf32>
}

// CHECK-LABEL: @reduce_prod_of_one(
// CHECK-NEXT:    func.return %x :
func.func @reduce_prod_of_one(%x: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %0 = graph.reduce_prod %x {axes = array<i64: 0>, keepdims} : (tensor<1x3xf32>) -> tensor<1x3xf32>
  func.return %0 : tensor<1x3xf32>
}

// CHECK-LABEL: @reduce_without_axes(
// CHECK-NEXT:    func.return %x :
func.func @reduce_without_axes(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.reduce_sum %x {axes = array<i64>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @reduce_of_several(
// CHECK:         graph.reduce_sum
func.func @reduce_of_several(%x: tensor<2x3xf32>) -> tensor<1x3xf32> {
  %0 = graph.reduce_sum %x {axes = array<i64: 0>, keepdims} : (tensor<2x3xf32>) -> tensor<1x3xf32>
  func.return %0 : tensor<1x3xf32>
}

// CHECK-LABEL: @reduce_that_drops_an_axis(
// CHECK:         graph.reduce_sum
func.func @reduce_that_drops_an_axis(%x: tensor<1x3xf32>) -> tensor<3xf32> {
  %0 = graph.reduce_sum %x {axes = array<i64: 0>} : (tensor<1x3xf32>) -> tensor<3xf32>
  func.return %0 : tensor<3xf32>
}

// CHECK-LABEL: @reduce_that_squares(
// CHECK:         graph.reduce_sum_square
func.func @reduce_that_squares(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.reduce_sum_square %x {axes = array<i64>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @negated_twice(
// CHECK-NEXT:    func.return %x :
func.func @negated_twice(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.neg %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = graph.neg %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %1 : tensor<2x3xf32>
}

// CHECK-LABEL: @not_twice(
// CHECK-NEXT:    func.return %x :
func.func @not_twice(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = graph.not %x : (tensor<2xi1>) -> tensor<2xi1>
  %1 = graph.not %0 : (tensor<2xi1>) -> tensor<2xi1>
  func.return %1 : tensor<2xi1>
}

// CHECK-LABEL: @bits_turned_twice(
// CHECK-NEXT:    func.return %x :
func.func @bits_turned_twice(%x: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %0 = graph.bitwise_not %x : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %1 = graph.bitwise_not %0 : (tensor<2x3xi32>) -> tensor<2x3xi32>
  func.return %1 : tensor<2x3xi32>
}

// CHECK-LABEL: @different_inverses(
// CHECK:         graph.neg
func.func @different_inverses(%x: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %0 = graph.neg %x : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %1 = graph.bitwise_not %0 : (tensor<2x3xi32>) -> tensor<2x3xi32>
  func.return %1 : tensor<2x3xi32>
}

// CHECK-LABEL: @negated_once(
// CHECK:         graph.abs
func.func @negated_once(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.abs %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = graph.neg %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %1 : tensor<2x3xf32>
}

// CHECK-LABEL: @negations_that_change_the_layout(
// CHECK:         graph.neg
func.func @negations_that_change_the_layout(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32, #layout.physical<NHWC>> {
  %0 = graph.neg %x : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %1 = graph.neg %0 : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32, #layout.physical<NHWC>>
  func.return %1 : tensor<1x2x3x4xf32, #layout.physical<NHWC>>
}

// CHECK-LABEL: @bits_of_the_same_type(
// CHECK-NEXT:    func.return %x
func.func @bits_of_the_same_type(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = graph.bitcast %x {to = f32} : (tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}

// CHECK-LABEL: @bits_of_another_type(
// CHECK:         graph.bitcast
func.func @bits_of_another_type(%x: tensor<2xf32>) -> tensor<2xi32> {
  %0 = graph.bitcast %x {to = i32} : (tensor<2xf32>) -> tensor<2xi32>
  func.return %0 : tensor<2xi32>
}

// CHECK-LABEL: @dropout_keeps_everything(
// CHECK-NEXT:    [[M:%.*]] = graph.literal dense<true> : tensor<2x3xi1>
// CHECK-NEXT:    func.return %x, %x, [[M]]
func.func @dropout_keeps_everything(%x: tensor<2x3xf32>, %r: tensor<f32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi1>) {
  %0 = graph.dropout %x ratio %r : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %1, %m = graph.dropout %x {with_mask} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi1>)
  func.return %0, %1, %m : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi1>
}

// CHECK-LABEL: @dropout_that_changes_the_layout(
// CHECK:         graph.dropout
// CHECK:         graph.dropout
func.func @dropout_that_changes_the_layout(%x: tensor<2x3xf32>) -> (tensor<2x3xf32, #layout.physical<[1, 0]>>, tensor<2x3xi1, #layout.physical<[1, 0]>>) {
  %0 = graph.dropout %x : (tensor<2x3xf32>) -> tensor<2x3xf32, #layout.physical<[1, 0]>>
  %1, %m = graph.dropout %x {with_mask} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi1, #layout.physical<[1, 0]>>)
  func.return %0, %m : tensor<2x3xf32, #layout.physical<[1, 0]>>, tensor<2x3xi1, #layout.physical<[1, 0]>>
}

// CHECK-LABEL: @choice_that_is_known(
// CHECK-NOT:     graph.where
// CHECK:         func.return %x, %y
func.func @choice_that_is_known(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = graph.literal dense<true> : tensor<2x1xi1> : tensor<2x1xi1>
  %1 = graph.literal dense<false> : tensor<i1> : tensor<i1>
  %2 = graph.where %0, %x, %y : (tensor<2x1xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = graph.where %1, %x, %y : (tensor<i1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %2, %3 : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: @known_choice_is_expanded(
// CHECK:         [[Y:%.*]] = graph.expand %x {shape = array<i64: 2, 3>}
// CHECK-NEXT:    func.return [[Y]]
func.func @known_choice_is_expanded(%x: tensor<3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.literal dense<true> : tensor<i1> : tensor<i1>
  %1 = graph.where %0, %x, %y : (tensor<i1>, tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %1 : tensor<2x3xf32>
}

// CHECK-LABEL: @choice_that_differs(
// CHECK:         graph.where
func.func @choice_that_differs(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = graph.literal dense<[true, false]> : tensor<2xi1> : tensor<2xi1>
  %1 = graph.where %0, %x, %y : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %1 : tensor<2xf32>
}

// CHECK-LABEL: @zero_of_bf16_keeps_its_sign(
// CHECK:         graph.add
func.func @zero_of_bf16_keeps_its_sign(%x: tensor<2xbf16>) -> tensor<2xbf16> {
  %0 = graph.literal dense<0.0> : tensor<bf16> : tensor<bf16>
  %1 = graph.add %x, %0 : (tensor<2xbf16>, tensor<bf16>) -> tensor<2xbf16>
  func.return %1 : tensor<2xbf16>
}
