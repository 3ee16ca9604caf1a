// RUN: glow-opt %s -p recognize-functions,dce | filecheck %s

// CHECK-LABEL: @pytorch_writes_this(
// CHECK-NEXT:    [[Y:%.*]] = graph.binary_cross_entropy_with_logits_loss %x, %t {reduction = "none"}
// CHECK-NEXT:    func.return [[Y]]
func.func @pytorch_writes_this(%x: tensor<3x5xf32>, %t: tensor<3x5xf32>, %u: tensor<3x5xf32>, %p: tensor<5xf32>, %w: tensor<3x1xf32>) -> tensor<3x5xf32> {
  %one = graph.literal dense<1.0> : tensor<1xf32> : tensor<1xf32>
  %s = graph.sigmoid %x : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %v = graph.sigmoid %u : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %l = graph.log %s : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %c = graph.sub %one, %s : (tensor<1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %d = graph.sub %one, %t : (tensor<1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %m = graph.log %c : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %a = graph.mul %t, %l : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %b = graph.mul %d, %m : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %k = graph.add %a, %b : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %n = graph.neg %k : (tensor<3x5xf32>) -> tensor<3x5xf32>
  func.return %n : tensor<3x5xf32>
}

// CHECK-LABEL: @with_all_weights_and_mean(
// CHECK-NEXT:    [[Y:%.*]] = graph.binary_cross_entropy_with_logits_loss %x, %t weight %w : tensor<3x1xf32> pos_weight %p : tensor<5xf32> : 
// CHECK-NEXT:    func.return [[Y]]
func.func @with_all_weights_and_mean(%x: tensor<3x5xf32>, %t: tensor<3x5xf32>, %u: tensor<3x5xf32>, %p: tensor<5xf32>, %w: tensor<3x1xf32>) -> tensor<f32> {
  %one = graph.literal dense<1.0> : tensor<1xf32> : tensor<1xf32>
  %s = graph.sigmoid %x : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %v = graph.sigmoid %u : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %l = graph.log %s : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %c = graph.sub %one, %s : (tensor<1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %d = graph.sub %one, %t : (tensor<1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %m = graph.log %c : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %a = graph.mul %t, %l : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %q = graph.mul %a, %p : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  %b = graph.mul %d, %m : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %k = graph.add %q, %b : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %n = graph.neg %k : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %z = graph.mul %w, %n : (tensor<3x1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %y = graph.reduce_mean %z {axes = array<i64: 0, 1>} : (tensor<3x5xf32>) -> tensor<f32>
  func.return %y : tensor<f32>
}

// CHECK-LABEL: @in_another_order_and_summed(
// CHECK-NEXT:    [[Y:%.*]] = graph.binary_cross_entropy_with_logits_loss %x, %t pos_weight %p : tensor<5xf32> {reduction = "sum"}
// CHECK-NEXT:    func.return [[Y]]
func.func @in_another_order_and_summed(%x: tensor<3x5xf32>, %t: tensor<3x5xf32>, %u: tensor<3x5xf32>, %p: tensor<5xf32>, %w: tensor<3x1xf32>) -> tensor<f32> {
  %one = graph.literal dense<1.0> : tensor<1xf32> : tensor<1xf32>
  %s = graph.sigmoid %x : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %v = graph.sigmoid %u : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %l = graph.log %s : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %c = graph.sub %one, %s : (tensor<1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %d = graph.sub %one, %t : (tensor<1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %m = graph.log %c : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %a = graph.mul %p, %l : (tensor<5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %q = graph.mul %t, %a : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %b = graph.mul %m, %d : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %k = graph.add %b, %q : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %n = graph.neg %k : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %y = graph.reduce_sum %n {axes = array<i64: 0, 1>} : (tensor<3x5xf32>) -> tensor<f32>
  func.return %y : tensor<f32>
}

// CHECK-LABEL: @another_sigmoid(
// CHECK-NOT:     graph.binary_cross_entropy_with_logits_loss
// CHECK:         func.return
func.func @another_sigmoid(%x: tensor<3x5xf32>, %t: tensor<3x5xf32>, %u: tensor<3x5xf32>, %p: tensor<5xf32>, %w: tensor<3x1xf32>) -> tensor<3x5xf32> {
  %one = graph.literal dense<1.0> : tensor<1xf32> : tensor<1xf32>
  %s = graph.sigmoid %x : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %v = graph.sigmoid %u : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %l = graph.log %s : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %c = graph.sub %one, %v : (tensor<1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %d = graph.sub %one, %t : (tensor<1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %m = graph.log %c : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %a = graph.mul %t, %l : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %q = graph.mul %a, %p : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  %b = graph.mul %d, %m : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %k = graph.add %q, %b : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %n = graph.neg %k : (tensor<3x5xf32>) -> tensor<3x5xf32>
  func.return %n : tensor<3x5xf32>
}

// CHECK-LABEL: @another_target(
// CHECK-NOT:     graph.binary_cross_entropy_with_logits_loss
// CHECK:         func.return
func.func @another_target(%x: tensor<3x5xf32>, %t: tensor<3x5xf32>, %u: tensor<3x5xf32>, %p: tensor<5xf32>, %w: tensor<3x1xf32>) -> tensor<3x5xf32> {
  %one = graph.literal dense<1.0> : tensor<1xf32> : tensor<1xf32>
  %s = graph.sigmoid %x : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %v = graph.sigmoid %u : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %l = graph.log %s : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %c = graph.sub %one, %s : (tensor<1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %d = graph.sub %one, %u : (tensor<1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %m = graph.log %c : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %a = graph.mul %t, %l : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %q = graph.mul %a, %p : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  %b = graph.mul %d, %m : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %k = graph.add %q, %b : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %n = graph.neg %k : (tensor<3x5xf32>) -> tensor<3x5xf32>
  func.return %n : tensor<3x5xf32>
}

// CHECK-LABEL: @another_number_than_one(
// CHECK-NOT:     graph.binary_cross_entropy_with_logits_loss
// CHECK:         func.return
func.func @another_number_than_one(%x: tensor<3x5xf32>, %t: tensor<3x5xf32>, %u: tensor<3x5xf32>, %p: tensor<5xf32>, %w: tensor<3x1xf32>) -> tensor<3x5xf32> {
  %one = graph.literal dense<2.0> : tensor<1xf32> : tensor<1xf32>
  %s = graph.sigmoid %x : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %v = graph.sigmoid %u : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %l = graph.log %s : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %c = graph.sub %one, %s : (tensor<1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %d = graph.sub %one, %t : (tensor<1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %m = graph.log %c : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %a = graph.mul %t, %l : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %q = graph.mul %a, %p : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  %b = graph.mul %d, %m : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %k = graph.add %q, %b : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %n = graph.neg %k : (tensor<3x5xf32>) -> tensor<3x5xf32>
  func.return %n : tensor<3x5xf32>
}

// CHECK-LABEL: @another_sign(
// CHECK-NOT:     graph.binary_cross_entropy_with_logits_loss
// CHECK:         func.return
func.func @another_sign(%x: tensor<3x5xf32>, %t: tensor<3x5xf32>, %u: tensor<3x5xf32>, %p: tensor<5xf32>, %w: tensor<3x1xf32>) -> tensor<3x5xf32> {
  %one = graph.literal dense<1.0> : tensor<1xf32> : tensor<1xf32>
  %s = graph.sigmoid %x : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %v = graph.sigmoid %u : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %l = graph.log %s : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %c = graph.sub %one, %s : (tensor<1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %d = graph.sub %one, %t : (tensor<1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %m = graph.log %c : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %a = graph.mul %t, %l : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %q = graph.mul %a, %p : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  %b = graph.mul %d, %m : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %k = graph.add %q, %b : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %n = graph.abs %k : (tensor<3x5xf32>) -> tensor<3x5xf32>
  func.return %n : tensor<3x5xf32>
}

// CHECK-LABEL: @sum_over_some_axes_stays(
// CHECK:         [[L:%.*]] = graph.binary_cross_entropy_with_logits_loss %x, %t {reduction = "none"}
// CHECK-NEXT:    graph.reduce_sum [[L]]
func.func @sum_over_some_axes_stays(%x: tensor<3x5xf32>, %t: tensor<3x5xf32>, %u: tensor<3x5xf32>, %p: tensor<5xf32>, %w: tensor<3x1xf32>) -> tensor<3xf32> {
  %one = graph.literal dense<1.0> : tensor<1xf32> : tensor<1xf32>
  %s = graph.sigmoid %x : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %v = graph.sigmoid %u : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %l = graph.log %s : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %c = graph.sub %one, %s : (tensor<1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %d = graph.sub %one, %t : (tensor<1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %m = graph.log %c : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %a = graph.mul %t, %l : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %b = graph.mul %d, %m : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %k = graph.add %a, %b : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %n = graph.neg %k : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %y = graph.reduce_sum %n {axes = array<i64: 1>} : (tensor<3x5xf32>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}

// CHECK-LABEL: @losses_that_are_read_stay(
// CHECK:         [[L:%.*]] = graph.binary_cross_entropy_with_logits_loss %x, %t {reduction = "none"}
// CHECK-NEXT:    [[S:%.*]] = graph.reduce_sum [[L]]
// CHECK-NEXT:    graph.mul [[L]], [[S]]
func.func @losses_that_are_read_stay(%x: tensor<3x5xf32>, %t: tensor<3x5xf32>, %u: tensor<3x5xf32>, %p: tensor<5xf32>, %w: tensor<3x1xf32>) -> tensor<3x5xf32> {
  %one = graph.literal dense<1.0> : tensor<1xf32> : tensor<1xf32>
  %s = graph.sigmoid %x : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %v = graph.sigmoid %u : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %l = graph.log %s : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %c = graph.sub %one, %s : (tensor<1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %d = graph.sub %one, %t : (tensor<1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %m = graph.log %c : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %a = graph.mul %t, %l : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %b = graph.mul %d, %m : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %k = graph.add %a, %b : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %n = graph.neg %k : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %y = graph.reduce_sum %n {axes = array<i64: 0, 1>} : (tensor<3x5xf32>) -> tensor<f32>
  %z = graph.mul %n, %y : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  func.return %z : tensor<3x5xf32>
}

// CHECK-LABEL: @a_weight_that_is_there_stays(
// CHECK:         [[L:%.*]] = graph.binary_cross_entropy_with_logits_loss %x, %t weight %w : tensor<3x1xf32> {reduction = "none"}
// CHECK-NEXT:    graph.mul [[L]], %u
func.func @a_weight_that_is_there_stays(%x: tensor<3x5xf32>, %t: tensor<3x5xf32>, %u: tensor<3x5xf32>, %p: tensor<5xf32>, %w: tensor<3x1xf32>) -> tensor<3x5xf32> {
  %one = graph.literal dense<1.0> : tensor<1xf32> : tensor<1xf32>
  %s = graph.sigmoid %x : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %v = graph.sigmoid %u : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %l = graph.log %s : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %c = graph.sub %one, %s : (tensor<1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %d = graph.sub %one, %t : (tensor<1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %m = graph.log %c : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %a = graph.mul %t, %l : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %b = graph.mul %d, %m : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %k = graph.add %a, %b : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %n = graph.neg %k : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %y = graph.mul %n, %w : (tensor<3x5xf32>, tensor<3x1xf32>) -> tensor<3x5xf32>
  %z = graph.mul %y, %u : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  func.return %z : tensor<3x5xf32>
}

// CHECK-LABEL: @a_weight_that_is_larger_stays(
// CHECK:         [[L:%.*]] = graph.binary_cross_entropy_with_logits_loss %x, %t {reduction = "none"}
// CHECK-NEXT:    [[W:%.*]] = graph.reshape %w
// CHECK-NEXT:    graph.mul [[L]], [[W]]
func.func @a_weight_that_is_larger_stays(%x: tensor<3x5xf32>, %t: tensor<3x5xf32>, %u: tensor<3x5xf32>, %p: tensor<5xf32>, %w: tensor<3x1xf32>) -> tensor<3x3x5xf32> {
  %one = graph.literal dense<1.0> : tensor<1xf32> : tensor<1xf32>
  %s = graph.sigmoid %x : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %v = graph.sigmoid %u : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %l = graph.log %s : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %c = graph.sub %one, %s : (tensor<1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %d = graph.sub %one, %t : (tensor<1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %m = graph.log %c : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %a = graph.mul %t, %l : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %b = graph.mul %d, %m : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %k = graph.add %a, %b : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %n = graph.neg %k : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %y = graph.reshape %w {shape = array<i64: 3, 1, 1>} : (tensor<3x1xf32>) -> tensor<3x1x1xf32>
  %z = graph.mul %n, %y : (tensor<3x5xf32>, tensor<3x1x1xf32>) -> tensor<3x3x5xf32>
  func.return %z : tensor<3x3x5xf32>
}

// CHECK-LABEL: @layouts_are_kept(
// CHECK-NOT:     graph.binary_cross_entropy_with_logits_loss
// CHECK:         func.return
func.func @layouts_are_kept(%x: tensor<3x5xf32>, %t: tensor<3x5xf32>, %u: tensor<3x5xf32>, %p: tensor<5xf32>, %w: tensor<3x1xf32>) -> tensor<3x5xf32, #layout.physical<[1, 0]>> {
  %one = graph.literal dense<1.0> : tensor<1xf32> : tensor<1xf32>
  %s = graph.sigmoid %x : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %v = graph.sigmoid %u : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %l = graph.log %s : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %c = graph.sub %one, %s : (tensor<1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %d = graph.sub %one, %t : (tensor<1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %m = graph.log %c : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %a = graph.mul %t, %l : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %b = graph.mul %d, %m : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %k = graph.add %a, %b : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %n = graph.neg %k : (tensor<3x5xf32>) -> tensor<3x5xf32, #layout.physical<[1, 0]>>
  func.return %n : tensor<3x5xf32, #layout.physical<[1, 0]>>
}
