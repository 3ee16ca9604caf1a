// RUN: glow-opt %s --split-input-file -p 'memory-to-loops{target="cpu:avx2"}' | filecheck %s

// Six runs per image: above, between the five rows, below.
// CHECK:       dense<[2, 196, 6]> : tensor<3xindex>
// CHECK:       func.func private @zero_gaps_
memory.placeholder @y "inout" : memref<2x4x5x5xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>
func.func @main() {
  %y = memory.get @y : memref<2x4x5x5xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>
  memory.zero_halo outs(%y : memref<2x4x5x5xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>)
  func.return
}

// -----

// Nothing lies around it.
// CHECK:       {{^// -+$}}
// CHECK-NOT:   func.func private
// CHECK:       func.func @main
memory.placeholder @y "inout" : memref<2x4x5x5xf32>
func.func @main() {
  %y = memory.get @y : memref<2x4x5x5xf32>
  memory.zero_halo outs(%y : memref<2x4x5x5xf32>)
  func.return
}
