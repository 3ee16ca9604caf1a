// RUN: glow-opt %s -p recognize-functions,dce | filecheck %s

// CHECK-LABEL: @gate_first
// CHECK-NEXT:    %{{.*}} = graph.gelu %x :
func.func @gate_first(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.literal dense<1.41421354> : tensor<f32> : tensor<f32>
  %2 = graph.div %x, %1 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %3 = graph.erf %2 : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %4 = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %5 = graph.add %3, %4 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %6 = graph.mul %x, %5 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %7 = graph.literal dense<0.5> : tensor<f32> : tensor<f32>
  %8 = graph.mul %6, %7 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  func.return %8 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @half_first
// CHECK-NEXT:    %{{.*}} = graph.gelu %x :
func.func @half_first(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.literal dense<0.5> : tensor<f32> : tensor<f32>
  %2 = graph.mul %1, %x : (tensor<f32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %3 = graph.literal dense<0.707106769> : tensor<f32> : tensor<f32>
  %4 = graph.mul %3, %x : (tensor<f32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %5 = graph.erf %4 : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %6 = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %7 = graph.add %6, %5 : (tensor<f32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %8 = graph.mul %7, %2 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  func.return %8 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @half_of_the_gate
// CHECK-NEXT:    %{{.*}} = graph.gelu %x :
func.func @half_of_the_gate(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.literal dense<0.707106769> : tensor<f32> : tensor<f32>
  %2 = graph.mul %x, %1 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %3 = graph.erf %2 : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %4 = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %5 = graph.add %3, %4 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %6 = graph.literal dense<0.5> : tensor<f32> : tensor<f32>
  %7 = graph.mul %5, %6 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %8 = graph.mul %x, %7 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  func.return %8 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @halved_at_the_end
// CHECK-NEXT:    %{{.*}} = graph.gelu %x :
func.func @halved_at_the_end(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.literal dense<1.41421354> : tensor<f32> : tensor<f32>
  %2 = graph.div %x, %1 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %3 = graph.erf %2 : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %4 = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %5 = graph.add %3, %4 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %6 = graph.mul %5, %x : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %7 = graph.literal dense<2.0> : tensor<f32> : tensor<f32>
  %8 = graph.div %6, %7 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  func.return %8 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @cube_as_a_power
// CHECK-NEXT:    %{{.*}} = graph.gelu %x {approximate = "tanh"}
func.func @cube_as_a_power(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.literal dense<3.0> : tensor<f32> : tensor<f32>
  %2 = graph.pow %x, %1 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %3 = graph.literal dense<0.0447149985> : tensor<f32> : tensor<f32>
  %4 = graph.mul %2, %3 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %5 = graph.add %x, %4 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %6 = graph.literal dense<0.797884583> : tensor<f32> : tensor<f32>
  %7 = graph.mul %5, %6 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %8 = graph.tanh %7 : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %9 = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %10 = graph.add %8, %9 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %11 = graph.literal dense<0.5> : tensor<f32> : tensor<f32>
  %12 = graph.mul %x, %11 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %13 = graph.mul %12, %10 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  func.return %13 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @cube_as_a_product
// CHECK-NEXT:    %{{.*}} = graph.gelu %x {approximate = "tanh"}
func.func @cube_as_a_product(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.mul %x, %x : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %2 = graph.mul %1, %x : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %3 = graph.literal dense<0.0447149985> : tensor<f32> : tensor<f32>
  %4 = graph.mul %2, %3 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %5 = graph.add %4, %x : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %6 = graph.literal dense<0.797884583> : tensor<f32> : tensor<f32>
  %7 = graph.mul %6, %5 : (tensor<f32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %8 = graph.tanh %7 : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %9 = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %10 = graph.add %8, %9 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %11 = graph.literal dense<0.5> : tensor<f32> : tensor<f32>
  %12 = graph.mul %x, %10 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %13 = graph.mul %11, %12 : (tensor<f32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  func.return %13 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @square_inside
// CHECK-NEXT:    %{{.*}} = graph.gelu %x {approximate = "tanh"}
func.func @square_inside(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.literal dense<0.0447149985> : tensor<f32> : tensor<f32>
  %2 = graph.mul %1, %x : (tensor<f32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %3 = graph.mul %2, %x : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %4 = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %5 = graph.add %3, %4 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %6 = graph.literal dense<0.797884583> : tensor<f32> : tensor<f32>
  %7 = graph.mul %x, %6 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %8 = graph.mul %7, %5 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %9 = graph.tanh %8 : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %10 = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %11 = graph.add %9, %10 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %12 = graph.literal dense<0.5> : tensor<f32> : tensor<f32>
  %13 = graph.mul %12, %x : (tensor<f32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %14 = graph.mul %13, %11 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  func.return %14 : tensor<2x3x8xf32>
}

// The product is not taken apart.
// CHECK-LABEL: @of_a_product
// CHECK-NEXT:    [[P:%.*]] = graph.mul %x, %y
// CHECK-NEXT:    %{{.*}} = graph.gelu [[P]] :
func.func @of_a_product(%x: tensor<2x3x8xf32>, %y: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.mul %x, %y : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %2 = graph.literal dense<1.41421354> : tensor<f32> : tensor<f32>
  %3 = graph.div %1, %2 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %4 = graph.erf %3 : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %5 = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %6 = graph.add %4, %5 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %7 = graph.mul %1, %6 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %8 = graph.literal dense<0.5> : tensor<f32> : tensor<f32>
  %9 = graph.mul %7, %8 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  func.return %9 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @of_a_product_with_tanh
// CHECK-NEXT:    [[P:%.*]] = graph.mul %x, %y
// CHECK-NEXT:    %{{.*}} = graph.gelu [[P]] {approximate = "tanh"}
func.func @of_a_product_with_tanh(%x: tensor<2x3x8xf32>, %y: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.mul %x, %y : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %2 = graph.literal dense<3.0> : tensor<f32> : tensor<f32>
  %3 = graph.pow %1, %2 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %4 = graph.literal dense<0.0447149985> : tensor<f32> : tensor<f32>
  %5 = graph.mul %3, %4 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %6 = graph.add %1, %5 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %7 = graph.literal dense<0.797884583> : tensor<f32> : tensor<f32>
  %8 = graph.mul %6, %7 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %9 = graph.tanh %8 : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %10 = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %11 = graph.add %9, %10 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %12 = graph.literal dense<0.5> : tensor<f32> : tensor<f32>
  %13 = graph.mul %1, %12 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %14 = graph.mul %13, %11 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  func.return %14 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @with_a_factor_behind
// CHECK-NEXT:    [[P:%.*]] = graph.gelu %x
// CHECK-NEXT:    %{{.*}} = graph.mul [[P]], %y
func.func @with_a_factor_behind(%x: tensor<2x3x8xf32>, %y: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.literal dense<1.41421354> : tensor<f32> : tensor<f32>
  %2 = graph.div %x, %1 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %3 = graph.erf %2 : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %4 = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %5 = graph.add %3, %4 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %6 = graph.mul %x, %5 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %7 = graph.literal dense<0.5> : tensor<f32> : tensor<f32>
  %8 = graph.mul %6, %7 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %9 = graph.mul %8, %y : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  func.return %9 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @not_a_half
// CHECK-NOT:     graph.gelu
// CHECK:         func.return
func.func @not_a_half(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.literal dense<1.41421354> : tensor<f32> : tensor<f32>
  %2 = graph.div %x, %1 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %3 = graph.erf %2 : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %4 = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %5 = graph.add %3, %4 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %6 = graph.mul %x, %5 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %7 = graph.literal dense<0.25> : tensor<f32> : tensor<f32>
  %8 = graph.mul %6, %7 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  func.return %8 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @another_root
// CHECK-NOT:     graph.gelu
// CHECK:         func.return
func.func @another_root(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.literal dense<1.42> : tensor<f32> : tensor<f32>
  %2 = graph.div %x, %1 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %3 = graph.erf %2 : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %4 = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %5 = graph.add %3, %4 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %6 = graph.mul %x, %5 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %7 = graph.literal dense<0.5> : tensor<f32> : tensor<f32>
  %8 = graph.mul %6, %7 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  func.return %8 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @not_one
// CHECK-NOT:     graph.gelu
// CHECK:         func.return
func.func @not_one(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.literal dense<1.41421354> : tensor<f32> : tensor<f32>
  %2 = graph.div %x, %1 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %3 = graph.erf %2 : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %4 = graph.literal dense<2.0> : tensor<f32> : tensor<f32>
  %5 = graph.add %3, %4 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %6 = graph.mul %x, %5 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %7 = graph.literal dense<0.5> : tensor<f32> : tensor<f32>
  %8 = graph.mul %6, %7 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  func.return %8 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @the_gate_of_another_value
// CHECK-NOT:     graph.gelu
// CHECK:         func.return
func.func @the_gate_of_another_value(%x: tensor<2x3x8xf32>, %y: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.literal dense<1.41421354> : tensor<f32> : tensor<f32>
  %2 = graph.div %y, %1 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %3 = graph.erf %2 : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %4 = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %5 = graph.add %3, %4 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %6 = graph.mul %x, %5 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %7 = graph.literal dense<0.5> : tensor<f32> : tensor<f32>
  %8 = graph.mul %6, %7 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  func.return %8 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @another_cubic_term
// CHECK-NOT:     graph.gelu
// CHECK:         func.return
func.func @another_cubic_term(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.literal dense<3.0> : tensor<f32> : tensor<f32>
  %2 = graph.pow %x, %1 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %3 = graph.literal dense<0.05> : tensor<f32> : tensor<f32>
  %4 = graph.mul %2, %3 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %5 = graph.add %x, %4 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %6 = graph.literal dense<0.797884583> : tensor<f32> : tensor<f32>
  %7 = graph.mul %5, %6 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %8 = graph.tanh %7 : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %9 = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %10 = graph.add %8, %9 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %11 = graph.literal dense<0.5> : tensor<f32> : tensor<f32>
  %12 = graph.mul %x, %11 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %13 = graph.mul %12, %10 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  func.return %13 : tensor<2x3x8xf32>
}

// CHECK-LABEL: @another_cubic_term_in_a_square
// CHECK-NOT:     graph.gelu
// CHECK:         func.return
func.func @another_cubic_term_in_a_square(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %1 = graph.literal dense<0.05> : tensor<f32> : tensor<f32>
  %2 = graph.mul %1, %x : (tensor<f32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %3 = graph.mul %2, %x : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %4 = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %5 = graph.add %3, %4 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %6 = graph.literal dense<0.797884583> : tensor<f32> : tensor<f32>
  %7 = graph.mul %x, %6 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %8 = graph.mul %7, %5 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %9 = graph.tanh %8 : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %10 = graph.literal dense<1.0> : tensor<f32> : tensor<f32>
  %11 = graph.add %9, %10 : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3x8xf32>
  %12 = graph.literal dense<0.5> : tensor<f32> : tensor<f32>
  %13 = graph.mul %12, %x : (tensor<f32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %14 = graph.mul %13, %11 : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  func.return %14 : tensor<2x3x8xf32>
}
