// RUN: glow-opt %s --stop-after llvm-ir -t cpu | filecheck %s
// RUN: glow-opt %s --stop-after asm -t cpu | filecheck %s --check-prefix ASM

// A call says for which nodes of the model it is; a name stays on its line.
// CHECK-LABEL: define void @glow_main
// CHECK:         call void @{{.*}}  ; first
// CHECK:         call void @{{.*}}  ; 'second\nlayer'
// CHECK-NOT:     ; unknown

// ASM-LABEL:   glow_main:
func.func @main(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %y = graph.softmax %x {axis = 1 : i64} : (tensor<4x16xf32>) -> tensor<4x16xf32> loc("first")
  %z = graph.relu %y : (tensor<4x16xf32>) -> tensor<4x16xf32> loc("second\0Alayer")
  func.return %z : tensor<4x16xf32>
}
