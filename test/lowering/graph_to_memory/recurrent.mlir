// RUN: glow-opt %s --split-input-file -p 'graph-to-memory{target="cpu:avx2"}' | filecheck %s

// All steps share one product. What is absent has no buffer and no constant; the cell
// is room, its last value is not stored.
// CHECK-LABEL: @main
// CHECK:         [[ROWS:%.*]] = memory.alloc : memref<5x3x64xf32>
// CHECK-NEXT:    [[W:%.*]] = memory.get @weights : memref<6x64xf32, #layout.physical<NK16n>>
// CHECK-NEXT:    memory.matmul ins(%{{.*}} : memref<5x3x6xf32>, [[W]] : {{.*}}) outs([[ROWS]] : memref<5x3x64xf32>)
// CHECK:         [[R:%.*]] = memory.get @recurrence : memref<2x12x4x8xf32>
// CHECK-NEXT:    [[H:%.*]] = memory.alloc : memref<2x3x2x8xf32>
// CHECK-NEXT:    [[C:%.*]] = memory.alloc : memref<3x2x8xf32>
// CHECK-NEXT:    [[GATES:%.*]] = memory.view %{{.*}} -> memref<5x3x2x4x8xf32
// CHECK-NEXT:    memory.lstm ins([[GATES]] : {{.*}}, [[R]] : memref<2x12x4x8xf32>) outs(y %{{.*}}) scratch([[H]] : memref<2x3x2x8xf32>, [[C]] : memref<3x2x8xf32>) activations {
// CHECK-NOT:       math.exp
// CHECK:           math.tanh
// CHECK:         } {
// CHECK:           math.tanh
// CHECK:         } {
// CHECK:           math.tanh
// CHECK:         }
// CHECK-NEXT:    func.return
graph.placeholder @x "in" : tensor<5x3x6xf32>
graph.placeholder @y "out" : tensor<5x1x3x12xf32>
func.func @main() {
  %x = graph.load @x : tensor<5x3x6xf32>
  %w = graph.literal dense<1.0> : tensor<1x48x6xf32> : tensor<1x48x6xf32>
  %r = graph.literal dense<2.0> : tensor<1x48x12xf32> : tensor<1x48x12xf32>
  %y = graph.lstm %x, %w, %r : tensor<5x3x6xf32>, tensor<1x48x6xf32>, tensor<1x48x12xf32> y tensor<5x1x3x12xf32>
  graph.save @y, %y : tensor<5x1x3x12xf32>
  func.return
}

// -----

// Four rows of a batch times four gates would not fit the registers: gates lie apart.
// CHECK-LABEL: @main
// CHECK:         [[R:%.*]] = memory.get @recurrence : memref<1x4x24x24xf32>
// CHECK:         [[APART:%.*]] = memory.view [[R]] {{.*}} -> memref<1x24x4x24xf32, strided<[2304, 24, 576, 1]>>
// CHECK:         memory.lstm ins(%{{.*}}, [[APART]] : {{.*}})
graph.placeholder @x "in" : tensor<5x4x6xf32>
graph.placeholder @y "out" : tensor<5x1x4x24xf32>
func.func @main() {
  %x = graph.load @x : tensor<5x4x6xf32>
  %w = graph.literal dense<1.0> : tensor<1x96x6xf32> : tensor<1x96x6xf32>
  %r = graph.literal dense<2.0> : tensor<1x96x24xf32> : tensor<1x96x24xf32>
  %y = graph.lstm %x, %w, %r : tensor<5x4x6xf32>, tensor<1x96x6xf32>, tensor<1x96x24xf32> y tensor<5x1x4x24xf32>
  graph.save @y, %y : tensor<5x1x4x24xf32>
  func.return
}

// -----

// Both directions share the product, and each reads its half. Bias is part of it.
// CHECK-LABEL: @main
// CHECK:         memory.matmul ins({{.*}} bias %{{.*}} : memref<128xf32{{.*}}>) outs(%{{.*}} : memref<5x3x128xf32>)
// CHECK-NOT:     memory.matmul
// CHECK:         [[ONE:%.*]] = memory.view {{.*}} -> memref<5x3x2x4x8xf32, strided<[384, 128, 32, 8, 1]>>
// CHECK-NEXT:    memory.lstm ins([[ONE]] : {{.*}} initial_c %{{.*}}) outs(y_h %{{.*}} y_c %{{.*}}) {{.*}} {clip = 3.000000e+00 : f64} activations {
// CHECK:           arith.maximumf
// CHECK:         [[TWO:%.*]] = memory.view {{.*}} -> memref<5x3x2x4x8xf32, strided<[384, 128, 32, 8, 1], offset: 64>>
// CHECK-NEXT:    memory.lstm ins([[TWO]] : {{.*}} initial_c %{{.*}}) outs(y_h %{{.*}} y_c %{{.*}}) {{.*}} {clip = 3.000000e+00 : f64, reverse} activations {
// CHECK-NOT:       arith.divf
// CHECK:         func.return
graph.placeholder @x "in" : tensor<5x3x6xf32>
graph.placeholder @y_h "out" : tensor<2x3x12xf32>
graph.placeholder @y_c "out" : tensor<2x3x12xf32>
graph.placeholder @c "in" : tensor<2x3x12xf32>
func.func @main() {
  %x = graph.load @x : tensor<5x3x6xf32>
  %w = graph.literal dense<1.0> : tensor<2x48x6xf32> : tensor<2x48x6xf32>
  %r = graph.literal dense<2.0> : tensor<2x48x12xf32> : tensor<2x48x12xf32>
  %b = graph.literal dense<0.5> : tensor<2x96xf32> : tensor<2x96xf32>
  %c = graph.load @c : tensor<2x3x12xf32>
  %y_h, %y_c = graph.lstm %x, %w, %r bias %b : tensor<2x96xf32> initial_c %c : tensor<2x3x12xf32> {direction = "bidirectional", clip = 3.0 : f64, activations = ["sigmoid", "tanh", "relu", "hard_sigmoid", "affine", "elu"]} : tensor<5x3x6xf32>, tensor<2x48x6xf32>, tensor<2x48x12xf32> y_h tensor<2x3x12xf32> y_c tensor<2x3x12xf32>
  graph.save @y_h, %y_h : tensor<2x3x12xf32>
  graph.save @y_c, %y_c : tensor<2x3x12xf32>
  func.return
}

