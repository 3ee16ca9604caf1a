// RUN: glow-opt %s -p share-buffers | filecheck %s

// The operand dies where the result is born.
// CHECK-LABEL: @dying_operand_is_reused
// CHECK:         [[A:%.*]] = memory.alloc
// CHECK-NOT:     memory.alloc
// CHECK:         memory.elementwise ins([[A]] : {{.*}}) outs([[A]] :
// CHECK:         memory.copy ins([[A]] :
func.func @dying_operand_is_reused() {
  %x = memory.get @x : memref<4xf32>
  %y = memory.get @y : memref<4xf32>
  %a = memory.alloc : memref<4xf32>
  memory.copy ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %b = memory.alloc : memref<4xf32>
  memory.elementwise ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) {
  ^bb0(%e: f32):
    memory.yield %e : f32
  }
  memory.copy ins(%b : memref<4xf32>) outs(%y : memref<4xf32>)
  func.return
}

// The residual of a convolution is replaced by its sum.
// CHECK-LABEL: @residual_is_reused
// CHECK:         [[A:%.*]] = memory.alloc
// CHECK-NOT:     memory.alloc
// CHECK:         memory.conv {{.*}} extras [[A]] : {{.*}} outs([[A]] :
func.func @residual_is_reused() {
  %x = memory.get @x : memref<1x4x8x8xf32>
  %w = memory.get @w : memref<4x4x1x1xf32>
  %y = memory.get @y : memref<1x4x8x8xf32>
  %a = memory.alloc : memref<1x4x8x8xf32>
  memory.copy ins(%x : memref<1x4x8x8xf32>) outs(%a : memref<1x4x8x8xf32>)
  %b = memory.alloc : memref<1x4x8x8xf32>
  memory.conv ins(%x : memref<1x4x8x8xf32>, %w : memref<4x4x1x1xf32> extras %a : memref<1x4x8x8xf32>) outs(%b : memref<1x4x8x8xf32>) {
  ^bb0(%p: f32, %e: f32):
    %0 = arith.addf %p, %e : f32
    memory.yield %0 : f32
  } {kernel_shape = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, algorithm = "generic"}
  memory.copy ins(%b : memref<1x4x8x8xf32>) outs(%y : memref<1x4x8x8xf32>)
  func.return
}

// A residual that is convolved, too, is read all over while the result is written.
// CHECK-LABEL: @convolved_residual_is_kept
// CHECK-COUNT-2: memory.alloc
func.func @convolved_residual_is_kept() {
  %x = memory.get @x : memref<1x4x8x8xf32>
  %w = memory.get @w : memref<4x4x1x1xf32>
  %y = memory.get @y : memref<1x4x8x8xf32>
  %a = memory.alloc : memref<1x4x8x8xf32>
  memory.copy ins(%x : memref<1x4x8x8xf32>) outs(%a : memref<1x4x8x8xf32>)
  %b = memory.alloc : memref<1x4x8x8xf32>
  memory.conv ins(%a : memref<1x4x8x8xf32>, %w : memref<4x4x1x1xf32> extras %a : memref<1x4x8x8xf32>) outs(%b : memref<1x4x8x8xf32>) {
  ^bb0(%p: f32, %e: f32):
    %0 = arith.addf %p, %e : f32
    memory.yield %0 : f32
  } {kernel_shape = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, algorithm = "generic"}
  memory.copy ins(%b : memref<1x4x8x8xf32>) outs(%y : memref<1x4x8x8xf32>)
  func.return
}

// The border of the operand is zero already.
// CHECK-LABEL: @halo_is_zeroed_once
// CHECK:         memory.zero_halo
// CHECK-NOT:     memory.zero_halo
func.func @halo_is_zeroed_once() {
  %x = memory.get @x : memref<1x4x8x8xf32>
  %y = memory.get @y : memref<1x4x8x8xf32>
  %a = memory.alloc : memref<1x4x8x8xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>
  memory.zero_halo outs(%a : memref<1x4x8x8xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>)
  memory.copy ins(%x : memref<1x4x8x8xf32>) outs(%a : memref<1x4x8x8xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>)
  %b = memory.alloc : memref<1x4x8x8xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>
  memory.zero_halo outs(%b : memref<1x4x8x8xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>)
  memory.elementwise ins(%a : memref<1x4x8x8xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>) outs(%b : memref<1x4x8x8xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>) {
  ^bb0(%e: f32):
    memory.yield %e : f32
  }
  memory.copy ins(%b : memref<1x4x8x8xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>) outs(%y : memref<1x4x8x8xf32>)
  func.return
}

