// A model as files for a program of C.
// RUN: rm -rf %t && mkdir %t && glow-opt %s --emit-c %t/net.h --cpu-features neon | filecheck %s --check-prefix NOTHING --allow-empty
// RUN: filecheck %s < %t/net.h
// RUN: ls %t | filecheck %s --check-prefix FILES
// RUN: glow-opt %s --stop-after memory --cpu-features neon -o %t/low.mlir && glow-opt %t/low.mlir --emit-c %t/low.h -o %t/llvm.mlir --cpu-features neon && filecheck %s --check-prefix TEXT < %t/llvm.mlir
// RUN: not glow-opt %s --emit-c %t/my-net.h 2>&1 | filecheck %s --check-prefix NAME
// RUN: not glow-opt %s --emit-c %t/no/net.h 2>&1 | filecheck %s --check-prefix FOLDER
// RUN: not glow-opt %s --emit-c %t/net.h -p dce 2>&1 | filecheck %s --check-prefix PASSES
// RUN: not glow-opt %s --emit-c %t/net.h --stop-after graph 2>&1 | filecheck %s --check-prefix STAGE
// RUN: not glow-opt %s --emit-c %t/net.h --emit-graph %t/net.dot 2>&1 | filecheck %s --check-prefix GRAPH
// RUN: not glow-opt %s --emit-c %t/net.h --layout-report 2>&1 | filecheck %s --check-prefix REPORT
// RUN: not glow-opt %s --emit-c %t/net.h --target reference 2>&1 | filecheck %s --check-prefix TARGET
// RUN: sed s/@main/@other/ %t/llvm.mlir > %t/other.mlir && not glow-opt %t/other.mlir --emit-c %t/net.h 2>&1 | filecheck %s --check-prefix NO-MAIN

// NOTHING-NOT: {{.}}

// CHECK:      aarch64
// CHECK:      #ifndef NET_H
// CHECK:      #define NET_ARENA_BYTES {{\d+}}
// CHECK-NEXT: #define NET_ARENA_ALIGNMENT 64
// CHECK:      #define NET_WEIGHTS_BYTES {{\d+}}
// CHECK-NEXT: #define NET_WEIGHTS_ALIGNMENT 64
// CHECK-NEXT: extern const unsigned char net_weights[];
// CHECK:      /* x: float32[4, 8]; read. */
// CHECK-NEXT: #define NET_X_COUNT 32
// CHECK-NEXT: #define NET_X_BYTES 128
// CHECK-NEXT: #define NET_X_ALIGNMENT 4
// CHECK:      /* hot: bool[4]; written; 0 or 1. */
// CHECK:      int net_run(
// CHECK-NEXT:     const float *x,
// CHECK-NEXT:     const int64_t *at,
// CHECK-NEXT:     uint8_t *hot,
// CHECK-NEXT:     double *y,
// CHECK-NEXT:     const void *weights,
// CHECK-NEXT:     void *arena);
// CHECK:      static inline const char *net_fault(int code)
// CHECK:          case 1: return "expected an index in [-4, 3] (graph.gather, from {{.*}}emit_c.mlir:{{\d+}})";

// FILES:      net.h
// FILES-NEXT: net.o
// FILES-NEXT: net.weights.o

// TEXT: llvm.func @main(

// NAME:    error: expected a header whose name is one of C, such as net.h, to write to, got {{.*}}/my-net.h
// FOLDER:  error: {{.*}}/no/net.h: no folder {{.*}}/no
// PASSES:  error: expected --emit-c with --stop-after llvm, got --passes
// STAGE:   error: expected --emit-c with --stop-after llvm, got --stop-after graph
// GRAPH:   error: expected --stop-after import, graph or layout with --emit-graph, got llvm
// REPORT:  error: expected --emit-c with --stop-after llvm, got --stop-after layout
// TARGET:  error: target reference writes no code for C
// NO-MAIN: error: expected a model to write for C, got functions alone

graph.placeholder @x "in" : tensor<4x8xf32>
graph.placeholder @at "in" : tensor<4xi64>
graph.placeholder @hot "out" : tensor<4xi1>
graph.placeholder @y "out" : tensor<4x8xf64>
func.func @main() {
  %x = graph.load @x : tensor<4x8xf32>
  %at = graph.load @at : tensor<4xi64>
  %0 = graph.gather %x, %at : (tensor<4x8xf32>, tensor<4xi64>) -> tensor<4x8xf32>
  %1 = graph.cast %0 {to = f64} : (tensor<4x8xf32>) -> tensor<4x8xf64>
  %2 = graph.less %at, %at : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
  graph.save @hot, %2 : tensor<4xi1>
  graph.save @y, %1 : tensor<4x8xf64>
  func.return
}
