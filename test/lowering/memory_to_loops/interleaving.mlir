// RUN: glow-opt %s -p 'memory-to-loops{target="cpu:avx2" kernels=declared near_bytes=16384}' --split-input-file | filecheck %s

// What is passed on is 64 KiB: pieces of both calls take turns.
// CHECK-LABEL: func.func @main
// CHECK:        %[[A:.*]] = llvm_ext.base %arena
// CHECK:        %[[Y:.*]] = llvm_ext.base %io {entry = 1
// CHECK:        func.call @elementwise_{{.*}}, %[[A]], %{{.*}}, %{{.*}}, %[[BEGIN:.*]], %[[END:.*]]) {units = 43
// CHECK-NEXT:   func.call @elementwise_{{.*}}(%[[A]], %[[Y]], %{{.*}}, %{{.*}}, %[[BEGIN]], %[[END]]) {units = 43
// CHECK-NEXT:   func.call @elementwise_{{.*}}, %[[A]], %{{.*}}, %{{.*}}, %[[END]], %[[NEXT:.*]]) {units = 43
// CHECK-NEXT:   func.call @elementwise_{{.*}}(%[[A]], %[[Y]], %{{.*}}, %{{.*}}, %[[END]], %[[NEXT]]) {units = 43
// CHECK-COUNT-20: func.call
// CHECK-NOT:    func.call
builtin.module attributes {glow.arena_bytes = 131072 : i64} {
  memory.placeholder @x "in" : memref<16384xf32>
  memory.placeholder @y "out" : memref<16384xf32>
  func.func @main() {
    %x = memory.get @x : memref<16384xf32>
    %y = memory.get @y : memref<16384xf32>
    %a = memory.alloc {offset = 0 : i64} : memref<16384xf32>
    memory.elementwise ins(%x : memref<16384xf32>) outs(%a : memref<16384xf32>) {
    ^bb0(%v: f32):
      %s = arith.addf %v, %v : f32
      memory.yield %s : f32
    }
    memory.elementwise ins(%a : memref<16384xf32>) outs(%y : memref<16384xf32>) {
    ^bb0(%v: f32):
      %s = arith.addf %v, %v : f32
      memory.yield %s : f32
    }
    func.return
  }
}

// -----

// Each piece of the second call needs all of the first.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: func.call @elementwise
// CHECK-NOT:    func.call
builtin.module attributes {glow.arena_bytes = 131072 : i64} {
  memory.placeholder @x "in" : memref<16384xf32>
  memory.placeholder @y "out" : memref<16384xf32>
  func.func @main() {
    %x = memory.get @x : memref<16384xf32>
    %y = memory.get @y : memref<16384xf32>
    %a = memory.alloc {offset = 0 : i64} : memref<16384xf32>
    %b = memory.view %a : memref<16384xf32> -> memref<128x128xf32, strided<[1, 128]>>
    %z = memory.view %y : memref<16384xf32> -> memref<128x128xf32, strided<[128, 1]>>
    memory.elementwise ins(%x : memref<16384xf32>) outs(%a : memref<16384xf32>) {
    ^bb0(%v: f32):
      %s = arith.addf %v, %v : f32
      memory.yield %s : f32
    }
    memory.elementwise ins(%b : memref<128x128xf32, strided<[1, 128]>>) outs(%z : memref<128x128xf32, strided<[128, 1]>>) {
    ^bb0(%v: f32):
      %s = arith.addf %v, %v : f32
      memory.yield %s : f32
    }
    func.return
  }
}

// -----

// A caller is told of an output between the calls.
// CHECK-LABEL: func.func @main
// CHECK:        func.call @elementwise_{{.*}}units = 512
// CHECK:        func.call @notify_output
// CHECK:        func.call @elementwise_{{.*}}units = 512
// CHECK-NOT:    func.call
builtin.module attributes {glow.arena_bytes = 131072 : i64} {
  memory.placeholder @x "in" : memref<16384xf32>
  memory.placeholder @y "out" : memref<16384xf32>
  memory.placeholder @z "out" : memref<16384xf32>
  func.func @main() {
    %x = memory.get @x : memref<16384xf32>
    %y = memory.get @y : memref<16384xf32>
    memory.elementwise ins(%x : memref<16384xf32>) outs(%y : memref<16384xf32>) {
    ^bb0(%v: f32):
      %s = arith.addf %v, %v : f32
      memory.yield %s : f32
    }
    memory.ready @y
    %z = memory.get @z : memref<16384xf32>
    memory.elementwise ins(%y : memref<16384xf32>) outs(%z : memref<16384xf32>) {
    ^bb0(%v: f32):
      %s = arith.addf %v, %v : f32
      memory.yield %s : f32
    }
    func.return
  }
}

// -----

// What is passed on fits into the cache.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: func.call @elementwise_{{.*}}units = 128
// CHECK-NOT:    func.call
builtin.module attributes {glow.arena_bytes = 131072 : i64} {
  memory.placeholder @x "in" : memref<16384xf32>
  memory.placeholder @y "out" : memref<16384xf32>
  func.func @main() {
    %x = memory.get @x : memref<16384xf32>
    %y = memory.get @y : memref<16384xf32>
    %u = memory.view %x : memref<16384xf32> -> memref<4096xf32, strided<[1]>>
    %w = memory.view %y : memref<16384xf32> -> memref<4096xf32, strided<[1]>>
    %a = memory.alloc {offset = 0 : i64} : memref<4096xf32>
    memory.elementwise ins(%u : memref<4096xf32, strided<[1]>>) outs(%a : memref<4096xf32>) {
    ^bb0(%v: f32):
      %s = arith.addf %v, %v : f32
      memory.yield %s : f32
    }
    memory.elementwise ins(%a : memref<4096xf32>) outs(%w : memref<4096xf32, strided<[1]>>) {
    ^bb0(%v: f32):
      %s = arith.addf %v, %v : f32
      memory.yield %s : f32
    }
    func.return
  }
}
