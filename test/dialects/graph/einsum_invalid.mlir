// RUN: REFUSED

// CHECK: expected 2 operands by "ij,jk", got 1
func.func @operands(%a: tensor<2x3xf32>) {
  %y = graph.einsum %a {equation = "ij,jk"} : (tensor<2x3xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected letters, one ellipsis per term, commas and one arrow, got "1" in "i1->i"
func.func @sign(%a: tensor<2x3xf32>) {
  %y = graph.einsum %a {equation = "i1->i"} : (tensor<2x3xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected letters, one ellipsis per term, commas and one arrow, got "." in "...i...->i"
func.func @second_ellipsis(%a: tensor<2x3xf32>) {
  %y = graph.einsum %a {equation = "...i...->i"} : (tensor<2x3xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected letters, one ellipsis per term, commas and one arrow, got "-" in "ij->i->"
func.func @second_arrow(%a: tensor<2x3xf32>) {
  %y = graph.einsum %a {equation = "ij->i->"} : (tensor<2x3xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected 2 axes by "ij" of "ij->i", got 3
func.func @axes(%a: tensor<2x3x4xf32>) {
  %y = graph.einsum %a {equation = "ij->i"} : (tensor<2x3x4xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected 2 axes by "i...j" of "i...j->i", got 1
func.func @fewer_axes(%a: tensor<2xf32>) {
  %y = graph.einsum %a {equation = "i...j->i"} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected one extent of axis "j", got 3 and 4
func.func @extents(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) {
  %y = graph.einsum %a, %b {equation = "ij,jk->ik"} : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  func.return
}

// -----

// CHECK: expected one extent of axis "i", got 1 and 3
func.func @one_on_a_diagonal(%a: tensor<1x3xf32>) {
  %y = graph.einsum %a {equation = "ii->i"} : (tensor<1x3xf32>) -> tensor<3xf32>
  func.return
}

// -----

// CHECK: expected one extent of axis -1 of the ellipsis, got 3 and 4
func.func @ellipses(%a: tensor<3xf32>, %b: tensor<4xf32>) {
  %y = graph.einsum %a, %b {equation = "...,...->..."} : (tensor<3xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: no operand of "ij->k" has the axis "k"
func.func @unknown(%a: tensor<2x3xf32>) {
  %y = graph.einsum %a {equation = "ij->k"} : (tensor<2x3xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: the result of "ij->ii" has "i" twice
func.func @twice(%a: tensor<2x3xf32>) {
  %y = graph.einsum %a {equation = "ij->ii"} : (tensor<2x3xf32>) -> tensor<2x2xf32>
  func.return
}

// -----

// CHECK: expected an ellipsis in the result of "...i->i"
func.func @lost_ellipsis(%a: tensor<2x3xf32>) {
  %y = graph.einsum %a {equation = "...i->i"} : (tensor<2x3xf32>) -> tensor<3xf32>
  func.return
}

// -----

// CHECK: expected one element type, got f32, f64
func.func @types(%a: tensor<3xf32>, %b: tensor<3xf64>) {
  %y = graph.einsum %a, %b {equation = "i,i->"} : (tensor<3xf32>, tensor<3xf64>) -> tensor<f32>
  func.return
}

// -----

// CHECK: expected a float or an integer of 32 or 64 bits element type, got i8
func.func @narrow(%a: tensor<3xi8>, %b: tensor<3xi8>) {
  %y = graph.einsum %a, %b {equation = "i,i->"} : (tensor<3xi8>, tensor<3xi8>) -> tensor<i8>
  func.return
}

// -----

// CHECK: expected result tensor<3xf32>, got tensor<2xf32>
func.func @result(%a: tensor<2x3xf32>) {
  %y = graph.einsum %a {equation = "ij->j"} : (tensor<2x3xf32>) -> tensor<2xf32>
  func.return
}
