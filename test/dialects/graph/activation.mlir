// RUN: ROUNDTRIP

// CHECK-LABEL: @relu
// CHECK: %y = graph.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @relu(%x: tensor<2x3xf32>) {
  %y = graph.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @relu_of_integers
// CHECK: %y = graph.relu %x : (tensor<2x3xi64>) -> tensor<2x3xi64>
func.func @relu_of_integers(%x: tensor<2x3xi64>) {
  %y = graph.relu %x : (tensor<2x3xi64>) -> tensor<2x3xi64>
  func.return
}

// CHECK-LABEL: @leaky_relu
// CHECK: %y = graph.leaky_relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @leaky_relu(%x: tensor<2x3xf32>) {
  %y = graph.leaky_relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @leaky_relu_with_parameters
// CHECK: %y = graph.leaky_relu %x {alpha = 2.500000e-01 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @leaky_relu_with_parameters(%x: tensor<2x3xf32>) {
  %y = graph.leaky_relu %x {alpha = 2.500000e-01 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @elu
// CHECK: %y = graph.elu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @elu(%x: tensor<2x3xf32>) {
  %y = graph.elu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @elu_with_parameters
// CHECK: %y = graph.elu %x {alpha = 2.500000e-01 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @elu_with_parameters(%x: tensor<2x3xf32>) {
  %y = graph.elu %x {alpha = 2.500000e-01 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @selu
// CHECK: %y = graph.selu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @selu(%x: tensor<2x3xf32>) {
  %y = graph.selu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @selu_with_parameters
// CHECK: %y = graph.selu %x {alpha = 2.500000e-01 : f64, gamma = 2.000000e+00 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @selu_with_parameters(%x: tensor<2x3xf32>) {
  %y = graph.selu %x {alpha = 2.500000e-01 : f64, gamma = 2.000000e+00 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @celu
// CHECK: %y = graph.celu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @celu(%x: tensor<2x3xf32>) {
  %y = graph.celu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @celu_with_parameters
// CHECK: %y = graph.celu %x {alpha = 2.500000e-01 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @celu_with_parameters(%x: tensor<2x3xf32>) {
  %y = graph.celu %x {alpha = 2.500000e-01 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @thresholded_relu
// CHECK: %y = graph.thresholded_relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @thresholded_relu(%x: tensor<2x3xf32>) {
  %y = graph.thresholded_relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @thresholded_relu_with_parameters
// CHECK: %y = graph.thresholded_relu %x {alpha = 2.500000e-01 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @thresholded_relu_with_parameters(%x: tensor<2x3xf32>) {
  %y = graph.thresholded_relu %x {alpha = 2.500000e-01 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @hard_sigmoid
// CHECK: %y = graph.hard_sigmoid %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @hard_sigmoid(%x: tensor<2x3xf32>) {
  %y = graph.hard_sigmoid %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @hard_sigmoid_with_parameters
// CHECK: %y = graph.hard_sigmoid %x {alpha = 2.500000e-01 : f64, beta = 7.500000e-01 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @hard_sigmoid_with_parameters(%x: tensor<2x3xf32>) {
  %y = graph.hard_sigmoid %x {alpha = 2.500000e-01 : f64, beta = 7.500000e-01 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @hard_swish
// CHECK: %y = graph.hard_swish %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @hard_swish(%x: tensor<2x3xf32>) {
  %y = graph.hard_swish %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @softplus
// CHECK: %y = graph.softplus %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @softplus(%x: tensor<2x3xf32>) {
  %y = graph.softplus %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @softsign
// CHECK: %y = graph.softsign %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @softsign(%x: tensor<2x3xf32>) {
  %y = graph.softsign %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @mish
// CHECK: %y = graph.mish %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @mish(%x: tensor<2x3xf32>) {
  %y = graph.mish %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @sigmoid
// CHECK: %y = graph.sigmoid %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @sigmoid(%x: tensor<2x3xf32>) {
  %y = graph.sigmoid %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @swish
// CHECK: %y = graph.swish %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @swish(%x: tensor<2x3xf32>) {
  %y = graph.swish %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @swish_with_parameters
// CHECK: %y = graph.swish %x {alpha = 2.500000e-01 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @swish_with_parameters(%x: tensor<2x3xf32>) {
  %y = graph.swish %x {alpha = 2.500000e-01 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @shrink
// CHECK: %y = graph.shrink %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @shrink(%x: tensor<2x3xf32>) {
  %y = graph.shrink %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @shrink_with_parameters
// CHECK: %y = graph.shrink %x {bias = 2.500000e-01 : f64, lambd = 7.500000e-01 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @shrink_with_parameters(%x: tensor<2x3xf32>) {
  %y = graph.shrink %x {bias = 2.500000e-01 : f64, lambd = 7.500000e-01 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @shrink_of_integers
// CHECK: %y = graph.shrink %x : (tensor<2x3xi64>) -> tensor<2x3xi64>
func.func @shrink_of_integers(%x: tensor<2x3xi64>) {
  %y = graph.shrink %x : (tensor<2x3xi64>) -> tensor<2x3xi64>
  func.return
}

// CHECK-LABEL: @gelu
// CHECK: %y = graph.gelu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @gelu(%x: tensor<2x3xf32>) {
  %y = graph.gelu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @gelu_with_parameters
// CHECK: %y = graph.gelu %x {approximate = "tanh"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @gelu_with_parameters(%x: tensor<2x3xf32>) {
  %y = graph.gelu %x {approximate = "tanh"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}
