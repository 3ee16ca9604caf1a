// RUN: ROUNDTRIP

// CHECK-LABEL: @choice
// CHECK-NEXT:    %y = graph.if %c then @double else @same(%x) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32>
func.func @choice(%c: tensor<i1>, %x: tensor<2xf32>) {
  %y = graph.if %c then @double else @same (%x) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// CHECK-LABEL: @loops
// CHECK-NEXT:    %a = graph.loop @count limit %n : tensor<i64> carries(%x : tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    %b = graph.loop @until while %c : tensor<i1> carries(%x : tensor<2xf32>) with(%x : tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    %last = graph.loop @until limit %n : tensor<i64> while %c : tensor<i1> carries(%x : tensor<2xf32>) with(%x : tensor<2xf32>) {must_end} -> tensor<2xf32>
// CHECK-NEXT:    %d, %e = graph.loop @both limit %n : tensor<i64> while %c : tensor<i1> carries(%x, %n : tensor<2xf32>, tensor<i64>) -> tensor<2xf32>, tensor<i64>
func.func @loops(%c: tensor<i1>, %n: tensor<i64>, %x: tensor<2xf32>) {
  %a = graph.loop @count limit %n : tensor<i64> carries (%x : tensor<2xf32>) -> tensor<2xf32>
  %b = graph.loop @until while %c : tensor<i1> carries (%x : tensor<2xf32>) with (%x : tensor<2xf32>) -> tensor<2xf32>
  %last = graph.loop @until limit %n : tensor<i64> while %c : tensor<i1> carries (%x : tensor<2xf32>)
      with (%x : tensor<2xf32>) {must_end} -> tensor<2xf32>
  %d, %e = graph.loop @both limit %n : tensor<i64> while %c : tensor<i1>
      carries (%x, %n : tensor<2xf32>, tensor<i64>) -> tensor<2xf32>, tensor<i64>
  func.return
}

// CHECK-LABEL: @calls
// CHECK-NEXT:    %y = graph.call @double(%x) : (tensor<2xf32>) -> tensor<2xf32>
func.func @calls(%x: tensor<2xf32>) {
  %y = graph.call @double(%x) : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

func.func private @double(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
func.func private @same(%x: tensor<2xf32>) -> tensor<2xf32> {
  func.return %x : tensor<2xf32>
}
func.func private @count(%i: tensor<i64>, %x: tensor<2xf32>) -> tensor<2xf32> {
  func.return %x : tensor<2xf32>
}
func.func private @until(%i: tensor<i64>, %x: tensor<2xf32>, %w: tensor<2xf32>) -> (tensor<i1>, tensor<2xf32>) {
  %c = graph.literal dense<false> : tensor<i1> : tensor<i1>
  func.return %c, %w : tensor<i1>, tensor<2xf32>
}
func.func private @both(%i: tensor<i64>, %x: tensor<2xf32>, %n: tensor<i64>) -> (tensor<i1>, tensor<2xf32>, tensor<i64>) {
  %c = graph.literal dense<false> : tensor<i1> : tensor<i1>
  func.return %c, %x, %i : tensor<i1>, tensor<2xf32>, tensor<i64>
}
