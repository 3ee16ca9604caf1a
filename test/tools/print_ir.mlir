// What is shown of passes: the IR after some of them, and what each one changed.
// RUN: glow-opt %s -p cse,dce,cse --print-ir-after dce 2>&1 >/dev/null | filecheck %s --check-prefix AFTER
// RUN: glow-opt %s -p cse,dce --print-ir-diff 2>&1 >/dev/null | filecheck %s --check-prefix DIFF
// RUN: glow-opt %s -p cse,dce --print-ir-diff 2>/dev/null | filecheck %s --check-prefix OUTPUT
// RUN: glow-opt %s --stop-after asm --time-passes 2>&1 >/dev/null | filecheck %s --check-prefix TIMES
// RUN: not glow-opt %s -p cse --print-ir-after dec 2>&1 | filecheck %s --check-prefix UNKNOWN

// AFTER-NOT:  after cse
// AFTER:      // IR after dce
// AFTER-NEXT: builtin.module
// AFTER-NOT:  after cse

// DIFF:      // changed by cse
// DIFF-NEXT: @@
// DIFF:      -    %1 = graph.relu %x
// DIFF-NEXT: -    %2 = graph.neg %x
// DIFF:      +    %1 = graph.add %0, %0
// DIFF-NOT:  changed by

// OUTPUT-NOT: changed by

// TIMES:      {{[0-9.]+}} ms {{ *}}all passes: {{\d+}}% {{[a-z-]+}}, {{\d+}}% {{[a-z-]+}}, {{\d+}}% {{[a-z-]+$}}
// TIMES-NEXT: {{[0-9.]+}} ms {{ *}}asm by LLVM

// UNKNOWN: error: expected a pass to show, got dec, did you mean d

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = graph.relu %x : (tensor<2xf32>) -> tensor<2xf32>
  %1 = graph.relu %x : (tensor<2xf32>) -> tensor<2xf32>
  %2 = graph.neg %x : (tensor<2xf32>) -> tensor<2xf32>
  %3 = graph.add %0, %1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %3 : tensor<2xf32>
}
