// RUN: glow-opt %s -p arguments-to-placeholders,verify-symbols --split-input-file --print-debuginfo --verify-diagnostics | filecheck %s

// CHECK:      graph.placeholder @x "in" : tensor<2xf32> loc("x")
// CHECK-NEXT: graph.placeholder @input1 "in" : tensor<2xf32> loc("input1")
// CHECK-NEXT: graph.placeholder @sum "out" : tensor<2xf32> loc("sum")
// CHECK-NEXT: graph.placeholder @output1 "out" : tensor<2xf32> loc("output1")
// CHECK-NEXT: graph.placeholder @sum_1 "out" : tensor<2xf32>
// CHECK-NEXT: func.func @main() {
// CHECK-NEXT:   %x = graph.load @x : tensor<2xf32> loc("x")
// CHECK-NEXT:   %0 = graph.load @input1 : tensor<2xf32> loc("input1")
// CHECK-NEXT:   %sum = graph.add %x, %0
// CHECK-NEXT:   %1 = graph.neg %sum
// CHECK-NEXT:   graph.save @sum, %sum : tensor<2xf32> loc("sum")
// CHECK-NEXT:   graph.save @output1, %1 : tensor<2xf32> loc("output1")
// CHECK-NEXT:   graph.save @sum_1, %sum
// CHECK-NEXT:   func.return loc
func.func @network(%x: tensor<2xf32>, %0: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %sum = graph.add %x, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = graph.neg %sum : (tensor<2xf32>) -> tensor<2xf32>
  func.return %sum, %1, %sum : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// A name that is taken gets a number, and so does what is returned as it came.
// CHECK:      graph.placeholder @x_1 "in" : tensor<2xf32>
// CHECK-NEXT: graph.placeholder @x_2 "out" : tensor<2xf32>
// CHECK-NEXT: graph.placeholder @x "in" : tensor<3xf32>
// CHECK-NEXT: func.func @main() {
// CHECK-NEXT:   [[X:%.*]] = graph.load @x_1
// CHECK-NEXT:   graph.save @x_2, [[X]]
graph.placeholder @x "in" : tensor<3xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  func.return %x : tensor<2xf32>
}

// -----

// Of several functions it is the one called main.
// CHECK-LABEL: func.func @helper(%x: tensor<2xf32>
// CHECK-LABEL: func.func @main() {
func.func @helper(%x: tensor<2xf32>) {
  func.return
}
func.func @main(%x: tensor<2xf32>) {
  func.return
}

// -----

// CHECK-LABEL: func.func @network() {
// CHECK-NEXT:    func.return
func.func @network() {
  func.return
}

// -----

// CHECK:       graph.placeholder @c "out" : tensor<2xf32>
// CHECK-LABEL: func.func @main() {
func.func @constant() -> tensor<2xf32> {
  %c = graph.literal dense<1.0> : tensor<2xf32> : tensor<2xf32>
  func.return %c : tensor<2xf32>
}

// -----

// CHECK: expected one function, or one that is @main, got @first, @second
func.func @first() {
  func.return
}
func.func @second() {
  func.return
}

// -----

// CHECK: expected one function, or one that is @main, got none
graph.placeholder @x "in" : tensor<3xf32>

// -----

// CHECK: expected arguments and results that are tensors, got f32
func.func @scalar(%x: f32) {
  func.return
}

// -----

// CHECK: expected @declared to be one block that returns
func.func private @declared(tensor<2xf32>)
