// RUN: glow-opt %s -p recognize-rotary-embedding,dce | filecheck %s

// As Hugging Face's Llama writes it: the halves change places, one with its sign; cos and
// sin are of angles that are joined with themselves.
// CHECK-LABEL: @rotate_half(
// CHECK:         graph.cos %f
// CHECK:         graph.sin %f
// CHECK:         [[Y:%.*]] = graph.rotary_embedding %x, %{{.*}}, %{{.*}} : (tensor<2x2x3x8xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>)
// CHECK-NEXT:    func.return [[Y]]
func.func @rotate_half(%x: tensor<2x2x3x8xf32>, %f: tensor<2x3x4xf32>) -> tensor<2x2x3x8xf32> {
  %e = graph.concat %f, %f {axis = -1 : i64} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x8xf32>
  %c = graph.cos %e : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %s = graph.sin %e : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %c4 = graph.reshape %c {shape = array<i64: 2, 1, 3, 8>} : (tensor<2x3x8xf32>) -> tensor<2x1x3x8xf32>
  %s4 = graph.reshape %s {shape = array<i64: 2, 1, 3, 8>} : (tensor<2x3x8xf32>) -> tensor<2x1x3x8xf32>
  %a = graph.slice %x {starts = array<i64: 0, 0, 0, 0>, sizes = array<i64: 2, 2, 3, 4>, steps = array<i64: 1, 1, 1, 1>} : (tensor<2x2x3x8xf32>) -> tensor<2x2x3x4xf32>
  %b = graph.slice %x {starts = array<i64: 0, 0, 0, 4>, sizes = array<i64: 2, 2, 3, 4>, steps = array<i64: 1, 1, 1, 1>} : (tensor<2x2x3x8xf32>) -> tensor<2x2x3x4xf32>
  %n = graph.neg %b : (tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf32>
  %t = graph.concat %n, %a {axis = 3 : i64} : (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>) -> tensor<2x2x3x8xf32>
  %xc = graph.mul %x, %c4 : (tensor<2x2x3x8xf32>, tensor<2x1x3x8xf32>) -> tensor<2x2x3x8xf32>
  %ts = graph.mul %s4, %t : (tensor<2x1x3x8xf32>, tensor<2x2x3x8xf32>) -> tensor<2x2x3x8xf32>
  %y = graph.add %ts, %xc : (tensor<2x2x3x8xf32>, tensor<2x2x3x8xf32>) -> tensor<2x2x3x8xf32>
  func.return %y : tensor<2x2x3x8xf32>
}

// Known tables, halved, gathered by position; heads behind positions; halves by split.
// CHECK-LABEL: @gathered_tables(
// CHECK:         [[C:%.*]] = graph.literal dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]>
// CHECK-NEXT:    [[S:%.*]] = graph.literal dense<{{\[\[}}5.000000e+00, 6.000000e+00], [7.000000e+00, 8.000000e+00]]>
// CHECK-NEXT:    [[X:%.*]] = graph.reshape %x {shape = array<i64: 2, 3, 8>}
// CHECK-NEXT:    [[R:%.*]] = graph.rotary_embedding [[X]], [[C]], [[S]] positions %p {num_heads = 2 : i64}
// CHECK-NEXT:    [[Y:%.*]] = graph.reshape [[R]] {shape = array<i64: 2, 3, 2, 4>}
// CHECK-NEXT:    func.return [[Y]]
func.func @gathered_tables(%x: tensor<2x3x2x4xf32>, %p: tensor<2x3xi64>) -> tensor<2x3x2x4xf32> {
  %ct = graph.literal dense<[[1.0, 2.0, 1.0, 2.0], [3.0, 4.0, 3.0, 4.0]]> : tensor<2x4xf32> : tensor<2x4xf32>
  %st = graph.literal dense<[[5.0, 6.0, 5.0, 6.0], [7.0, 8.0, 7.0, 8.0]]> : tensor<2x4xf32> : tensor<2x4xf32>
  %c = graph.gather %ct, %p : (tensor<2x4xf32>, tensor<2x3xi64>) -> tensor<2x3x4xf32>
  %s = graph.gather %st, %p : (tensor<2x4xf32>, tensor<2x3xi64>) -> tensor<2x3x4xf32>
  %c4 = graph.reshape %c {shape = array<i64: 2, 3, 1, 4>} : (tensor<2x3x4xf32>) -> tensor<2x3x1x4xf32>
  %s4 = graph.reshape %s {shape = array<i64: 2, 3, 1, 4>} : (tensor<2x3x4xf32>) -> tensor<2x3x1x4xf32>
  %a, %b = graph.split %x {axis = -1 : i64, sizes = array<i64: 2, 2>} : (tensor<2x3x2x4xf32>) -> (tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32>)
  %n = graph.neg %b : (tensor<2x3x2x2xf32>) -> tensor<2x3x2x2xf32>
  %t = graph.concat %n, %a {axis = -1 : i64} : (tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32>) -> tensor<2x3x2x4xf32>
  %xc = graph.mul %x, %c4 : (tensor<2x3x2x4xf32>, tensor<2x3x1x4xf32>) -> tensor<2x3x2x4xf32>
  %ts = graph.mul %t, %s4 : (tensor<2x3x2x4xf32>, tensor<2x3x1x4xf32>) -> tensor<2x3x2x4xf32>
  %y = graph.add %xc, %ts : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
  func.return %y : tensor<2x3x2x4xf32>
}

// As GPT-J writes it: neighbors change places, and each angle is repeated.
// CHECK-LABEL: @rotate_every_two(
// CHECK:         graph.rotary_embedding %{{.*}}, %{{.*}}, %{{.*}} {num_heads = 2 : i64, interleaved} : (tensor<1x3x8xf32>, tensor<1x3x2xf32>, tensor<1x3x2xf32>)
// CHECK-NOT:     graph.add
func.func @rotate_every_two(%x: tensor<1x3x2x4xf32>, %c: tensor<1x3x2xf32>, %s: tensor<1x3x2xf32>) -> tensor<1x3x2x4xf32> {
  %c1 = graph.reshape %c {shape = array<i64: 1, 3, 2, 1>} : (tensor<1x3x2xf32>) -> tensor<1x3x2x1xf32>
  %c2 = graph.expand %c1 {shape = array<i64: 1, 3, 2, 2>} : (tensor<1x3x2x1xf32>) -> tensor<1x3x2x2xf32>
  %c3 = graph.reshape %c2 {shape = array<i64: 1, 3, 1, 4>} : (tensor<1x3x2x2xf32>) -> tensor<1x3x1x4xf32>
  %s1 = graph.reshape %s {shape = array<i64: 1, 3, 2, 1>} : (tensor<1x3x2xf32>) -> tensor<1x3x2x1xf32>
  %s2 = graph.tile %s1 {repeats = array<i64: 1, 1, 1, 2>} : (tensor<1x3x2x1xf32>) -> tensor<1x3x2x2xf32>
  %s3 = graph.reshape %s2 {shape = array<i64: 1, 3, 1, 4>} : (tensor<1x3x2x2xf32>) -> tensor<1x3x1x4xf32>
  %a = graph.slice %x {starts = array<i64: 0, 0, 0, 0>, sizes = array<i64: 1, 3, 2, 2>, steps = array<i64: 1, 1, 1, 2>} : (tensor<1x3x2x4xf32>) -> tensor<1x3x2x2xf32>
  %b = graph.slice %x {starts = array<i64: 0, 0, 0, 1>, sizes = array<i64: 1, 3, 2, 2>, steps = array<i64: 1, 1, 1, 2>} : (tensor<1x3x2x4xf32>) -> tensor<1x3x2x2xf32>
  %n = graph.neg %b : (tensor<1x3x2x2xf32>) -> tensor<1x3x2x2xf32>
  %n1 = graph.reshape %n {shape = array<i64: 1, 3, 2, 2, 1>} : (tensor<1x3x2x2xf32>) -> tensor<1x3x2x2x1xf32>
  %a1 = graph.reshape %a {shape = array<i64: 1, 3, 2, 2, 1>} : (tensor<1x3x2x2xf32>) -> tensor<1x3x2x2x1xf32>
  %t = graph.concat %n1, %a1 {axis = -1 : i64} : (tensor<1x3x2x2x1xf32>, tensor<1x3x2x2x1xf32>) -> tensor<1x3x2x2x2xf32>
  %r = graph.reshape %t {shape = array<i64: 1, 3, 2, 4>} : (tensor<1x3x2x2x2xf32>) -> tensor<1x3x2x4xf32>
  %xc = graph.mul %x, %c3 : (tensor<1x3x2x4xf32>, tensor<1x3x1x4xf32>) -> tensor<1x3x2x4xf32>
  %ts = graph.mul %r, %s3 : (tensor<1x3x2x4xf32>, tensor<1x3x1x4xf32>) -> tensor<1x3x2x4xf32>
  %y = graph.add %xc, %ts : (tensor<1x3x2x4xf32>, tensor<1x3x2x4xf32>) -> tensor<1x3x2x4xf32>
  func.return %y : tensor<1x3x2x4xf32>
}

// Both elements of each pair apart, joined as halves; one table for the whole batch.
// CHECK-LABEL: @halves_apart(
// CHECK:         graph.rotary_embedding %x, %{{.*}}, %{{.*}} : (tensor<2x2x3x4xf32>, tensor<1x3x2xf32>, tensor<1x3x2xf32>)
// CHECK-NOT:     graph.sub
func.func @halves_apart(%x: tensor<2x2x3x4xf32>, %c: tensor<3x2xf32>, %s: tensor<3x2xf32>) -> tensor<2x2x3x4xf32> {
  %a, %b = graph.split %x {axis = -1 : i64, sizes = array<i64: 2, 2>} : (tensor<2x2x3x4xf32>) -> (tensor<2x2x3x2xf32>, tensor<2x2x3x2xf32>)
  %ac = graph.mul %a, %c : (tensor<2x2x3x2xf32>, tensor<3x2xf32>) -> tensor<2x2x3x2xf32>
  %bs = graph.mul %s, %b : (tensor<3x2xf32>, tensor<2x2x3x2xf32>) -> tensor<2x2x3x2xf32>
  %bc = graph.mul %b, %c : (tensor<2x2x3x2xf32>, tensor<3x2xf32>) -> tensor<2x2x3x2xf32>
  %as = graph.mul %a, %s : (tensor<2x2x3x2xf32>, tensor<3x2xf32>) -> tensor<2x2x3x2xf32>
  %r = graph.sub %ac, %bs : (tensor<2x2x3x2xf32>, tensor<2x2x3x2xf32>) -> tensor<2x2x3x2xf32>
  %i = graph.add %bc, %as : (tensor<2x2x3x2xf32>, tensor<2x2x3x2xf32>) -> tensor<2x2x3x2xf32>
  %y = graph.concat %r, %i {axis = -1 : i64} : (tensor<2x2x3x2xf32>, tensor<2x2x3x2xf32>) -> tensor<2x2x3x4xf32>
  func.return %y : tensor<2x2x3x4xf32>
}

// Complex numbers, as Llama's first authors write them: an axis of two, and back.
// CHECK-LABEL: @complex_numbers(
// CHECK:         graph.rotary_embedding %{{.*}} {num_heads = 2 : i64, interleaved} : (tensor<1x3x8xf32>, tensor<1x3x2xf32>, tensor<1x3x2xf32>)
// CHECK-NOT:     graph.sub
func.func @complex_numbers(%x: tensor<1x3x2x4xf32>, %c: tensor<1x3x1x2xf32>, %s: tensor<1x3x1x2xf32>) -> tensor<1x3x2x4xf32> {
  %p = graph.reshape %x {shape = array<i64: 1, 3, 2, 2, 2>} : (tensor<1x3x2x4xf32>) -> tensor<1x3x2x2x2xf32>
  %a1, %b1 = graph.split %p {axis = -1 : i64, sizes = array<i64: 1, 1>} : (tensor<1x3x2x2x2xf32>) -> (tensor<1x3x2x2x1xf32>, tensor<1x3x2x2x1xf32>)
  %a = graph.reshape %a1 {shape = array<i64: 1, 3, 2, 2>} : (tensor<1x3x2x2x1xf32>) -> tensor<1x3x2x2xf32>
  %b = graph.reshape %b1 {shape = array<i64: 1, 3, 2, 2>} : (tensor<1x3x2x2x1xf32>) -> tensor<1x3x2x2xf32>
  %ac = graph.mul %a, %c : (tensor<1x3x2x2xf32>, tensor<1x3x1x2xf32>) -> tensor<1x3x2x2xf32>
  %bs = graph.mul %b, %s : (tensor<1x3x2x2xf32>, tensor<1x3x1x2xf32>) -> tensor<1x3x2x2xf32>
  %as = graph.mul %a, %s : (tensor<1x3x2x2xf32>, tensor<1x3x1x2xf32>) -> tensor<1x3x2x2xf32>
  %bc = graph.mul %b, %c : (tensor<1x3x2x2xf32>, tensor<1x3x1x2xf32>) -> tensor<1x3x2x2xf32>
  %r = graph.sub %ac, %bs : (tensor<1x3x2x2xf32>, tensor<1x3x2x2xf32>) -> tensor<1x3x2x2xf32>
  %i = graph.add %as, %bc : (tensor<1x3x2x2xf32>, tensor<1x3x2x2xf32>) -> tensor<1x3x2x2xf32>
  %r1 = graph.reshape %r {shape = array<i64: 1, 3, 2, 2, 1>} : (tensor<1x3x2x2xf32>) -> tensor<1x3x2x2x1xf32>
  %i1 = graph.reshape %i {shape = array<i64: 1, 3, 2, 2, 1>} : (tensor<1x3x2x2xf32>) -> tensor<1x3x2x2x1xf32>
  %t = graph.concat %r1, %i1 {axis = -1 : i64} : (tensor<1x3x2x2x1xf32>, tensor<1x3x2x2x1xf32>) -> tensor<1x3x2x2x2xf32>
  %y = graph.reshape %t {shape = array<i64: 1, 3, 2, 4>} : (tensor<1x3x2x2x2xf32>) -> tensor<1x3x2x4xf32>
  func.return %y : tensor<1x3x2x4xf32>
}

// As GPT-NeoX and Phi: the first elements of each head are turned, the others follow.
// CHECK-LABEL: @first_elements(
// CHECK:         [[Y:%.*]] = graph.rotary_embedding %x, %{{.*}}, %{{.*}} {rotary_embedding_dim = 4 : i64} : (tensor<1x2x3x6xf32>, tensor<1x3x2xf32>, tensor<1x3x2xf32>)
// CHECK-NEXT:    func.return [[Y]]
func.func @first_elements(%x: tensor<1x2x3x6xf32>, %c: tensor<3x2xf32>, %s: tensor<3x2xf32>) -> tensor<1x2x3x6xf32> {
  %h, %rest = graph.split %x {axis = -1 : i64, sizes = array<i64: 4, 2>} : (tensor<1x2x3x6xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3x2xf32>)
  %a, %b = graph.split %h {axis = -1 : i64, sizes = array<i64: 2, 2>} : (tensor<1x2x3x4xf32>) -> (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>)
  %ac = graph.mul %a, %c : (tensor<1x2x3x2xf32>, tensor<3x2xf32>) -> tensor<1x2x3x2xf32>
  %bs = graph.mul %b, %s : (tensor<1x2x3x2xf32>, tensor<3x2xf32>) -> tensor<1x2x3x2xf32>
  %as = graph.mul %a, %s : (tensor<1x2x3x2xf32>, tensor<3x2xf32>) -> tensor<1x2x3x2xf32>
  %bc = graph.mul %b, %c : (tensor<1x2x3x2xf32>, tensor<3x2xf32>) -> tensor<1x2x3x2xf32>
  %r = graph.sub %ac, %bs : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %i = graph.add %as, %bc : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %t = graph.concat %r, %i {axis = -1 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %y = graph.concat %t, %rest {axis = -1 : i64} : (tensor<1x2x3x4xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x6xf32>
  func.return %y : tensor<1x2x3x6xf32>
}

// What is nothing of the kind is kept: angles that may differ in a pair,
// CHECK-LABEL: @unknown_table_is_kept(
// CHECK-NOT:     graph.rotary_embedding
// CHECK:         func.return
func.func @unknown_table_is_kept(%x: tensor<1x2x3x4xf32>, %c: tensor<3x4xf32>) -> tensor<1x2x3x4xf32> {
  %a = graph.slice %x {starts = array<i64: 0, 0, 0, 0>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %b = graph.slice %x {starts = array<i64: 0, 0, 0, 2>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %n = graph.neg %b : (tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %t = graph.concat %n, %a {axis = -1 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %xc = graph.mul %x, %c : (tensor<1x2x3x4xf32>, tensor<3x4xf32>) -> tensor<1x2x3x4xf32>
  %ts = graph.mul %t, %c : (tensor<1x2x3x4xf32>, tensor<3x4xf32>) -> tensor<1x2x3x4xf32>
  %y = graph.add %xc, %ts : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @table_of_two_halves_is_kept(
// CHECK-NOT:     graph.rotary_embedding
// CHECK:         func.return
func.func @table_of_two_halves_is_kept(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %a = graph.slice %x {starts = array<i64: 0, 0, 0, 0>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %b = graph.slice %x {starts = array<i64: 0, 0, 0, 2>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %n = graph.neg %b : (tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %t = graph.concat %n, %a {axis = -1 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %c = graph.literal dense<[[1.0, 2.0, 1.0, 3.0], [1.0, 2.0, 1.0, 2.0], [1.0, 2.0, 1.0, 2.0]]> : tensor<3x4xf32> : tensor<3x4xf32>
  %xc = graph.mul %x, %c : (tensor<1x2x3x4xf32>, tensor<3x4xf32>) -> tensor<1x2x3x4xf32>
  %ts = graph.mul %t, %c : (tensor<1x2x3x4xf32>, tensor<3x4xf32>) -> tensor<1x2x3x4xf32>
  %y = graph.add %xc, %ts : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @joined_angles_that_differ_are_kept(
// CHECK-NOT:     graph.rotary_embedding
// CHECK:         func.return
func.func @joined_angles_that_differ_are_kept(%x: tensor<1x2x3x4xf32>, %f: tensor<3x2xf32>, %g: tensor<3x2xf32>) -> tensor<1x2x3x4xf32> {
  %a = graph.slice %x {starts = array<i64: 0, 0, 0, 0>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %b = graph.slice %x {starts = array<i64: 0, 0, 0, 2>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %n = graph.neg %b : (tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %t = graph.concat %n, %a {axis = -1 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %c = graph.concat %f, %g {axis = -1 : i64} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  %xc = graph.mul %x, %c : (tensor<1x2x3x4xf32>, tensor<3x4xf32>) -> tensor<1x2x3x4xf32>
  %ts = graph.mul %t, %c : (tensor<1x2x3x4xf32>, tensor<3x4xf32>) -> tensor<1x2x3x4xf32>
  %y = graph.add %xc, %ts : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @angles_gathered_within_are_kept(
// CHECK-NOT:     graph.rotary_embedding
// CHECK:         func.return
func.func @angles_gathered_within_are_kept(%x: tensor<1x2x3x4xf32>, %f: tensor<3x2xf32>, %i: tensor<4xi64>) -> tensor<1x2x3x4xf32> {
  %a = graph.slice %x {starts = array<i64: 0, 0, 0, 0>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %b = graph.slice %x {starts = array<i64: 0, 0, 0, 2>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %n = graph.neg %b : (tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %t = graph.concat %n, %a {axis = -1 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %d = graph.concat %f, %f {axis = -1 : i64} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  %c = graph.gather %d, %i {axis = 1 : i64} : (tensor<3x4xf32>, tensor<4xi64>) -> tensor<3x4xf32>
  %xc = graph.mul %x, %c : (tensor<1x2x3x4xf32>, tensor<3x4xf32>) -> tensor<1x2x3x4xf32>
  %ts = graph.mul %t, %c : (tensor<1x2x3x4xf32>, tensor<3x4xf32>) -> tensor<1x2x3x4xf32>
  %y = graph.add %xc, %ts : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @angles_that_move_are_kept(
// CHECK-NOT:     graph.rotary_embedding
// CHECK:         func.return
func.func @angles_that_move_are_kept(%x: tensor<1x2x3x4xf32>, %f: tensor<4x2xf32>) -> tensor<1x2x3x4xf32> {
  %a = graph.slice %x {starts = array<i64: 0, 0, 0, 0>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %b = graph.slice %x {starts = array<i64: 0, 0, 0, 2>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %n = graph.neg %b : (tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %t = graph.concat %n, %a {axis = -1 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %d = graph.concat %f, %f {axis = -1 : i64} : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>
  %e = graph.transpose %d {permutation = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = graph.slice %e {starts = array<i64: 0, 0>, sizes = array<i64: 3, 4>, steps = array<i64: 1, 1>} : (tensor<4x4xf32>) -> tensor<3x4xf32>
  %xc = graph.mul %x, %c : (tensor<1x2x3x4xf32>, tensor<3x4xf32>) -> tensor<1x2x3x4xf32>
  %ts = graph.mul %t, %c : (tensor<1x2x3x4xf32>, tensor<3x4xf32>) -> tensor<1x2x3x4xf32>
  %y = graph.add %xc, %ts : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @joined_angles_of_neighbors_are_kept(
// CHECK-NOT:     graph.rotary_embedding
// CHECK:         func.return
func.func @joined_angles_of_neighbors_are_kept(%x: tensor<1x2x3x4xf32>, %f: tensor<3x2xf32>) -> tensor<1x2x3x4xf32> {
  %a = graph.slice %x {starts = array<i64: 0, 0, 0, 0>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %b = graph.slice %x {starts = array<i64: 0, 0, 0, 2>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %n = graph.neg %b : (tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %t = graph.concat %n, %a {axis = -1 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %f1 = graph.reshape %f {shape = array<i64: 3, 2, 1>} : (tensor<3x2xf32>) -> tensor<3x2x1xf32>
  %f2 = graph.expand %f1 {shape = array<i64: 3, 2, 2>} : (tensor<3x2x1xf32>) -> tensor<3x2x2xf32>
  %c = graph.reshape %f2 {shape = array<i64: 3, 4>} : (tensor<3x2x2xf32>) -> tensor<3x4xf32>
  %xc = graph.mul %x, %c : (tensor<1x2x3x4xf32>, tensor<3x4xf32>) -> tensor<1x2x3x4xf32>
  %ts = graph.mul %t, %c : (tensor<1x2x3x4xf32>, tensor<3x4xf32>) -> tensor<1x2x3x4xf32>
  %y = graph.add %xc, %ts : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// angles by head, or one for all positions,
// CHECK-LABEL: @angles_by_head_are_kept(
// CHECK-NOT:     graph.rotary_embedding
// CHECK:         func.return
func.func @angles_by_head_are_kept(%x: tensor<1x2x3x4xf32>, %f: tensor<2x3x2xf32>) -> tensor<1x2x3x4xf32> {
  %a = graph.slice %x {starts = array<i64: 0, 0, 0, 0>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %b = graph.slice %x {starts = array<i64: 0, 0, 0, 2>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %n = graph.neg %b : (tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %t = graph.concat %n, %a {axis = -1 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %c = graph.concat %f, %f {axis = -1 : i64} : (tensor<2x3x2xf32>, tensor<2x3x2xf32>) -> tensor<2x3x4xf32>
  %xc = graph.mul %x, %c : (tensor<1x2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %ts = graph.mul %t, %c : (tensor<1x2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %y = graph.add %xc, %ts : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @angles_of_no_position_are_kept(
// CHECK-NOT:     graph.rotary_embedding
// CHECK:         func.return
func.func @angles_of_no_position_are_kept(%x: tensor<1x2x3x4xf32>, %f: tensor<1x2xf32>) -> tensor<1x2x3x4xf32> {
  %a = graph.slice %x {starts = array<i64: 0, 0, 0, 0>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %b = graph.slice %x {starts = array<i64: 0, 0, 0, 2>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %n = graph.neg %b : (tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %t = graph.concat %n, %a {axis = -1 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %c = graph.concat %f, %f {axis = -1 : i64} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x4xf32>
  %xc = graph.mul %x, %c : (tensor<1x2x3x4xf32>, tensor<1x4xf32>) -> tensor<1x2x3x4xf32>
  %ts = graph.mul %t, %c : (tensor<1x2x3x4xf32>, tensor<1x4xf32>) -> tensor<1x2x3x4xf32>
  %y = graph.add %xc, %ts : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// and halves of other signs, in another order, of another tensor, or subtracted.
// CHECK-LABEL: @no_sign_is_kept(
// CHECK-NOT:     graph.rotary_embedding
// CHECK:         func.return
func.func @no_sign_is_kept(%x: tensor<1x2x3x4xf32>, %f: tensor<3x2xf32>) -> tensor<1x2x3x4xf32> {
  %a = graph.slice %x {starts = array<i64: 0, 0, 0, 0>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %b = graph.slice %x {starts = array<i64: 0, 0, 0, 2>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %t = graph.concat %b, %a {axis = -1 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %c = graph.concat %f, %f {axis = -1 : i64} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  %xc = graph.mul %x, %c : (tensor<1x2x3x4xf32>, tensor<3x4xf32>) -> tensor<1x2x3x4xf32>
  %ts = graph.mul %t, %c : (tensor<1x2x3x4xf32>, tensor<3x4xf32>) -> tensor<1x2x3x4xf32>
  %y = graph.add %xc, %ts : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @other_sign_is_kept(
// CHECK-NOT:     graph.rotary_embedding
// CHECK:         func.return
func.func @other_sign_is_kept(%x: tensor<1x2x3x4xf32>, %f: tensor<3x2xf32>) -> tensor<1x2x3x4xf32> {
  %a = graph.slice %x {starts = array<i64: 0, 0, 0, 0>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %b = graph.slice %x {starts = array<i64: 0, 0, 0, 2>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %n = graph.neg %a : (tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %t = graph.concat %b, %n {axis = -1 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %c = graph.concat %f, %f {axis = -1 : i64} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  %xc = graph.mul %x, %c : (tensor<1x2x3x4xf32>, tensor<3x4xf32>) -> tensor<1x2x3x4xf32>
  %ts = graph.mul %t, %c : (tensor<1x2x3x4xf32>, tensor<3x4xf32>) -> tensor<1x2x3x4xf32>
  %y = graph.add %xc, %ts : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @halves_in_order_are_kept(
// CHECK-NOT:     graph.rotary_embedding
// CHECK:         func.return
func.func @halves_in_order_are_kept(%x: tensor<1x2x3x4xf32>, %f: tensor<3x2xf32>) -> tensor<1x2x3x4xf32> {
  %a = graph.slice %x {starts = array<i64: 0, 0, 0, 0>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %b = graph.slice %x {starts = array<i64: 0, 0, 0, 2>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %n = graph.neg %a : (tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %t = graph.concat %n, %b {axis = -1 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %c = graph.concat %f, %f {axis = -1 : i64} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  %xc = graph.mul %x, %c : (tensor<1x2x3x4xf32>, tensor<3x4xf32>) -> tensor<1x2x3x4xf32>
  %ts = graph.mul %t, %c : (tensor<1x2x3x4xf32>, tensor<3x4xf32>) -> tensor<1x2x3x4xf32>
  %y = graph.add %xc, %ts : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @halves_of_others_are_kept(
// CHECK-NOT:     graph.rotary_embedding
// CHECK:         func.return
func.func @halves_of_others_are_kept(%x: tensor<1x2x3x4xf32>, %f: tensor<3x2xf32>, %z: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %a = graph.slice %x {starts = array<i64: 0, 0, 0, 0>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %b = graph.slice %z {starts = array<i64: 0, 0, 0, 2>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %n = graph.neg %b : (tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %t = graph.concat %n, %a {axis = -1 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %c = graph.concat %f, %f {axis = -1 : i64} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  %xc = graph.mul %x, %c : (tensor<1x2x3x4xf32>, tensor<3x4xf32>) -> tensor<1x2x3x4xf32>
  %ts = graph.mul %t, %c : (tensor<1x2x3x4xf32>, tensor<3x4xf32>) -> tensor<1x2x3x4xf32>
  %y = graph.add %xc, %ts : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @even_and_odd_as_halves_are_kept(
// CHECK-NOT:     graph.rotary_embedding
// CHECK:         func.return
func.func @even_and_odd_as_halves_are_kept(%x: tensor<1x2x3x4xf32>, %f: tensor<3x2xf32>) -> tensor<1x2x3x4xf32> {
  %a = graph.slice %x {starts = array<i64: 0, 0, 0, 0>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 2>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %b = graph.slice %x {starts = array<i64: 0, 0, 0, 1>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 2>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %n = graph.neg %b : (tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %t = graph.concat %n, %a {axis = -1 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %c = graph.concat %f, %f {axis = -1 : i64} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  %xc = graph.mul %x, %c : (tensor<1x2x3x4xf32>, tensor<3x4xf32>) -> tensor<1x2x3x4xf32>
  %ts = graph.mul %t, %c : (tensor<1x2x3x4xf32>, tensor<3x4xf32>) -> tensor<1x2x3x4xf32>
  %y = graph.add %xc, %ts : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @same_half_is_kept(
// CHECK-NOT:     graph.rotary_embedding
// CHECK:         func.return
func.func @same_half_is_kept(%x: tensor<1x2x3x4xf32>, %f: tensor<3x2xf32>) -> tensor<1x2x3x4xf32> {
  %a = graph.slice %x {starts = array<i64: 0, 0, 0, 0>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %b = graph.slice %x {starts = array<i64: 0, 0, 0, 0>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %n = graph.neg %b : (tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %t = graph.concat %n, %a {axis = -1 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %c = graph.concat %f, %f {axis = -1 : i64} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  %xc = graph.mul %x, %c : (tensor<1x2x3x4xf32>, tensor<3x4xf32>) -> tensor<1x2x3x4xf32>
  %ts = graph.mul %t, %c : (tensor<1x2x3x4xf32>, tensor<3x4xf32>) -> tensor<1x2x3x4xf32>
  %y = graph.add %xc, %ts : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @difference_is_kept(
// CHECK-NOT:     graph.rotary_embedding
// CHECK:         func.return
func.func @difference_is_kept(%x: tensor<1x2x3x4xf32>, %f: tensor<3x2xf32>) -> tensor<1x2x3x4xf32> {
  %a = graph.slice %x {starts = array<i64: 0, 0, 0, 0>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %b = graph.slice %x {starts = array<i64: 0, 0, 0, 2>, sizes = array<i64: 1, 2, 3, 2>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32>
  %n = graph.neg %b : (tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %t = graph.concat %n, %a {axis = -1 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  %c = graph.concat %f, %f {axis = -1 : i64} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  %xc = graph.mul %x, %c : (tensor<1x2x3x4xf32>, tensor<3x4xf32>) -> tensor<1x2x3x4xf32>
  %ts = graph.mul %t, %c : (tensor<1x2x3x4xf32>, tensor<3x4xf32>) -> tensor<1x2x3x4xf32>
  %y = graph.sub %xc, %ts : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @sum_of_halves_is_kept(
// CHECK-NOT:     graph.rotary_embedding
// CHECK:         func.return
func.func @sum_of_halves_is_kept(%x: tensor<1x2x3x4xf32>, %c: tensor<3x2xf32>, %s: tensor<3x2xf32>) -> tensor<1x2x3x4xf32> {
  %a, %b = graph.split %x {axis = -1 : i64, sizes = array<i64: 2, 2>} : (tensor<1x2x3x4xf32>) -> (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>)
  %i = graph.mul %a, %c : (tensor<1x2x3x2xf32>, tensor<3x2xf32>) -> tensor<1x2x3x2xf32>
  %j = graph.mul %b, %s : (tensor<1x2x3x2xf32>, tensor<3x2xf32>) -> tensor<1x2x3x2xf32>
  %k = graph.mul %a, %s : (tensor<1x2x3x2xf32>, tensor<3x2xf32>) -> tensor<1x2x3x2xf32>
  %l = graph.mul %b, %c : (tensor<1x2x3x2xf32>, tensor<3x2xf32>) -> tensor<1x2x3x2xf32>
  %r = graph.add %i, %j : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %m = graph.add %k, %l : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %y = graph.concat %r, %m {axis = -1 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @other_angle_is_kept(
// CHECK-NOT:     graph.rotary_embedding
// CHECK:         func.return
func.func @other_angle_is_kept(%x: tensor<1x2x3x4xf32>, %c: tensor<3x2xf32>, %s: tensor<3x2xf32>) -> tensor<1x2x3x4xf32> {
  %a, %b = graph.split %x {axis = -1 : i64, sizes = array<i64: 2, 2>} : (tensor<1x2x3x4xf32>) -> (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>)
  %i = graph.mul %a, %c : (tensor<1x2x3x2xf32>, tensor<3x2xf32>) -> tensor<1x2x3x2xf32>
  %j = graph.mul %b, %s : (tensor<1x2x3x2xf32>, tensor<3x2xf32>) -> tensor<1x2x3x2xf32>
  %k = graph.mul %a, %c : (tensor<1x2x3x2xf32>, tensor<3x2xf32>) -> tensor<1x2x3x2xf32>
  %l = graph.mul %b, %s : (tensor<1x2x3x2xf32>, tensor<3x2xf32>) -> tensor<1x2x3x2xf32>
  %r = graph.sub %i, %j : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %m = graph.add %k, %l : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %y = graph.concat %r, %m {axis = -1 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: @other_half_is_kept(
// CHECK-NOT:     graph.rotary_embedding
// CHECK:         func.return
func.func @other_half_is_kept(%x: tensor<1x2x3x4xf32>, %c: tensor<3x2xf32>, %s: tensor<3x2xf32>) -> tensor<1x2x3x4xf32> {
  %a, %b = graph.split %x {axis = -1 : i64, sizes = array<i64: 2, 2>} : (tensor<1x2x3x4xf32>) -> (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>)
  %i = graph.mul %b, %c : (tensor<1x2x3x2xf32>, tensor<3x2xf32>) -> tensor<1x2x3x2xf32>
  %j = graph.mul %a, %s : (tensor<1x2x3x2xf32>, tensor<3x2xf32>) -> tensor<1x2x3x2xf32>
  %k = graph.mul %a, %s : (tensor<1x2x3x2xf32>, tensor<3x2xf32>) -> tensor<1x2x3x2xf32>
  %l = graph.mul %b, %c : (tensor<1x2x3x2xf32>, tensor<3x2xf32>) -> tensor<1x2x3x2xf32>
  %r = graph.sub %i, %j : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %m = graph.add %k, %l : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  %y = graph.concat %r, %m {axis = -1 : i64} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
  func.return %y : tensor<1x2x3x4xf32>
}

// What follows is none of the same elements, or not all of them.
// CHECK-LABEL: @other_rest(
// CHECK:         graph.rotary_embedding %{{.*}} : (tensor<1x2x3x4xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<1x3xi64>)
// CHECK:         graph.concat
// CHECK:         graph.rotary_embedding %{{.*}} : (tensor<1x2x3x4xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<1x3xi64>)
// CHECK:         graph.concat
func.func @other_rest(%x: tensor<1x2x3x6xf32>, %z: tensor<1x2x3x6xf32>, %c: tensor<3x2xf32>, %p: tensor<1x3xi64>) -> (tensor<1x2x3x6xf32>, tensor<1x2x3x5xf32>) {
  %h, %r = graph.split %x {axis = -1 : i64, sizes = array<i64: 4, 2>} : (tensor<1x2x3x6xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3x2xf32>)
  %i, %rest = graph.split %z {axis = -1 : i64, sizes = array<i64: 4, 2>} : (tensor<1x2x3x6xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3x2xf32>)
  %0 = graph.rotary_embedding %h, %c, %c positions %p : (tensor<1x2x3x4xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<1x3xi64>) -> tensor<1x2x3x4xf32>
  %y = graph.concat %0, %rest {axis = -1 : i64} : (tensor<1x2x3x4xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x6xf32>
  %1 = graph.rotary_embedding %i, %c, %c positions %p : (tensor<1x2x3x4xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<1x3xi64>) -> tensor<1x2x3x4xf32>
  %last = graph.slice %z {starts = array<i64: 0, 0, 0, 5>, sizes = array<i64: 1, 2, 3, 1>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x2x3x6xf32>) -> tensor<1x2x3x1xf32>
  %w = graph.concat %1, %last {axis = -1 : i64} : (tensor<1x2x3x4xf32>, tensor<1x2x3x1xf32>) -> tensor<1x2x3x5xf32>
  func.return %y, %w : tensor<1x2x3x6xf32>, tensor<1x2x3x5xf32>
}

// CHECK-LABEL: @two_elements(
// CHECK-NEXT:    [[Y:%.*]] = graph.reshape %x
// CHECK-NEXT:    func.return [[Y]]
func.func @two_elements(%x: tensor<2xf32>) -> tensor<2x1xf32> {
  %y = graph.reshape %x {shape = array<i64: 2, 1>} : (tensor<2xf32>) -> tensor<2x1xf32>
  func.return %y : tensor<2x1xf32>
}

// CHECK-LABEL: @parts_of_two(
// CHECK-NOT:     graph.rotary_embedding
// CHECK:         func.return
func.func @parts_of_two(%x: tensor<2x1xf32>, %s: tensor<f32>) -> (tensor<2xf32>, tensor<f32>) {
  %r = graph.reshape %x {shape = array<i64: 2>} : (tensor<2x1xf32>) -> tensor<2xf32>
  %a, %b = graph.split %r {axis = 0 : i64, sizes = array<i64: 1, 1>} : (tensor<2xf32>) -> (tensor<1xf32>, tensor<1xf32>)
  %n = graph.neg %b : (tensor<1xf32>) -> tensor<1xf32>
  %t = graph.concat %n, %a {axis = 0 : i64} : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %xc = graph.mul %r, %r : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %ts = graph.mul %t, %r : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %y = graph.add %xc, %ts : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %c = graph.slice %s {starts = array<i64>, sizes = array<i64>, steps = array<i64>} : (tensor<f32>) -> tensor<f32>
  %m = graph.mul %c, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %o = graph.mul %s, %c : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %z = graph.add %m, %o : (tensor<f32>, tensor<f32>) -> tensor<f32>
  func.return %y, %z : tensor<2xf32>, tensor<f32>
}
