// RUN: REFUSED

// CHECK: expected condition of type tensor<i1>, got tensor<1xi1>
func.func @condition_of_another_type(%c: tensor<1xi1>, %x: tensor<2xf32>) {
  %y = graph.if %c then @f else @f (%x) : (tensor<1xi1>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected at least one result, got none
func.func @no_result(%c: tensor<i1>) {
  graph.if %c then @f else @f () : (tensor<i1>) -> ()
  func.return
}

// -----

// CHECK: expected row-major tensors, got tensor<1x2x3x4xf32, #layout.physical<NHWC>>
func.func @layout(%c: tensor<i1>, %x: tensor<1x2x3x4xf32, #layout.physical<NHWC>>) {
  %y = graph.if %c then @f else @f (%x)
      : (tensor<i1>, tensor<1x2x3x4xf32, #layout.physical<NHWC>>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected a limit or a condition, got neither
func.func @endless(%x: tensor<2xf32>) {
  %y = graph.loop @f carries (%x : tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected limit of type tensor<i64>, got tensor<i32>
func.func @limit_of_another_type(%n: tensor<i32>, %x: tensor<2xf32>) {
  %y = graph.loop @f limit %n : tensor<i32> carries (%x : tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected results tensor<2xf32>, got tensor<3xf32>
func.func @result_of_another_type(%n: tensor<i64>, %x: tensor<2xf32>) {
  %y = graph.loop @f limit %n : tensor<i64> carries (%x : tensor<2xf32>) -> tensor<3xf32>
  func.return
}

// -----

// CHECK: expected a limit and a condition with must_end
func.func @must_end_without_a_condition(%n: tensor<i64>, %x: tensor<2xf32>) {
  %y = graph.loop @f limit %n : tensor<i64> carries (%x : tensor<2xf32>) {must_end} -> tensor<2xf32>
  func.return
}
