// RUN: ROUNDTRIP

// CHECK-LABEL: @where
// CHECK: %y = graph.where %c, %a, %b : (tensor<3xi1>, tensor<2x1xf32>, tensor<f32>) -> tensor<2x3xf32>
func.func @where(%c: tensor<3xi1>, %a: tensor<2x1xf32>, %b: tensor<f32>) {
  %y = graph.where %c, %a, %b : (tensor<3xi1>, tensor<2x1xf32>, tensor<f32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @cast_from_f32_to_f32
// CHECK: %y = graph.cast %x {to = f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @cast_from_f32_to_f32(%x: tensor<2x3xf32>) {
  %y = graph.cast %x {to = f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @cast_from_f32_to_f64
// CHECK: %y = graph.cast %x {to = f64} : (tensor<2x3xf32>) -> tensor<2x3xf64>
func.func @cast_from_f32_to_f64(%x: tensor<2x3xf32>) {
  %y = graph.cast %x {to = f64} : (tensor<2x3xf32>) -> tensor<2x3xf64>
  func.return
}

// CHECK-LABEL: @cast_from_f32_to_i32
// CHECK: %y = graph.cast %x {to = i32} : (tensor<2x3xf32>) -> tensor<2x3xi32>
func.func @cast_from_f32_to_i32(%x: tensor<2x3xf32>) {
  %y = graph.cast %x {to = i32} : (tensor<2x3xf32>) -> tensor<2x3xi32>
  func.return
}

// CHECK-LABEL: @cast_from_f32_to_i64
// CHECK: %y = graph.cast %x {to = i64} : (tensor<2x3xf32>) -> tensor<2x3xi64>
func.func @cast_from_f32_to_i64(%x: tensor<2x3xf32>) {
  %y = graph.cast %x {to = i64} : (tensor<2x3xf32>) -> tensor<2x3xi64>
  func.return
}

// CHECK-LABEL: @cast_from_f32_to_i1
// CHECK: %y = graph.cast %x {to = i1} : (tensor<2x3xf32>) -> tensor<2x3xi1>
func.func @cast_from_f32_to_i1(%x: tensor<2x3xf32>) {
  %y = graph.cast %x {to = i1} : (tensor<2x3xf32>) -> tensor<2x3xi1>
  func.return
}

// CHECK-LABEL: @cast_saturating
// CHECK: %y = graph.cast %x {to = i32, saturate} : (tensor<2x3xf32>) -> tensor<2x3xi32>
func.func @cast_saturating(%x: tensor<2x3xf32>) {
  %y = graph.cast %x {to = i32, saturate} : (tensor<2x3xf32>) -> tensor<2x3xi32>
  func.return
}

// CHECK-LABEL: @clip
// CHECK: %y = graph.clip %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @clip(%x: tensor<2x3xf32>, %a: tensor<f32>, %b: tensor<f32>) {
  %y = graph.clip %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @clip_below
// CHECK: %y = graph.clip %x min %a : tensor<f32> : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @clip_below(%x: tensor<2x3xf32>, %a: tensor<f32>, %b: tensor<f32>) {
  %y = graph.clip %x min %a : tensor<f32> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @clip_above
// CHECK: %y = graph.clip %x max %b : tensor<f32> : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @clip_above(%x: tensor<2x3xf32>, %a: tensor<f32>, %b: tensor<f32>) {
  %y = graph.clip %x max %b : tensor<f32> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @clip_both
// CHECK: %y = graph.clip %x min %a : tensor<f32> max %b : tensor<f32> : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @clip_both(%x: tensor<2x3xf32>, %a: tensor<f32>, %b: tensor<f32>) {
  %y = graph.clip %x min %a : tensor<f32> max %b : tensor<f32> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: @bitcast_from_f32_to_i32
// CHECK: %y = graph.bitcast %x {to = i32} : (tensor<2x3xf32>) -> tensor<2x3xi32>
func.func @bitcast_from_f32_to_i32(%x: tensor<2x3xf32>) {
  %y = graph.bitcast %x {to = i32} : (tensor<2x3xf32>) -> tensor<2x3xi32>
  func.return
}

// CHECK-LABEL: @bitcast_from_i64_to_f64
// CHECK: %y = graph.bitcast %x {to = f64} : (tensor<2x3xi64>) -> tensor<2x3xf64>
func.func @bitcast_from_i64_to_f64(%x: tensor<2x3xi64>) {
  %y = graph.bitcast %x {to = f64} : (tensor<2x3xi64>) -> tensor<2x3xf64>
  func.return
}

// CHECK-LABEL: @bitcast_from_f32_to_f32
// CHECK: %y = graph.bitcast %x {to = f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @bitcast_from_f32_to_f32(%x: tensor<2x3xf32>) {
  %y = graph.bitcast %x {to = f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// An unsigned type says so in its name; one of 8 bits or more without a sign is signed.
// CHECK-LABEL: @narrow
// CHECK: %a = graph.cast %x {to = ui8} : (tensor<4xf32>) -> tensor<4xui8>
// CHECK: %b = graph.cast %a {to = i16} : (tensor<4xui8>) -> tensor<4xi16>
// CHECK: %c = graph.cast %b {to = ui64, saturate} : (tensor<4xi16>) -> tensor<4xui64>
// CHECK: %d = graph.bitcast %a {to = i8} : (tensor<4xui8>) -> tensor<4xi8>
// CHECK: %e = graph.literal dense<200> : tensor<ui8> : tensor<ui8>
// CHECK: %f = graph.clip %a max %e : tensor<ui8> : (tensor<4xui8>) -> tensor<4xui8>
func.func @narrow(%x: tensor<4xf32>) {
  %a = graph.cast %x {to = ui8} : (tensor<4xf32>) -> tensor<4xui8>
  %b = graph.cast %a {to = i16} : (tensor<4xui8>) -> tensor<4xi16>
  %c = graph.cast %b {to = ui64, saturate} : (tensor<4xi16>) -> tensor<4xui64>
  %d = graph.bitcast %a {to = i8} : (tensor<4xui8>) -> tensor<4xi8>
  %e = graph.literal dense<200> : tensor<ui8> : tensor<ui8>
  %f = graph.clip %a max %e : tensor<ui8> : (tensor<4xui8>) -> tensor<4xui8>
  func.return
}
