// RUN: glow-opt %s --split-input-file -p fold-layout-transforms | filecheck %s

// CHECK-LABEL: @opposite_ones_cancel
// CHECK-NEXT:    func.return %x
func.func @opposite_ones_cancel(%x: tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32> {
  %0 = layout.transform %x : tensor<1x3x4x4xf32> -> tensor<1x3x4x4xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>
  %1 = layout.transform %0 : tensor<1x3x4x4xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>> -> tensor<1x3x4x4xf32>
  func.return %1 : tensor<1x3x4x4xf32>
}

// Padding is zero by type, so it comes back as it was, by way of whatever layout.
// CHECK-LABEL: @what_is_padded_comes_back
// CHECK-NEXT:    func.return %x
func.func @what_is_padded_comes_back(%x: tensor<1x3x4x4xf32, #layout.physical<NCHW8c>>) -> tensor<1x3x4x4xf32, #layout.physical<NCHW8c>> {
  %0 = layout.transform %x : tensor<1x3x4x4xf32, #layout.physical<NCHW8c>> -> tensor<1x3x4x4xf32, #layout.physical<N[a=64]HWC>>
  %1 = layout.transform %0 : tensor<1x3x4x4xf32, #layout.physical<N[a=64]HWC>> -> tensor<1x3x4x4xf32, #layout.physical<NCHW8c>>
  func.return %1 : tensor<1x3x4x4xf32, #layout.physical<NCHW8c>>
}

// CHECK-LABEL: @three_become_one
// CHECK-NEXT:    %[[T:.*]] = layout.transform %x : tensor<1x3x4x4xf32> -> tensor<1x3x4x4xf32, #layout.physical<NWHC>>
// CHECK-NEXT:    func.return %[[T]]
func.func @three_become_one(%x: tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32, #layout.physical<NWHC>> {
  %0 = layout.transform %x : tensor<1x3x4x4xf32> -> tensor<1x3x4x4xf32, #layout.physical<NCHW4c>>
  %1 = layout.transform %0 : tensor<1x3x4x4xf32, #layout.physical<NCHW4c>> -> tensor<1x3x4x4xf32, #layout.physical<NHWC>>
  %2 = layout.transform %1 : tensor<1x3x4x4xf32, #layout.physical<NHWC>> -> tensor<1x3x4x4xf32, #layout.physical<NWHC>>
  func.return %2 : tensor<1x3x4x4xf32, #layout.physical<NWHC>>
}

// The other reader still needs the inner one.
// CHECK-LABEL: @the_inner_one_stays_for_others
// CHECK:         %[[A:.*]] = layout.transform %x : {{.*}} -> tensor<1x3x4x4xf32, #layout.physical<NHWC>>
// CHECK:         %[[B:.*]] = layout.transform %x : {{.*}} -> tensor<1x3x4x4xf32, #layout.physical<NWHC>>
// CHECK:         "test.op"(%[[A]], %[[B]])
func.func @the_inner_one_stays_for_others(%x: tensor<1x3x4x4xf32>) {
  %0 = layout.transform %x : tensor<1x3x4x4xf32> -> tensor<1x3x4x4xf32, #layout.physical<NHWC>>
  %1 = layout.transform %0 : tensor<1x3x4x4xf32, #layout.physical<NHWC>> -> tensor<1x3x4x4xf32, #layout.physical<NWHC>>
  "test.op"(%0, %1) : (tensor<1x3x4x4xf32, #layout.physical<NHWC>>, tensor<1x3x4x4xf32, #layout.physical<NWHC>>) -> ()
  func.return
}

// An op between two transforms reads what the first one made.
// CHECK-LABEL: @only_neighbors_become_one
// CHECK-NEXT:    layout.transform
// CHECK-NEXT:    graph.relu
// CHECK-NEXT:    layout.transform
func.func @only_neighbors_become_one(%x: tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32> {
  %0 = layout.transform %x : tensor<1x3x4x4xf32> -> tensor<1x3x4x4xf32, #layout.physical<NHWC>>
  %1 = graph.relu %0 : (tensor<1x3x4x4xf32, #layout.physical<NHWC>>) -> tensor<1x3x4x4xf32, #layout.physical<NHWC>>
  %2 = layout.transform %1 : tensor<1x3x4x4xf32, #layout.physical<NHWC>> -> tensor<1x3x4x4xf32>
  func.return %2 : tensor<1x3x4x4xf32>
}

// -----

// One channel is first and last, so nothing moves for an op that reads bytes.
// CHECK-LABEL: @what_moves_no_byte_vanishes
// CHECK-NEXT:    %[[R:.*]] = graph.relu %x : (tensor<1x64x1x1xf32>)
// CHECK-NEXT:    func.return %[[R]]
func.func @what_moves_no_byte_vanishes(%x: tensor<1x64x1x1xf32>) -> tensor<1x64x1x1xf32, #layout.physical<NHWC>> {
  %0 = layout.transform %x : tensor<1x64x1x1xf32> -> tensor<1x64x1x1xf32, #layout.physical<NHWC>>
  %1 = graph.relu %0 : (tensor<1x64x1x1xf32, #layout.physical<NHWC>>) -> tensor<1x64x1x1xf32, #layout.physical<NHWC>>
  func.return %1 : tensor<1x64x1x1xf32, #layout.physical<NHWC>>
}

// The types of a function and of others say how a layout is spelled.
// CHECK-LABEL: @what_types_say_is_kept
// CHECK:         %[[T:.*]] = layout.transform %x : tensor<1x64x1x1xf32> -> tensor<1x64x1x1xf32, #layout.physical<NHWC>>
// CHECK:         "test.op"(%[[T]])
func.func @what_types_say_is_kept(%x: tensor<1x64x1x1xf32>) {
  %0 = layout.transform %x : tensor<1x64x1x1xf32> -> tensor<1x64x1x1xf32, #layout.physical<NHWC>>
  "test.op"(%0) : (tensor<1x64x1x1xf32, #layout.physical<NHWC>>) -> ()
  func.return
}

// CHECK-LABEL: @two_channels_move
// CHECK-NEXT:    layout.transform
// CHECK-NEXT:    graph.relu
func.func @two_channels_move(%x: tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32, #layout.physical<NHWC>> {
  %0 = layout.transform %x : tensor<1x2x2x1xf32> -> tensor<1x2x2x1xf32, #layout.physical<NHWC>>
  %1 = graph.relu %0 : (tensor<1x2x2x1xf32, #layout.physical<NHWC>>) -> tensor<1x2x2x1xf32, #layout.physical<NHWC>>
  func.return %1 : tensor<1x2x2x1xf32, #layout.physical<NHWC>>
}

// A border is more than the bytes of the elements.
// CHECK-LABEL: @a_border_is_made
// CHECK-NEXT:    layout.transform
// CHECK-NEXT:    graph.relu
func.func @a_border_is_made(%x: tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32, #layout.physical<NCHW, halo = [0, 0, 1, 1]>> {
  %0 = layout.transform %x : tensor<1x1x2x2xf32> -> tensor<1x1x2x2xf32, #layout.physical<NCHW, halo = [0, 0, 1, 1]>>
  %1 = graph.relu %0 : (tensor<1x1x2x2xf32, #layout.physical<NCHW, halo = [0, 0, 1, 1]>>) -> tensor<1x1x2x2xf32, #layout.physical<NCHW, halo = [0, 0, 1, 1]>>
  func.return %1 : tensor<1x1x2x2xf32, #layout.physical<NCHW, halo = [0, 0, 1, 1]>>
}

// Extensions mean something to somebody.
// CHECK-LABEL: @extensions_are_kept
// CHECK-NEXT:    layout.transform
// CHECK-NEXT:    graph.relu
func.func @extensions_are_kept(%x: tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32, #layout.physical<NCHW[my:way]>> {
  %0 = layout.transform %x : tensor<1x2x2x1xf32> -> tensor<1x2x2x1xf32, #layout.physical<NCHW[my:way]>>
  %1 = graph.relu %0 : (tensor<1x2x2x1xf32, #layout.physical<NCHW[my:way]>>) -> tensor<1x2x2x1xf32, #layout.physical<NCHW[my:way]>>
  func.return %1 : tensor<1x2x2x1xf32, #layout.physical<NCHW[my:way]>>
}

// Where all blocks must be the same, each value says which.
// CHECK-LABEL: @blocks_are_kept
// CHECK-NEXT:    layout.transform
// CHECK-NEXT:    graph.relu
func.func @blocks_are_kept(%x: tensor<4x16xf32, #layout.physical<[1:?:8, 0:?:2, 0:2, 1:8]>>) -> tensor<4x16xf32, #layout.physical<[1:?:8, 0, 1:8]>> {
  %0 = layout.transform %x : tensor<4x16xf32, #layout.physical<[1:?:8, 0:?:2, 0:2, 1:8]>> -> tensor<4x16xf32, #layout.physical<[1:?:8, 0, 1:8]>>
  %1 = graph.relu %0 : (tensor<4x16xf32, #layout.physical<[1:?:8, 0, 1:8]>>) -> tensor<4x16xf32, #layout.physical<[1:?:8, 0, 1:8]>>
  func.return %1 : tensor<4x16xf32, #layout.physical<[1:?:8, 0, 1:8]>>
}

// A reshape finds no axes to merge in the other spelling, although no byte differs.
// CHECK-LABEL: @a_reshape_reads_the_layout
// CHECK-NEXT:    %[[T:.*]] = layout.transform %x
// CHECK-NEXT:    graph.reshape %[[T]]
func.func @a_reshape_reads_the_layout(%x: tensor<4x16xf32, #layout.physical<N[a=64]C>>) -> tensor<64xf32> {
  %0 = layout.transform %x : tensor<4x16xf32, #layout.physical<N[a=64]C>> -> tensor<4x16xf32>
  %1 = graph.reshape %0 {shape = array<i64: 64>} : (tensor<4x16xf32>) -> tensor<64xf32>
  func.return %1 : tensor<64xf32>
}

// -----

// CHECK-LABEL: @through_a_transpose_opposite_ones_cancel
// CHECK-NEXT:    %[[T:.*]] = graph.transpose %x {permutation = array<i64: 1, 0>}
// CHECK-NEXT:    func.return %[[T]]
func.func @through_a_transpose_opposite_ones_cancel(%x: tensor<4x8xf32>) -> tensor<8x4xf32, #layout.physical<[1, 0]>> {
  %0 = layout.transform %x : tensor<4x8xf32> -> tensor<4x8xf32, #layout.physical<[0:?:2, 1, 0:2]>>
  %1 = graph.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<4x8xf32, #layout.physical<[0:?:2, 1, 0:2]>>) -> tensor<8x4xf32, #layout.physical<[1:?:2, 0, 1:2]>>
  %2 = layout.transform %1 : tensor<8x4xf32, #layout.physical<[1:?:2, 0, 1:2]>> -> tensor<8x4xf32, #layout.physical<[1, 0]>>
  func.return %2 : tensor<8x4xf32, #layout.physical<[1, 0]>>
}

// CHECK-LABEL: @through_a_chain_two_become_one
// CHECK-NEXT:    %[[T:.*]] = layout.transform %x : tensor<2x6x4xf32> -> tensor<2x6x4xf32, #layout.physical<IO3iW>>
// CHECK-NEXT:    %[[R:.*]] = graph.reshape %[[T]]
// CHECK-NEXT:    %[[P:.*]] = graph.transpose %[[R]]
// CHECK-NEXT:    func.return %[[P]]
func.func @through_a_chain_two_become_one(%x: tensor<2x6x4xf32>) -> tensor<2x2x3x4xf32> {
  %0 = layout.transform %x : tensor<2x6x4xf32> -> tensor<2x6x4xf32, #layout.physical<NWC>>
  %1 = graph.reshape %0 {shape = array<i64: 2, 2, 3, 4>} : (tensor<2x6x4xf32, #layout.physical<NWC>>) -> tensor<2x2x3x4xf32, #layout.physical<[0, 3, 1, 2]>>
  %2 = graph.transpose %1 {permutation = array<i64: 1, 0, 2, 3>} : (tensor<2x2x3x4xf32, #layout.physical<[0, 3, 1, 2]>>) -> tensor<2x2x3x4xf32, #layout.physical<[1, 3, 0, 2]>>
  %3 = layout.transform %2 : tensor<2x2x3x4xf32, #layout.physical<[1, 3, 0, 2]>> -> tensor<2x2x3x4xf32, #layout.physical<[0, 2, 1, 3]>>
  %4 = layout.transform %3 : tensor<2x2x3x4xf32, #layout.physical<[0, 2, 1, 3]>> -> tensor<2x2x3x4xf32>
  func.return %4 : tensor<2x2x3x4xf32>
}

// Its other reader keeps the transpose between, which costs nothing.
// CHECK-LABEL: @other_readers_keep_what_they_read
// CHECK:         %[[A:.*]] = layout.transform %x
// CHECK:         %[[T:.*]] = graph.transpose %[[A]]
// CHECK:         %[[U:.*]] = graph.transpose %x
// CHECK-NOT:     layout.transform
// CHECK:         "test.op"(%[[T]], %[[U]])
func.func @other_readers_keep_what_they_read(%x: tensor<4x8xf32>) {
  %0 = layout.transform %x : tensor<4x8xf32> -> tensor<4x8xf32, #layout.physical<[1, 0]>>
  %1 = graph.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<4x8xf32, #layout.physical<[1, 0]>>) -> tensor<8x4xf32>
  %2 = layout.transform %1 : tensor<8x4xf32> -> tensor<8x4xf32, #layout.physical<[1, 0]>>
  "test.op"(%1, %2) : (tensor<8x4xf32>, tensor<8x4xf32, #layout.physical<[1, 0]>>) -> ()
  func.return
}

// Above the transpose nothing meets it.
// CHECK-LABEL: @a_single_one_stays
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    layout.transform
func.func @a_single_one_stays(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %0 = graph.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32, #layout.physical<[1, 0]>>
  %1 = layout.transform %0 : tensor<8x4xf32, #layout.physical<[1, 0]>> -> tensor<8x4xf32>
  func.return %1 : tensor<8x4xf32>
}

// This transpose moves elements itself.
// CHECK-LABEL: @a_transpose_that_moves_stays_between
// CHECK-NEXT:    layout.transform
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    layout.transform
func.func @a_transpose_that_moves_stays_between(%x: tensor<4x8xf32>) -> tensor<8x4xf32, #layout.physical<[1, 0]>> {
  %0 = layout.transform %x : tensor<4x8xf32> -> tensor<4x8xf32, #layout.physical<[1, 0]>>
  %1 = graph.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<4x8xf32, #layout.physical<[1, 0]>>) -> tensor<8x4xf32, #layout.physical<[0:?:2, 1, 0:2]>>
  %2 = layout.transform %1 : tensor<8x4xf32, #layout.physical<[0:?:2, 1, 0:2]>> -> tensor<8x4xf32, #layout.physical<[1, 0]>>
  func.return %2 : tensor<8x4xf32, #layout.physical<[1, 0]>>
}

// No layout of the three axes becomes blocks of 4 over the merged 6.
// CHECK-LABEL: @a_block_that_straddles_stays_below
// CHECK-NEXT:    layout.transform
// CHECK-NEXT:    graph.reshape
// CHECK-NEXT:    layout.transform
func.func @a_block_that_straddles_stays_below(%x: tensor<2x3x5xf32>) -> tensor<6x5xf32, #layout.physical<[0:?:4, 1, 0:4]>> {
  %0 = layout.transform %x : tensor<2x3x5xf32> -> tensor<2x3x5xf32, #layout.physical<[2, 0, 1]>>
  %1 = graph.reshape %0 {shape = array<i64: 6, 5>} : (tensor<2x3x5xf32, #layout.physical<[2, 0, 1]>>) -> tensor<6x5xf32, #layout.physical<[1, 0]>>
  %2 = layout.transform %1 : tensor<6x5xf32, #layout.physical<[1, 0]>> -> tensor<6x5xf32, #layout.physical<[0:?:4, 1, 0:4]>>
  func.return %2 : tensor<6x5xf32, #layout.physical<[0:?:4, 1, 0:4]>>
}

// -----

// CHECK:       graph.constant @literal.IWO {{.*}} : tensor<2x2x3xf32, #layout.physical<IWO>>
// CHECK-NOT:   graph.constant

// CHECK-LABEL: @constants_are_packed_once
// CHECK:         %[[A:.*]] = graph.load @literal.IWO : tensor<2x2x3xf32, #layout.physical<IWO>>
// CHECK-NEXT:    %[[B:.*]] = graph.load @literal.IWO : tensor<2x2x3xf32, #layout.physical<IWO>>
// CHECK-NEXT:    "test.op"(%[[A]], %[[B]])
func.func @constants_are_packed_once() {
  %0 = graph.literal dense<[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[0.0, 1.0, 1.0], [2.0, 2.0, 2.0]]]> : tensor<2x2x3xf32> : tensor<2x2x3xf32>
  %1 = layout.transform %0 : tensor<2x2x3xf32> -> tensor<2x2x3xf32, #layout.physical<IWO>>
  %2 = layout.transform %0 : tensor<2x2x3xf32> -> tensor<2x2x3xf32, #layout.physical<IWO>>
  "test.op"(%1, %2) : (tensor<2x2x3xf32, #layout.physical<IWO>>, tensor<2x2x3xf32, #layout.physical<IWO>>) -> ()
  func.return
}

// -----

// CHECK:       graph.constant @absent
graph.constant @absent #graph.resource<"0000000000000000000000000000000000000000000000000000000000000000"> : tensor<2x3xf32>
graph.placeholder @literal.NC16c "in" : tensor<1xf32>

// CHECK-LABEL: @without_its_bytes_a_constant_stays
// CHECK:         %[[W:.*]] = graph.load @absent
// CHECK-NEXT:    layout.transform %[[W]]
func.func @without_its_bytes_a_constant_stays() -> tensor<2x3xf32, #layout.physical<NC16c>> {
  %0 = graph.load @absent : tensor<2x3xf32>
  %1 = layout.transform %0 : tensor<2x3xf32> -> tensor<2x3xf32, #layout.physical<NC16c>>
  func.return %1 : tensor<2x3xf32, #layout.physical<NC16c>>
}

// Nor does a transform move up to it.
// CHECK-LABEL: @without_its_bytes_a_constant_attracts_none
// CHECK:         graph.load @absent
// CHECK-NEXT:    graph.transpose
// CHECK-NEXT:    layout.transform
func.func @without_its_bytes_a_constant_attracts_none() -> tensor<3x2xf32> {
  %0 = graph.load @absent : tensor<2x3xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32, #layout.physical<[1, 0]>>
  %2 = layout.transform %1 : tensor<3x2xf32, #layout.physical<[1, 0]>> -> tensor<3x2xf32>
  func.return %2 : tensor<3x2xf32>
}

// The name that the packed constant would have is taken.
// CHECK-LABEL: @names_are_fresh
// CHECK:         graph.load @literal.NC16c.1
func.func @names_are_fresh() -> tensor<2x3xf32, #layout.physical<NC16c>> {
  %0 = graph.literal dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32> : tensor<2x3xf32>
  %1 = layout.transform %0 : tensor<2x3xf32> -> tensor<2x3xf32, #layout.physical<NC16c>>
  func.return %1 : tensor<2x3xf32, #layout.physical<NC16c>>
}

// CHECK-LABEL: @below_a_transpose_a_constant_is_packed
// CHECK-NEXT:    %[[L:.*]] = graph.load @literal.NK : tensor<2x3xf32, #layout.physical<NK>>
// CHECK-NEXT:    %[[T:.*]] = graph.transpose %[[L]] {{.*}} -> tensor<3x2xf32>
// CHECK-NEXT:    func.return %[[T]]
func.func @below_a_transpose_a_constant_is_packed() -> tensor<3x2xf32> {
  %0 = graph.literal dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32> : tensor<2x3xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32, #layout.physical<[1, 0]>>
  %2 = layout.transform %1 : tensor<3x2xf32, #layout.physical<[1, 0]>> -> tensor<3x2xf32>
  func.return %2 : tensor<3x2xf32>
}

// A group sees nothing from outside, so it cannot load.
// CHECK-LABEL: @inside_a_group_a_constant_stays
// CHECK:         ^{{.*}}(%b: tensor<2x3xf32>):
// CHECK-NEXT:      layout.transform %b
func.func @inside_a_group_a_constant_stays() {
  %0 = graph.literal dense<1.0> : tensor<2x3xf32> : tensor<2x3xf32>
  %1 = graph.fused(%0) {
  ^bb0(%b: tensor<2x3xf32>):
    %2 = layout.transform %b : tensor<2x3xf32> -> tensor<2x3xf32, #layout.physical<NK>>
    graph.yield %2 : tensor<2x3xf32, #layout.physical<NK>>
  } : (tensor<2x3xf32>) -> tensor<2x3xf32, #layout.physical<NK>>
  "test.op"(%1) : (tensor<2x3xf32, #layout.physical<NK>>) -> ()
  func.return
}

// -----

// CHECK-NOT:   graph.constant

// CHECK-LABEL: @a_splat_stays_one
// CHECK-NEXT:    %[[A:.*]] = graph.literal dense<-0.000000e+00> : tensor<2x3xf32, #layout.physical<NC16c>>
// CHECK-NEXT:    func.return %[[A]]
func.func @a_splat_stays_one() -> tensor<2x3xf32, #layout.physical<NC16c>> {
  %0 = graph.literal dense<-0.0> : tensor<2x3xf32> : tensor<2x3xf32>
  %1 = layout.transform %0 : tensor<2x3xf32> -> tensor<2x3xf32, #layout.physical<NC16c>>
  func.return %1 : tensor<2x3xf32, #layout.physical<NC16c>>
}

// -----

// Zeros of both signs are equal, but not the same.
// CHECK:       graph.constant @literal.NC16c

// CHECK-LABEL: @zeros_of_both_signs_are_no_splat
// CHECK:         graph.load @literal.NC16c
func.func @zeros_of_both_signs_are_no_splat() -> tensor<1x3xf32, #layout.physical<NC16c>> {
  %0 = graph.literal dense<[[0.0, -0.0, 0.0]]> : tensor<1x3xf32> : tensor<1x3xf32>
  %1 = layout.transform %0 : tensor<1x3xf32> -> tensor<1x3xf32, #layout.physical<NC16c>>
  func.return %1 : tensor<1x3xf32, #layout.physical<NC16c>>
}

// -----

// Extensions tell layouts apart for somebody, though nothing moves.
// CHECK-LABEL: @extensions_are_kept
// CHECK-NEXT:    layout.transform
func.func @extensions_are_kept(%x: tensor<1x4x6x6xf32, #layout.physical<N[answer:42]HWC>>) -> tensor<1x4x6x6xf32, #layout.physical<NHWC>> {
  %0 = layout.transform %x : tensor<1x4x6x6xf32, #layout.physical<N[answer:42]HWC>> -> tensor<1x4x6x6xf32, #layout.physical<NHWC>>
  %1 = graph.relu %0 : (tensor<1x4x6x6xf32, #layout.physical<NHWC>>) -> tensor<1x4x6x6xf32, #layout.physical<NHWC>>
  func.return %1 : tensor<1x4x6x6xf32, #layout.physical<NHWC>>
}
