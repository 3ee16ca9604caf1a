// RUN: glow-opt %s --split-input-file -p graph-to-memory | filecheck %s

// A group is one region; a value that it only uses inside gets no buffer.
// CHECK-LABEL: @main
// CHECK:         memory.elementwise ins(%{{.*}}, %{{.*}} : memref<2x3xf32>, memref<3xf32>) outs(%{{.*}}, %{{.*}} : memref<2x3xf32>, memref<2x3xi1>) {
// CHECK-NEXT:    ^{{.*}}([[A:%.*]]: f32, [[B:%.*]]: f32):
// CHECK-NEXT:      [[S:%.*]] = arith.mulf [[A]], [[B]] : f32
// CHECK-NEXT:      [[E:%.*]] = math.exp [[S]]
// CHECK-NEXT:      [[L:%.*]] = arith.cmpf olt, [[S]], [[E]] : f32
// CHECK-NEXT:      memory.yield [[E]], [[L]] : f32, i1
// CHECK-NOT:     memory.alloc
graph.placeholder @a "in" : tensor<2x3xf32>
graph.placeholder @b "in" : tensor<3xf32>
graph.placeholder @y "out" : tensor<2x3xf32>
graph.placeholder @z "out" : tensor<2x3xi1>
func.func @main() {
  %a = graph.load @a : tensor<2x3xf32>
  %b = graph.load @b : tensor<3xf32>
  %y, %z = graph.fused(%a, %b) {
  ^bb0(%0: tensor<2x3xf32>, %1: tensor<3xf32>):
    %2 = graph.mul %0, %1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %3 = graph.exp %2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %4 = graph.less %2, %3 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    graph.yield %3, %4 : tensor<2x3xf32>, tensor<2x3xi1>
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi1>)
  graph.save @y, %y : tensor<2x3xf32>
  graph.save @z, %z : tensor<2x3xi1>
  func.return
}

// -----

// An absent bound of floats is the last finite one, and what NaN compares with does
// not bound; a cast follows the types.
// CHECK-LABEL: @main
// CHECK:         memory.elementwise ins(%{{.*}}, %{{.*}} : memref<3xf32>, memref<f32>)
// CHECK:           %[[LOW:.*]] = arith.constant -3.40282347e+38 : f32
// CHECK-NEXT:      %[[BELOW:.*]] = arith.cmpf olt, %[[X:.*]], %[[LOW]] : f32
// CHECK-NEXT:      %[[RAISED:.*]] = arith.select %[[BELOW]], %[[LOW]], %[[X]] : f32
// CHECK-NEXT:      %[[ABOVE:.*]] = arith.cmpf ogt, %[[RAISED]], %[[M:.*]] : f32
// CHECK-NEXT:      arith.select %[[ABOVE]], %[[M]], %[[RAISED]] : f32
// CHECK:         memory.elementwise
// CHECK:           arith.fptosi %{{.*}} : f32 to i32
graph.placeholder @x "in" : tensor<3xf32>
graph.placeholder @m "in" : tensor<f32>
graph.placeholder @y "out" : tensor<3xi32>
func.func @main() {
  %x = graph.load @x : tensor<3xf32>
  %m = graph.load @m : tensor<f32>
  %0 = "graph.clip"(%x, %m) {operandSegmentSizes = array<i32: 1, 0, 1>} : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %1 = graph.cast %0 {to = i32} : (tensor<3xf32>) -> tensor<3xi32>
  graph.save @y, %1 : tensor<3xi32>
  func.return
}

// -----

// CHECK-LABEL: @main
// CHECK:         llvm_ext.fptosi_sat %{{.*}} : f32 to i64
graph.placeholder @x "in" : tensor<3xf32>
graph.placeholder @y "out" : tensor<3xi64>
func.func @main() {
  %x = graph.load @x : tensor<3xf32>
  %0 = graph.cast %x {to = i64, saturate} : (tensor<3xf32>) -> tensor<3xi64>
  graph.save @y, %0 : tensor<3xi64>
  func.return
}

// -----

// Nothing saturates where all values exist.
// CHECK-LABEL: @main
// CHECK-NOT:     llvm_ext.fptosi_sat
graph.placeholder @x "in" : tensor<3xi32>
graph.placeholder @y "out" : tensor<3xi64>
func.func @main() {
  %x = graph.load @x : tensor<3xi32>
  %0 = graph.cast %x {to = i64, saturate} : (tensor<3xi32>) -> tensor<3xi64>
  graph.save @y, %0 : tensor<3xi64>
  func.return
}

// -----

