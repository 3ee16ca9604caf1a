// RUN: glow-opt %s --split-input-file --parsing-diagnostics | filecheck %s

// CHECK: #layout.physical<NHWQ>
// CHECK-NEXT:                                    ^
// CHECK-NEXT:                                    expected the letters of NC, NCW, NCHW or NCDHW, of OI, OIW, OIHW or OIDHW for filters, or of KN, got "NHWQ"
"test.op"() {l = #layout.physical<NHWQ>} : () -> ()

// -----

// CHECK: #layout.physical<[0, 1:3:x]>
// CHECK-NEXT:                                         ^
// CHECK-NEXT:                                         expected a number, got "x"
"test.op"() {l = #layout.physical<[0, 1:3:x]>} : () -> ()

// -----

// CHECK: expected a dim with what is left of axis 1
"test.op"() {l = #layout.physical<[0, 2]>} : () -> ()

// -----

// CHECK: expected ">", got the end
"test.op"() {l = #layout.physical<NHWC

// -----

// An error has its place in the file, also in the middle of a type.
// CHECK: attribute_invalid.mlir:30:57
// CHECK:   got the wildcard *, which only a target's requirement may have
func.func @wildcard(%x: tensor<1xf32, #layout.physical<N*HW>>) {
  func.return
}

// -----

// CHECK: expected "a=", or a namespace and ":", got "b"
func.func @unknown_key(%x: tensor<1x2xf32, #layout.physical<N[b=3]C>>) {
  func.return
}

// -----

// CHECK: expected ] on the line of its [
func.func @open_extension(%x: tensor<1x2xf32, #layout.physical<N[answer:42C>>) {
  func.return
}

// -----

// CHECK: expected ">", got "("
func.func @no_end(%x: tensor<1x2xf32, #layout.physical<NC (
