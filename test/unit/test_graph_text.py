"""Large modules print, parse back and verify, in time that grows with their size."""

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from io import StringIO
from typing import Any

import numpy as np
import pytest
from counted_calls import is_linear
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp, f32
from xdsl.dialects.func import Func, FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer

from glow.analysis.symbols import verify_symbols
from glow.analysis.validity import verify_module
from glow.dialects.graph.activation import LeakyReluOp
from glow.dialects.graph.binary import AddOp
from glow.dialects.graph.convolution import ConvOp
from glow.dialects.graph.joining import ConcatOp, SplitOp
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.pooling import MaxPoolOp
from glow.dialects.graph.select import ClipOp
from glow.dialects.graph.slicing import PadOp
from glow.dialects.graph.storage import (
    ConstantOp,
    LiteralOp,
    LoadOp,
    PlaceholderOp,
    SaveOp,
)
from glow.registry import UNIVERSE
from glow.support.types import tensor

PLANE = tensor(f32, (1, 2, 4, 4))
FILTER = tensor(f32, (2, 2, 1, 1))


def step(block: Block, value: SSAValue, number: int) -> SSAValue:
    """Append one op, optional parts absent or present in turn."""
    filter, bias, limit = block.args

    def add(op: Any) -> SSAValue:
        block.add_op(op)
        return op.results[0]

    match number % 10:
        case 0:
            return add(ConvOp(value, filter))
        case 1:
            return add(ConvOp(value, filter, bias, strides=(1, 1), group=1))
        case 2:
            return add(ClipOp(value, None, limit))
        case 3:
            return add(ClipOp(value))
        case 4:
            return add(MaxPoolOp(value, kernel_shape=(1, 1), with_indices=True))
        case 5:
            return add(LeakyReluOp(value, alpha=0.5))
        case 6:
            return add(MatMulOp(value, value, transpose_rhs=True))
        case 7:
            return add(PadOp(value, limit, pads=(0,) * 8))
        case 8:
            parts = SplitOp(value, axis=1, sizes=(1, 1))
            block.add_op(parts)
            return add(ConcatOp(parts.results, axis=1))
        case _:
            return add(AddOp(value, value))


def large_module(size: int) -> ModuleOp:
    block = Block(arg_types=[FILTER, tensor(f32, (2,)), tensor(f32, ())])
    load = LoadOp("data: 0", PLANE)
    block.add_op(load)
    value: SSAValue = load.result
    for number in range(size):
        value = step(block, value, number)
    block.add_ops([SaveOp("/out.1", value), LiteralOp(np.arange(3)), ReturnOp()])
    types = [argument.type for argument in block.args]
    return ModuleOp(
        [
            PlaceholderOp("data: 0", "in", PLANE),
            PlaceholderOp("/out.1", "out", PLANE),
            ConstantOp("w", np.ones((2, 2, 1, 1), np.float32)),
            FuncOp("main", (types, []), Region(block)),
        ]
    )


def printed(module: ModuleOp, generic: bool) -> str:
    stream = StringIO()
    Printer(stream, print_generic_format=generic).print_op(module)
    return stream.getvalue()


def parse(text: str) -> ModuleOp:
    context = Context()
    for dialect in (Builtin, Func, UNIVERSE.all_dialects["graph"]()):
        context.load_dialect(dialect)
    return Parser(context, text).parse_module()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "generic"),
    [
        (2_000, False),
        pytest.param(10_000, False, marks=pytest.mark.full),
        pytest.param(10_000, True, marks=pytest.mark.full),
    ],
)
def test_thousands_of_ops_survive_text(size: int, generic: bool) -> None:
    module = large_module(size)
    text = printed(module, generic)
    again = parse(text)
    assert printed(again, generic) == text
    verify_module(again)
    verify_symbols(again)
    assert module.is_structurally_equivalent(again)


@pytest.mark.slow
@pytest.mark.parametrize("action", [verify_module, verify_symbols, str, parse])
def test_time_grows_with_size(action: Callable[[Any], Any]) -> None:
    def prepare(size: int) -> Callable[[], Any]:
        module = large_module(size)
        return partial(action, printed(module, False) if action is parse else module)

    assert is_linear(prepare, 250)


def test_small_modules_survive_text() -> None:
    module = large_module(20)
    for generic in (False, True):
        text = printed(module, generic)
        assert printed(parse(text), generic) == text


PROGRAM = """
import test_graph_text as t
from xdsl.context import Context
from glow.lowering.group_ops import GroupOpsPass
module = t.large_module(60)
print(t.printed(module, False), t.printed(module, True))
GroupOpsPass().apply(Context(), module)
print(module)
"""


@pytest.mark.slow
def test_text_is_the_same_in_another_process() -> None:
    path = os.pathsep.join([os.path.dirname(__file__), *sys.path])
    texts = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(texts) == 1
    assert "graph.fused" in texts.pop()
