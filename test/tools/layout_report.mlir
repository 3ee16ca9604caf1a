// What still moves, and why, at the layout level and at the memory level.
// RUN: glow-opt %s --layout-report --cpu-features avx2 | filecheck %s --check-prefix LAYOUT
// RUN: glow-opt %s --layout-report --stop-after layout --cpu-features avx2 --print-debuginfo -o %t.mlir | filecheck %s --check-prefix LAYOUT && glow-opt %t.mlir --layout-report --cpu-features avx2 | filecheck %s --check-prefix LAYOUT
// RUN: glow-opt %s --layout-report --stop-after memory --cpu-features avx2 | filecheck %s --check-prefix MEMORY
// RUN: glow-opt %s --layout-report -p graph-to-memory | filecheck %s --check-prefix COPIED
// RUN: glow-opt %s --layout-report --target reference | filecheck %s --check-prefix NOTHING
// RUN: not glow-opt %s --layout-report --stop-after graph 2>&1 | filecheck %s --check-prefix STAGE
// RUN: glow-opt %s --stop-after loops --cpu-features avx2 -o %t.loops.mlir && not glow-opt %t.loops.mlir --layout-report 2>&1 | filecheck %s --check-prefix PAST
// RUN: not glow-opt %t.loops.mlir --layout-report -p dce 2>&1 | filecheck %s --check-prefix BELOW

// LAYOUT:      layout level, target cpu:avx2
// LAYOUT-EMPTY:
// LAYOUT-NEXT: value bytes from to where made by needed by cost
// LAYOUT-NEXT: @x 1152 row-major NHWC input graph.load @x (row-major) graph.max_pool second (NHWC) 6400
// LAYOUT-NEXT: graph.conv first (NHWC)
// LAYOUT-NEXT: @w 256 row-major OHWI16o input graph.load @w (row-major) graph.conv first (OHWI16o) 4864
// LAYOUT-NEXT: sum 1152 NHWC row-major output graph.add sum (NHWC) graph.save @y (row-major) 6400
// LAYOUT-EMPTY:
// LAYOUT-NEXT: 3 movements (2 of inputs, 1 of outputs), 2560 bytes, cost 17664
// LAYOUT-NEXT: assignment: exact, width 1, cost 17664

// MEMORY:      memory level, target cpu:avx2
// MEMORY:      @x 1152 row-major NHWC{{.*}} input memory.get @x (row-major) graph.max_pool
// MEMORY:      @w 256 row-major OHWI16o input memory.get @w (row-major) memory.conv
// MEMORY:      {{.*}} 1152 NHWC row-major output
// MEMORY:      3 movements (2 of inputs, 1 of outputs), 2560 bytes

// COPIED:      memory level
// COPIED:      @w 256 {{.*}} memory.conv
// COPIED:      1 movement (1 of inputs), 256 bytes

// NOTHING:      layout level, target reference
// NOTHING-EMPTY:
// NOTHING-NEXT: nothing moves

// STAGE: error: expected --stop-after layout or memory with --layout-report, got graph
// PAST:  error: the input is past stage layout: it has loops IR
// BELOW: error: expected layout or memory IR to report on, got loops IR

graph.placeholder @x "in" : tensor<1x8x6x6xf32>
graph.placeholder @w "in" : tensor<8x8x1x1xf32>
graph.placeholder @y "out" : tensor<1x8x6x6xf32>

func.func @main() {
  %0 = graph.load @x : tensor<1x8x6x6xf32>
  %1 = graph.load @w : tensor<8x8x1x1xf32>
  %2 = graph.conv %0, %1 : (tensor<1x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x6x6xf32> loc("first")
  %3 = graph.max_pool %0 {kernel_shape = array<i64: 1, 1>} : (tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32> loc("second")
  %4 = graph.add %2, %3 : (tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32> loc("sum")
  graph.save @y, %4 : tensor<1x8x6x6xf32>
  func.return
}
