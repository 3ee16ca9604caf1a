// Graphs as text of Graphviz, at the levels that have graphs.
// RUN: glow-opt %s --emit-graph %t.dot && filecheck %s --check-prefix PLAIN < %t.dot
// RUN: glow-opt %s --emit-graph %t.dot -o %t.mlir && glow-opt %t.mlir | filecheck %s --check-prefix TEXT
// RUN: glow-opt %s --emit-graph %t.dot --stop-after layout --cpu-features avx2 && filecheck %s --check-prefix LAYOUT < %t.dot
// RUN: glow-opt %s --emit-graph %t.dot --layout-report | filecheck %s --check-prefix REPORT
// RUN: not glow-opt %s --emit-graph %t.jpg 2>&1 | filecheck %s --check-prefix SUFFIX
// RUN: not glow-opt %s --emit-graph %t.dot --stop-after memory 2>&1 | filecheck %s --check-prefix STAGE
// RUN: not glow-opt %s --emit-graph %t.dot -p graph-to-memory 2>&1 | filecheck %s --check-prefix LEVEL

// PLAIN:      digraph {
// PLAIN:        [[X:n[0-9]+]] [label="@x\nin", shape="ellipse"
// PLAIN:        [[CONV:n[0-9]+]] [label="graph.conv pads 1,1,1,1\nfirst\nliteral: 8x8x3x3xf32"];
// PLAIN:        [[RELU:n[0-9]+]] [label="graph.relu\na \"quoted\" \\ name"];
// PLAIN:        [[Y:n[0-9]+]] [label="@y\nout", shape="ellipse"
// PLAIN:        [[X]] -> [[CONV]] [label=" 1x8x6x6xf32", fontcolor="#444444", color="#444444"];
// PLAIN-NEXT:   [[CONV]] -> [[RELU]]
// PLAIN-NEXT:   [[RELU]] -> [[Y]]
// PLAIN:        subgraph cluster_legend {
// PLAIN:          [label="row-major"
// PLAIN-NOT:      [label=

// TEXT: graph.conv

// LAYOUT:      [[MOVE:n[0-9]+]] [label="layout.transform row-major → NHWC\nfirst", color="#c00000"
// LAYOUT-NEXT: [[GROUP:n[0-9]+]] [label="first + a \"quoted\" \\ name\ngraph.conv pads 1,1,1,1\n{{.*}}\ngraph.relu", style="rounded,filled"
// LAYOUT:      [[MOVE]] -> [[GROUP]] [label=" 1x8x6x6xf32", fontcolor="#0072b2", color="#0072b2"
// LAYOUT:        [label="row-major", fontcolor="#444444"
// LAYOUT-NEXT:   [label="NHWC: axes 0 2 3 1", fontcolor="#0072b2"

// REPORT: layout level

// SUFFIX: error: expected a file ending in .html, .svg, .png, .pdf, .dot to draw to, got {{.*}}.jpg
// STAGE:  error: expected --stop-after import, graph or layout with --emit-graph, got memory
// LEVEL:  error: expected graph or layout IR to draw, got memory IR

graph.placeholder @x "in" : tensor<1x8x6x6xf32>
graph.placeholder @y "out" : tensor<1x8x6x6xf32>

func.func @main() {
  %0 = graph.load @x : tensor<1x8x6x6xf32>
  %1 = graph.literal dense<1.0> : tensor<8x8x3x3xf32> : tensor<8x8x3x3xf32>
  %2 = graph.conv %0, %1 {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x8x6x6xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x6x6xf32> loc("first")
  %3 = graph.relu %2 : (tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32> loc("a \"quoted\" \\ name")
  graph.save @y, %3 : tensor<1x8x6x6xf32>
  func.return
}
