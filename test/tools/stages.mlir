// A small network at every stage, and each as the start of the rest.
// RUN: glow-opt %s --stop-after graph  --target cpu --cpu-features avx2 | filecheck %s --check-prefix GRAPH
// RUN: glow-opt %s --stop-after layout --cpu-features avx2 -o %t.layout.mlir && filecheck %s --check-prefix LAYOUT < %t.layout.mlir
// RUN: glow-opt %t.layout.mlir --stop-after memory --cpu-features avx2 -o %t.memory.mlir && filecheck %s --check-prefix MEMORY < %t.memory.mlir
// RUN: glow-opt %t.memory.mlir --stop-after loops --cpu-features avx2 -o %t.loops.mlir && filecheck %s --check-prefix LOOPS < %t.loops.mlir
// RUN: glow-opt %t.loops.mlir --stop-after llvm --cpu-features avx2 -o %t.llvm.mlir && filecheck %s --check-prefix LLVM < %t.llvm.mlir
// RUN: glow-opt %t.llvm.mlir --stop-after llvm-ir --cpu-features avx2 | filecheck %s --check-prefix TEXT
// RUN: glow-opt %t.llvm.mlir --stop-after asm --cpu-features avx2 | filecheck %s --check-prefix ASM
// RUN: glow-opt %s --stop-after asm --cpu-features avx2 -o %t.s && glow-opt %t.llvm.mlir --stop-after asm --cpu-features avx2 -o %t.again.s && diff %t.s %t.again.s
// RUN: glow-opt %s --stop-after object --cpu-features avx2 -o %t.o

// GRAPH:      graph.placeholder @x "in" : tensor<1x2x4x4xf32>
// GRAPH-NEXT: graph.placeholder @output0 "out" : tensor<1x3x6x6xf32>
// GRAPH:      func.func @main() {
// GRAPH:        graph.load @x
// GRAPH:        graph.conv
// GRAPH-NOT:    graph.transpose
// GRAPH:        graph.relu
// GRAPH:        graph.save @output0

// LAYOUT:      graph.constant @{{.*}} : tensor<3x2x1x1xf32, #layout.physical<
// LAYOUT:      layout.transform {{.*}} -> tensor<1x2x4x4xf32, #layout.physical<NHWC>>
// LAYOUT:      graph.fused
// LAYOUT:        graph.conv
// LAYOUT:        graph.relu
// LAYOUT:        graph.yield
// LAYOUT-NOT:  layout.transform
// LAYOUT:      graph.save @output0

// MEMORY:      glow.arena_bytes
// MEMORY:      memory.placeholder @x "in"
// MEMORY:      func.func @main() {
// MEMORY:        memory.alloc
// MEMORY:        memory.conv
// MEMORY:          arith.maximumf
// MEMORY:        memory.dealloc

// LOOPS:     func.func @main(%arena: memref<?xi8>
// LOOPS:       func.call @

// LLVM:      llvm.func @main(
// LLVM:        llvm.call @

// TEXT:      target triple
// TEXT:      define {{.*}}@glow_main

// ASM:       glow_main:

func.func @main(%x: tensor<1x2x4x4xf32>) -> tensor<1x3x6x6xf32> {
  %w = graph.literal dense<[[[[0.5]], [[1.0]]], [[[0.5]], [[0.5]]], [[[0.5]], [[0.5]]]]> : tensor<3x2x1x1xf32> : tensor<3x2x1x1xf32>
  %0 = graph.transpose %x {permutation = array<i64: 0, 1, 3, 2>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %1 = graph.transpose %0 {permutation = array<i64: 0, 1, 3, 2>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %2 = graph.conv %1, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x6x6xf32>
  %3 = graph.relu %2 : (tensor<1x3x6x6xf32>) -> tensor<1x3x6x6xf32>
  func.return %3 : tensor<1x3x6x6xf32>
}
