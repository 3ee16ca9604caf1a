// RUN: ROUNDTRIP

// CHECK-LABEL: @sin
// CHECK: %y = graph.sin %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @sin(%x: tensor<2x3xf32>) {
  %y = graph.sin %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @cos
// CHECK: %y = graph.cos %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @cos(%x: tensor<2x3xf32>) {
  %y = graph.cos %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @tan
// CHECK: %y = graph.tan %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @tan(%x: tensor<2x3xf32>) {
  %y = graph.tan %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @asin
// CHECK: %y = graph.asin %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @asin(%x: tensor<2x3xf32>) {
  %y = graph.asin %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @acos
// CHECK: %y = graph.acos %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @acos(%x: tensor<2x3xf32>) {
  %y = graph.acos %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @atan
// CHECK: %y = graph.atan %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @atan(%x: tensor<2x3xf32>) {
  %y = graph.atan %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @sinh
// CHECK: %y = graph.sinh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @sinh(%x: tensor<2x3xf32>) {
  %y = graph.sinh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @cosh
// CHECK: %y = graph.cosh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @cosh(%x: tensor<2x3xf32>) {
  %y = graph.cosh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @tanh
// CHECK: %y = graph.tanh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @tanh(%x: tensor<2x3xf32>) {
  %y = graph.tanh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @asinh
// CHECK: %y = graph.asinh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @asinh(%x: tensor<2x3xf32>) {
  %y = graph.asinh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @acosh
// CHECK: %y = graph.acosh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @acosh(%x: tensor<2x3xf32>) {
  %y = graph.acosh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @atanh
// CHECK: %y = graph.atanh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @atanh(%x: tensor<2x3xf32>) {
  %y = graph.atanh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}
