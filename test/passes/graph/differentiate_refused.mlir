// RUN: not glow-opt %s -p 'differentiate{function=adaptive of=0}' 2>&1 | filecheck %s
// RUN: not glow-opt %s -p 'differentiate{function=boxes}' 2>&1 | filecheck %s --check-prefix BOXES

// CHECK: cannot differentiate graph.roi_align: the number of samples of a bin is known only at run time, expected a sampling_ratio of at least 1; the way from it to the results is graph.roi_align
func.func @adaptive(%x: tensor<1x4x8x8xf32>, %rois: tensor<5x4xf32>, %batches: tensor<5xi64>) -> tensor<5x4x2x1xf32> {
  %y = graph.roi_align %x, %rois, %batches {output_height = 2 : i64} : (tensor<1x4x8x8xf32>, tensor<5x4xf32>, tensor<5xi64>) -> tensor<5x4x2x1xf32>
  func.return %y : tensor<5x4x2x1xf32>
}

// BOXES: cannot differentiate graph.roi_align: it has a gradient by images alone, expected boxes that are constant
func.func @boxes(%x: tensor<1x4x8x8xf32>, %rois: tensor<5x4xf32>, %batches: tensor<5xi64>) -> tensor<5x4x2x1xf32> {
  %y = graph.roi_align %x, %rois, %batches {output_height = 2 : i64, sampling_ratio = 2 : i64} : (tensor<1x4x8x8xf32>, tensor<5x4xf32>, tensor<5xi64>) -> tensor<5x4x2x1xf32>
  func.return %y : tensor<5x4x2x1xf32>
}
