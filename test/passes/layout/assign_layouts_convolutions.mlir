// RUN: glow-opt %s -p 'assign-layouts{target="cpu:avx2"},group-ops' | filecheck %s

// A product writes its rows as neighbors, through what follows it; what is added lies
// likewise.
// CHECK-LABEL: @a_result_goes_out_with_channels_first
// CHECK-NOT:     layout.transform %x
// CHECK-NOT:     layout.transform %r
// CHECK:         graph.fused(%x, %{{.*}}, %r) {
// CHECK:           graph.conv {{.*}} -> tensor<1x32x14x14xf32>
// CHECK-NEXT:      graph.add
// CHECK-NEXT:      graph.relu
// CHECK:         } : {{.*}} -> tensor<1x32x14x14xf32>
// CHECK-NEXT:    func.return
func.func @a_result_goes_out_with_channels_first(%x: tensor<1x16x14x14xf32, #layout.physical<NHWC>>, %r: tensor<1x32x14x14xf32>) -> tensor<1x32x14x14xf32> {
  %w = graph.literal dense<1.0> : tensor<32x16x1x1xf32> : tensor<32x16x1x1xf32>
  %0 = graph.conv %x, %w : (tensor<1x16x14x14xf32, #layout.physical<NHWC>>, tensor<32x16x1x1xf32>) -> tensor<1x32x14x14xf32>
  %1 = graph.add %0, %r : (tensor<1x32x14x14xf32>, tensor<1x32x14x14xf32>) -> tensor<1x32x14x14xf32>
  %2 = graph.relu %1 : (tensor<1x32x14x14xf32>) -> tensor<1x32x14x14xf32>
  func.return %2 : tensor<1x32x14x14xf32>
}

// CHECK-LABEL: @groups_go_out_with_channels_first
// CHECK:         graph.{{.*}}(tensor<{{.*}} -> tensor<1x32x14x14xf32>
// CHECK-NEXT:    func.return
func.func @groups_go_out_with_channels_first(%x: tensor<1x16x14x14xf32, #layout.physical<NHWC>>) -> tensor<1x32x14x14xf32> {
  %w = graph.literal dense<1.0> : tensor<32x8x1x1xf32> : tensor<32x8x1x1xf32>
  %0 = graph.conv %x, %w {group = 2} : (tensor<1x16x14x14xf32, #layout.physical<NHWC>>, tensor<32x8x1x1xf32>) -> tensor<1x32x14x14xf32>
  func.return %0 : tensor<1x32x14x14xf32>
}

// CHECK-LABEL: @lines_go_out_with_channels_first
// CHECK:         graph.conv {{.*}} -> tensor<1x32x37xf32>
// CHECK-NEXT:    func.return
func.func @lines_go_out_with_channels_first(%x: tensor<1x16x40xf32>) -> tensor<1x32x37xf32> {
  %w = graph.literal dense<1.0> : tensor<32x16x4xf32> : tensor<32x16x4xf32>
  %0 = graph.conv %x, %w : (tensor<1x16x40xf32>, tensor<32x16x4xf32>) -> tensor<1x32x37xf32>
  func.return %0 : tensor<1x32x37xf32>
}

// CHECK-LABEL: @transposed_convolutions_too
// CHECK:         graph.{{.*}}(tensor<{{.*}} -> tensor<1x32x6x6xf32>
// CHECK-NEXT:    func.return
func.func @transposed_convolutions_too(%x: tensor<1x16x5x5xf32, #layout.physical<NHWC>>) -> tensor<1x32x6x6xf32> {
  %w = graph.literal dense<1.0> : tensor<16x32x2x2xf32> : tensor<16x32x2x2xf32>
  %0 = graph.conv_transpose %x, %w : (tensor<1x16x5x5xf32, #layout.physical<NHWC>>, tensor<16x32x2x2xf32>) -> tensor<1x32x6x6xf32>
  func.return %0 : tensor<1x32x6x6xf32>
}

// With strides, pixels that are made together lie apart: no register can turn them.
// CHECK-LABEL: @pixels_that_lie_apart_are_not_turned
// CHECK:         %[[Y:.*]] = graph.{{.*}} #layout.physical<NHWC>>
// CHECK-NEXT:    layout.transform %[[Y]]
func.func @pixels_that_lie_apart_are_not_turned(%x: tensor<1x16x5x5xf32, #layout.physical<NHWC>>) -> tensor<1x32x10x10xf32> {
  %w = graph.literal dense<1.0> : tensor<16x32x2x2xf32> : tensor<16x32x2x2xf32>
  %0 = graph.conv_transpose %x, %w {strides = array<i64: 2, 2>} : (tensor<1x16x5x5xf32, #layout.physical<NHWC>>, tensor<16x32x2x2xf32>) -> tensor<1x32x10x10xf32>
  func.return %0 : tensor<1x32x10x10xf32>
}

// Five pixels are less than the six rows of a tile.
// CHECK-LABEL: @few_rows_are_no_tile
// CHECK:         %[[Y:.*]] = graph.{{.*}} #layout.physical<NHWC>>
// CHECK-NEXT:    layout.transform %[[Y]]
func.func @few_rows_are_no_tile(%x: tensor<1x16x1x5xf32, #layout.physical<NHWC>>) -> tensor<1x32x1x5xf32> {
  %w = graph.literal dense<1.0> : tensor<32x16x1x1xf32> : tensor<32x16x1x1xf32>
  %0 = graph.conv %x, %w : (tensor<1x16x1x5xf32, #layout.physical<NHWC>>, tensor<32x16x1x1xf32>) -> tensor<1x32x1x5xf32>
  func.return %0 : tensor<1x32x1x5xf32>
}

// An image ends within a tile, and the next one begins with a tile of its own.
// CHECK-LABEL: @images_of_a_batch_are_no_tiles
// CHECK:         %[[Y:.*]] = graph.{{.*}} #layout.physical<NHWC>>
// CHECK-NEXT:    layout.transform %[[Y]]
func.func @images_of_a_batch_are_no_tiles(%x: tensor<8x16x7x7xf32, #layout.physical<NHWC>>) -> tensor<8x32x7x7xf32> {
  %w = graph.literal dense<1.0> : tensor<32x16x1x1xf32> : tensor<32x16x1x1xf32>
  %0 = graph.conv %x, %w : (tensor<8x16x7x7xf32, #layout.physical<NHWC>>, tensor<32x16x1x1xf32>) -> tensor<8x32x7x7xf32>
  func.return %0 : tensor<8x32x7x7xf32>
}

// CHECK-LABEL: @larger_images_of_a_batch_are
// CHECK:         graph.{{.*}}(tensor<{{.*}} -> tensor<8x32x14x14xf32>
// CHECK-NEXT:    func.return
func.func @larger_images_of_a_batch_are(%x: tensor<8x16x14x14xf32, #layout.physical<NHWC>>) -> tensor<8x32x14x14xf32> {
  %w = graph.literal dense<1.0> : tensor<32x16x1x1xf32> : tensor<32x16x1x1xf32>
  %0 = graph.conv %x, %w : (tensor<8x16x14x14xf32, #layout.physical<NHWC>>, tensor<32x16x1x1xf32>) -> tensor<8x32x14x14xf32>
  func.return %0 : tensor<8x32x14x14xf32>
}

// Whole registers are computed and turned, though there are two columns.
// CHECK-LABEL: @few_columns_of_a_register
// CHECK:         %[[Y:.*]] = graph.{{.*}} #layout.physical<NHWC>>
// CHECK-NEXT:    layout.transform %[[Y]]
func.func @few_columns_of_a_register(%x: tensor<1x16x64x64xf32, #layout.physical<NHWC>>) -> tensor<1x2x64x64xf32> {
  %w = graph.literal dense<1.0> : tensor<2x16x1x1xf32> : tensor<2x16x1x1xf32>
  %0 = graph.conv %x, %w : (tensor<1x16x64x64xf32, #layout.physical<NHWC>>, tensor<2x16x1x1xf32>) -> tensor<1x2x64x64xf32>
  func.return %0 : tensor<1x2x64x64xf32>
}

// CHECK-LABEL: @tiles_of_winograd_are_not_turned
// CHECK:         %[[Y:.*]] = graph.{{.*}} #layout.physical<NHWC>>
// CHECK-NEXT:    layout.transform %[[Y]]
func.func @tiles_of_winograd_are_not_turned(%x: tensor<1x32x16x16xf32, #layout.physical<NHWC>>) -> tensor<1x32x16x16xf32> {
  %w = graph.literal dense<1.0> : tensor<32x32x3x3xf32> : tensor<32x32x3x3xf32>
  %0 = graph.conv %x, %w {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x32x16x16xf32, #layout.physical<NHWC>>, tensor<32x32x3x3xf32>) -> tensor<1x32x16x16xf32>
  func.return %0 : tensor<1x32x16x16xf32>
}

// CHECK-LABEL: @channels_by_themselves_are_not_turned
// CHECK:         %[[Y:.*]] = graph.{{.*}} #layout.physical<NHWC>>
// CHECK-NEXT:    layout.transform %[[Y]]
func.func @channels_by_themselves_are_not_turned(%x: tensor<1x32x16x16xf32, #layout.physical<NHWC>>) -> tensor<1x32x14x14xf32> {
  %w = graph.literal dense<1.0> : tensor<32x1x3x3xf32> : tensor<32x1x3x3xf32>
  %0 = graph.conv %x, %w {group = 32} : (tensor<1x32x16x16xf32, #layout.physical<NHWC>>, tensor<32x1x3x3xf32>) -> tensor<1x32x14x14xf32>
  func.return %0 : tensor<1x32x14x14xf32>
}

// A filter that a run gives is packed by it; groups that panels do not divide are
// packed where they are read.

// CHECK-LABEL: @filters_of_a_run
// CHECK:         %[[W:.*]] = layout.transform %w : {{.*}} -> tensor<32x16x1x1xf32, #layout.physical<OHWI16o>>
// CHECK-NEXT:    graph.{{.*}}%x, %[[W]]{{.*}} -> tensor<1x32x14x14xf32>
// CHECK-NEXT:    func.return
func.func @filters_of_a_run(%x: tensor<1x16x14x14xf32, #layout.physical<NHWC>>, %w: tensor<32x16x1x1xf32>) -> tensor<1x32x14x14xf32> {
  %0 = graph.conv %x, %w : (tensor<1x16x14x14xf32, #layout.physical<NHWC>>, tensor<32x16x1x1xf32>) -> tensor<1x32x14x14xf32>
  func.return %0 : tensor<1x32x14x14xf32>
}

// CHECK-LABEL: @filters_of_a_run_for_parts_of_panels
// CHECK-NEXT:    graph.conv %x, %w
func.func @filters_of_a_run_for_parts_of_panels(%x: tensor<1x16x14x14xf32, #layout.physical<NHWC>>, %w: tensor<20x8x1x1xf32>) -> tensor<1x20x14x14xf32> {
  %0 = graph.conv %x, %w {group = 2} : (tensor<1x16x14x14xf32, #layout.physical<NHWC>>, tensor<20x8x1x1xf32>) -> tensor<1x20x14x14xf32>
  func.return %0 : tensor<1x20x14x14xf32>
}

// CHECK-LABEL: @other_types_are_not_turned
// CHECK:         %[[Y:.*]] = graph.{{.*}} #layout.physical<NHWC>>
// CHECK-NEXT:    layout.transform %[[Y]]
func.func @other_types_are_not_turned(%x: tensor<1x16x14x14xf64, #layout.physical<NHWC>>) -> tensor<1x32x14x14xf64> {
  %w = graph.literal dense<1.0> : tensor<32x16x1x1xf64> : tensor<32x16x1x1xf64>
  %0 = graph.conv %x, %w : (tensor<1x16x14x14xf64, #layout.physical<NHWC>>, tensor<32x16x1x1xf64>) -> tensor<1x32x14x14xf64>
  func.return %0 : tensor<1x32x14x14xf64>
}

// The load of a neighbor: columns of the left factor may lie apart.

// CHECK-LABEL: @an_image_is_read_with_channels_first
// CHECK-NOT:     layout.transform %x
// CHECK:         graph.conv %x,
func.func @an_image_is_read_with_channels_first(%x: tensor<1x16x14x14xf32>) -> tensor<1x32x14x14xf32, #layout.physical<NHWC>> {
  %w = graph.literal dense<1.0> : tensor<32x16x1x1xf32> : tensor<32x16x1x1xf32>
  %0 = graph.conv %x, %w : (tensor<1x16x14x14xf32>, tensor<32x16x1x1xf32>) -> tensor<1x32x14x14xf32, #layout.physical<NHWC>>
  func.return %0 : tensor<1x32x14x14xf32, #layout.physical<NHWC>>
}

// CHECK-LABEL: @windows_are_read_with_channels_first
// CHECK-NOT:     layout.transform %x
// CHECK:         graph.conv %x,
func.func @windows_are_read_with_channels_first(%x: tensor<1x16x15x15xf32>) -> tensor<1x32x7x7xf32, #layout.physical<NHWC>> {
  %w = graph.literal dense<1.0> : tensor<32x16x3x3xf32> : tensor<32x16x3x3xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 2, 2>} : (tensor<1x16x15x15xf32>, tensor<32x16x3x3xf32>) -> tensor<1x32x7x7xf32, #layout.physical<NHWC>>
  func.return %0 : tensor<1x32x7x7xf32, #layout.physical<NHWC>>
}

// CHECK-LABEL: @a_border_needs_another_buffer
// CHECK:         %[[X:.*]] = layout.transform %x
// CHECK:         graph.conv %[[X]],
func.func @a_border_needs_another_buffer(%x: tensor<1x16x15x15xf32>) -> tensor<1x32x8x8xf32, #layout.physical<NHWC>> {
  %w = graph.literal dense<1.0> : tensor<32x16x3x3xf32> : tensor<32x16x3x3xf32>
  %0 = graph.conv %x, %w {pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x16x15x15xf32>, tensor<32x16x3x3xf32>) -> tensor<1x32x8x8xf32, #layout.physical<NHWC>>
  func.return %0 : tensor<1x32x8x8xf32, #layout.physical<NHWC>>
}

// Three channels of a place of the window: nine rows of three in a row are faster.
// CHECK-LABEL: @short_stretches_are_not_read
// CHECK:         %[[X:.*]] = layout.transform %x
// CHECK:         graph.conv %[[X]],
func.func @short_stretches_are_not_read(%x: tensor<1x3x15x15xf32>) -> tensor<1x32x7x7xf32, #layout.physical<NHWC>> {
  %w = graph.literal dense<1.0> : tensor<32x3x3x3xf32> : tensor<32x3x3x3xf32>
  %0 = graph.conv %x, %w {strides = array<i64: 2, 2>} : (tensor<1x3x15x15xf32>, tensor<32x3x3x3xf32>) -> tensor<1x32x7x7xf32, #layout.physical<NHWC>>
  func.return %0 : tensor<1x32x7x7xf32, #layout.physical<NHWC>>
}

// Each of 48 panels would go through the image again.
// CHECK-LABEL: @many_panels_read_a_copy
// CHECK:         %[[X:.*]] = layout.transform %x
// CHECK:         graph.conv %[[X]],
func.func @many_panels_read_a_copy(%x: tensor<1x16x14x14xf32>) -> tensor<1x768x14x14xf32, #layout.physical<NHWC>> {
  %w = graph.literal dense<1.0> : tensor<768x16x1x1xf32> : tensor<768x16x1x1xf32>
  %0 = graph.conv %x, %w : (tensor<1x16x14x14xf32>, tensor<768x16x1x1xf32>) -> tensor<1x768x14x14xf32, #layout.physical<NHWC>>
  func.return %0 : tensor<1x768x14x14xf32, #layout.physical<NHWC>>
}

// Channels are 4096 bytes apart.
// CHECK-LABEL: @channels_that_compete_for_the_cache_are_copied
// CHECK:         %[[X:.*]] = layout.transform %x
// CHECK:         graph.conv %[[X]],
func.func @channels_that_compete_for_the_cache_are_copied(%x: tensor<1x16x32x32xf32>) -> tensor<1x32x32x32xf32, #layout.physical<NHWC>> {
  %w = graph.literal dense<1.0> : tensor<32x16x1x1xf32> : tensor<32x16x1x1xf32>
  %0 = graph.conv %x, %w : (tensor<1x16x32x32xf32>, tensor<32x16x1x1xf32>) -> tensor<1x32x32x32xf32, #layout.physical<NHWC>>
  func.return %0 : tensor<1x32x32x32xf32, #layout.physical<NHWC>>
}

// CHECK-LABEL: @channels_by_themselves_are_not_read
// CHECK:         %[[X:.*]] = layout.transform %x
// CHECK:         graph.conv %[[X]],
func.func @channels_by_themselves_are_not_read(%x: tensor<1x32x15x15xf32>) -> tensor<1x32x13x13xf32, #layout.physical<NHWC>> {
  %w = graph.literal dense<1.0> : tensor<32x1x3x3xf32> : tensor<32x1x3x3xf32>
  %0 = graph.conv %x, %w {group = 32} : (tensor<1x32x15x15xf32>, tensor<32x1x3x3xf32>) -> tensor<1x32x13x13xf32, #layout.physical<NHWC>>
  func.return %0 : tensor<1x32x13x13xf32, #layout.physical<NHWC>>
}

// CHECK-LABEL: @tiles_of_winograd_are_not_read
// CHECK:         %[[X:.*]] = layout.transform %x
// CHECK:         graph.conv %[[X]],
func.func @tiles_of_winograd_are_not_read(%x: tensor<1x32x18x18xf32>) -> tensor<1x32x16x16xf32, #layout.physical<NHWC>> {
  %w = graph.literal dense<1.0> : tensor<32x32x3x3xf32> : tensor<32x32x3x3xf32>
  %0 = graph.conv %x, %w : (tensor<1x32x18x18xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x16x16xf32, #layout.physical<NHWC>>
  func.return %0 : tensor<1x32x16x16xf32, #layout.physical<NHWC>>
}

// CHECK-LABEL: @nothing_moves_on_either_side
// CHECK-NOT:     layout.transform %x
// CHECK:         graph.conv %x, {{.*}} -> tensor<1x32x14x14xf32>
// CHECK-NEXT:    func.return
func.func @nothing_moves_on_either_side(%x: tensor<1x16x14x14xf32>) -> tensor<1x32x14x14xf32> {
  %w = graph.literal dense<1.0> : tensor<32x16x1x1xf32> : tensor<32x16x1x1xf32>
  %0 = graph.conv %x, %w : (tensor<1x16x14x14xf32>, tensor<32x16x1x1xf32>) -> tensor<1x32x14x14xf32>
  func.return %0 : tensor<1x32x14x14xf32>
}
