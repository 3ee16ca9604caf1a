// RUN: glow-opt %s -p decompose-attention | filecheck %s

// CHECK-LABEL: @plain(
// CHECK:         [[P:%.*]] = graph.matmul %q, %k {transpose_rhs}
// CHECK-NEXT:    [[F:%.*]] = graph.literal dense<5.000000e-01>
// CHECK-NEXT:    [[S:%.*]] = graph.mul [[P]], [[F]]
// CHECK-NEXT:    [[W:%.*]] = graph.softmax [[S]]
// CHECK-NEXT:    [[Y:%.*]] = graph.matmul [[W]], %v
// CHECK-NEXT:    func.return [[Y]]
func.func @plain(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x6xf32>) -> tensor<1x2x3x6xf32> {
  %y = graph.attention %q, %k, %v : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x6xf32>) -> tensor<1x2x3x6xf32>
  func.return %y : tensor<1x2x3x6xf32>
}

// Keys and values of a group have an axis of one, that broadcasts; the step of a decoder
// sees everything and needs no mask.
// CHECK-LABEL: @step_in_groups(
// CHECK:         [[PK:%.*]] = graph.concat %c, [[K:%.*]] {axis = 2 : i64}
// CHECK:         [[PV:%.*]] = graph.concat %c, %{{.*}} {axis = 2 : i64}
// CHECK:         [[G:%.*]] = graph.transpose %{{.*}} -> tensor<1x2x2x1x2xf32>
// CHECK-NEXT:    [[H:%.*]] = graph.reshape [[PK]] {shape = array<i64: 1, 2, 1, 6, 2>}
// CHECK-NEXT:    graph.matmul [[G]], [[H]] {transpose_rhs}
// CHECK-NOT:     graph.where
// CHECK-NOT:     graph.add
// CHECK:         [[V:%.*]] = graph.reshape [[PV]] {shape = array<i64: 1, 2, 1, 6, 2>}
// CHECK-NEXT:    [[O:%.*]] = graph.matmul %{{.*}}, [[V]] : {{.*}} -> tensor<1x2x2x1x2xf32>
// CHECK-NEXT:    [[T:%.*]] = graph.transpose [[O]] {permutation = array<i64: 0, 3, 1, 2, 4>}
// CHECK-NEXT:    [[Y:%.*]] = graph.reshape [[T]] {shape = array<i64: 1, 1, 8>}
// CHECK-NEXT:    func.return [[Y]], [[PK]], [[PV]]
func.func @step_in_groups(%q: tensor<1x1x8xf32>, %k: tensor<1x1x4xf32>, %c: tensor<1x2x5x2xf32>) -> (tensor<1x1x8xf32>, tensor<1x2x6x2xf32>, tensor<1x2x6x2xf32>) {
  %y, %pk, %pv = graph.attention %q, %k, %k past_key %c : tensor<1x2x5x2xf32> past_value %c : tensor<1x2x5x2xf32> {causal, q_num_heads = 4 : i64, kv_num_heads = 2 : i64} : (tensor<1x1x8xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>) -> tensor<1x1x8xf32> present_key tensor<1x2x6x2xf32> present_value tensor<1x2x6x2xf32>
  func.return %y, %pk, %pv : tensor<1x1x8xf32>, tensor<1x2x6x2xf32>, tensor<1x2x6x2xf32>
}

// Many keys of one query are not moved: they come first.
// CHECK-LABEL: @many_keys(
// CHECK:         [[P:%.*]] = graph.matmul %k, %q {transpose_rhs} : {{.*}} -> tensor<1x2x1024x1xf32>
// CHECK-NEXT:    [[S:%.*]] = graph.transpose [[P]] {permutation = array<i64: 0, 1, 3, 2>}
// CHECK:         graph.softmax
func.func @many_keys(%q: tensor<1x2x1x64xf32>, %k: tensor<1x2x1024x64xf32>) -> tensor<1x2x1x64xf32> {
  %y = graph.attention %q, %k, %k : (tensor<1x2x1x64xf32>, tensor<1x2x1024x64xf32>, tensor<1x2x1024x64xf32>) -> tensor<1x2x1x64xf32>
  func.return %y : tensor<1x2x1x64xf32>
}

