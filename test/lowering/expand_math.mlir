// RUN: glow-opt %s -p expand-math | filecheck %s

// CHECK-LABEL: @exp
// CHECK-NOT:     math.exp
// CHECK-COUNT-9: math.fma {{.*}} : vector<8xf32>
// CHECK:         arith.shrsi {{.*}} : vector<8xi32>
// CHECK:         func.return {{.*}} : vector<8xf32>
func.func @exp(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.exp %x : vector<8xf32>
  func.return %y : vector<8xf32>
}

// CHECK-LABEL: @expm1
// CHECK-COUNT-9: math.fma {{.*}} : vector<8xf32>
// CHECK-NOT:     math.expm1
func.func @expm1(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.expm1 %x : vector<8xf32>
  func.return %y : vector<8xf32>
}

// Bounds leave NaN alone, in one instruction.
// CHECK-LABEL: @tanh
// CHECK:         arith.maximumf %x, {{%.*}} fastmath<nsz> : f32
// CHECK:         arith.minimumf {{%.*}}, {{%.*}} fastmath<nsz> : f32
// CHECK:         arith.divf {{.*}} : f32
// CHECK-NOT:     math.tanh
func.func @tanh(%x: f32) -> f32 {
  %y = math.tanh %x : f32
  func.return %y : f32
}

// CHECK-LABEL: @erf
// CHECK:         arith.divf {{.*}} : f32
// CHECK-NOT:     math.erf
func.func @erf(%x: f32) -> f32 {
  %y = math.erf %x : f32
  func.return %y : f32
}

// CHECK-LABEL: @log_of_scalar
// CHECK:         arith.cmpf olt
// CHECK:         arith.select
// CHECK:         arith.sitofp {{.*}} : i32 to f32
// CHECK-NOT:     math.log
func.func @log_of_scalar(%x: f32) -> f32 {
  %y = math.log %x : f32
  func.return %y : f32
}

// CHECK-LABEL: @log_of_vector
// CHECK:         llvm_ext.cmpf olt
// CHECK:         llvm_ext.select
// CHECK-NOT:     math.log
func.func @log_of_vector(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.log %x : vector<16xf32>
  func.return %y : vector<16xf32>
}

// CHECK-LABEL: @double_is_kept
// CHECK-NEXT:    math.exp %x : f64
func.func @double_is_kept(%x: f64) -> f64 {
  %y = math.exp %x : f64
  func.return %y : f64
}

// CHECK-LABEL: @other_functions_are_kept
// CHECK-NEXT:    math.sin %x : f32
func.func @other_functions_are_kept(%x: f32) -> f32 {
  %y = math.sin %x : f32
  func.return %y : f32
}

// CHECK-LABEL: @bf16_is_the_upper_half
// CHECK:         arith.shli {{.*}} : vector<8xi32>
// CHECK-NOT:     arith.extf
func.func @bf16_is_the_upper_half(%x: vector<8xbf16>) -> vector<8xf32> {
  %y = arith.extf %x : vector<8xbf16> to vector<8xf32>
  func.return %y : vector<8xf32>
}

// From f64, the way is by f32.
// CHECK-LABEL: @f64_is_rounded_twice
// CHECK:         arith.truncf %x : f64 to f32
// CHECK-NOT:     : f64 to f16
func.func @f64_is_rounded_twice(%x: f64) -> f16 {
  %y = arith.truncf %x : f64 to f16
  func.return %y : f16
}

// CHECK-LABEL: @square
// CHECK:         arith.mulf %x, %x : vector<8xf32>
// CHECK:         arith.mulf %d, %d : f64
// CHECK-NOT:     math.powf
func.func @square(%x: vector<8xf32>, %d: f64) -> (vector<8xf32>, f64) {
  %two = arith.constant dense<2.0> : vector<8xf32>
  %0 = math.powf %x, %two : vector<8xf32>
  %two_f64 = arith.constant 2.0 : f64
  %1 = math.powf %d, %two_f64 : f64
  func.return %0, %1 : vector<8xf32>, f64
}

// CHECK-LABEL: @other_powers_are_kept
// CHECK-COUNT-3: math.powf
func.func @other_powers_are_kept(%x: vector<2xf32>, %d: f64) -> (vector<2xf32>, f64, f64) {
  %exponents = arith.constant dense<[2.0, 3.0]> : vector<2xf32>
  %0 = math.powf %x, %exponents : vector<2xf32>
  %half = arith.constant 0.5 : f64
  %1 = math.powf %d, %half : f64
  %2 = math.powf %d, %d : f64
  func.return %0, %1, %2 : vector<2xf32>, f64, f64
}
