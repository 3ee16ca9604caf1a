// RUN: glow-opt %s -p graph-to-memory | filecheck %s

// Indices are brought into range once, then compared with every place in 32 bits; values
// that are known are constants, others are inputs.
// CHECK-LABEL: @main
// CHECK:         [[I:%.*]] = memory.alloc : memref<3xi32>
// CHECK-NEXT:    memory.elementwise ins(%{{.*}} : memref<3xi64>) outs([[I]] : memref<3xi32>)
// CHECK:         [[P:%.*]] = memory.view [[I]] : memref<3xi32> -> memref<3x1xi32, strided<[1, 0]>>
// CHECK:         memory.elementwise ins([[P]], %{{.*}} : memref<3x1xi32, strided<[1, 0]>>, memref<5xi32>) outs(%{{.*}} : memref<3x5xf32>)
// CHECK:           [[S:%.*]] = arith.cmpi eq
// CHECK:           arith.select [[S]]
// CHECK:         [[OFF:%.*]] = memory.view %{{.*}} : memref<2xf32> -> memref<f32, strided<[]>>
// CHECK:         [[ON:%.*]] = memory.view %{{.*}} : memref<2xf32> -> memref<f32, strided<[], offset: 1>>
// CHECK:         memory.elementwise ins(%{{.*}}, %{{.*}}, [[OFF]], [[ON]] : memref<1x3xi32, {{.*}}>, memref<5x1xi32>, {{.*}}) outs(%{{.*}} : memref<5x3xf32>)
graph.placeholder @i "in" : tensor<3xi64>
graph.placeholder @v "in" : tensor<2xf32>
graph.placeholder @a "out" : tensor<3x5xf32>
graph.placeholder @b "out" : tensor<5x3xf32>
func.func @main() {
  %i = graph.load @i : tensor<3xi64>
  %v = graph.load @v : tensor<2xf32>
  %w = graph.literal dense<[0.0, 1.0]> : tensor<2xf32> : tensor<2xf32>
  %a = graph.one_hot %i, %w {depth = 5 : i64} : (tensor<3xi64>, tensor<2xf32>) -> tensor<3x5xf32>
  %b = graph.one_hot %i, %v {depth = 5 : i64, axis = 0 : i64} : (tensor<3xi64>, tensor<2xf32>) -> tensor<5x3xf32>
  graph.save @a, %a : tensor<3x5xf32>
  graph.save @b, %b : tensor<5x3xf32>
  func.return
}
