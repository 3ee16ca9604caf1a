"""A group means what the ops in its region mean."""

import numpy as np
from xdsl.dialects.builtin import f32
from xdsl.ir import Block, Region
from xdsl.utils.test_value import create_ssa_value

from glow.dialects.graph.binary import AddOp
from glow.dialects.graph.fused import FusedOp, YieldOp
from glow.dialects.graph.joining import SplitOp
from glow.dialects.graph.storage import LiteralOp
from glow.dialects.graph.unary import NegOp
from glow.support.types import tensor


def test_every_kind_of_inner_op_is_evaluated() -> None:
    pair, one = tensor(f32, (2,)), tensor(f32, (1,))
    body = Block(arg_types=[pair])
    literal = LiteralOp(np.array([10.0, 20.0], np.float32))
    total = AddOp(body.args[0], literal.result)
    parts = SplitOp(total.result, axis=0, sizes=(1, 1))
    negative = NegOp(parts.outputs[1])
    results = (parts.outputs[0], negative.result)
    body.add_ops([literal, total, parts, negative, YieldOp(*results)])
    group = FusedOp([create_ssa_value(pair)], [one, one], Region(body))
    group.verify()
    first, second = group.evaluate([np.array([1.0, 2.0], np.float32)])
    np.testing.assert_array_equal(first, [11.0])
    np.testing.assert_array_equal(second, [-22.0])
    assert group.terminator.values == results


def test_an_input_may_be_yielded_as_it_is() -> None:
    scalar = tensor(f32, ())
    body = Block(arg_types=[scalar, scalar])
    body.add_op(YieldOp(body.args[1]))
    values = [create_ssa_value(scalar), create_ssa_value(scalar)]
    group = FusedOp(values, [scalar], Region(body))
    group.verify()
    (found,) = group.evaluate([np.float32(1).reshape(()), np.float32(2).reshape(())])
    assert found == 2
