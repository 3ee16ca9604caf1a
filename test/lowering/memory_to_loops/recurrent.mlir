// RUN: glow-opt %s --split-input-file -p 'memory-to-loops{target="cpu:avx2"}' | filecheck %s

// Steps are a loop; inside, blocks of units, tiles of rows, and a product with the state
// in registers: of three rows one at a time is left over from tiles of two.
// CHECK:       dense<[7, 3, 2, 12, 1, 192, 64, 0, 36, 12, 1]> : tensor<11xindex>
// CHECK:       func.func private @lstm_{{.*}}(%x: memref<?xf32>, %recurrence: memref<?xf32>, %y: memref<?xf32>, %h: memref<?xf32>, %c: memref<?xf32>
// CHECK:         scf.for %t = %{{.*}} to %steps
// CHECK:           scf.for %block = %{{.*}} to %blocks
// CHECK:             scf.for %tile = %{{.*}} to %tiles
// CHECK:               scf.for %k
// CHECK-COUNT-8:         math.fma
// CHECK-NOT:             math.fma
// CHECK:                 scf.yield
// CHECK:               math.exp
// CHECK:               math.tanh
// CHECK:             scf.for %k
// CHECK:           vector.maskedstore %y
memory.placeholder @x "in" : memref<7x3x2x4x8xf32>
memory.placeholder @r "in" : memref<2x12x4x8xf32>
memory.placeholder @y "out" : memref<7x3x12xf32>
memory.placeholder @h "inout" : memref<2x3x2x8xf32>
memory.placeholder @c "inout" : memref<3x2x8xf32>
func.func @main() {
  %x = memory.get @x : memref<7x3x2x4x8xf32>
  %r = memory.get @r : memref<2x12x4x8xf32>
  %y = memory.get @y : memref<7x3x12xf32>
  %h = memory.get @h : memref<2x3x2x8xf32>
  %c = memory.get @c : memref<3x2x8xf32>
  memory.lstm ins(%x : memref<7x3x2x4x8xf32>, %r : memref<2x12x4x8xf32>) outs(y %y : memref<7x3x12xf32>) scratch(%h, %c : memref<2x3x2x8xf32>, memref<3x2x8xf32>) activations {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    memory.yield %1 : f32
  } {
  ^bb0(%2: f32):
    %3 = math.tanh %2 : f32
    memory.yield %3 : f32
  } {
  ^bb0(%4: f32):
    memory.yield %4 : f32
  }
  func.return
}

// -----

// Without y nothing is stored per step. Few sums are computed in several parts. What has
// no form for vectors goes lane by lane, and a length is checked first.
// CHECK:       module attributes {{.*}}glow.messages = ["expected a sequence length in [0, 7] (memory.rnn
// CHECK:       func.func private @rnn_{{.*}}(%x: memref<?xf32>, %recurrence: memref<?xf32>, %sequence_lens: memref<?xi32>, %y_h: memref<?xf32>, %h: memref<?xf32>
// CHECK:         arith.cmpi ugt
// CHECK:         scf.for %t
// CHECK:               scf.for %k
// CHECK-COUNT-8:         math.fma
// CHECK-NOT:             math.fma
// CHECK:                 scf.yield
// CHECK:               scf.for %lane
// CHECK:                 vector.extract
// CHECK:                 math.log1p %{{[0-9]+}} : f32
// CHECK:                 vector.insert
// CHECK-NOT:             math.log1p
// CHECK-NOT:           store %y_h
// CHECK:               llvm_ext.select
// CHECK:         vector.store %{{.*}}, %y_h
memory.placeholder @x "in" : memref<7x1x1x1x8xf32>
memory.placeholder @r "in" : memref<1x8x1x8xf32>
memory.placeholder @n "in" : memref<1xi32>
memory.placeholder @y "out" : memref<1x8xf32>
memory.placeholder @h "inout" : memref<2x1x1x8xf32>
func.func @main() {
  %x = memory.get @x : memref<7x1x1x1x8xf32>
  %r = memory.get @r : memref<1x8x1x8xf32>
  %n = memory.get @n : memref<1xi32>
  %y = memory.get @y : memref<1x8xf32>
  %h = memory.get @h : memref<2x1x1x8xf32>
  memory.rnn ins(%x : memref<7x1x1x1x8xf32>, %r : memref<1x8x1x8xf32> sequence_lens %n : memref<1xi32>) outs(y_h %y : memref<1x8xf32>) scratch(%h : memref<2x1x1x8xf32>) {reverse} activations {
  ^bb0(%0: f32):
    %1 = math.log1p %0 : f32
    memory.yield %1 : f32
  }
  func.return
}
