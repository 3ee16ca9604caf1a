// RUN: glow-opt %s -p 'promote-placeholders{report=true}' | filecheck %s
// RUN: glow-opt %s -p 'promote-placeholders{names=start,"a/w"}' | filecheck %s --check-prefix=NAMED
// RUN: glow-opt %s -p promote-placeholders,demote-constants | filecheck %s --check-prefix=BACK

// CHECK:      builtin.module attributes {graph.promotion = {promoted = ["a/w", "b"], kept =
// CHECK-SAME:   x = "the caller passes it at each run"
// CHECK-SAME:   start = "callers may bind it"
// CHECK-SAME:   open = "callers may bind it"
// CHECK-SAME:   count = "it is written, at {{.*}}promote_placeholders.mlir:44"
// CHECK-SAME:   other = "it is written, at {{.*}}promote_placeholders.mlir:50"
// CHECK-SAME:   y = "it is written, at {{.*}}promote_placeholders.mlir:45"
// CHECK-SAME:   unused = "it is \22out\22"

// CHECK-NEXT:   graph.placeholder @x "in" : tensor<2xf32>
// CHECK-NEXT:   graph.constant @"a/w" #graph.resource<"{{0*}}1"> : tensor<2xf32>
// CHECK-NEXT:   graph.constant @b #graph.resource<"{{0*}}2"> axes ["N"] {note = 1 : i64} : tensor<2xf32>
// CHECK-NEXT:   graph.placeholder @start "in" "resident" initial
// CHECK-NEXT:   graph.placeholder @open "in" "resident" : tensor<2xf32>
// CHECK-NEXT:   graph.placeholder @count "inout" "resident" : tensor<2xf32>
// CHECK-NEXT:   graph.placeholder @other "in" "bound" initial
// CHECK-NEXT:   graph.placeholder @y "out" : tensor<2xf32>
// CHECK-NEXT:   graph.placeholder @unused "out" "scratch" : tensor<2xf32>

// NAMED-NOT:    attributes
// NAMED:        graph.constant @"a/w" #graph
// NAMED-NEXT:   graph.placeholder @b "in" "bound" initial
// NAMED-NEXT:   graph.constant @start #graph.resource<"{{0*}}3"> : tensor<2xf32>

// BACK:         graph.placeholder @"a/w" "in" "bound" initial #graph.resource<"{{0*}}1"> : tensor<2xf32>
// BACK-NEXT:    graph.placeholder @b "in" "bound" initial #graph.resource<"{{0*}}2"> axes ["N"] {note = 1 : i64} : tensor<2xf32>

graph.placeholder @x "in" : tensor<2xf32>
graph.placeholder @"a/w" "in" "bound" initial #graph.resource<"0000000000000000000000000000000000000000000000000000000000000001"> : tensor<2xf32>
graph.placeholder @b "in" "bound" initial #graph.resource<"0000000000000000000000000000000000000000000000000000000000000002"> axes ["N"] {note = 1 : i64} : tensor<2xf32>
graph.placeholder @start "in" "resident" initial #graph.resource<"0000000000000000000000000000000000000000000000000000000000000003"> : tensor<2xf32>
graph.placeholder @open "in" "resident" : tensor<2xf32>
graph.placeholder @count "inout" "resident" : tensor<2xf32>
graph.placeholder @other "in" "bound" initial #graph.resource<"0000000000000000000000000000000000000000000000000000000000000004"> : tensor<2xf32>
graph.placeholder @y "out" : tensor<2xf32>
graph.placeholder @unused "out" "scratch" : tensor<2xf32>

func.func @main() {
  %0 = graph.load @"a/w" : tensor<2xf32>
  graph.save @count, %0 : tensor<2xf32>
  graph.save @y, %0 : tensor<2xf32>
  func.return
}
func.func @training() {
  %0 = graph.load @b : tensor<2xf32>
  graph.save @other, %0 : tensor<2xf32>
  func.return
}