// -----

// The bias of a product that is reset stays out of the sum; with the batch in front,
// views put steps first.
// CHECK-LABEL: @main
// CHECK:         [[X:%.*]] = memory.view {{.*}} -> memref<5x3x6xf32, strided<[6, 30, 1]>>
// CHECK:         [[LATE:%.*]] = memory.get @late : memref<1x1x8xf32>
// CHECK:         memory.matmul ins([[X]] : {{.*}} bias %{{.*}} : memref<24xf32
// CHECK:         [[Y:%.*]] = memory.view {{.*}} -> memref<5x3x8xf32, strided<[8, 40, 1]>>
// CHECK:         [[BIAS:%.*]] = memory.view [[LATE]] {{.*}} -> memref<1x8xf32
// CHECK:         memory.gru ins({{.*}} bias [[BIAS]] : {{.*}}) outs(y [[Y]] : {{.*}}) scratch(%{{[0-9]+}} : memref<2x3x1x8xf32>) activations {
graph.placeholder @x "in" : tensor<3x5x6xf32>
graph.placeholder @y "out" : tensor<3x5x1x8xf32>
func.func @main() {
  %x = graph.load @x : tensor<3x5x6xf32>
  %w = graph.literal dense<1.0> : tensor<1x24x6xf32> : tensor<1x24x6xf32>
  %r = graph.literal dense<2.0> : tensor<1x24x8xf32> : tensor<1x24x8xf32>
  %b = graph.literal dense<0.5> : tensor<1x48xf32> : tensor<1x48xf32>
  %y = graph.gru %x, %w, %r bias %b : tensor<1x48xf32> {layout = 1 : i64, linear_before_reset} : tensor<3x5x6xf32>, tensor<1x24x6xf32>, tensor<1x24x8xf32> y tensor<3x5x1x8xf32>
  graph.save @y, %y : tensor<3x5x1x8xf32>
  func.return
}

// -----

// A state that is reset before its product has weights of its own. Those that are known
// only at run time are copied into blocks, zeros behind the last unit.
// CHECK-LABEL: @main
// CHECK:         memory.fill outs([[W:%.*]] : memref<6x1x2x3x8xf32>)
// CHECK:         memory.copy ins({{.*}} : memref<6x1x12x3xf32{{.*}}>) outs({{.*}} : memref<6x1x12x3xf32, #layout.physical<NCHW8h>>)
// CHECK:         [[MATRIX:%.*]] = memory.view [[W]] {{.*}} -> memref<6x48xf32
// CHECK:         memory.matmul ins({{.*}}, [[MATRIX]] : {{.*}})
// CHECK:         memory.fill outs([[GATES:%.*]] : memref<2x12x2x8xf32>)
// CHECK:         memory.fill outs([[NEW:%.*]] : memref<2x12x1x8xf32>)
// CHECK:         memory.gru ins({{.*}}, [[GATES]] : {{.*}} renewal [[NEW]] : {{.*}}) outs(y_h %{{.*}}) scratch(%{{.*}} : memref<2x3x2x8xf32> reset %{{.*}} : memref<3x2x8xf32> update %{{.*}} : memref<3x2x8xf32>) activations {
graph.placeholder @x "in" : tensor<5x3x6xf32>
graph.placeholder @w "in" : tensor<1x36x6xf32>
graph.placeholder @r "in" : tensor<1x36x12xf32>
graph.placeholder @y_h "out" : tensor<1x3x12xf32>
func.func @main() {
  %x = graph.load @x : tensor<5x3x6xf32>
  %w = graph.load @w : tensor<1x36x6xf32>
  %r = graph.load @r : tensor<1x36x12xf32>
  %y_h = graph.gru %x, %w, %r : tensor<5x3x6xf32>, tensor<1x36x6xf32>, tensor<1x36x12xf32> y_h tensor<1x3x12xf32>
  graph.save @y_h, %y_h : tensor<1x3x12xf32>
  func.return
}

// -----

// Without a step there is no product, and the last state is 0.
// CHECK-LABEL: @main
// CHECK-NEXT:    [[Y:%.*]] = memory.get @y_h
// CHECK-NEXT:    memory.fill outs([[Y]] : memref<1x3x8xf32>) {value = 0.000000e+00 : f32}
// CHECK-NEXT:    func.return
graph.placeholder @x "in" : tensor<0x3x6xf32>
graph.placeholder @y_h "out" : tensor<1x3x8xf32>
func.func @main() {
  %x = graph.load @x : tensor<0x3x6xf32>
  %w = graph.literal dense<1.0> : tensor<1x8x6xf32> : tensor<1x8x6xf32>
  %r = graph.literal dense<2.0> : tensor<1x8x8xf32> : tensor<1x8x8xf32>
  %y_h = graph.rnn %x, %w, %r : tensor<0x3x6xf32>, tensor<1x8x6xf32>, tensor<1x8x8xf32> y_h tensor<1x3x8xf32>
  graph.save @y_h, %y_h : tensor<1x3x8xf32>
  func.return
}
