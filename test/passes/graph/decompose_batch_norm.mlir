// RUN: glow-opt %s -p decompose-batch-norm --print-debuginfo | filecheck %s

// factor = scale / sqrt(variance + epsilon) = (1, 3); shift = bias - mean * factor = (-1, 3).
// CHECK-LABEL: @known_parameters
// CHECK:         [[F:%.*]] = graph.literal dense<{{.*}}1.000000e+00{{.*}}3.000000e+00{{.*}}> : tensor<2x1x1xf32> : tensor<2x1x1xf32> loc("bn")
// CHECK-NEXT:    [[S:%.*]] = graph.literal dense<{{.*}}-1.000000e+00{{.*}}3.000000e+00{{.*}}> : tensor<2x1x1xf32> : tensor<2x1x1xf32> loc("bn")
// CHECK-NEXT:    [[M:%.*]] = graph.mul %x, [[F]] : {{.*}} loc("bn")
// CHECK-NEXT:    [[A:%.*]] = graph.add [[M]], [[S]] : {{.*}} loc("bn")
// CHECK-NEXT:    graph.relu [[A]]
func.func @known_parameters(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %s = graph.literal dense<[2.0, 9.0]> : tensor<2xf32> : tensor<2xf32>
  %t = graph.literal dense<[-1.0, 9.0]> : tensor<2xf32> : tensor<2xf32>
  %m = graph.literal dense<[0.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %v = graph.literal dense<[3.0, 8.0]> : tensor<2xf32> : tensor<2xf32>
  %1 = graph.batch_norm %x, %m, %v scale %s : tensor<2xf32> bias %t : tensor<2xf32> {epsilon = 1.0} : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32> loc("bn")
  %2 = graph.relu %1 : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  func.return %2 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: @unknown_parameters
// CHECK:         [[E:%.*]] = graph.literal dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT:    [[P:%.*]] = graph.add %v, [[E]]
// CHECK-NEXT:    [[D:%.*]] = graph.sqrt [[P]]
// CHECK-NEXT:    [[F:%.*]] = graph.div %s, [[D]]
// CHECK-NEXT:    [[C:%.*]] = graph.mul %m, [[F]]
// CHECK-NEXT:    [[S:%.*]] = graph.sub %t, [[C]]
// CHECK-NEXT:    [[FR:%.*]] = graph.reshape [[F]] {shape = array<i64: 2, 1>}
// CHECK-NEXT:    [[SR:%.*]] = graph.reshape [[S]] {shape = array<i64: 2, 1>}
// CHECK-NEXT:    [[M:%.*]] = graph.mul %x, [[FR]]
// CHECK-NEXT:    [[A:%.*]] = graph.add [[M]], [[SR]]
// CHECK-NEXT:    func.return [[A]]
func.func @unknown_parameters(%x: tensor<1x2x4xf32>, %s: tensor<2xf32>, %t: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>) -> tensor<1x2x4xf32> {
  %1 = graph.batch_norm %x, %m, %v scale %s : tensor<2xf32> bias %t : tensor<2xf32> {epsilon = 0.5} : (tensor<1x2x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4xf32>
  func.return %1 : tensor<1x2x4xf32>
}

// factor = 1 / sqrt(variance + epsilon) = (0.5, 1); shift = -mean * factor = (1, -2).
// CHECK-LABEL: @known_without_scale_and_bias
// CHECK:         [[F:%.*]] = graph.literal dense<{{.*}}5.000000e-01{{.*}}1.000000e+00{{.*}}> : tensor<2x1xf32>
// CHECK-NEXT:    [[S:%.*]] = graph.literal dense<{{.*}}1.000000e+00{{.*}}-2.000000e+00{{.*}}> : tensor<2x1xf32>
// CHECK-NEXT:    [[M:%.*]] = graph.mul %x, [[F]]
// CHECK-NEXT:    graph.add [[M]], [[S]]
func.func @known_without_scale_and_bias(%x: tensor<1x2x4xf32>) -> tensor<1x2x4xf32> {
  %m = graph.literal dense<[-2.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
  %v = graph.literal dense<[3.0, 0.0]> : tensor<2xf32> : tensor<2xf32>
  %1 = graph.batch_norm %x, %m, %v {epsilon = 1.0} : (tensor<1x2x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4xf32>
  func.return %1 : tensor<1x2x4xf32>
}

// CHECK-LABEL: @unknown_without_scale_and_bias
// CHECK:         [[D:%.*]] = graph.sqrt
// CHECK-NEXT:    [[ONE:%.*]] = graph.literal dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:    [[F:%.*]] = graph.div [[ONE]], [[D]]
// CHECK-NEXT:    [[C:%.*]] = graph.mul %m, [[F]]
// CHECK-NEXT:    graph.neg [[C]]
func.func @unknown_without_scale_and_bias(%x: tensor<1x2x4xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>) -> tensor<1x2x4xf32> {
  %1 = graph.batch_norm %x, %m, %v : (tensor<1x2x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4xf32>
  func.return %1 : tensor<1x2x4xf32>
}

// CHECK-LABEL: @layouts_are_kept_with_known_parameters
// CHECK:         graph.batch_norm
// CHECK-NEXT:    func.return
func.func @layouts_are_kept_with_known_parameters(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32, #layout.physical<NHWC>> {
  %s = graph.literal dense<[2.0, 9.0]> : tensor<2xf32> : tensor<2xf32>
  %1 = graph.batch_norm %x, %s, %s scale %s : tensor<2xf32> bias %s : tensor<2xf32> : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32, #layout.physical<NHWC>>
  func.return %1 : tensor<1x2x4x4xf32, #layout.physical<NHWC>>
}

// CHECK-LABEL: @layouts_are_kept
// CHECK:         graph.batch_norm
// CHECK-NEXT:    func.return
func.func @layouts_are_kept(%x: tensor<1x2x4x4xf32>, %s: tensor<2xf32>) -> tensor<1x2x4x4xf32, #layout.physical<NHWC>> {
  %1 = graph.batch_norm %x, %s, %s scale %s : tensor<2xf32> bias %s : tensor<2xf32> : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32, #layout.physical<NHWC>>
  func.return %1 : tensor<1x2x4x4xf32, #layout.physical<NHWC>>
}
