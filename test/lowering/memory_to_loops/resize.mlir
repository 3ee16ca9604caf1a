// RUN: glow-opt %s --split-input-file -p 'memory-to-loops{target="cpu:avx2"}' | filecheck %s

// What repeats elements equally often is a copy: of lines, where channels are last.
// CHECK:       dense<[4, 32, 128, 2, 0, 64, 4, 8, 16, 2, 0, 8, 8]> : tensor<13xindex>
// CHECK:       func.func private @copy_
memory.placeholder @x "in" : memref<1x4x4x8xf32>
memory.placeholder @y "out" : memref<1x8x8x8xf32>
func.func @main() {
  %x = memory.get @x : memref<1x4x4x8xf32>
  %y = memory.get @y : memref<1x8x8x8xf32>
  memory.resize ins(%x : memref<1x4x4x8xf32>) outs(%y : memref<1x8x8x8xf32>) {axes = array<i64: 1, 2>, scales = array<f64: 2.0, 2.0>, mode = "nearest", coordinates = "half_pixel", rounding = "round_prefer_floor", cubic_coeff_a = -0.75 : f64, extrapolation_value = 0.0 : f64}
  func.return
}

// -----

// Elements that turn up in turns with themselves are interleaved.
// CHECK:       func.func private @interleave_
// CHECK:         vector.shuffle
memory.placeholder @x "in" : memref<8x32xf32>
memory.placeholder @y "out" : memref<16x64xf32>
func.func @main() {
  %x = memory.get @x : memref<8x32xf32>
  %y = memory.get @y : memref<16x64xf32>
  memory.resize ins(%x : memref<8x32xf32>) outs(%y : memref<16x64xf32>) {axes = array<i64: 0, 1>, scales = array<f64: 2.0, 2.0>, mode = "nearest", coordinates = "asymmetric", rounding = "floor", cubic_coeff_a = -0.75 : f64, extrapolation_value = 0.0 : f64}
  func.return
}

// -----

// Lines between elements: four vectors, each by one weight for all of its lanes.
// CHECK:       func.func private @resize_
// CHECK-COUNT-4: vector.load %x
// CHECK:         vector.store %{{.*}}, %y
// CHECK:       func.func @main
memory.placeholder @x "in" : memref<4x4x8xf32>
memory.placeholder @y "out" : memref<7x7x8xf32>
func.func @main() {
  %x = memory.get @x : memref<4x4x8xf32>
  %y = memory.get @y : memref<7x7x8xf32>
  memory.resize ins(%x : memref<4x4x8xf32>) outs(%y : memref<7x7x8xf32>) {axes = array<i64: 0, 1>, scales = array<f64: 1.75, 1.75>, mode = "linear", coordinates = "half_pixel", rounding = "floor", cubic_coeff_a = -0.75 : f64, extrapolation_value = 0.0 : f64}
  func.return
}

// -----

// What lies outside of the input gets its value first; then places inside are found.
// CHECK:       func.func private @fill_
// CHECK:       func.func private @resize_
// CHECK:         arith.index_cast
// CHECK:       func.func @main
// CHECK:         func.call @fill_
// CHECK:         func.call @resize_
memory.placeholder @x "in" : memref<4xf32>
memory.placeholder @y "out" : memref<7xf32>
func.func @main() {
  %x = memory.get @x : memref<4xf32>
  %y = memory.get @y : memref<7xf32>
  memory.resize ins(%x : memref<4xf32>) outs(%y : memref<7xf32>) {axes = array<i64: 0>, scales = array<f64: 1.75>, region = array<f64: -0.5, 0.5>, mode = "nearest", coordinates = "tf_crop_and_resize", rounding = "floor", cubic_coeff_a = -0.75 : f64, extrapolation_value = 1.0 : f64}
  func.return
}

// -----

// A region that is known late is turned into tables, axis by axis.
// CHECK:       func.func private @crop_taps_
// CHECK-SAME:    (%roi: memref<?xf32>, %positions: memref<?xi32>, %weights: memref<?xf32>, %rows
// CHECK:       func.func @main
// CHECK:         func.call @fill_
// CHECK-COUNT-2: func.call @crop_taps_
// CHECK:         func.call @resize_
memory.placeholder @x "in" : memref<4x4xf32>
memory.placeholder @r "in" : memref<4xf32>
memory.placeholder @y "out" : memref<7x7xf32>
memory.placeholder @p "out" : memref<42xi32>
memory.placeholder @w "out" : memref<28xf32>
func.func @main() {
  %x = memory.get @x : memref<4x4xf32>
  %r = memory.get @r : memref<4xf32>
  %y = memory.get @y : memref<7x7xf32>
  %p = memory.get @p : memref<42xi32>
  %w = memory.get @w : memref<28xf32>
  memory.resize ins(%x : memref<4x4xf32> roi %r : memref<4xf32>) outs(%y : memref<7x7xf32>) positions %p : memref<42xi32> weights %w : memref<28xf32> {axes = array<i64: 0, 1>, scales = array<f64: 1.75, 1.75>, mode = "linear", coordinates = "tf_crop_and_resize", rounding = "floor", cubic_coeff_a = -0.75 : f64, extrapolation_value = 1.0 : f64}
  func.return
}
