"""Which values are known: through loads, groups and transforms."""

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

from glow.analysis.constants import constant_behind
from glow.dialects.graph.storage import ConstantOp, LoadOp
from glow.graph_modules import context
from glow.model import parse_text

TEXT = """
graph.placeholder @x "in" : tensor<2x3xf32>
func.func @main() {
  %0 = graph.literal dense<1.0> : tensor<2x3xf32> : tensor<2x3xf32>
  %1 = layout.transform %0 : tensor<2x3xf32> -> tensor<2x3xf32, #layout.physical<NK>>
  %2 = graph.load @x : tensor<2x3xf32>
  %3 = graph.relu %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = graph.load @w : tensor<2x3xf32>
  %5 = graph.fused(%4, %2) {
  ^bb0(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>):
    %6 = graph.add %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    graph.yield %6 : tensor<2x3xf32>
  } : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}
"""


def test_values_are_known_or_not() -> None:
    module = parse_text(context(), TEXT, "test")
    constant = ConstantOp("w", np.zeros((2, 3), np.float32))
    module.body.block.insert_op_before(constant, module.body.block.first_op)
    (main,) = [op for op in module.ops if isinstance(op, FuncOp)]
    literal, transform, x, relu, w, fused, _ = main.body.block.ops
    assert constant_behind(literal.results[0]) is literal
    assert constant_behind(transform.results[0]) is literal
    assert constant_behind(x.results[0]) is None
    assert constant_behind(relu.results[0]) is None
    assert constant_behind(w.results[0]) is constant
    known, unknown = fused.regions[0].block.args
    assert constant_behind(known) is constant
    assert constant_behind(unknown) is None


def test_what_was_found_is_forgotten_when_the_module_changes() -> None:
    module = ModuleOp([])
    load = LoadOp("w", ConstantOp("w", np.zeros(3, np.float32)).type)
    module.body.block.add_op(load)
    assert constant_behind(load.result) is None
    first = ConstantOp("w", np.zeros(3, np.float32))
    module.body.block.insert_op_before(first, load)
    assert constant_behind(load.result) is first
    first.properties["sym_name"] = StringAttr("v")
    assert constant_behind(load.result) is None
    first.detach()
    second = ConstantOp("w", np.ones(3, np.float32))
    module.body.block.insert_op_before(second, load)
    assert constant_behind(load.result) is second
    second.detach()
    assert constant_behind(load.result) is None
