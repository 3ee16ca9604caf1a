// RUN: glow-opt %s -p decompose-rotary-embedding | filecheck %s

// CHECK-LABEL: @halves(
// CHECK:         [[A:%.*]] = graph.slice %x {starts = array<i64: 0, 0, 0, 0>, sizes = array<i64: 1, 2, 3, 4>
// CHECK-NEXT:    [[B:%.*]] = graph.slice %x {starts = array<i64: 0, 0, 0, 4>, sizes = array<i64: 1, 2, 3, 4>
// CHECK-NEXT:    [[G:%.*]] = graph.gather %c, %p : 
// CHECK-NEXT:    [[C:%.*]] = graph.reshape [[G]] {shape = array<i64: 1, 1, 3, 4>}
// CHECK-NEXT:    [[H:%.*]] = graph.gather %s, %p : 
// CHECK-NEXT:    [[S:%.*]] = graph.reshape [[H]] {shape = array<i64: 1, 1, 3, 4>}
// CHECK-NEXT:    [[AC:%.*]] = graph.mul [[A]], [[C]]
// CHECK-NEXT:    [[BS:%.*]] = graph.mul [[B]], [[S]]
// CHECK-NEXT:    [[R:%.*]] = graph.sub [[AC]], [[BS]]
// CHECK-NEXT:    [[AS:%.*]] = graph.mul [[A]], [[S]]
// CHECK-NEXT:    [[BC:%.*]] = graph.mul [[B]], [[C]]
// CHECK-NEXT:    [[I:%.*]] = graph.add [[AS]], [[BC]]
// CHECK-NEXT:    [[Y:%.*]] = graph.concat [[R]], [[I]] {axis = -1 : i64}
// CHECK-NEXT:    func.return [[Y]]
func.func @halves(%x: tensor<1x2x3x8xf32>, %c: tensor<9x4xf32>, %s: tensor<9x4xf32>, %p: tensor<1x3xi64>) -> tensor<1x2x3x8xf32> {
  %y = graph.rotary_embedding %x, %c, %s positions %p : (tensor<1x2x3x8xf32>, tensor<9x4xf32>, tensor<9x4xf32>, tensor<1x3xi64>) -> tensor<1x2x3x8xf32>
  func.return %y : tensor<1x2x3x8xf32>
}

// Neighbors are halves of a last axis of two; what is not turned comes behind.
// CHECK-LABEL: @neighbors(
// CHECK:         [[X:%.*]] = graph.reshape %x {shape = array<i64: 1, 3, 2, 8>}
// CHECK-NEXT:    [[T:%.*]] = graph.slice [[X]] {{.*}} -> tensor<1x3x2x4xf32>
// CHECK-NEXT:    [[P:%.*]] = graph.reshape [[T]] {shape = array<i64: 1, 3, 2, 2, 2>}
// CHECK-NEXT:    graph.slice [[P]] {starts = array<i64: 0, 0, 0, 0, 0>, sizes = array<i64: 1, 3, 2, 2, 1>
// CHECK-NEXT:    graph.slice [[P]] {starts = array<i64: 0, 0, 0, 0, 1>, sizes = array<i64: 1, 3, 2, 2, 1>
// CHECK-NOT:     graph.gather
// CHECK:         graph.reshape %c {shape = array<i64: 1, 3, 1, 2, 1>}
// CHECK:         [[J:%.*]] = graph.concat %{{.*}}, %{{.*}} {axis = -1 : i64} : (tensor<1x3x2x2x1xf32>, tensor<1x3x2x2x1xf32>)
// CHECK-NEXT:    [[F:%.*]] = graph.reshape [[J]] {shape = array<i64: 1, 3, 2, 4>}
// CHECK-NEXT:    [[R:%.*]] = graph.slice [[X]] {starts = array<i64: 0, 0, 0, 4>
// CHECK-NEXT:    [[W:%.*]] = graph.concat [[F]], [[R]]
// CHECK-NEXT:    [[Y:%.*]] = graph.reshape [[W]] {shape = array<i64: 1, 3, 16>}
// CHECK-NEXT:    func.return [[Y]]
func.func @neighbors(%x: tensor<1x3x16xf32>, %c: tensor<1x3x2xf32>, %s: tensor<1x3x2xf32>) -> tensor<1x3x16xf32> {
  %y = graph.rotary_embedding %x, %c, %s {interleaved, num_heads = 2 : i64, rotary_embedding_dim = 4 : i64} : (tensor<1x3x16xf32>, tensor<1x3x2xf32>, tensor<1x3x2xf32>) -> tensor<1x3x16xf32>
  func.return %y : tensor<1x3x16xf32>
}

// A result with a layout is left: the pass runs before layouts are chosen.
// CHECK-LABEL: @layouts_are_kept(
// CHECK:         graph.rotary_embedding
func.func @layouts_are_kept(%x: tensor<1x2x3x4xf32>, %c: tensor<1x3x2xf32>) -> tensor<1x2x3x4xf32, #layout.physical<[0, 2, 1, 3]>> {
  %y = graph.rotary_embedding %x, %c, %c : (tensor<1x2x3x4xf32>, tensor<1x3x2xf32>, tensor<1x3x2xf32>) -> tensor<1x2x3x4xf32, #layout.physical<[0, 2, 1, 3]>>
  func.return %y : tensor<1x2x3x4xf32, #layout.physical<[0, 2, 1, 3]>>
}
