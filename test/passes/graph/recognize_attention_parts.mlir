// RUN: glow-opt %s -p sink-expansions,recognize-attention | filecheck %s

// Keys and values are parts of one tensor that was repeated; unread ops count for nothing.
// CHECK-LABEL: @op_with_repeats_split_afterwards(
// CHECK-NOT:     graph.expand
// CHECK:         graph.attention %q, %{{.*}}, %{{.*}} : (tensor<1x4x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x6xf32>)
func.func @op_with_repeats_split_afterwards(%q: tensor<1x4x3x4xf32>, %kv: tensor<1x2x1x5x10xf32>) -> tensor<1x4x3x6xf32> {
  %0 = graph.expand %kv {shape = array<i64: 1, 2, 2, 5, 10>} : (tensor<1x2x1x5x10xf32>) -> tensor<1x2x2x5x10xf32>
  %1 = graph.reshape %0 {shape = array<i64: 1, 4, 5, 10>} : (tensor<1x2x2x5x10xf32>) -> tensor<1x4x5x10xf32>
  %k, %v = graph.split %1 {axis = 3 : i64, sizes = array<i64: 4, 6>} : (tensor<1x4x5x10xf32>) -> (tensor<1x4x5x4xf32>, tensor<1x4x5x6xf32>)
  %y = graph.attention %q, %k, %v : (tensor<1x4x3x4xf32>, tensor<1x4x5x4xf32>, tensor<1x4x5x6xf32>) -> tensor<1x4x3x6xf32>
  %dead = graph.neg %k : (tensor<1x4x5x4xf32>) -> tensor<1x4x5x4xf32>
  %gone = graph.neg %0 : (tensor<1x2x2x5x10xf32>) -> tensor<1x2x2x5x10xf32>
  func.return %y : tensor<1x4x3x6xf32>
}

// CHECK-LABEL: @op_with_repeats_of_parts(
// CHECK-NOT:     graph.expand
// CHECK:         graph.attention %q, %{{.*}}, %{{.*}} : (tensor<1x4x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>)
func.func @op_with_repeats_of_parts(%q: tensor<1x4x3x4xf32>, %kv: tensor<2x2x1x5x4xf32>) -> tensor<1x4x3x4xf32> {
  %k, %v = graph.split %kv {axis = 0 : i64, sizes = array<i64: 1, 1>} : (tensor<2x2x1x5x4xf32>) -> (tensor<1x2x1x5x4xf32>, tensor<1x2x1x5x4xf32>)
  %k2 = graph.expand %k {shape = array<i64: 1, 2, 2, 5, 4>} : (tensor<1x2x1x5x4xf32>) -> tensor<1x2x2x5x4xf32>
  %k3 = graph.reshape %k2 {shape = array<i64: 1, 4, 5, 4>} : (tensor<1x2x2x5x4xf32>) -> tensor<1x4x5x4xf32>
  %v2 = graph.expand %v {shape = array<i64: 1, 2, 2, 5, 4>} : (tensor<1x2x1x5x4xf32>) -> tensor<1x2x2x5x4xf32>
  %v3 = graph.reshape %v2 {shape = array<i64: 1, 4, 5, 4>} : (tensor<1x2x2x5x4xf32>) -> tensor<1x4x5x4xf32>
  %y = graph.attention %q, %k3, %v3 : (tensor<1x4x3x4xf32>, tensor<1x4x5x4xf32>, tensor<1x4x5x4xf32>) -> tensor<1x4x3x4xf32>
  func.return %y : tensor<1x4x3x4xf32>
}

// Heads in different parts are not the same ones repeated.
// CHECK-LABEL: @op_with_repeats_split_by_heads(
// CHECK:         graph.attention {{.*}} tensor<1x4x5x4xf32>, tensor<1x4x5x4xf32>)
func.func @op_with_repeats_split_by_heads(%q: tensor<1x4x3x4xf32>, %kv: tensor<1x4x1x5x4xf32>) -> tensor<1x4x3x4xf32> {
  %0 = graph.expand %kv {shape = array<i64: 1, 4, 2, 5, 4>} : (tensor<1x4x1x5x4xf32>) -> tensor<1x4x2x5x4xf32>
  %1 = graph.reshape %0 {shape = array<i64: 1, 8, 5, 4>} : (tensor<1x4x2x5x4xf32>) -> tensor<1x8x5x4xf32>
  %k, %v = graph.split %1 {axis = 1 : i64, sizes = array<i64: 4, 4>} : (tensor<1x8x5x4xf32>) -> (tensor<1x4x5x4xf32>, tensor<1x4x5x4xf32>)
  %y = graph.attention %q, %k, %v : (tensor<1x4x3x4xf32>, tensor<1x4x5x4xf32>, tensor<1x4x5x4xf32>) -> tensor<1x4x3x4xf32>
  func.return %y : tensor<1x4x3x4xf32>
}

// A part of an expanded mask, along an axis that broadcasts, and along one that does not.
// CHECK-LABEL: @op_with_parts_of_expanded_masks(
// CHECK-NOT:     graph.expand
// CHECK:         [[M:%.*]], %{{.*}} = graph.split %m
// CHECK:         graph.attention %q, %k, %k mask %m : tensor<1x1x1x6xi1>
// CHECK:         graph.attention %q, %l, %l mask [[M]] : tensor<1x1x1x3xi1>
func.func @op_with_parts_of_expanded_masks(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x6x4xf32>, %l: tensor<1x2x3x4xf32>, %m: tensor<1x1x1x6xi1>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) {
  %e = graph.expand %m {shape = array<i64: 1, 1, 6, 6>} : (tensor<1x1x1x6xi1>) -> tensor<1x1x6x6xi1>
  %a, %b = graph.split %e {axis = 2 : i64, sizes = array<i64: 3, 3>} : (tensor<1x1x6x6xi1>) -> (tensor<1x1x3x6xi1>, tensor<1x1x3x6xi1>)
  %f = graph.expand %m {shape = array<i64: 1, 1, 3, 6>} : (tensor<1x1x1x6xi1>) -> tensor<1x1x3x6xi1>
  %c, %d = graph.split %f {axis = 3 : i64, sizes = array<i64: 3, 3>} : (tensor<1x1x3x6xi1>) -> (tensor<1x1x3x3xi1>, tensor<1x1x3x3xi1>)
  %dead = graph.not %c : (tensor<1x1x3x3xi1>) -> tensor<1x1x3x3xi1>
  %y = graph.attention %q, %k, %k mask %a : tensor<1x1x3x6xi1> : (tensor<1x2x3x4xf32>, tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>) -> tensor<1x2x3x4xf32>
  %z = graph.attention %q, %l, %l mask %c : tensor<1x1x3x3xi1> : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y, %z : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>
}
