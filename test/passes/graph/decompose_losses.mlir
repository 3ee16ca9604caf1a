// RUN: glow-opt %s -p decompose-losses | filecheck %s

// CHECK-LABEL: @mean_over_all(
// CHECK:         [[C:%.*]] = graph.reshape %t
// CHECK-NEXT:    [[G:%.*]] = graph.gather_elements %x, [[C]] {axis = 1 : i64}
// CHECK-NEXT:    [[R:%.*]] = graph.reshape [[G]]
// CHECK-NEXT:    [[L:%.*]] = graph.neg [[R]]
// CHECK-NEXT:    [[S:%.*]] = graph.reduce_sum [[L]]
// CHECK-NEXT:    [[N:%.*]] = graph.literal dense<3.000000e+00>
// CHECK-NEXT:    [[Y:%.*]] = graph.div [[S]], [[N]]
// CHECK-NEXT:    func.return [[Y]]
func.func @mean_over_all(%x: tensor<3x5xf32>, %t: tensor<3xi64>) -> tensor<f32> {
  %y = graph.negative_log_likelihood_loss %x, %t : (tensor<3x5xf32>, tensor<3xi64>) -> tensor<f32>
  func.return %y : tensor<f32>
}

// What is ignored neither counts nor is looked up.
// CHECK-LABEL: @mean_by_weight(
// CHECK:         [[I:%.*]] = graph.equal %t
// CHECK:         [[T:%.*]] = graph.where [[I]], %{{.*}}, %t
// CHECK:         graph.reshape [[T]]
// CHECK:         [[L:%.*]] = graph.neg
// CHECK-NEXT:    [[W:%.*]] = graph.gather %w, [[T]]
// CHECK-NEXT:    [[M:%.*]] = graph.mul [[L]], [[W]]
// CHECK:         [[V:%.*]] = graph.where [[I]], [[Z:%.*]], [[W]]
// CHECK:         [[K:%.*]] = graph.where [[I]], [[Z]], [[M]]
// CHECK:         [[A:%.*]] = graph.reduce_sum [[K]]
// CHECK:         [[B:%.*]] = graph.reduce_sum [[V]]
// CHECK:         graph.div [[A]], [[B]]
func.func @mean_by_weight(%x: tensor<3x5xf32>, %t: tensor<3xi64>, %w: tensor<5xf32>) -> tensor<f32> {
  %y = graph.negative_log_likelihood_loss %x, %t weights %w {ignore_index = -1 : i64} : (tensor<3x5xf32>, tensor<3xi64>, tensor<5xf32>) -> tensor<f32>
  func.return %y : tensor<f32>
}