// The operand has another reader.
// CHECK-LABEL: @living_operand_is_kept
// CHECK-COUNT-2: memory.alloc
func.func @living_operand_is_kept() {
  %x = memory.get @x : memref<4xf32>
  %y = memory.get @y : memref<4xf32>
  %a = memory.alloc : memref<4xf32>
  memory.copy ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %b = memory.alloc : memref<4xf32>
  memory.elementwise ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) {
  ^bb0(%e: f32):
    memory.yield %e : f32
  }
  memory.elementwise ins(%a, %b : memref<4xf32>, memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%e: f32, %f: f32):
    memory.yield %e : f32
  }
  func.return
}

// The result holds something before.
// CHECK-LABEL: @written_result_is_kept
// CHECK-COUNT-2: memory.alloc
func.func @written_result_is_kept() {
  %x = memory.get @x : memref<4xf32>
  %a = memory.alloc : memref<4xf32>
  %b = memory.alloc : memref<4xf32>
  memory.copy ins(%x : memref<4xf32>) outs(%b : memref<4xf32>)
  memory.copy ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  memory.elementwise ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) {
  ^bb0(%e: f32):
    memory.yield %e : f32
  }
  func.return
}

// A broadcast operand is read again after its place is written.
// CHECK-LABEL: @broadcast_is_kept
// CHECK-COUNT-2: memory.alloc
func.func @broadcast_is_kept() {
  %x = memory.get @x : memref<4xf32>
  %a = memory.alloc : memref<1x4xf32>
  memory.fill outs(%a : memref<1x4xf32>) {value = 1.0 : f32}
  %b = memory.alloc : memref<2x4xf32>
  memory.elementwise ins(%a : memref<1x4xf32>) outs(%b : memref<2x4xf32>) {
  ^bb0(%e: f32):
    memory.yield %e : f32
  }
  func.return
}

// Types differ: the border belongs to the type.
// CHECK-LABEL: @other_type_is_kept
// CHECK-COUNT-2: memory.alloc
func.func @other_type_is_kept() {
  %a = memory.alloc : memref<4xf32>
  memory.fill outs(%a : memref<4xf32>) {value = 1.0 : f32}
  %b = memory.alloc : memref<4xi32>
  memory.elementwise ins(%a : memref<4xf32>) outs(%b : memref<4xi32>) {
  ^bb0(%e: f32):
    %0 = arith.fptosi %e : f32 to i32
    memory.yield %0 : i32
  }
  func.return
}

// The op reads the operand in another order too.
// CHECK-LABEL: @reversed_operand_is_kept
// CHECK-COUNT-2: memory.alloc
func.func @reversed_operand_is_kept() {
  %x = memory.get @x : memref<4xf32>
  %a = memory.alloc : memref<4xf32>
  memory.copy ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %r = memory.view %a : memref<4xf32> -> memref<4xf32, strided<[-1], offset: 3>>
  %b = memory.alloc : memref<4xf32>
  memory.elementwise ins(%a, %r : memref<4xf32>, memref<4xf32, strided<[-1], offset: 3>>) outs(%b : memref<4xf32>) {
  ^bb0(%e: f32, %f: f32):
    %0 = arith.addf %e, %f : f32
    memory.yield %0 : f32
  }
  func.return
}

// An input of the model is nobody's to reuse.
// CHECK-LABEL: @input_is_kept
// CHECK:         memory.alloc
// CHECK:         memory.elementwise ins(%x
func.func @input_is_kept() {
  %x = memory.get @x : memref<4xf32>
  %b = memory.alloc : memref<4xf32>
  memory.elementwise ins(%x : memref<4xf32>) outs(%b : memref<4xf32>) {
  ^bb0(%e: f32):
    memory.yield %e : f32
  }
  func.return
}

// An input, a constant or an output is not a buffer to reuse, dies it or not.
// CHECK-LABEL: @storage_is_kept
// CHECK:         [[X:%.*]] = memory.get @x
// CHECK:         [[A:%.*]] = memory.alloc
// CHECK:         memory.elementwise ins([[X]] : {{.*}}) outs([[A]] :
// CHECK:         memory.elementwise ins([[A]] : {{.*}}) outs(%y :
func.func @storage_is_kept() {
  %x = memory.get @x : memref<4xf32>
  %y = memory.get @y : memref<4xf32>
  %a = memory.alloc : memref<4xf32>
  memory.elementwise ins(%x : memref<4xf32>) outs(%a : memref<4xf32>) {
  ^bb0(%e: f32):
    memory.yield %e : f32
  }
  memory.elementwise ins(%a : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%e: f32):
    memory.yield %e : f32
  }
  func.return
}