// A causal query always sees itself: no row is left without a key.
// CHECK-LABEL: @causal(
// CHECK:         [[C:%.*]] = graph.literal dense<[0, 1, 2]>
// CHECK-NEXT:    [[R:%.*]] = graph.literal dense<{{\[\[}}0], [1], [2]]>
// CHECK-NEXT:    [[S:%.*]] = graph.less_or_equal [[C]], [[R]]
// CHECK:         [[B:%.*]] = graph.where [[S]]
// CHECK-NEXT:    [[A:%.*]] = graph.add %{{.*}}, [[B]]
// CHECK-NEXT:    [[W:%.*]] = graph.softmax [[A]]
// CHECK-NEXT:    [[Y:%.*]] = graph.matmul [[W]], %k
// CHECK-NEXT:    func.return [[Y]]
func.func @causal(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %y = graph.attention %q, %k, %k {causal} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// What a mask may hide from a query wholly gives 0.
// CHECK-LABEL: @mask_and_bias(
// CHECK:         [[H:%.*]] = graph.where %m, %{{.*}}, %{{.*}}
// CHECK-NEXT:    [[A:%.*]] = graph.add [[H]], %b
// CHECK-NEXT:    graph.softmax [[A]]
// CHECK:         [[S:%.*]] = graph.where %m, %b, %{{.*}}
// CHECK:         [[M:%.*]] = graph.reduce_max [[S]]
// CHECK:         [[N:%.*]] = graph.equal [[M]]
// CHECK:         [[O:%.*]] = graph.matmul
// CHECK:         [[Y:%.*]] = graph.where [[N]], %{{.*}}, [[O]]
// CHECK-NEXT:    func.return [[Y]]
func.func @mask_and_bias(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>, %m: tensor<3x3xi1>, %b: tensor<1x2x3x3xf32>) -> tensor<1x2x3x4xf32> {
  %y = graph.attention %q, %k, %k mask %m : tensor<3x3xi1> bias %b : tensor<1x2x3x3xf32> : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// A query always has a score where what a mask hides is a number.
// CHECK-LABEL: @masked_score(
// CHECK:         [[C:%.*]] = graph.literal dense<-1.000000e+04>
// CHECK-NEXT:    [[S:%.*]] = graph.where %m, %{{.*}}, [[C]]
// CHECK-NEXT:    [[W:%.*]] = graph.softmax [[S]]
// CHECK-NEXT:    [[Y:%.*]] = graph.matmul [[W]], %q
// CHECK-NEXT:    func.return [[Y]]
func.func @masked_score(%q: tensor<1x2x3x4xf32>, %m: tensor<3x3xi1>) -> tensor<1x2x3x4xf32> {
  %y = graph.attention %q, %q, %q mask %m : tensor<3x3xi1> {masked_score = -10000.0 : f64} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// What softmax makes of nothing is kept, or whatever is NaN replaced.
// CHECK-LABEL: @nan_of_nothing(
// CHECK:         [[W:%.*]] = graph.softmax
// CHECK-NEXT:    [[Y:%.*]] = graph.matmul [[W]], %q
// CHECK-NEXT:    func.return [[Y]]
func.func @nan_of_nothing(%q: tensor<1x2x3x4xf32>, %m: tensor<3x3xi1>) -> tensor<1x2x3x4xf32> {
  %y = graph.attention %q, %q, %q mask %m : tensor<3x3xi1> {unseen = "nan"} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @nan_to_zero(
// CHECK:         [[W:%.*]] = graph.softmax
// CHECK-NEXT:    [[N:%.*]] = graph.is_nan [[W]]
// CHECK-NEXT:    [[Z:%.*]] = graph.literal dense<0.000000e+00>
// CHECK-NEXT:    [[X:%.*]] = graph.where [[N]], [[Z]], [[W]]
// CHECK-NEXT:    [[Y:%.*]] = graph.matmul [[X]], %q
// CHECK-NEXT:    func.return [[Y]]
func.func @nan_to_zero(%q: tensor<1x2x3x4xf32>, %m: tensor<3x3xi1>) -> tensor<1x2x3x4xf32> {
  %y = graph.attention %q, %q, %q mask %m : tensor<3x3xi1> {unseen = "nan_to_zero"} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// A bias without axes is the same for all keys.
// CHECK-LABEL: @bias_of_no_axes(
// CHECK:         [[B:%.*]] = graph.reshape %b {shape = array<i64: 1>}
// CHECK-NEXT:    [[M:%.*]] = graph.reduce_max [[B]] {keepdims, axes = array<i64: 0>}
// CHECK:         graph.equal [[M]]
func.func @bias_of_no_axes(%q: tensor<1x2x3x4xf32>, %b: tensor<f32>) -> tensor<1x2x3x4xf32> {
  %y = graph.attention %q, %q, %q bias %b : tensor<f32> : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @valid_length_and_window(
// CHECK:         [[N:%.*]] = graph.cast %n {to = i64}
// CHECK-NEXT:    [[E:%.*]] = graph.reshape [[N]] {shape = array<i64: 2, 1, 1, 1>}
// CHECK:         graph.less_or_equal
// CHECK:         graph.greater_or_equal
// CHECK:         graph.and
// CHECK:         graph.and
// CHECK-NOT:     graph.softmax
// CHECK:         graph.cast %{{.*}} {to = f64}
// CHECK-NEXT:    graph.softmax
// CHECK-NEXT:    graph.cast %{{.*}} {to = f32}
func.func @valid_length_and_window(%q: tensor<2x2x3x4xf32>, %k: tensor<2x2x3x4xf32>, %n: tensor<2xi32>) -> tensor<2x2x3x4xf32> {
  %y = graph.attention %q, %k, %k valid_length %n : tensor<2xi32> {causal, left_window_size = 1 : i64, right_window_size = 2 : i64, softmax_precision = f64} : (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32>
  func.return %y : tensor<2x2x3x4xf32>
}

// CHECK-LABEL: @scores_with_softcap(
// CHECK:         [[D:%.*]] = graph.div
// CHECK-NEXT:    [[T:%.*]] = graph.tanh [[D]]
// CHECK:         [[C:%.*]] = graph.mul [[T]]
// CHECK-NEXT:    graph.softmax [[C]]
// CHECK:         func.return %{{.*}}, [[C]]
func.func @scores_with_softcap(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3x3xf32>) {
  %y, %s = graph.attention %q, %k, %k {softcap = 2.0 : f64, scores_of = "softcapped"} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> scores tensor<1x2x3x3xf32>
  func.return %y, %s : tensor<1x2x3x4xf32>, tensor<1x2x3x3xf32>
}

// A result with a layout is left: the pass runs before layouts are chosen.
// CHECK-LABEL: @layouts_are_kept(
// CHECK:         graph.attention
func.func @layouts_are_kept(%q: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32, #layout.physical<[0, 2, 1, 3]>> {
  %y = graph.attention %q, %q, %q : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32, #layout.physical<[0, 2, 1, 3]>>
  func.return %y : tensor<1x2x3x4xf32, #layout.physical<[0, 2, 1, 3]>>
}