// CHECK-LABEL: @each_on_its_own(
// CHECK-NOT:     graph.reduce_sum
// CHECK-NOT:     graph.div
// CHECK:         func.return
func.func @each_on_its_own(%x: tensor<3x5xf32>, %t: tensor<3xi64>) -> tensor<3xf32> {
  %y = graph.negative_log_likelihood_loss %x, %t {reduction = "none"} : (tensor<3x5xf32>, tensor<3xi64>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}

// CHECK-LABEL: @cross_entropy(
// CHECK:         [[P:%.*]] = graph.log_softmax %x {axis = 1 : i64}
// CHECK:         graph.gather_elements [[P]]
// CHECK:         [[Y:%.*]] = graph.reduce_sum
// CHECK-NOT:     graph.div
// CHECK:         func.return [[Y]], [[P]]
func.func @cross_entropy(%x: tensor<3x5xf32>, %t: tensor<3xi64>) -> (tensor<f32>, tensor<3x5xf32>) {
  %y, %p = graph.cross_entropy_loss %x, %t {reduction = "sum", with_log_prob} : (tensor<3x5xf32>, tensor<3xi64>) -> (tensor<f32>, tensor<3x5xf32>)
  func.return %y, %p : tensor<f32>, tensor<3x5xf32>
}

// CHECK-LABEL: @binary(
// CHECK:         [[A:%.*]] = graph.neg %x
// CHECK-NEXT:    [[B:%.*]] = graph.softplus [[A]]
// CHECK-NEXT:    [[C:%.*]] = graph.mul %t, [[B]]
// CHECK-NEXT:    [[O:%.*]] = graph.literal dense<1.000000e+00>
// CHECK-NEXT:    [[D:%.*]] = graph.sub [[O]], %t
// CHECK-NEXT:    [[E:%.*]] = graph.softplus %x
// CHECK-NEXT:    [[F:%.*]] = graph.mul [[D]], [[E]]
// CHECK-NEXT:    [[L:%.*]] = graph.add [[C]], [[F]]
// CHECK-NEXT:    [[S:%.*]] = graph.reduce_sum [[L]]
// CHECK-NEXT:    [[N:%.*]] = graph.literal dense<1.500000e+01>
// CHECK-NEXT:    [[Y:%.*]] = graph.div [[S]], [[N]]
// CHECK-NEXT:    func.return [[Y]]
func.func @binary(%x: tensor<3x5xf32>, %t: tensor<3x5xf32>) -> tensor<f32> {
  %y = graph.binary_cross_entropy_with_logits_loss %x, %t : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<f32>
  func.return %y : tensor<f32>
}

// CHECK-LABEL: @binary_with_weights(
// CHECK:         [[C:%.*]] = graph.mul %t,
// CHECK-NEXT:    [[P:%.*]] = graph.mul [[C]], %p
// CHECK:         [[L:%.*]] = graph.add [[P]],
// CHECK-NEXT:    [[Y:%.*]] = graph.mul [[L]], %w
// CHECK-NEXT:    func.return [[Y]]
func.func @binary_with_weights(%x: tensor<3x5xf32>, %t: tensor<3x5xf32>, %w: tensor<3x1xf32>, %p: tensor<5xf32>) -> tensor<3x5xf32> {
  %y = graph.binary_cross_entropy_with_logits_loss %x, %t weight %w : tensor<3x1xf32> pos_weight %p : tensor<5xf32> {reduction = "none"} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  func.return %y : tensor<3x5xf32>
}

// A result with a layout is left: the pass runs before layouts are chosen.
// CHECK-LABEL: @layouts_are_kept(
// CHECK:         graph.cross_entropy_loss
// CHECK:         graph.negative_log_likelihood_loss
// CHECK:         graph.binary_cross_entropy_with_logits_loss
func.func @layouts_are_kept(%x: tensor<3x5x2xf32>, %t: tensor<3x2xi64>) -> (tensor<3x5x2xf32, #layout.physical<[0, 2, 1]>>, tensor<3x2xf32, #layout.physical<[1, 0]>>, tensor<3x5x2xf32, #layout.physical<[0, 2, 1]>>) {
  %y, %p = graph.cross_entropy_loss %x, %t {with_log_prob} : (tensor<3x5x2xf32>, tensor<3x2xi64>) -> (tensor<f32>, tensor<3x5x2xf32, #layout.physical<[0, 2, 1]>>)
  %z = graph.negative_log_likelihood_loss %x, %t {reduction = "none"} : (tensor<3x5x2xf32>, tensor<3x2xi64>) -> tensor<3x2xf32, #layout.physical<[1, 0]>>
  %b = graph.binary_cross_entropy_with_logits_loss %x, %x {reduction = "none"} : (tensor<3x5x2xf32>, tensor<3x5x2xf32>) -> tensor<3x5x2xf32, #layout.physical<[0, 2, 1]>>
  func.return %p, %z, %b : tensor<3x5x2xf32, #layout.physical<[0, 2, 1]>>, tensor<3x2xf32, #layout.physical<[1, 0]>>, tensor<3x5x2xf32, #layout.physical<[0, 2, 1]>>
}
