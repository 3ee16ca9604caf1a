// RUN: glow-opt %s --split-input-file -p 'memory-to-loops{target="cpu:avx2"}' | filecheck %s

// Runs that lie in both buffers: one line of 32 of the source per row.
// CHECK:       dense<[4, 32, 40, 32]> : tensor<4xindex>
// CHECK:       func.func private @copy_
// CHECK:         vector.load %x[
memory.placeholder @x "in" : memref<4x32xf32>
memory.placeholder @y "out" : memref<4x40xf32>
func.func @main() {
  %x = memory.get @x : memref<4x32xf32>
  %y = memory.get @y : memref<4x40xf32>
  %part = memory.view %y : memref<4x40xf32> -> memref<4x32xf32, strided<[40, 1], offset: 8>>
  memory.copy ins(%x : memref<4x32xf32>) outs(%part : memref<4x32xf32, strided<[40, 1], offset: 8>>)
  func.return
}

// -----

// Each side has its own fastest axis: squares of 8 by 8.
// CHECK:       dense<[16, 49, 49, 16]> : tensor<4xindex>
// CHECK:       func.func private @transpose_
// CHECK:         vector.shuffle
memory.placeholder @x "in" : memref<1x16x7x7xf32>
memory.placeholder @y "out" : memref<1x16x7x7xf32, #layout.physical<NHWC>>
func.func @main() {
  %x = memory.get @x : memref<1x16x7x7xf32>
  %y = memory.get @y : memref<1x16x7x7xf32, #layout.physical<NHWC>>
  memory.copy ins(%x : memref<1x16x7x7xf32>) outs(%y : memref<1x16x7x7xf32, #layout.physical<NHWC>>)
  func.return
}

// -----

// Three planes become pixels, and pixels planes.
// CHECK:       dense<49> : tensor<4xindex>
// CHECK:       func.func private @interleave_
// CHECK:       func.func private @separate_
memory.placeholder @x "in" : memref<1x3x7x7xf32>
memory.placeholder @y "out" : memref<1x3x7x7xf32, #layout.physical<NHWC>>
func.func @main() {
  %x = memory.get @x : memref<1x3x7x7xf32>
  %y = memory.get @y : memref<1x3x7x7xf32, #layout.physical<NHWC>>
  memory.copy ins(%x : memref<1x3x7x7xf32>) outs(%y : memref<1x3x7x7xf32, #layout.physical<NHWC>>)
  memory.copy ins(%y : memref<1x3x7x7xf32, #layout.physical<NHWC>>) outs(%x : memref<1x3x7x7xf32>)
  func.return
}

// -----

// Squares are as wide as the narrower axis; bools are bytes, two squares of them beside
// each other where registers are long enough.
// CHECK:       {{^// -+$}}
// CHECK:       func.func private @transpose_{{.*}}memref<?xf32>
// CHECK:         vector.shuffle {{.*}} : vector<4xf32>, vector<4xf32>
// CHECK:       func.func private @transpose_{{.*}}memref<?xi8>
// CHECK:         vector.shuffle {{.*}} : vector<{{16|32}}xi8>, vector<{{16|32}}xi8>
memory.placeholder @x "in" : memref<6x40xf32>
memory.placeholder @y "out" : memref<40x6xf32>
memory.placeholder @p "in" : memref<40x40xi1>
memory.placeholder @q "out" : memref<40x40xi1>
func.func @main() {
  %x = memory.get @x : memref<6x40xf32>
  %t = memory.view %x : memref<6x40xf32> -> memref<40x6xf32, strided<[1, 40]>>
  %y = memory.get @y : memref<40x6xf32>
  memory.copy ins(%t : memref<40x6xf32, strided<[1, 40]>>) outs(%y : memref<40x6xf32>)
  %p = memory.get @p : memref<40x40xi1>
  %s = memory.view %p : memref<40x40xi1> -> memref<40x40xi1, strided<[1, 40]>>
  %q = memory.get @q : memref<40x40xi1>
  memory.copy ins(%s : memref<40x40xi1, strided<[1, 40]>>) outs(%q : memref<40x40xi1>)
  func.return
}

// -----

// A panel that the columns do not fill: zeros behind the last columns, then the whole
// panels, then the last one's columns.
// CHECK:       dense<[12, 16, 14, 3, 16, 192, 12, 50, 16, 16, 12, 50, 16, 2]> : tensor<14xindex>
// CHECK:       func.func @main
// CHECK:         func.call @fill_
// CHECK:         func.call @copy_
// CHECK:         func.call @copy_
memory.placeholder @x "in" : memref<12x50xf32>
memory.placeholder @y "out" : memref<12x50xf32, #layout.physical<[1:?:16, 0, 1:16]>>
func.func @main() {
  %x = memory.get @x : memref<12x50xf32>
  %y = memory.get @y : memref<12x50xf32, #layout.physical<[1:?:16, 0, 1:16]>>
  memory.copy ins(%x : memref<12x50xf32>) outs(%y : memref<12x50xf32, #layout.physical<[1:?:16, 0, 1:16]>>)
  func.return
}

// -----

// No elements, no call.
// CHECK:       {{^// -+$}}
// CHECK-NOT:   func.func private
// CHECK:       func.func @main
memory.placeholder @x "in" : memref<3x0xf32>
memory.placeholder @y "out" : memref<3x0xf32>
func.func @main() {
  %x = memory.get @x : memref<3x0xf32>
  %y = memory.get @y : memref<3x0xf32>
  memory.copy ins(%x : memref<3x0xf32>) outs(%y : memref<3x0xf32>)
  func.return
}

// -----

// Lines of both sides are a multiple of 4096 bytes apart: by way of the stack.
// CHECK:       {{^// -+$}}
// CHECK:       func.func private @block_transpose_{{.*}}memref<?xf32>
memory.placeholder @x "in" : memref<1024x1024xf32>
memory.placeholder @y "out" : memref<1024x1024xf32>
func.func @main() {
  %x = memory.get @x : memref<1024x1024xf32>
  %t = memory.view %x : memref<1024x1024xf32> -> memref<1024x1024xf32, strided<[1, 1024]>>
  %y = memory.get @y : memref<1024x1024xf32>
  memory.copy ins(%t : memref<1024x1024xf32, strided<[1, 1024]>>) outs(%y : memref<1024x1024xf32>)
  func.return
}

// -----

// Those of one side alone are not; nor are there rows for a block.
// CHECK:       {{^// -+$}}
// CHECK-NOT:   @block_transpose
// CHECK:       func.func private @transpose_
memory.placeholder @x "in" : memref<1024x1000xf32>
memory.placeholder @y "out" : memref<1000x1024xf32>
func.func @main() {
  %x = memory.get @x : memref<1024x1000xf32>
  %t = memory.view %x : memref<1024x1000xf32> -> memref<1000x1024xf32, strided<[1, 1000]>>
  %y = memory.get @y : memref<1000x1024xf32>
  memory.copy ins(%t : memref<1000x1024xf32, strided<[1, 1000]>>) outs(%y : memref<1000x1024xf32>)
  func.return
}

// -----

// CHECK:       {{^// -+$}}
// CHECK-NOT:   @block_transpose
// CHECK:       func.func private @transpose_
memory.placeholder @x "in" : memref<64x1024xf32>
memory.placeholder @y "out" : memref<1024x64xf32>
func.func @main() {
  %x = memory.get @x : memref<64x1024xf32>
  %t = memory.view %x : memref<64x1024xf32> -> memref<1024x64xf32, strided<[1, 1024]>>
  %y = memory.get @y : memref<1024x64xf32>
  memory.copy ins(%t : memref<1024x64xf32, strided<[1, 1024]>>) outs(%y : memref<1024x64xf32>)
  func.return
}
