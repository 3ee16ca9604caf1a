"""Recurrent networks: kernels of every target, faults, absence, what is refused."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from compiled_loops import lower_loops
from graph_code import module_of
from operators.case import model_of
from operators.recurrent import recurrent
from random_ops import calls
from random_ops.call import Call
from small_onnx import info, model, node
from targets import TARGETS
from xdsl.dialects.builtin import f32 as mlir_f32
from xdsl.ir import SSAValue

import glow
from glow.backends.cpu.code_generation import object_code
from glow.backends.cpu.llvm_ir import llvm_ir
from glow.formats.onnx import import_model
from glow.graph_modules import context
from glow.lowering.tiles import UnitBlock, unit_block
from glow.pass_manager import parse_passes, pipeline_text, run_passes
from glow.pipeline import STAGES
from glow.runtime.comparison import error_of
from glow.support.errors import InvalidModelError, UnsupportedModelError
from glow.support.targets import target_of

OPS = ("graph.lstm", "graph.gru", "graph.rnn")
f32 = np.float32


def module_with(chosen: list[Call]) -> Any:
    def body(*arguments: SSAValue) -> list[SSAValue]:
        left = iter(arguments)
        ops = [call.build([next(left) for _ in call.arrays]) for call in chosen]
        return [result for op in ops for result in op.results]

    return module_of([array for call in chosen for array in call.arrays], {}, body)


def lowered(source: Any, last: str, target: str = "cpu") -> Any:
    """Return `source`, a model or a module, after the stages up to `last`."""
    module = import_model(source) if hasattr(source, "graph") else source
    names = [stage.name for stage in STAGES]
    stages = STAGES[: names.index(last) + 1]
    run_passes(parse_passes(pipeline_text(stages, target)), context(), module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("target", ["cpu:sse2", "cpu:avx2"])
def test_narrow_vectors_and_few_registers_give_the_same(target: str) -> None:
    chosen = [call for name in OPS for call in calls(name, 1, seed=3)]
    net = glow.compile(module_with(chosen), target=target)
    found = net(*(array for call in chosen for array in call.arrays))
    expected = [array for call in chosen for array in call.expected()]
    for one, other in zip(found, expected, strict=True):
        assert error_of(np.asarray(one), other) <= 1e-5


@pytest.mark.slow
def test_kernels_compile_for_a_machine_that_this_one_is_not() -> None:
    chosen = [call for name in OPS for call in calls(name, 1, seed=3)]
    module = lowered(module_with(chosen), "loops", "cpu:neon")
    text = llvm_ir(lower_loops(module, target_of("cpu:neon")))
    assert len(object_code(text, target_of("cpu:neon"))) > 4000


@pytest.mark.parametrize(
    ("target", "gates", "units", "batch", "block", "apart"),
    [
        ("cpu:avx2", 4, 192, 4, 24, True),
        ("cpu:avx2", 4, 192, 0, 8, False),
        ("cpu:avx2", 4, 192, 2, 8, False),  # one tile of two rows either way
        ("cpu:avx2", 4, 33, 4, 8, False),  # a third of 48 units would be padding
        ("cpu:avx2", 3, 192, 4, 8, False),  # 4 x 3 vectors fit
        ("cpu:avx512", 4, 192, 4, 16, False),  # 4 x 4 vectors fit
        ("cpu:avx2", 1, 192, 4, 16, False),
    ],
)
def test_gates_are_apart_where_registers_hold_too_few_sums(
    target: str, gates: int, units: int, batch: int, block: int, apart: bool
) -> None:
    found = unit_block(target_of(target), mlir_f32, gates, units, batch)
    assert found == UnitBlock(block, apart)


@pytest.mark.slow
@pytest.mark.parametrize("batch", [3, 4, 5])
@pytest.mark.parametrize("target", ["cpu:sse2", "cpu:avx2"])
def test_gates_apart_give_the_same(target: str, batch: int) -> None:
    """Also where sequences end early and gates peep at the cell."""
    rng = np.random.default_rng(batch)
    shapes = {"x": (5, batch, 7), "w": (2, 96, 7), "r": (2, 96, 24), "b": (2, 192)}
    shapes |= {"p": (2, 72)}
    held = {n: rng.uniform(-0.4, 0.4, s).astype(f32) for n, s in shapes.items()}
    x = held.pop("x")
    lens = rng.integers(0, 6, batch).astype(np.int32)
    how = {"hidden_size": 24, "direction": "bidirectional"}
    each = node("LSTM", "x w r b n - - p", "y h c", **how)
    given = {"x": x.shape, "n": info("n", (batch,), "i32")}
    built = model([each], given, ["y", "h", "c"], held)
    text = str(lowered(built, "memory", target))
    strides = {"cpu:sse2": "1152, 12, 288, 1", "cpu:avx2": "2304, 24, 576, 1"}[target]
    assert len(re.findall(rf"memory.lstm .*strided<\[{strides}\]>", text)) == 2
    feeds = {"x": x, "n": lens}
    expected = glow.compile(built, target="reference").run(feeds)
    found = glow.compile(built, target=target).run(feeds)
    for name in "yhc":
        assert error_of(found[name], expected[name]) <= 1e-5


LENGTHS = {"x": (4, 2, 3), "w": (1, 5, 3), "r": (1, 5, 5), "n": info("n", (2,), "i32")}
RNN = model([node("RNN", "x w r - n", "y h", hidden_size=5)], LENGTHS, ["y", "h"])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("length", [-1, 5, 1 << 30, -(1 << 31)])
def test_a_length_that_no_sequence_has_is_a_fault(target: str, length: int) -> None:
    net = glow.compile(RNN, target=target)
    shapes = {"x": (4, 2, 3), "w": (1, 5, 3), "r": (1, 5, 5)}
    feeds: dict[str, Any] = {n: np.ones(s, f32) for n, s in shapes.items()}
    with pytest.raises(glow.ExecutionError, match=r"a sequence length in \[0, 4\]"):
        net.run(feeds | {"n": np.array([2, length], np.int32)})
    assert net.run(feeds | {"n": np.array([2, 0], np.int32)})["y"][2:].any() == 0


@pytest.mark.parametrize(("op", "inputs"), [("LSTM", 8), ("GRU", 6), ("RNN", 6)])
def test_what_is_absent_costs_nothing(op: str, inputs: int) -> None:
    """Left out at the end, by an empty name, or neutral: text and bytes are equal."""
    bare = recurrent(op)
    weights = dict(zip("xwr", bare.inputs, strict=False))
    names = "xwr" + "-" * (inputs - 3)
    state, lens = np.zeros((1, 3, 18), f32), np.full(3, 4, np.int32)
    neutral = {"n": lens, "h": state, "c": state}
    given = {"x": (4, 3, 5)}

    def text(inputs: str, **more: Any) -> str:
        each = node(op, " ".join(inputs), "y", "walk", hidden_size=18)
        held = {k: v for k, v in (weights | more).items() if k != "x"}
        return str(lowered(model([each], given, ["y"], held), "memory"))

    expected = text("xwr")
    assert text(names) == expected
    assert text("xwr-nh" + "c" * (op == "LSTM"), **neutral) == expected
    bias = np.ones((1, 2 * weights["w"].shape[1]), f32)
    assert text("xwrb", b=bias) != expected


def test_what_nothing_reads_is_not_stored() -> None:
    text = str(lowered(model_of([recurrent("LSTM")]), "memory"))
    (line,) = (line for line in text.splitlines() if "memory.lstm" in line)
    assert all(f"{name} %" in line for name in ("y", "y_h", "y_c"))
    only = model(
        [node("LSTM", "x w r", "- h", hidden_size=5)],
        {"x": (4, 2, 3), "w": (1, 20, 3), "r": (1, 20, 5)},
        ["h"],
    )
    text = str(lowered(only, "memory"))
    (line,) = (line for line in text.splitlines() if "memory.lstm" in line)
    assert "outs(y_h %" in line
    assert "y_c" not in line


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_first_opset_is_the_same(target: str) -> None:
    """There the direction of GRU is misspelled, and `output_sequence` says no more."""
    rng = np.random.default_rng(0)
    for op, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
        shapes = {"x": (4, 2, 3), "w": (1, gates * 5, 3), "r": (1, gates * 5, 5)}
        feeds = {name: rng.random(shape, f32) for name, shape in shapes.items()}
        found: list[Any] = []
        for opset, more in ((1, {"output_sequence": 1}), (7, {})):
            each = node(op, "x w r", "y h", hidden_size=5, **more)
            built = model([each], shapes, ["y", "h"], opset=opset)
            found.append(glow.compile(built, target=target).run(feeds))
        for name in "yh":
            np.testing.assert_array_equal(found[0][name], found[1][name])


REFUSED: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "hidden size": (
        {"hidden_size": 4},
        InvalidModelError,
        r"expected recurrence weights for hidden_size=4, got tensor<1x5x5xf32>",
    ),
    "activation": (
        {"activations": ["Gelu"]},
        UnsupportedModelError,
        r"RNN with activation 'Gelu'",
    ),
    "few activations": (
        {"activations": ["Tanh"], "direction": "bidirectional"},
        InvalidModelError,
        r"expected 2 activations, got 1",
    ),
    "direction": (
        {"direction": "sideways"},
        InvalidModelError,
        r'expected a direction out of forward, reverse, bidirectional, got "sideways"',
    ),
    "layout": ({"layout": 2}, InvalidModelError, r"expected layout 0 or 1, got 2"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    attributes, error, message = REFUSED[name]
    shapes = {"x": (4, 2, 3), "w": (1, 5, 3), "r": (1, 5, 5)}
    each = node("RNN", "x w r", "y", **{"hidden_size": 5, **attributes})
    with pytest.raises(error, match=message):
        import_model(model([each], shapes, ["y"]))
