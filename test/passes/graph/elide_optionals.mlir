// RUN: glow-opt %s -p elide-optionals,dce | filecheck %s
// RUN: glow-opt %s -p 'elide-optionals{signed-zeros=false},dce' | filecheck %s --check-prefix=ANY-ZERO
// RUN: glow-opt %s -p 'elide-optionals{slots="graph.rms_norm.scale"},dce' | filecheck %s --check-prefix=SOME

// CHECK-LABEL: @negative_zeros_go
// CHECK:         graph.conv %x, %w {
// SOME-LABEL:  @negative_zeros_go
// SOME:          graph.conv %x, %w bias
func.func @negative_zeros_go(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32> {
  %b = graph.literal dense<-0.0> : tensor<4xf32> : tensor<4xf32>
  %y = graph.conv %x, %w bias %b {pads = array<i64: 0, 0, 0, 0>} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<1x4x6x6xf32>
  func.return %y : tensor<1x4x6x6xf32>
}

// -0.0 + 0.0 is 0.0: not the same bits.
// CHECK-LABEL: @zeros_stay
// CHECK:         graph.matmul %x, %w bias
// ANY-ZERO-LABEL: @zeros_stay
// ANY-ZERO:      graph.matmul %x, %w :
func.func @zeros_stay(%x: tensor<2x3xf32>, %w: tensor<3x5xf32>) -> tensor<2x5xf32> {
  %b = graph.literal dense<0.0> : tensor<5xf32> : tensor<5xf32>
  %y = graph.matmul %x, %w bias %b : (tensor<2x3xf32>, tensor<3x5xf32>, tensor<5xf32>) -> tensor<2x5xf32>
  func.return %y : tensor<2x5xf32>
}

// CHECK-LABEL: @zeros_of_integers_go
// CHECK:         graph.matmul %x, %w :
func.func @zeros_of_integers_go(%x: tensor<2x3xi32>, %w: tensor<3x5xi32>) -> tensor<2x5xi32> {
  %b = graph.literal dense<0> : tensor<i32> : tensor<i32>
  %y = graph.matmul %x, %w bias %b : (tensor<2x3xi32>, tensor<3x5xi32>, tensor<i32>) -> tensor<2x5xi32>
  func.return %y : tensor<2x5xi32>
}

// CHECK-LABEL: @seen_through_movement
// CHECK-NEXT:    graph.rms_norm %x {
// SOME-LABEL:  @seen_through_movement
// SOME-NEXT:     graph.rms_norm %x {
func.func @seen_through_movement(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %0 = graph.literal dense<1.0> : tensor<1xf32> : tensor<1xf32>
  %1 = graph.expand %0 {shape = array<i64: 24>} : (tensor<1xf32>) -> tensor<24xf32>
  %2 = graph.reshape %1 {shape = array<i64: 8, 3>} : (tensor<24xf32>) -> tensor<8x3xf32>
  %3 = graph.transpose %2 {permutation = array<i64: 1, 0>} : (tensor<8x3xf32>) -> tensor<3x8xf32>
  %4 = layout.transform %3 : tensor<3x8xf32> -> tensor<3x8xf32, #layout.physical<NK>>
  %y = graph.rms_norm %x scale %4 : tensor<3x8xf32, #layout.physical<NK>> {axis = 1 : i64} : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  func.return %y : tensor<2x3x8xf32>
}

// CHECK-LABEL: @one_of_two_neighbors_goes
// CHECK:         graph.layer_norm %x bias %b : tensor<8xf32> {
// CHECK:         graph.layer_norm %x scale %b : tensor<8xf32> {
func.func @one_of_two_neighbors_goes(%x: tensor<2x8xf32>, %b: tensor<8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %one = graph.literal dense<1.0> : tensor<8xf32> : tensor<8xf32>
  %zero = graph.literal dense<-0.0> : tensor<8xf32> : tensor<8xf32>
  %y = graph.layer_norm %x scale %one : tensor<8xf32> bias %b : tensor<8xf32> {axis = 1 : i64} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %z = graph.layer_norm %x scale %b : tensor<8xf32> bias %zero : tensor<8xf32> {axis = 1 : i64} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %y, %z : tensor<2x8xf32>, tensor<2x8xf32>
}

// CHECK-LABEL: @not_uniform_stays
// CHECK:         graph.rms_norm %x scale
func.func @not_uniform_stays(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %s = graph.literal dense<[1.0, 1.0, 2.0]> : tensor<3xf32> : tensor<3xf32>
  %y = graph.rms_norm %x scale %s : tensor<3xf32> {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}

// CHECK-LABEL: @unknown_stays
// CHECK:         graph.rms_norm %x scale %s
func.func @unknown_stays(%x: tensor<2x3xf32>, %s: tensor<3xf32>) -> tensor<2x3xf32> {
  %y = graph.rms_norm %x scale %s : tensor<3xf32> {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}

// An absent bound is finite, so -inf is another; one that is NaN does not bound.
// CHECK-LABEL: @bounds_that_differ_stay
// CHECK:         graph.clip %x min {{.*}} max
func.func @bounds_that_differ_stay(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.literal dense<"0x000080FF"> : tensor<f32> : tensor<f32>
  %b = graph.literal dense<"0x0000C07F"> : tensor<f32> : tensor<f32>
  %y = graph.clip %x min %a : tensor<f32> max %b : tensor<f32> : (tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// CHECK-LABEL: @bounds_of_the_type_go
// CHECK:         graph.clip %x :
func.func @bounds_of_the_type_go(%x: tensor<4xi32>) -> tensor<4xi32> {
  %a = graph.literal dense<-2147483648> : tensor<i32> : tensor<i32>
  %b = graph.literal dense<2147483647> : tensor<i32> : tensor<i32>
  %y = graph.clip %x min %a : tensor<i32> max %b : tensor<i32> : (tensor<4xi32>) -> tensor<4xi32>
  func.return %y : tensor<4xi32>
}

// CHECK-LABEL: @weights_of_one_go
// CHECK:         graph.negative_log_likelihood_loss %x, %t :
func.func @weights_of_one_go(%x: tensor<3x5xf32>, %t: tensor<3xi64>) -> tensor<f32> {
  %w = graph.literal dense<1.0> : tensor<5xf32> : tensor<5xf32>
  %y = graph.negative_log_likelihood_loss %x, %t weights %w : (tensor<3x5xf32>, tensor<3xi64>, tensor<5xf32>) -> tensor<f32>
  func.return %y : tensor<f32>
}

// CHECK-LABEL: @unread_results_go
// CHECK:         %{{.*}} = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x3x8x8xf32>) -> tensor<1x3x7x7xf32>
// CHECK:         %{{.*}} = graph.top_k %{{.*}} {largest, k = 3 : i64} : tensor<1x3x7x7xf32> indices tensor<1x3x7x3xi64>
// SOME-LABEL:  @unread_results_go
// SOME:          {{.*}}, {{.*}} = graph.max_pool
func.func @unread_results_go(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x7x3xi64> {
  %y, %i = graph.max_pool %x {kernel_shape = array<i64: 2, 2>, with_indices} : (tensor<1x3x8x8xf32>) -> (tensor<1x3x7x7xf32>, tensor<1x3x7x7xi64>)
  %v, %j = graph.top_k %y {k = 3 : i64, largest} : tensor<1x3x7x7xf32> values tensor<1x3x7x3xf32> indices tensor<1x3x7x3xi64>
  func.return %j : tensor<1x3x7x3xi64>
}

// CHECK-LABEL: @statistics_go_together
// CHECK:         %{{.*}} = graph.layer_norm %x {axis = 1 : i64} : (tensor<2x8xf32>) -> tensor<2x8xf32>
// CHECK:         %{{.*}}, %{{.*}}, %{{.*}} = graph.layer_norm
func.func @statistics_go_together(%x: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x1xf32>) {
  %y, %m, %d = graph.layer_norm %x {axis = 1 : i64, with_statistics} : (tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
  %z, %n, %e = graph.layer_norm %y {axis = 1 : i64, with_statistics} : (tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
  func.return %z, %n : tensor<2x8xf32>, tensor<2x1xf32>
}

// CHECK-LABEL: @log_prob_and_mask_go
// CHECK:         %{{.*}} = graph.cross_entropy_loss %x, %t :
// CHECK:         %{{.*}} = graph.dropout %x :
func.func @log_prob_and_mask_go(%x: tensor<3x5xf32>, %t: tensor<3xi64>) -> (tensor<f32>, tensor<3x5xf32>) {
  %y, %p = graph.cross_entropy_loss %x, %t {with_log_prob} : (tensor<3x5xf32>, tensor<3xi64>) -> (tensor<f32>, tensor<3x5xf32>)
  %z, %m = graph.dropout %x {with_mask} : (tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xi1>)
  func.return %y, %z : tensor<f32>, tensor<3x5xf32>
}

// A weighted sum by ones is one of rows as they are.
// CHECK-LABEL: @bags_weighted_by_ones
// CHECK-NEXT:    graph.embedding_bag %t, %i :
// CHECK-NEXT:    graph.sparse_lengths_sum %t, %j lengths %l {mode = "mean"} :
func.func @bags_weighted_by_ones(%t: tensor<9x8xf32>, %i: tensor<2x3xi64>, %j: tensor<6xi64>, %l: tensor<2xi64>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %one = graph.literal dense<1.0> : tensor<1xf32> : tensor<1xf32>
  %0 = graph.expand %one {shape = array<i64: 6>} : (tensor<1xf32>) -> tensor<6xf32>
  %1 = graph.reshape %0 {shape = array<i64: 2, 3>} : (tensor<6xf32>) -> tensor<2x3xf32>
  %y = graph.embedding_bag %t, %i weights %1 : tensor<2x3xf32> : (tensor<9x8xf32>, tensor<2x3xi64>) -> tensor<2x8xf32>
  %z = graph.sparse_lengths_sum %t, %j lengths %l weights %0 : tensor<6xf32> {mode = "mean"} : (tensor<9x8xf32>, tensor<6xi64>, tensor<2xi64>) -> tensor<2x8xf32>
  func.return %y, %z : tensor<2x8xf32>, tensor<2x8xf32>
}

// The only query is the last of the keys with a length, and the first of them without.
// CHECK-LABEL: @lengths_that_place_queries_stay
// CHECK:         graph.attention {{.*}} valid_length
func.func @lengths_that_place_queries_stay(%q: tensor<1x2x1x4xf32>, %k: tensor<1x2x8x4xf32>) -> tensor<1x2x1x4xf32> {
  %n = graph.literal dense<8> : tensor<1xi64> : tensor<1xi64>
  %y = graph.attention %q, %k, %k valid_length %n : tensor<1xi64> {causal} : (tensor<1x2x1x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x1x4xf32>
  func.return %y : tensor<1x2x1x4xf32>
}

// CHECK-LABEL: @lengths_of_all_keys_go
// CHECK-NOT:     valid_length
func.func @lengths_of_all_keys_go(%q: tensor<1x2x8x4xf32>, %k: tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32> {
  %n = graph.literal dense<8> : tensor<1xi64> : tensor<1xi64>
  %y = graph.attention %q, %k, %k valid_length %n : tensor<1xi64> {causal} : (tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32>
  func.return %y : tensor<1x2x8x4xf32>
}
