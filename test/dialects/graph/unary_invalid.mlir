// RUN: REFUSED

// CHECK: expected a float element type, got i32
func.func @integers_have_no_exponential(%x: tensor<2x3xi32>) {
  %y = graph.exp %x : (tensor<2x3xi32>) -> tensor<2x3xi32>
  func.return
}

// -----

// CHECK: expected a float or integer element type, got i1
func.func @bools_have_no_sign(%x: tensor<2x3xi1>) {
  %y = graph.neg %x : (tensor<2x3xi1>) -> tensor<2x3xi1>
  func.return
}

// -----

// CHECK: expected a float element type, got f80
func.func @f80_is_not_supported(%x: tensor<2x3xf80>) {
  %y = graph.sqrt %x : (tensor<2x3xf80>) -> tensor<2x3xf80>
  func.return
}

// -----

// CHECK: expected result tensor<2x3xi1>, got tensor<2x3xf32>
func.func @is_nan_gives_bools(%x: tensor<2x3xf32>) {
  %y = graph.is_nan %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expected a float element type, got i32
func.func @integers_are_never_infinite(%x: tensor<2x3xi32>) {
  %y = graph.is_inf %x : (tensor<2x3xi32>) -> tensor<2x3xi1>
  func.return
}
