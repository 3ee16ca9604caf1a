// RUN: glow-opt %s -p loops-to-llvm | filecheck %s

// CHECK-LABEL: @broadcast
// CHECK:         [[L:%\d+]] = llvm.insertelement %x, {{%\d+}}[{{%\d+}} : i64] : vector<8xf32>
// CHECK-NEXT:    %v = llvm.shufflevector [[L]], {{%\d+}} [0, 0, 0, 0, 0, 0, 0, 0] : vector<8xf32>
func.func @broadcast(%x: f32) -> vector<8xf32> {
  %v = vector.broadcast %x : f32 to vector<8xf32>
  func.return %v : vector<8xf32>
}

// CHECK-LABEL: @broadcast_of_constant
// CHECK:         %v{{\w*}} = llvm.mlir.constant(dense<2.500000e+00> : vector<8xf32>)
// CHECK-NEXT:    llvm.return %v
func.func @broadcast_of_constant() -> vector<8xf32> {
  %x = arith.constant 2.5 : f32
  %v = vector.broadcast %x : f32 to vector<8xf32>
  func.return %v : vector<8xf32>
}

// CHECK-LABEL: @fma
// CHECK:         llvm.call_intrinsic "llvm.fmuladd.v8f32"
func.func @fma(%x: vector<8xf32>) -> vector<8xf32> {
  %v = vector.fma %x, %x, %x : vector<8xf32>
  func.return %v : vector<8xf32>
}

// CHECK-LABEL: @lanes
// CHECK:         [[X:%\w+]] = llvm_ext.extractelement %v{{\w*}}[{{%\d+}}] : vector<8xf32>, i64 -> f32
// CHECK-NEXT:    [[Y:%\w+]] = llvm_ext.extractelement %v{{\w*}}[%i{{\w*}}] : vector<8xf32>, i64 -> f32
// CHECK-NEXT:    [[S:%\w+]] = llvm.fadd [[X]], [[Y]]
// CHECK-NEXT:    [[W:%\w+]] = llvm.insertelement [[S]], %v{{\w*}}[{{%\d+}} : i64] : vector<8xf32>
// CHECK-NEXT:    llvm.shufflevector [[W]], %v{{\w*}} [0, 15] : vector<8xf32>
// CHECK-NEXT:    llvm.bitcast {{.*}} : vector<2xf32> to vector<1xf64>
func.func @lanes(%v: vector<8xf32>, %i: index) -> vector<1xf64> {
  %x = vector.extract %v[3] : f32 from vector<8xf32>
  %y = vector.extract %v[%i] : f32 from vector<8xf32>
  %s = arith.addf %x, %y : f32
  %w = vector.insert %s, %v[2] : f32 into vector<8xf32>
  %u = vector.shuffle %w, %v [0, 15] : vector<8xf32>, vector<8xf32>
  %b = vector.bitcast %u : vector<2xf32> to vector<1xf64>
  func.return %b : vector<1xf64>
}

// CHECK-LABEL: @mask
// CHECK:         llvm.call_intrinsic "llvm.smax.i64"
// CHECK:         llvm.call_intrinsic "llvm.smin.i64"
// CHECK:         llvm.mlir.constant(dense<[0, 1, 2, 3]> : vector<4xi32>)
// CHECK:         llvm.icmp "slt" {{.*}} : vector<4xi32>
func.func @mask(%n: index) -> vector<4xi1> {
  %m = vector.create_mask %n : vector<4xi1>
  func.return %m : vector<4xi1>
}

// CHECK-LABEL: @reductions
// CHECK:         [[Z:%\d+]] = llvm.mlir.constant(-0.000000e+00 : f32) : f32
// CHECK-NEXT:    llvm.call_intrinsic "llvm.vector.reduce.fadd.v8f32"([[Z]], %x{{\w*}}) {fastmathFlags = #llvm.fastmath<reassoc>}
// CHECK-NEXT:    [[A:%\w+]] = llvm.call_intrinsic "llvm.vector.reduce.fmul.v8f32"(%s{{\w*}}, %x{{\w*}}) : (f32, vector<8xf32>) -> f32
// CHECK-NEXT:    [[B:%\w+]] = llvm.call_intrinsic "llvm.vector.reduce.fmaximum.v8f32"(%x{{\w*}})
// CHECK-NEXT:    llvm.call_intrinsic "llvm.maximum.f32"([[A]], [[B]])
// CHECK-NEXT:    [[C:%\w+]] = llvm.call_intrinsic "llvm.vector.reduce.add.v8i32"(%i{{\w*}})
// CHECK-NEXT:    [[D:%\w+]] = llvm.add [[C]], [[C]]
// CHECK-NEXT:    [[E:%\w+]] = llvm.call_intrinsic "llvm.vector.reduce.smin.v8i32"(%i{{\w*}})
// CHECK-NEXT:    llvm.call_intrinsic "llvm.smin.i32"
func.func @reductions(%x: vector<8xf32>, %s: f32, %i: vector<8xi32>) -> i32 {
  %a = vector.reduction <add>, %x fastmath<reassoc> : vector<8xf32> into f32
  %b = vector.reduction <mul>, %x, %s : vector<8xf32> into f32
  %c = vector.reduction <maximumf>, %x, %b : vector<8xf32> into f32
  %d = vector.reduction <add>, %i : vector<8xi32> into i32
  %e = arith.addi %d, %d : i32
  %f = vector.reduction <minsi>, %i, %e : vector<8xi32> into i32
  func.return %f : i32
}
