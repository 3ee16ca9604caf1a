"""IR that is taken apart is freed without Python's collector."""

import gc
import weakref

from glow.graph_modules import context
from glow.model import parse_text
from glow.support.walking import free_ops, ops_in

LOOP = """
func.func @f(%x: memref<8xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %a = memref.load %x[%i] : memref<8xf32>
    %b = arith.addf %a, %a : f32
    memref.store %b, %x[%i] : memref<8xf32>
  }
  func.return
}
"""


def test_ops_are_freed_at_once() -> None:
    module = parse_text(context(), LOOP, "loop")
    ops = [weakref.ref(op) for op in ops_in(module.body)]
    gc.disable()
    try:
        free_ops(module.body)
        assert len(ops) == 9
        assert not any(op() for op in ops)
    finally:
        gc.enable()
