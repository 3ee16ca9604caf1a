// RUN: REFUSED

// CHECK: expected at least one input, got none
func.func @nothing_to_join() {
  %y = graph.concat {axis = 0 : i64} : () -> tensor<0xf32>
  func.return
}

// -----

// CHECK: expected inputs that differ along axis 0 only, got tensor<2x3xf32> and tensor<3xf32>
func.func @ranks_differ(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  %y = graph.concat %a, %b {axis = 0 : i64} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  func.return
}

// -----

// CHECK: expected inputs that differ along axis 1 only, got tensor<2x3xf32> and tensor<1x3xf32>
func.func @other_extents_differ(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>) {
  %y = graph.concat %a, %b {axis = -1 : i64} : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x6xf32>
  func.return
}

// -----

// CHECK: expected one element type, got f32, i32
func.func @elements_differ(%a: tensor<2x3xf32>, %b: tensor<2x3xi32>) {
  %y = graph.concat %a, %b {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<4x3xf32>
  func.return
}

// -----

// CHECK: expected an axis in [-2, 1], got 2
func.func @no_such_axis(%a: tensor<2x3xf32>) {
  %y = graph.concat %a {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expected sizes that add up to 4, got [1, 2]
func.func @sizes_do_not_add_up(%x: tensor<4x2xf32>) {
  %y, %z = graph.split %x {sizes = array<i64: 1, 2>} : (tensor<4x2xf32>) -> (tensor<1x2xf32>, tensor<2x2xf32>)
  func.return
}

// -----

// CHECK: expected sizes that add up to 4, got [5, -1]
func.func @negative_size(%x: tensor<4x2xf32>) {
  %y, %z = graph.split %x {sizes = array<i64: 5, -1>} : (tensor<4x2xf32>) -> (tensor<5x2xf32>, tensor<0x2xf32>)
  func.return
}

// -----

// CHECK: expected sizes that add up to 0, got []
func.func @no_size(%x: tensor<0x2xf32>) {
  graph.split %x {sizes = array<i64>} : (tensor<0x2xf32>) -> ()
  func.return
}

// -----

// CHECK: expected 2 results, got 1
func.func @results_too_few(%x: tensor<4x2xf32>) {
  %y = graph.split %x {sizes = array<i64: 3, 1>} : (tensor<4x2xf32>) -> tensor<3x2xf32>
  func.return
}

// -----

// CHECK: expected an axis in [-2, 1], got -3
func.func @split_along_no_axis(%x: tensor<4x2xf32>) {
  %y = graph.split %x {axis = -3 : i64, sizes = array<i64: 4>} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  func.return
}
