// RUN: glow-opt %s --split-input-file -p 'memory-to-loops{target="cpu:avx2"}' | filecheck %s

// Axes that all operands pass in one go are one loop.
// CHECK:       dense<24> : tensor<1xindex>
// CHECK:       func.func private @elementwise_{{\w*}}(%x0{{.*}}, %y0{{.*}}, %rows{{.*}}, %at{{.*}})
// CHECK:         %inner = memref.load %rows[%at]
// CHECK:         vector.load %x0[%{{.*}}] : memref<?xf32>, vector<8xf32>
// CHECK:         vector.maskedload %x0
// CHECK:       func.func @main
// CHECK:         func.call @elementwise_
memory.placeholder @x "in" : memref<2x3x4xf32>
memory.placeholder @y "out" : memref<2x3x4xf32>
func.func @main() {
  %x = memory.get @x : memref<2x3x4xf32>
  %y = memory.get @y : memref<2x3x4xf32>
  memory.elementwise ins(%x : memref<2x3x4xf32>) outs(%y : memref<2x3x4xf32>) {
  ^bb0(%a: f32):
    %0 = arith.addf %a, %a : f32
    memory.yield %0 : f32
  }
  func.return
}

// -----

// One row for every batch: the outer loop moves x and y by 4, the row by 0.
// CHECK:       dense<[6, 4, 0, 4, 4]> : tensor<5xindex>
// CHECK:         vector.load %x1
memory.placeholder @x "in" : memref<2x3x4xf32>
memory.placeholder @row "in" : memref<4xf32>
memory.placeholder @y "out" : memref<2x3x4xf32>
func.func @main() {
  %x = memory.get @x : memref<2x3x4xf32>
  %row = memory.get @row : memref<4xf32>
  %y = memory.get @y : memref<2x3x4xf32>
  memory.elementwise ins(%x, %row : memref<2x3x4xf32>, memref<4xf32>) outs(%y : memref<2x3x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    memory.yield %0 : f32
  }
  func.return
}

// -----

// What does not move along the innermost axis is loaded once, outside its loop.
// CHECK:       dense<[3, 4, 1, 4, 4]> : tensor<5xindex>
// CHECK:         [[LOADED:%.*]] = memref.load %x1
// CHECK-NEXT:    vector.broadcast [[LOADED]] : f32 to vector<8xf32>
// CHECK-NOT:     vector.load %x1
memory.placeholder @x "in" : memref<3x4xf32>
memory.placeholder @column "in" : memref<3x1xf32>
memory.placeholder @y "out" : memref<3x4xf32>
func.func @main() {
  %x = memory.get @x : memref<3x4xf32>
  %column = memory.get @column : memref<3x1xf32>
  %y = memory.get @y : memref<3x4xf32>
  memory.elementwise ins(%x, %column : memref<3x4xf32>, memref<3x1xf32>) outs(%y : memref<3x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    memory.yield %0 : f32
  }
  func.return
}

// -----

// An input against the grain: scalars, with a stride for each operand.
// CHECK:       dense<[4, 1, 3, 3, 4, 1]> : tensor<6xindex>
// CHECK-NOT:     vector
// CHECK:         memref.store
// CHECK-NOT:     vector
memory.placeholder @x "in" : memref<3x4xf32>
memory.placeholder @y "out" : memref<4x3xf32>
func.func @main() {
  %x = memory.get @x : memref<3x4xf32>
  %t = memory.view %x : memref<3x4xf32> -> memref<4x3xf32, strided<[1, 4]>>
  %y = memory.get @y : memref<4x3xf32>
  memory.elementwise ins(%t : memref<4x3xf32, strided<[1, 4]>>) outs(%y : memref<4x3xf32>) {
  ^bb0(%a: f32):
    %0 = arith.addf %a, %a : f32
    memory.yield %0 : f32
  }
  func.return
}

// -----

// A quotient of integers is guarded: the row ends with the fault's code.
// CHECK:       glow.messages = ["integer division by zero (memory.elementwise
// CHECK:       dense<[8, 1, 1, 1, 1]> : tensor<5xindex>
// CHECK:       func.func private @elementwise_{{.*}} %fault{{.*}}: memref<?xi32>
// CHECK:         [[ZERO:%.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:    scf.if [[ZERO]]
// CHECK:           memref.store %{{.*}}, %fault
// CHECK:         arith.divsi
memory.placeholder @x "in" : memref<8xi32>
memory.placeholder @y "out" : memref<8xi32>
func.func @main() {
  %x = memory.get @x : memref<8xi32>
  %y = memory.get @y : memref<8xi32>
  memory.elementwise ins(%x, %x : memref<8xi32>, memref<8xi32>) outs(%y : memref<8xi32>) {
  ^bb0(%a: i32, %b: i32):
    %0 = arith.divsi %a, %b : i32
    memory.yield %0 : i32
  }
  func.return
}

