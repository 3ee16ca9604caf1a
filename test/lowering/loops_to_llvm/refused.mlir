// RUN: glow-opt %s -p loops-to-llvm --split-input-file --verify-diagnostics | filecheck %s

// CHECK: loops-to-llvm has no rule for test.op
func.func @unknown_op() {
  "test.op"() : () -> ()
  func.return
}

// -----

// CHECK: expected vectors of one axis, got vector<2x4xf32>
func.func @matrix(%v: vector<2x4xf32>) {
  func.return
}

// -----

// CHECK: expected static inner axes, got memref<?x?xf32>
func.func @dynamic_inner_axis(%b: memref<?x?xf32>, %i: index) {
  %x = memref.load %b[%i, %i] : memref<?x?xf32>
  func.return
}

// -----

// CHECK: expected static strides, got memref<4xf32, strided<[?]>>
func.func @dynamic_stride(%b: memref<4xf32, strided<[?]>>, %i: index) {
  %x = memref.load %b[%i] : memref<4xf32, strided<[?]>>
  func.return
}

// -----

// CHECK: expected a row-major or strided type, got memref<4xf32, affine_map<(d0) -> ((d0 * 2))>>
func.func @other_layout(%b: memref<4xf32, affine_map<(d0) -> (d0 * 2)>>, %i: index) {
  %x = memref.load %b[%i] : memref<4xf32, affine_map<(d0) -> (d0 * 2)>>
  func.return
}

// -----

// CHECK: memref.copy expects static row-major buffers, got memref<?xf32>
func.func @copy_of_unknown_size(%b: memref<?xf32>) {
  "memref.copy"(%b, %b) : (memref<?xf32>, memref<?xf32>) -> ()
  func.return
}

// -----

// CHECK: memref.alloca expects a static size, got memref<?xf32>
func.func @scratch_of_unknown_size(%n: index) {
  %b = memref.alloca(%n) : memref<?xf32>
  func.return
}

// -----

// CHECK: memref.dim of a dynamic axis of memref<?xf32>
func.func @dynamic_extent(%b: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %b, %c0 : memref<?xf32>
  func.return
}

// -----

// CHECK: memref.dim expects a constant axis of a memref
func.func @unknown_axis(%b: memref<4xf32>, %i: index) {
  %n = memref.dim %b, %i : memref<4xf32>
  func.return
}

// -----

// CHECK: expected a scalar to broadcast, got vector<1xf32> to vector<8xf32>
func.func @broadcast_of_vector(%v: vector<1xf32>) {
  %w = vector.broadcast %v : vector<1xf32> to vector<8xf32>
  func.return
}

// -----

// CHECK: expected to shuffle vectors of one type, got vector<4xf32>, vector<8xf32>
func.func @shuffle_of_two_lengths(%v: vector<4xf32>, %w: vector<8xf32>) {
  %u = vector.shuffle %v, %w [0, 4] : vector<4xf32>, vector<8xf32>
  func.return
}

// -----

// CHECK: no minsi reduction of f32
func.func @integer_reduction_of_floats(%v: vector<8xf32>) {
  %x = vector.reduction <minsi>, %v : vector<8xf32> into f32
  func.return
}

// -----

// CHECK: math.sin expects f32 or f64, got f16
func.func @library_has_no_half(%x: f16) {
  %y = math.sin %x : f16
  func.return
}
