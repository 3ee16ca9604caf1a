// RUN: REFUSED

// CHECK: expected a mode out of nearest, linear, cubic, got "lanczos"
func.func @no_such_mode(%x: tensor<4x5xf32>) {
  %y = graph.resize %x {sizes = array<i64: 3, 9>, mode = "lanczos"} : (tensor<4x5xf32>) -> tensor<3x9xf32>
  func.return
}

// -----

// CHECK: expected a coordinate_transformation_mode out of half_pixel, {{.*}}, got "corners"
func.func @no_such_coordinates(%x: tensor<4x5xf32>) {
  %y = graph.resize %x {sizes = array<i64: 3, 9>, coordinate_transformation_mode = "corners"} : (tensor<4x5xf32>) -> tensor<3x9xf32>
  func.return
}

// -----

// CHECK: expected a nearest_mode out of round_prefer_floor, round_prefer_ceil, floor, ceil, got "trunc"
func.func @no_such_rounding(%x: tensor<4x5xf32>) {
  %y = graph.resize %x {sizes = array<i64: 3, 9>, nearest_mode = "trunc"} : (tensor<4x5xf32>) -> tensor<3x9xf32>
  func.return
}

// -----

// CHECK: expected a float element type, got i32
func.func @integers_between_integers(%x: tensor<4x5xi32>) {
  %y = graph.resize %x {sizes = array<i64: 3, 9>, mode = "linear"} : (tensor<4x5xi32>) -> tensor<3x9xi32>
  func.return
}

// -----

// CHECK: expected no antialias of the nearest elements
func.func @nearest_of_many(%x: tensor<4x5xf32>) {
  %y = graph.resize %x {sizes = array<i64: 3, 9>, antialias} : (tensor<4x5xf32>) -> tensor<3x9xf32>
  func.return
}

// -----

// CHECK: expected sizes or scales, got neither
func.func @neither_sizes_nor_scales(%x: tensor<4x5xf32>) {
  %y = graph.resize %x : (tensor<4x5xf32>) -> tensor<3x9xf32>
  func.return
}

// -----

// CHECK: expected sizes of 2 entries, got [3]
func.func @sizes_of_some_axes(%x: tensor<4x5xf32>) {
  %y = graph.resize %x {sizes = array<i64: 3>} : (tensor<4x5xf32>) -> tensor<3x9xf32>
  func.return
}

// -----

// CHECK: expected scales of 1 entries, got [2.0, 2.0]
func.func @scales_of_more_axes(%x: tensor<4x5xf32>) {
  %y = graph.resize %x {scales = array<f64: 2.0, 2.0>, axes = array<i64: 1>} : (tensor<4x5xf32>) -> tensor<3x9xf32>
  func.return
}

// -----

// CHECK: expected sizes of at least 0, got [-1, 9]
func.func @negative_size(%x: tensor<4x5xf32>) {
  %y = graph.resize %x {sizes = array<i64: -1, 9>} : (tensor<4x5xf32>) -> tensor<3x9xf32>
  func.return
}

// -----

// CHECK: expected scales above 0, got [0.0, 2.0]
func.func @scale_of_nothing(%x: tensor<4x5xf32>) {
  %y = graph.resize %x {scales = array<f64: 0.0, 2.0>} : (tensor<4x5xf32>) -> tensor<3x9xf32>
  func.return
}

// -----

// CHECK: expected a size of 0 along axis 0, which is empty, got 3
func.func @something_of_nothing(%x: tensor<0x5xf32>) {
  %y = graph.resize %x {sizes = array<i64: 3, 9>} : (tensor<0x5xf32>) -> tensor<3x9xf32>
  func.return
}

// -----

// CHECK: expected distinct axes, got [1, -1]
func.func @axis_twice(%x: tensor<4x5xf32>) {
  %y = graph.resize %x {sizes = array<i64: 3, 9>, axes = array<i64: 1, -1>} : (tensor<4x5xf32>) -> tensor<3x9xf32>
  func.return
}

// -----

// CHECK: expected an axis in [-2, 1], got 2
func.func @no_such_axis(%x: tensor<4x5xf32>) {
  %y = graph.resize %x {sizes = array<i64: 3>, axes = array<i64: 2>} : (tensor<4x5xf32>) -> tensor<3x9xf32>
  func.return
}

// -----

// CHECK: expected result tensor<3x9xf32>, got tensor<9x3xf32>
func.func @another_shape(%x: tensor<4x5xf32>) {
  %y = graph.resize %x {sizes = array<i64: 3, 9>} : (tensor<4x5xf32>) -> tensor<9x3xf32>
  func.return
}

// -----

// CHECK: expected a roi for tf_crop_and_resize coordinates
func.func @crop_of_no_region(%x: tensor<4x5xf32>) {
  %y = graph.resize %x {sizes = array<i64: 3, 9>, coordinate_transformation_mode = "tf_crop_and_resize"} : (tensor<4x5xf32>) -> tensor<3x9xf32>
  func.return
}

// -----

// CHECK: expected no roi for half_pixel coordinates
func.func @region_of_no_crop(%x: tensor<4x5xf32>, %r: tensor<4xf32>) {
  %y = graph.resize %x roi %r {sizes = array<i64: 3, 9>} : (tensor<4x5xf32>, tensor<4xf32>) -> tensor<3x9xf32>
  func.return
}

// -----

// CHECK: expected a roi of shape [4], got tensor<2xf32>
func.func @region_of_some_axes(%x: tensor<4x5xf32>, %r: tensor<2xf32>) {
  %y = graph.resize %x roi %r {sizes = array<i64: 3, 9>, coordinate_transformation_mode = "tf_crop_and_resize"} : (tensor<4x5xf32>, tensor<2xf32>) -> tensor<3x9xf32>
  func.return
}

// -----

// CHECK: expected a float element type, got i64
func.func @region_of_integers(%x: tensor<4x5xf32>, %r: tensor<4xi64>) {
  %y = graph.resize %x roi %r {sizes = array<i64: 3, 9>, coordinate_transformation_mode = "tf_crop_and_resize"} : (tensor<4x5xf32>, tensor<4xi64>) -> tensor<3x9xf32>
  func.return
}
