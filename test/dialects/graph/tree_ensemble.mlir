// RUN: ROUNDTRIP

// CHECK-LABEL: @leaves
// CHECK-NEXT:    %y = graph.tree_ensemble %x, %r, %l, %t, %w {shift = 2 : i64, depth = 1 : i64} : (tensor<8x4xf32>, tensor<1xi32>, tensor<3xi32>, tensor<3xf32>, tensor<3x2xf32>) -> tensor<8x2xf32>
// CHECK-NEXT:    %z = graph.tree_ensemble %d, %r, %m, %u, %w {shift = 0 : i64, depth = 7 : i64, aggregate = "max"} : (tensor<0x1xf64>, tensor<1xi32>, tensor<3xi64>, tensor<3xf64>, tensor<3x2xf32>) -> tensor<0x2xf32>
func.func @leaves(%x: tensor<8x4xf32>, %r: tensor<1xi32>, %l: tensor<3xi32>, %t: tensor<3xf32>, %w: tensor<3x2xf32>, %d: tensor<0x1xf64>, %m: tensor<3xi64>, %u: tensor<3xf64>) {
  %y = graph.tree_ensemble %x, %r, %l, %t, %w {shift = 2 : i64, depth = 1 : i64, aggregate = "sum"} : (tensor<8x4xf32>, tensor<1xi32>, tensor<3xi32>, tensor<3xf32>, tensor<3x2xf32>) -> tensor<8x2xf32>
  %z = graph.tree_ensemble %d, %r, %m, %u, %w {shift = 0 : i64, depth = 7 : i64, aggregate = "max"} : (tensor<0x1xf64>, tensor<1xi32>, tensor<3xi64>, tensor<3xf64>, tensor<3x2xf32>) -> tensor<0x2xf32>
  func.return
}
