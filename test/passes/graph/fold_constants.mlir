// RUN: glow-opt %s -p fold-constants --print-debuginfo | filecheck %s
// RUN: glow-opt %s -p 'fold-constants{limit-bytes=16}' | filecheck %s --check-prefix=LIMIT
// RUN: glow-opt %s --split-input-file -p 'fold-constants{memory-bytes=512}' | filecheck %s --check-prefix=MEMORY

// New constants are named after their node or what they come from, and stand with the others.
// CHECK:      graph.constant @absent
// CHECK-NEXT: graph.constant @"node/Concat" #graph.resource<"{{[0-9a-f]*}}"> : tensor<20xf32> loc("node/Concat")
// CHECK-NEXT: graph.constant @"node/Concat_exp" #graph
// CHECK-NEXT: graph.constant @"node/Concat_exp_1" #graph
// CHECK-NEXT: graph.constant @constant #graph
graph.placeholder @data "in" : tensor<2xf32>
graph.constant @absent #graph.resource<"0000000000000000000000000000000000000000000000000000000000000000"> : tensor<2xf32>

// CHECK-LABEL: @chain_becomes_a_literal
// CHECK:         %c = graph.literal dense<[2.000000e+00, 8.000000e+00]> : tensor<2xf32> : tensor<2xf32> loc("last")
// CHECK-NEXT:    graph.sub %x, %c
func.func @chain_becomes_a_literal(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = graph.literal dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %b = graph.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %c = graph.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> loc("last")
  %d = graph.sub %x, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %d : tensor<2xf32>
}

// CHECK-LABEL: @inner_value_is_made_once
// CHECK:         [[B:%.*]] = graph.literal dense<[2.000000e+00, 4.000000e+00]>
// CHECK-NEXT:    [[C:%.*]] = graph.literal dense<[-2.000000e+00, -4.000000e+00]>
// CHECK-NEXT:    func.return [[B]], [[C]], [[B]]
func.func @inner_value_is_made_once() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %a = graph.literal dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %b = graph.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %c = graph.neg %b : (tensor<2xf32>) -> tensor<2xf32>
  func.return %b, %c, %b : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: @large_results_become_constants
// CHECK:         [[A:%.*]] = graph.load @"node/Concat" : tensor<20xf32> loc("node/Concat")
// CHECK-NEXT:    [[B:%.*]] = graph.load @"node/Concat_exp" : tensor<20xf32>
// CHECK-NEXT:    [[C:%.*]] = graph.load @"node/Concat_exp_1" : tensor<20xf32>
// CHECK-NEXT:    [[D:%.*]] = graph.load @constant : tensor<20xf32>
// CHECK-NEXT:    func.return [[A]], [[B]], [[C]], [[D]]
func.func @large_results_become_constants() -> (tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xf32>) {
  %a = graph.literal dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]> : tensor<10xf32> : tensor<10xf32>
  %b = graph.concat %a, %a {axis = 0} : (tensor<10xf32>, tensor<10xf32>) -> tensor<20xf32> loc("node/Concat")
  %c = graph.exp %b : (tensor<20xf32>) -> tensor<20xf32>
  %d = graph.exp %b : (tensor<20xf32>) -> tensor<20xf32>
  %e = graph.concat %a, %a {axis = 0} : (tensor<10xf32>, tensor<10xf32>) -> tensor<20xf32>
  func.return %b, %c, %d, %e : tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xf32>
}

// CHECK-LABEL: @uniform_results_are_literals
// CHECK:         graph.literal dense<1.000000e+00> : tensor<5x4xf32>
// LIMIT-LABEL: @uniform_results_are_literals
// LIMIT:         graph.expand
func.func @uniform_results_are_literals() -> tensor<5x4xf32> {
  %a = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %b = graph.expand %a {shape = array<i64: 5, 4>} : (tensor<f32>) -> tensor<5x4xf32>
  func.return %b : tensor<5x4xf32>
}

// A result beyond the limit that is no larger than its operands is folded.
// LIMIT-LABEL: @large_operands_give_large_results
// LIMIT:         graph.literal dense<-1.000000e+00> : tensor<5x4xf32>
func.func @large_operands_give_large_results() -> tensor<5x4xf32> {
  %a = graph.literal dense<1.0> : tensor<5x4xf32> : tensor<5x4xf32>
  %b = graph.neg %a : (tensor<5x4xf32>) -> tensor<5x4xf32>
  func.return %b : tensor<5x4xf32>
}

// CHECK-LABEL: @nan_and_the_sign_of_zero_stay
// CHECK:         graph.literal dense<[0x{{[7f]}}fc00000, -0.000000e+00]>
func.func @nan_and_the_sign_of_zero_stay() -> tensor<2xf32> {
  %a = graph.literal dense<[-1.0, -0.0]> : tensor<2xf32> : tensor<2xf32>
  %b = graph.sqrt %a : (tensor<2xf32>) -> tensor<2xf32>
  func.return %b : tensor<2xf32>
}

