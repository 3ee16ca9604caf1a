// RUN: ROUNDTRIP

// CHECK-LABEL: @abs
// CHECK: %y = graph.abs %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @abs(%x: tensor<2x3xf32>) {
  %y = graph.abs %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @abs_of_integers
// CHECK: %y = graph.abs %x : (tensor<2x3xi64>) -> tensor<2x3xi64>
func.func @abs_of_integers(%x: tensor<2x3xi64>) {
  %y = graph.abs %x : (tensor<2x3xi64>) -> tensor<2x3xi64>
  func.return
}

// CHECK-LABEL: @neg
// CHECK: %y = graph.neg %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @neg(%x: tensor<2x3xf32>) {
  %y = graph.neg %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @neg_of_integers
// CHECK: %y = graph.neg %x : (tensor<2x3xi64>) -> tensor<2x3xi64>
func.func @neg_of_integers(%x: tensor<2x3xi64>) {
  %y = graph.neg %x : (tensor<2x3xi64>) -> tensor<2x3xi64>
  func.return
}

// CHECK-LABEL: @exp
// CHECK: %y = graph.exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @exp(%x: tensor<2x3xf32>) {
  %y = graph.exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @log
// CHECK: %y = graph.log %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @log(%x: tensor<2x3xf32>) {
  %y = graph.log %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @sqrt
// CHECK: %y = graph.sqrt %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @sqrt(%x: tensor<2x3xf32>) {
  %y = graph.sqrt %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @reciprocal
// CHECK: %y = graph.reciprocal %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @reciprocal(%x: tensor<2x3xf32>) {
  %y = graph.reciprocal %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @erf
// CHECK: %y = graph.erf %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @erf(%x: tensor<2x3xf32>) {
  %y = graph.erf %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @floor
// CHECK: %y = graph.floor %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @floor(%x: tensor<2x3xf32>) {
  %y = graph.floor %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @ceil
// CHECK: %y = graph.ceil %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @ceil(%x: tensor<2x3xf32>) {
  %y = graph.ceil %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @round
// CHECK: %y = graph.round %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @round(%x: tensor<2x3xf32>) {
  %y = graph.round %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @sign
// CHECK: %y = graph.sign %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @sign(%x: tensor<2x3xf32>) {
  %y = graph.sign %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @sign_of_integers
// CHECK: %y = graph.sign %x : (tensor<2x3xi64>) -> tensor<2x3xi64>
func.func @sign_of_integers(%x: tensor<2x3xi64>) {
  %y = graph.sign %x : (tensor<2x3xi64>) -> tensor<2x3xi64>
  func.return
}

// CHECK-LABEL: @is_nan
// CHECK: %y = graph.is_nan %x : (tensor<2x3xf32>) -> tensor<2x3xi1>
func.func @is_nan(%x: tensor<2x3xf32>) {
  %y = graph.is_nan %x : (tensor<2x3xf32>) -> tensor<2x3xi1>
  func.return
}

// CHECK-LABEL: @is_inf
// CHECK: %y = graph.is_inf %x : (tensor<2x3xf32>) -> tensor<2x3xi1>
func.func @is_inf(%x: tensor<2x3xf32>) {
  %y = graph.is_inf %x : (tensor<2x3xf32>) -> tensor<2x3xi1>
  func.return
}

// CHECK-LABEL: @is_inf_with_parameters
// CHECK: %y = graph.is_inf %x {detect_negative, detect_positive} : (tensor<2x3xf32>) -> tensor<2x3xi1>
func.func @is_inf_with_parameters(%x: tensor<2x3xf32>) {
  %y = graph.is_inf %x {detect_negative, detect_positive} : (tensor<2x3xf32>) -> tensor<2x3xi1>
  func.return
}
