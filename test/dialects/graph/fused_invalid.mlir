// RUN: REFUSED

// CHECK: expected arguments of types tensor<2xf32>, got tensor<3xf32>
func.func @argument_of_another_type(%x: tensor<2xf32>) {
  %y = graph.fused(%x) {
  ^bb0(%a: tensor<3xf32>):
    graph.yield %a : tensor<3xf32>
  } : (tensor<2xf32>) -> tensor<3xf32>
  func.return
}

// -----

// CHECK: expected arguments of types tensor<1x2x3x4xf32, #layout.physical<NHWC>>, got tensor<1x2x3x4xf32>
func.func @argument_of_another_layout(%x: tensor<1x2x3x4xf32, #layout.physical<NHWC>>) {
  %y = graph.fused(%x) {
  ^bb0(%a: tensor<1x2x3x4xf32>):
    graph.yield %a : tensor<1x2x3x4xf32>
  } : (tensor<1x2x3x4xf32, #layout.physical<NHWC>>) -> tensor<1x2x3x4xf32>
  func.return
}

// -----

// CHECK: expected arguments of types tensor<2xf32>, tensor<2xf32>, got tensor<2xf32>
func.func @argument_left_out(%x: tensor<2xf32>) {
  %y = graph.fused(%x, %x) {
  ^bb0(%a: tensor<2xf32>):
    graph.yield %a : tensor<2xf32>
  } : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected yielded values of types tensor<2xi1>, got tensor<2xf32>
func.func @result_of_another_type(%x: tensor<2xf32>) {
  %y = graph.fused(%x) {
  ^bb0(%a: tensor<2xf32>):
    graph.yield %a : tensor<2xf32>
  } : (tensor<2xf32>) -> tensor<2xi1>
  func.return
}

// -----

// CHECK: expected at least one result, got none
func.func @no_result(%x: tensor<2xf32>) {
  graph.fused(%x) {
  ^bb0(%a: tensor<2xf32>):
    graph.yield
  } : (tensor<2xf32>) -> ()
  func.return
}

// -----

// CHECK: expected a region that ends in graph.yield
func.func @no_yield(%x: tensor<2xf32>) {
  %y = graph.fused(%x) {
  ^bb0(%a: tensor<2xf32>):
    "test.termop"(%a) : (tensor<2xf32>) -> ()
  } : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected pure ops of the graph dialect inside, got graph.load
graph.placeholder @p "in" : tensor<2xf32>
func.func @storage_inside(%x: tensor<2xf32>) {
  %y = graph.fused(%x) {
  ^bb0(%a: tensor<2xf32>):
    %r = graph.load @p : tensor<2xf32>
    graph.yield %r : tensor<2xf32>
  } : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: expected pure ops of the graph dialect inside, got graph.fused
func.func @group_inside(%x: tensor<2xf32>) {
  %y = graph.fused(%x) {
  ^bb0(%a: tensor<2xf32>):
    %r = graph.fused(%a) {
    ^bb1(%b: tensor<2xf32>):
      graph.yield %b : tensor<2xf32>
    } : (tensor<2xf32>) -> tensor<2xf32>
    graph.yield %r : tensor<2xf32>
  } : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: Operation using value defined out of its IsolatedFromAbove parent
func.func @value_from_outside(%x: tensor<2xf32>) {
  %y = graph.fused(%x) {
  ^bb0(%a: tensor<2xf32>):
    %r = graph.relu %x : (tensor<2xf32>) -> tensor<2xf32>
    graph.yield %r : tensor<2xf32>
  } : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: 'graph.yield' expects parent op 'graph.fused'
func.func @yield_outside(%x: tensor<2xf32>) {
  graph.yield %x : tensor<2xf32>
}
