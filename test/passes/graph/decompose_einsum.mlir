// RUN: glow-opt %s -p decompose-einsum | filecheck %s

// A product whose axes are in an order of matrices moves nothing.
// CHECK-LABEL: @batched
// CHECK-NEXT:    [[Y:%.*]] = graph.matmul %a, %b : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
// CHECK-NEXT:    func.return [[Y]]
func.func @batched(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) -> tensor<2x3x5xf32> {
  %y = graph.einsum %a, %b {equation = "bij,bjk->bik"} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  func.return %y : tensor<2x3x5xf32>
}

// CHECK-LABEL: @scores
// CHECK-NEXT:    [[Y:%.*]] = graph.matmul %a, %b {transpose_rhs}
// CHECK-NEXT:    func.return [[Y]]
func.func @scores(%a: tensor<2x3x4x8xf32>, %b: tensor<2x3x5x8xf32>) -> tensor<2x3x4x5xf32> {
  %y = graph.einsum %a, %b {equation = "bhid,bhjd->bhij"} : (tensor<2x3x4x8xf32>, tensor<2x3x5x8xf32>) -> tensor<2x3x4x5xf32>
  func.return %y : tensor<2x3x4x5xf32>
}

// The second operand is the left factor where the result wants its axes first.
// CHECK-LABEL: @swapped
// CHECK-NEXT:    [[Y:%.*]] = graph.matmul %b, %a {transpose_lhs}
// CHECK-NEXT:    func.return [[Y]]
func.func @swapped(%a: tensor<4x3xf32>, %b: tensor<4x5xf32>) -> tensor<5x3xf32> {
  %y = graph.einsum %a, %b {equation = "ki,kj->ji"} : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<5x3xf32>
  func.return %y : tensor<5x3xf32>
}

// An axis before one that both have is one more batch, along which one factor stays.
// CHECK-LABEL: @positions
// CHECK-NEXT:    [[B:%.*]] = graph.reshape %b {shape = array<i64: 1, 5, 7, 8>}
// CHECK-NEXT:    [[Y:%.*]] = graph.matmul %a, [[B]] {transpose_rhs}
// CHECK-NEXT:    func.return [[Y]]
func.func @positions(%a: tensor<2x5x6x8xf32>, %b: tensor<5x7x8xf32>) -> tensor<2x5x6x7xf32> {
  %y = graph.einsum %a, %b {equation = "bhwc,hkc->bhwk"} : (tensor<2x5x6x8xf32>, tensor<5x7x8xf32>) -> tensor<2x5x6x7xf32>
  func.return %y : tensor<2x5x6x7xf32>
}

// Not where matrices would have one row: then transposes are the lesser evil.
// CHECK-LABEL: @columns
// CHECK-NEXT:    graph.transpose %a
// CHECK:         graph.matmul {{.*}} {transpose_rhs} : (tensor<6x10x8xf32>, tensor<6x7x8xf32>) -> tensor<6x10x7xf32>
func.func @columns(%a: tensor<2x5x6x8xf32>, %b: tensor<6x7x8xf32>) -> tensor<2x5x6x7xf32> {
  %y = graph.einsum %a, %b {equation = "bhwc,wkc->bhwk"} : (tensor<2x5x6x8xf32>, tensor<6x7x8xf32>) -> tensor<2x5x6x7xf32>
  func.return %y : tensor<2x5x6x7xf32>
}

// CHECK-LABEL: @outer
// CHECK-NEXT:    [[A:%.*]] = graph.reshape %a {shape = array<i64: 3, 1>}
// CHECK-NEXT:    [[B:%.*]] = graph.reshape %b {shape = array<i64: 1, 4>}
// CHECK-NEXT:    [[Y:%.*]] = graph.mul [[A]], [[B]]
// CHECK-NEXT:    func.return [[Y]]
func.func @outer(%a: tensor<3xf32>, %b: tensor<4xf32>) -> tensor<3x4xf32> {
  %y = graph.einsum %a, %b {equation = "i,j->ij"} : (tensor<3xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  func.return %y : tensor<3x4xf32>
}

// A diagonal is every fourth of nine elements.
// CHECK-LABEL: @diagonal
// CHECK-NEXT:    [[F:%.*]] = graph.reshape %a {shape = array<i64: 9>}
// CHECK-NEXT:    [[Y:%.*]] = graph.slice [[F]] {starts = array<i64: 0>, sizes = array<i64: 3>, steps = array<i64: 4>}
// CHECK-NEXT:    func.return [[Y]]
func.func @diagonal(%a: tensor<3x3xf32>) -> tensor<3xf32> {
  %y = graph.einsum %a {equation = "ii->i"} : (tensor<3x3xf32>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}

// Operands that share all axes are multiplied element by element, then summed.
// CHECK-LABEL: @rows
// CHECK-NEXT:    [[P:%.*]] = graph.mul %a, %b
// CHECK-NEXT:    [[Y:%.*]] = graph.reduce_sum [[P]] {axes = array<i64: 1>}
// CHECK-NEXT:    func.return [[Y]]
func.func @rows(%a: tensor<3x4xf32>, %b: tensor<3x4xf32>) -> tensor<3xf32> {
  %y = graph.einsum %a, %b {equation = "ij,ij->i"} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3xf32>
  func.return %y : tensor<3xf32>
}

// The short vector goes through the chain first; what only one operand has is summed
// before all.
// CHECK-LABEL: @chain
// CHECK-NEXT:    [[S:%.*]] = graph.reduce_sum %c {axes = array<i64: 1>}
// CHECK:         graph.matmul {{.*}} -> tensor<50x1xf32>
// CHECK:         graph.matmul {{.*}} -> tensor<40x1xf32>
// CHECK-NOT:     graph.matmul
func.func @chain(%a: tensor<40x50xf32>, %b: tensor<50x60xf32>, %c: tensor<60x70xf32>) -> tensor<40xf32> {
  %y = graph.einsum %a, %b, %c {equation = "ab,bc,cd->a"} : (tensor<40x50xf32>, tensor<50x60xf32>, tensor<60x70xf32>) -> tensor<40xf32>
  func.return %y : tensor<40xf32>
}

// CHECK-LABEL: @layouts_are_left
// CHECK-NEXT:    graph.einsum
func.func @layouts_are_left(%a: tensor<3x4xf32, #layout.physical<CN>>) -> tensor<4x3xf32> {
  %y = graph.einsum %a {equation = "ij->ji"} : (tensor<3x4xf32, #layout.physical<CN>>) -> tensor<4x3xf32>
  func.return %y : tensor<4x3xf32>
}
