// Only IR reaches the output; everything else goes to stderr.
// RUN: glow-opt %s | filecheck %s --check-prefix PRINTED
// RUN: glow-opt %s -p cse,dce --time-passes --print-ir-after-all 2>/dev/null | filecheck %s --check-prefix PRINTED
// RUN: glow-opt %s -p cse,dce --time-passes --print-ir-after-all 2>&1 >/dev/null | filecheck %s --check-prefix LOG
// RUN: glow-opt - < %s | filecheck %s --check-prefix PRINTED
// RUN: glow-opt < %s | filecheck %s --check-prefix PRINTED
// RUN: glow-opt %s -p cse,dce --disable cse --time-passes 2>&1 >/dev/null | filecheck %s --check-prefix DISABLED
// RUN: glow-opt %s -p cse,dce --stop-after-pass 1 --time-passes 2>&1 >/dev/null | filecheck %s --check-prefix FIRST
// RUN: glow-opt %s --stop-after import | filecheck %s --check-prefix PRINTED
// RUN: glow-opt %s -o %t.mlir && glow-opt %t.mlir | filecheck %s --check-prefix PRINTED

// PRINTED:      builtin.module {
// PRINTED-NEXT:   graph.placeholder @x "in" : tensor<2xf32>
// PRINTED-NEXT:   graph.placeholder @y "out" : tensor<2xf32>
// PRINTED-NEXT:   func.func @main() {
// PRINTED-NEXT:     %0 = graph.load @x : tensor<2xf32>
// PRINTED-NEXT:     %1 = graph.relu %0 : (tensor<2xf32>) -> tensor<2xf32>
// PRINTED-NEXT:     graph.save @y, %1 : tensor<2xf32>
// PRINTED-NEXT:     func.return
// PRINTED-NEXT:   }
// PRINTED-NEXT: }

// LOG:      {{[0-9.]+}} ms {{ *}}8 ops  cse
// LOG-NEXT: // IR after cse
// LOG-NEXT: builtin.module
// LOG:      {{[0-9.]+}} ms {{ *}}8 ops  dce
// LOG-NEXT: // IR after dce
// LOG-NEXT: builtin.module
// LOG:      {{[0-9.]+}} ms {{ *}}all passes

// DISABLED-NOT: cse
// DISABLED:     dce

// FIRST:     cse
// FIRST-NOT: dce

graph.placeholder @x "in" : tensor<2xf32>
graph.placeholder @y "out" : tensor<2xf32>

func.func @main() {
  %0 = graph.load @x : tensor<2xf32>
  %1 = graph.relu %0 : (tensor<2xf32>) -> tensor<2xf32>
  graph.save @y, %1 : tensor<2xf32>
  func.return
}
