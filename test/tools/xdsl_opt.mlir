// xDSL's own tool finds our dialects and passes through the entry point.
// RUN: not xdsl-opt %s -p merge-nothing 2>&1 | filecheck %s --check-prefix UNKNOWN
// RUN: xdsl-opt %s -p fold-constants,dce | filecheck %s

// UNKNOWN: merge-nothing

// CHECK:      func.func @main() -> tensor<2xf32> {
// CHECK-NEXT:   %{{.*}} = graph.literal dense<{{.*}}> : tensor<2xf32> : tensor<2xf32>
// CHECK-NEXT:   func.return
func.func @main() -> tensor<2xf32> {
  %0 = graph.literal dense<[-1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %1 = graph.relu %0 : (tensor<2xf32>) -> tensor<2xf32>
  func.return %1 : tensor<2xf32>
}
