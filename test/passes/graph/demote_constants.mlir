// RUN: glow-opt %s -p demote-constants | filecheck %s
// RUN: glow-opt %s -p 'demote-constants{names=b residency=resident}' | filecheck %s --check-prefix=NAMED
// RUN: glow-opt %s -p demote-constants,promote-placeholders | filecheck %s --check-prefix=BACK

// CHECK:      graph.placeholder @a "in" "bound" initial #graph.resource<"{{0*}}1"> : tensor<2x3xf32, #layout.physical<NK>>
// CHECK-NEXT: graph.placeholder @b "in" "bound" initial #graph.resource<"{{0*}}2"> {init = "zeros()"} : tensor<2xf32>
// CHECK:        graph.literal
// CHECK-NEXT:   graph.load @a

// NAMED:      graph.constant @a #graph.resource<"{{0*}}1"> : tensor<2x3xf32, #layout.physical<NK>>
// NAMED-NEXT: graph.placeholder @b "in" "resident" initial #graph.resource<"{{0*}}2"> {init = "zeros()"} : tensor<2xf32>

// BACK:       graph.constant @a #graph.resource<"{{0*}}1"> : tensor<2x3xf32, #layout.physical<NK>>
// BACK-NEXT:  graph.constant @b #graph.resource<"{{0*}}2"> {init = "zeros()"} : tensor<2xf32>

graph.constant @a #graph.resource<"0000000000000000000000000000000000000000000000000000000000000001"> : tensor<2x3xf32, #layout.physical<NK>>
graph.constant @b #graph.resource<"0000000000000000000000000000000000000000000000000000000000000002"> {init = "zeros()"} : tensor<2xf32>
func.func @main() {
  %0 = graph.literal dense<1.0> : tensor<2xf32> : tensor<2xf32>
  %1 = graph.load @a : tensor<2x3xf32, #layout.physical<NK>>
  func.return
}
