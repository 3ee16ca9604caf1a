// RUN: glow-opt %s -p assign-layouts{target=reference} | filecheck %s

// An op of which the target asks nothing, and that does not say how its axes run.
// CHECK-LABEL: @whoever_says_nothing_is_row_major
// CHECK:         graph.relu {{.*}} -> tensor<1x4x7x7xf32, #layout.physical<NHWC>>
// CHECK-NEXT:    %[[T:.*]] = layout.transform %{{.*}} -> tensor<1x4x7x7xf32>
// CHECK-NEXT:    graph.max_pool %[[T]] {{.*}} -> tensor<1x4x6x6xf32>
func.func @whoever_says_nothing_is_row_major(%x: tensor<1x4x7x7xf32, #layout.physical<NHWC>>) {
  %0 = graph.relu %x : (tensor<1x4x7x7xf32, #layout.physical<NHWC>>) -> tensor<1x4x7x7xf32>
  %1 = graph.max_pool %0 {kernel_shape = array<i64: 2, 2>} : (tensor<1x4x7x7xf32>) -> tensor<1x4x6x6xf32>
  func.return
}