// CHECK-LABEL: @every_result_is_folded
// CHECK:         [[B:%.*]] = graph.literal dense<1> : tensor<1xi32>
// CHECK-NEXT:    [[C:%.*]] = graph.literal dense<[2, 3]> : tensor<2xi32>
// CHECK-NEXT:    func.return [[B]], [[C]]
func.func @every_result_is_folded() -> (tensor<1xi32>, tensor<2xi32>) {
  %a = graph.literal dense<[1, 2, 3]> : tensor<3xi32> : tensor<3xi32>
  %b, %c = graph.split %a {axis = 0, sizes = array<i64: 1, 2>} : (tensor<3xi32>) -> (tensor<1xi32>, tensor<2xi32>)
  func.return %b, %c : tensor<1xi32>, tensor<2xi32>
}

// CHECK-LABEL: @unknown_bytes_are_kept
// CHECK:         graph.neg
func.func @unknown_bytes_are_kept() -> tensor<2xf32> {
  %a = graph.load @absent : tensor<2xf32>
  %b = graph.neg %a : (tensor<2xf32>) -> tensor<2xf32>
  func.return %b : tensor<2xf32>
}

// CHECK-LABEL: @placeholder_is_kept
// CHECK:         graph.neg
func.func @placeholder_is_kept() -> tensor<2xf32> {
  %a = graph.load @data : tensor<2xf32>
  %b = graph.neg %a : (tensor<2xf32>) -> tensor<2xf32>
  func.return %b : tensor<2xf32>
}

// CHECK-LABEL: @faults_are_left_to_the_run
// CHECK:         graph.div
// CHECK:         graph.gather
func.func @faults_are_left_to_the_run() -> (tensor<2xi32>, tensor<2xi32>) {
  %a = graph.literal dense<0> : tensor<2xi32> : tensor<2xi32>
  %b = graph.div %a, %a : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %i = graph.literal dense<[0, 2]> : tensor<2xi64> : tensor<2xi64>
  %c = graph.gather %a, %i {axis = 0} : (tensor<2xi32>, tensor<2xi64>) -> tensor<2xi32>
  func.return %b, %c : tensor<2xi32>, tensor<2xi32>
}

// CHECK-LABEL: @layouts_are_kept
// CHECK:         graph.neg
// CHECK:         graph.abs
func.func @layouts_are_kept() -> (tensor<1x2x1x1xf32, #layout.physical<NHWC>>, tensor<1x2x1x1xf32>) {
  %a = graph.literal dense<1.0> : tensor<1x2x1x1xf32> : tensor<1x2x1x1xf32>
  %b = graph.neg %a : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32, #layout.physical<NHWC>>
  %c = graph.abs %b : (tensor<1x2x1x1xf32, #layout.physical<NHWC>>) -> tensor<1x2x1x1xf32>
  func.return %b, %c : tensor<1x2x1x1xf32, #layout.physical<NHWC>>, tensor<1x2x1x1xf32>
}

// -----

// 64 bytes, then 1,024: with room for 512 the last are left to the run.
// CHECK-LABEL: @all_results_have_a_limit
// CHECK-NOT:     graph.tile
// MEMORY-LABEL: @all_results_have_a_limit
// MEMORY:         graph.tile %{{.*}} : (tensor<16xi32>) -> tensor<256xi32>
// MEMORY-NEXT:    func.return
func.func @all_results_have_a_limit() -> tensor<256xi32> {
  %a = graph.literal dense<[1, 2, 3, 4]> : tensor<4xi32> : tensor<4xi32>
  %b = graph.tile %a {repeats = array<i64: 4>} : (tensor<4xi32>) -> tensor<16xi32>
  %c = graph.tile %b {repeats = array<i64: 16>} : (tensor<16xi32>) -> tensor<256xi32>
  func.return %c : tensor<256xi32>
}

// What nothing needs any more makes room: of ten results of 64 bytes two are held.
// MEMORY-LABEL: @results_make_room
// MEMORY-NOT:     graph.neg
// MEMORY:         func.return
func.func @results_make_room() -> tensor<16xi32> {
  %a = graph.literal dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]> : tensor<16xi32> : tensor<16xi32>
  %b = graph.neg %a : (tensor<16xi32>) -> tensor<16xi32>
  %c = graph.add %b, %a : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi32>
  %d = graph.neg %c : (tensor<16xi32>) -> tensor<16xi32>
  %e = graph.add %d, %a : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi32>
  %f = graph.neg %e : (tensor<16xi32>) -> tensor<16xi32>
  %g0 = graph.add %f, %a : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi32>
  %g1 = graph.neg %g0 : (tensor<16xi32>) -> tensor<16xi32>
  %g2 = graph.add %g1, %a : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi32>
  %g3 = graph.neg %g2 : (tensor<16xi32>) -> tensor<16xi32>
  %g4 = graph.add %g3, %a : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi32>
  func.return %g4 : tensor<16xi32>
}
