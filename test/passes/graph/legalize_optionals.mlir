// RUN: glow-opt %s -p legalize-optionals | filecheck %s
// RUN: glow-opt %s -p legalize-optionals{target=reference} | filecheck %s

// Targets that need more or take less are in test/unit/test_optional_targets.py.
// CHECK-LABEL: @what_is_taken_stays
// CHECK-NEXT:    %0 = graph.layer_norm %x bias %b : tensor<8xf32> {axis = 1 : i64}
// CHECK-NEXT:    %1 = graph.layer_norm %0 scale %b : tensor<8xf32> {axis = 1 : i64}
// CHECK-NEXT:    func.return %1
func.func @what_is_taken_stays(%x: tensor<2x8xf32>, %b: tensor<8xf32>) -> tensor<2x8xf32> {
  %0 = graph.layer_norm %x bias %b : tensor<8xf32> {axis = 1 : i64} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = graph.layer_norm %0 scale %b : tensor<8xf32> {axis = 1 : i64} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %1 : tensor<2x8xf32>
}
