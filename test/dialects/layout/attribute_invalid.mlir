// RUN: glow-opt %s --split-input-file --parsing-diagnostics | filecheck %s

// CHECK: #layout.physical<NHWQ>
// CHECK-NEXT:             ^^^^
// CHECK-NEXT:             expected the letters of NC, NCW, NCHW, NCDHW, of the same with OI, or of KN, got "NHWQ"
"test.op"() {l = #layout.physical<NHWQ>} : () -> ()

// -----

// CHECK: #layout.physical<[0, 1:3:x]>
// CHECK-NEXT:                      ^^
// CHECK-NEXT:                      expected a number, got "x"
"test.op"() {l = #layout.physical<[0, 1:3:x]>} : () -> ()

// -----

// CHECK: expected a dim with what is left of axis 1
"test.op"() {l = #layout.physical<[0, 2]>} : () -> ()

// -----

// CHECK: expected > after a layout
"test.op"() {l = #layout.physical<NHWC
