// RUN: glow-opt %s -p 'promote-placeholders{names=x,w,open,y,none}' --split-input-file --verify-diagnostics | filecheck %s
// RUN: glow-opt %s -p 'demote-constants{names=c,w,none}' --split-input-file --verify-diagnostics | filecheck %s --check-prefix=DEMOTE

// CHECK: cannot promote "x": the caller passes it at each run; cannot promote "open": it has no initial value; cannot promote "y": it is "out"; no placeholder is called "none", expected "w", "x", "open", "y"
// DEMOTE: no constant is called "w", expected "c"; no constant is called "none", expected "c"
graph.constant @c #graph.resource<"0000000000000000000000000000000000000000000000000000000000000002"> : tensor<2xf32>
graph.placeholder @x "in" : tensor<2xf32>
graph.placeholder @w "in" "bound" initial #graph.resource<"0000000000000000000000000000000000000000000000000000000000000001"> : tensor<2xf32>
graph.placeholder @open "in" "resident" : tensor<2xf32>
graph.placeholder @y "out" : tensor<2xf32>

// -----

// CHECK: no placeholder is called "x", expected none
// DEMOTE: no constant is called "c", expected none
func.func @nothing() {
  func.return
}
