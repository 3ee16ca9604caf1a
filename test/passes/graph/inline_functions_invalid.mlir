// RUN: not glow-opt %s -p inline-functions --split-input-file 2>&1 | filecheck %s

// CHECK: expected functions that do not recur, got @f, @g
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.call @g(%x) : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
func.func private @g(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
