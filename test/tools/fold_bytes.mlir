// What constants alone give is computed now, up to a limit that is told.
// RUN: glow-opt %s --stop-after graph | filecheck %s --check-prefix FOLDED
// RUN: glow-opt %s --stop-after graph --fold-bytes 512 | filecheck %s --check-prefix LIMIT
// RUN: glow-run %s --fold-bytes 512 --no-cache | filecheck %s --check-prefix SHOWN
// RUN: not glow-opt %s --fold-bytes 512 2>&1 | filecheck %s --check-prefix ALONE
// RUN: not glow-run %s --fold-bytes -1 2>&1 | filecheck %s --check-prefix NEGATIVE

// FOLDED-NOT: graph.tile
// LIMIT:      graph.tile
// LIMIT-NOT:  graph.tile
// SHOWN:      c: int32[256] values from 1 to 4
// ALONE:      error: expected --fold-bytes together with --stop-after
// NEGATIVE:   error: expected fold_bytes of at least 0, got -1
func.func @main() -> tensor<256xi32> {
  %a = graph.literal dense<[1, 2, 3, 4]> : tensor<4xi32> : tensor<4xi32>
  %b = graph.tile %a {repeats = array<i64: 4>} : (tensor<4xi32>) -> tensor<16xi32>
  %c = graph.tile %b {repeats = array<i64: 16>} : (tensor<16xi32>) -> tensor<256xi32>
  func.return %c : tensor<256xi32>
}