// Powers of two types are taken in f64.
// CHECK-LABEL: @main
// CHECK:         arith.extf %{{.*}} : f32 to f64
// CHECK:         math.powf %{{.*}}, %{{.*}} : f64
// CHECK-NEXT:    arith.truncf %{{.*}} : f64 to f32
graph.placeholder @x "in" : tensor<3xf32>
graph.placeholder @k "in" : tensor<3xi64>
graph.placeholder @y "out" : tensor<3xf32>
func.func @main() {
  %x = graph.load @x : tensor<3xf32>
  %k = graph.load @k : tensor<3xi64>
  %0 = graph.pow %x, %k : (tensor<3xf32>, tensor<3xi64>) -> tensor<3xf32>
  graph.save @y, %0 : tensor<3xf32>
  func.return
}

// -----

// CHECK-LABEL: @main
// CHECK-NOT:     f64
// CHECK:         math.powf %{{.*}}, %{{.*}} : f32
graph.placeholder @x "in" : tensor<3xf32>
graph.placeholder @y "out" : tensor<3xf32>
func.func @main() {
  %x = graph.load @x : tensor<3xf32>
  %0 = graph.pow %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  graph.save @y, %0 : tensor<3xf32>
  func.return
}

// -----

// The slope broadcasts like any operand; what is not below zero is kept, NaN too.
// CHECK-LABEL: @main
// CHECK:         memory.elementwise ins(%{{.*}}, %{{.*}} : memref<2x3xf32>, memref<2x1xf32>) outs(%{{.*}} : memref<2x3xf32>) {
// CHECK-NEXT:    ^{{.*}}([[X:%.*]]: f32, [[S:%.*]]: f32):
// CHECK-NEXT:      [[ZERO:%.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      [[BELOW:%.*]] = arith.cmpf olt, [[X]], [[ZERO]] : f32
// CHECK-NEXT:      [[SCALED:%.*]] = arith.mulf [[S]], [[X]] : f32
// CHECK-NEXT:      [[Y:%.*]] = arith.select [[BELOW]], [[SCALED]], [[X]] : f32
// CHECK-NEXT:      memory.yield [[Y]] : f32
graph.placeholder @x "in" : tensor<2x3xf32>
graph.placeholder @s "in" : tensor<2x1xf32>
graph.placeholder @y "out" : tensor<2x3xf32>
func.func @main() {
  %x = graph.load @x : tensor<2x3xf32>
  %s = graph.load @s : tensor<2x1xf32>
  %y = graph.prelu %x, %s : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  graph.save @y, %y : tensor<2x3xf32>
  func.return
}

// -----

// CHECK-LABEL: @main
// CHECK:         arith.bitcast %{{.*}} : f32 to i32
graph.placeholder @x "in" : tensor<3xf32>
graph.placeholder @y "out" : tensor<3xi32>
func.func @main() {
  %x = graph.load @x : tensor<3xf32>
  %0 = graph.bitcast %x {to = i32} : (tensor<3xf32>) -> tensor<3xi32>
  graph.save @y, %0 : tensor<3xi32>
  func.return
}

// -----

// Buffers say which integers are unsigned; in the region the ops do. A float becomes a
// narrow integer by way of i32.
// CHECK-LABEL: @main
// CHECK:         memory.elementwise ins(%{{.*}}, %{{.*}} : memref<3xui8>, memref<3xui8>) outs(%{{.*}} : memref<3xui8>) {
// CHECK-NEXT:    ^{{.*}}([[A:%.*]]: i8, [[B:%.*]]: i8):
// CHECK-NEXT:      arith.maxui [[A]], [[B]] : i8
// CHECK:           arith.divui %{{.*}}, [[B]] : i8
// CHECK:           arith.uitofp %{{.*}} : i8 to f32
// CHECK:           arith.addf
// CHECK:           [[W:%.*]] = arith.fptosi %{{.*}} : f32 to i32
// CHECK-NEXT:      arith.trunci [[W]] : i32 to i8
// CHECK:           arith.cmpi ult
graph.placeholder @a "in" : tensor<3xui8>
graph.placeholder @b "in" : tensor<3xui8>
graph.placeholder @y "out" : tensor<3xui8>
func.func @main() {
  %a = graph.load @a : tensor<3xui8>
  %b = graph.load @b : tensor<3xui8>
  %y = graph.fused(%a, %b) {
  ^bb0(%0: tensor<3xui8>, %1: tensor<3xui8>):
    %2 = graph.max %0, %1 : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xui8>
    %3 = graph.div %2, %1 : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xui8>
    %4 = graph.cast %3 {to = f32} : (tensor<3xui8>) -> tensor<3xf32>
    %5 = graph.add %4, %4 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %6 = graph.cast %5 {to = ui8} : (tensor<3xf32>) -> tensor<3xui8>
    %7 = graph.less %6, %0 : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xi1>
    %8 = graph.where %7, %6, %0 : (tensor<3xi1>, tensor<3xui8>, tensor<3xui8>) -> tensor<3xui8>
    graph.yield %8 : tensor<3xui8>
  } : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xui8>
  graph.save @y, %y : tensor<3xui8>
  func.return
}