// -----

// No elements, no call.
// CHECK:       {{^// -+$}}
// CHECK:       func.func @main
// CHECK-NOT:     func.call
memory.placeholder @y "out" : memref<0x3xf32>
func.func @main() {
  %y = memory.get @y : memref<0x3xf32>
  memory.fill outs(%y : memref<0x3xf32>) {value = 1.000000e+00 : f32}
  func.return
}

// -----

// CHECK:       dense<12> : tensor<1xindex>
// CHECK:       func.func private @fill_{{\w*}}(%y0
// CHECK:         arith.constant dense<1.000000e+00> : vector<8xf32>
memory.placeholder @y "out" : memref<4x3xf32>
func.func @main() {
  %y = memory.get @y : memref<4x3xf32>
  memory.fill outs(%y : memref<4x3xf32>) {value = 1.000000e+00 : f32}
  func.return
}

// -----

// Blocks that lie alike are gone through in one go; others part by part.
// CHECK:       dense<[64, 8, 4, 8, 2, 32, 4, 4]> : tensor<8xindex>
// CHECK:         func.call @elementwise_
// CHECK:         func.call @elementwise_
memory.placeholder @x "in" : memref<8x8xf32, #layout.physical<NK4n>>
memory.placeholder @y "out" : memref<8x8xf32, #layout.physical<NK4n>>
memory.placeholder @z "out" : memref<8x8xf32>
func.func @main() {
  %x = memory.get @x : memref<8x8xf32, #layout.physical<NK4n>>
  %y = memory.get @y : memref<8x8xf32, #layout.physical<NK4n>>
  %z = memory.get @z : memref<8x8xf32>
  memory.elementwise ins(%x : memref<8x8xf32, #layout.physical<NK4n>>) outs(%y : memref<8x8xf32, #layout.physical<NK4n>>) {
  ^bb0(%a: f32):
    %0 = arith.negf %a : f32
    memory.yield %0 : f32
  }
  memory.elementwise ins(%x : memref<8x8xf32, #layout.physical<NK4n>>) outs(%z : memref<8x8xf32>) {
  ^bb0(%a: f32):
    %0 = arith.negf %a : f32
    memory.yield %0 : f32
  }
  func.return
}

// -----

// Kernels are signless; as many lanes as the widest value allows fill a register.
// CHECK:       func.func private @elementwise_{{\w*}}(%x0: memref<?xi8>, %y0: memref<?xi8>
// CHECK:         vector.load %x0[%{{.*}}] : memref<?xi8>, vector<32xi8>
// CHECK:         arith.maxui %{{.*}} : vector<32xi8>
memory.placeholder @x "in" : memref<100xui8>
memory.placeholder @y "out" : memref<100xui8>
func.func @main() {
  %x = memory.get @x : memref<100xui8>
  %y = memory.get @y : memref<100xui8>
  memory.elementwise ins(%x : memref<100xui8>) outs(%y : memref<100xui8>) {
  ^bb0(%a: i8):
    %0 = arith.constant -56 : i8
    %1 = arith.maxui %a, %0 : i8
    memory.yield %1 : i8
  }
  func.return
}

// -----

// A division by an unsigned zero is reported; no quotient overflows.
// CHECK:       func.func private @elementwise_{{\w*}}(%x0: memref<?xi16>, %x1: memref<?xi16>, %y0: memref<?xi16>, %fault
// CHECK:         arith.cmpi eq
// CHECK:         scf.if
// CHECK:         arith.divui
// CHECK-NEXT:    memref.store
memory.placeholder @x "in" : memref<100xui16>
memory.placeholder @y "out" : memref<100xui16>
func.func @main() {
  %x = memory.get @x : memref<100xui16>
  %y = memory.get @y : memref<100xui16>
  memory.elementwise ins(%x, %x : memref<100xui16>, memref<100xui16>) outs(%y : memref<100xui16>) {
  ^bb0(%a: i16, %b: i16):
    %0 = arith.divui %a, %b : i16
    memory.yield %0 : i16
  }
  func.return
}
