// RUN: REFUSED

// CHECK: expected a direction out of in, out, inout, got "both"
graph.placeholder @x "both" : tensor<2xf32>

// -----

// CHECK: expected a direction out of in, out, inout, got "both"
graph.placeholder @x "both" "resident" : tensor<2xf32>

// -----

// CHECK: expected a residency out of run, bound, resident, scratch, got "forever"
graph.placeholder @x "in" "forever" : tensor<2xf32>

// -----

// CHECK: expected direction in of a "bound" placeholder, got "inout"
graph.placeholder @x "inout" "bound" initial #graph.resource<"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"> : tensor<2xf32>

// -----

// CHECK: expected direction in or inout of a "resident" placeholder, got "out"
graph.placeholder @x "out" "resident" : tensor<2xf32>

// -----

// CHECK: expected direction out of a "scratch" placeholder, got "in"
graph.placeholder @x "in" "scratch" : tensor<2xf32>

// -----

// CHECK: expected direction out of a "scratch" placeholder, got "inout"
graph.placeholder @x "inout" "scratch" : tensor<2xf32>

// -----

// CHECK: expected an initial value of a "bound" placeholder, got none
graph.placeholder @x "in" "bound" : tensor<2xf32>

// -----

// CHECK: expected an initial value of bound and resident placeholders only, this one is "run"
graph.placeholder @x "in" initial #graph.resource<"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"> : tensor<2xf32>

// -----

// CHECK: expected an initial value of bound and resident placeholders only, this one is "scratch"
graph.placeholder @x "out" "scratch" initial #graph.resource<"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"> : tensor<2xf32>

// -----

// CHECK: expected 64 hexadecimal digits, got '0123'
graph.constant @w #graph.resource<"0123"> : tensor<2xf32>

// -----

// CHECK: 'graph.placeholder' expects parent op 'builtin.module'
func.func @placeholder_inside() {
  graph.placeholder @x "in" : tensor<2xf32>
  func.return
}

// -----

// CHECK: Redefinition of symbol "x"
graph.placeholder @x "in" : tensor<2xf32>
graph.placeholder @x "out" : tensor<2xf32>

// -----

// CHECK: expected result tensor<2xf32>, got tensor<2xi32>
func.func @literal_of_another_type() {
  %a = graph.literal dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xi32>
  func.return
}

// -----

// CHECK: expected the meaning of 2 axes, got 1
graph.placeholder @x "in" axes ["DATA_BATCH"] : tensor<2x3xf32>

// -----

// CHECK: expected the meaning of 2 axes, got 3
graph.constant @w #graph.resource<"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"> axes ["A", "B", "C"] : tensor<2x3xf32>

// -----

// CHECK: expected at most 32 bits
func.func @literal_of_too_many_bits() {
  %a = graph.literal dense<[0xfff0000000000000]> : tensor<1xf32> : tensor<1xf32>
  func.return
}
