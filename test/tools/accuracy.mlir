// A convolution that Winograd's algorithm is fastest for, and what is asked for instead.
// RUN: glow-opt %s --stop-after loops --cpu-features avx2 | filecheck %s --check-prefix FAST
// RUN: glow-opt %s --stop-after loops --cpu-features avx2 --accuracy strict | filecheck %s --check-prefix STRICT
// RUN: glow-opt %s -p 'assign-layouts{target="cpu:avx2,strict"},fold-layout-transforms,graph-to-memory{target="cpu:avx2,strict"}' | filecheck %s --check-prefix PASSES

// FAST:       func.call @winograd_

// STRICT-NOT: winograd
// STRICT:     func.call @turned_
// STRICT-NOT: winograd

// PASSES:     algorithm = "direct"
builtin.module {
  graph.placeholder @x "in" : tensor<1x32x18x18xf32>
  graph.placeholder @y "out" : tensor<1x32x16x16xf32>
  func.func @main() {
    %x = graph.load @x : tensor<1x32x18x18xf32>
    %w = graph.literal dense<1.0> : tensor<32x32x3x3xf32> : tensor<32x32x3x3xf32>
    %0 = graph.conv %x, %w : (tensor<1x32x18x18xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x16x16xf32>
    graph.save @y, %0 : tensor<1x32x16x16xf32>
    func.return
  }
}
