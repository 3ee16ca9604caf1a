"""Kernels compute the same bits whatever pieces their work is cut into."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import models
import numpy as np
import pytest
from graph_code import module_of
from grids import cross
from numpy.typing import NDArray
from onnx import ModelProto
from operators import all_cases
from operators.case import Case, feeds_of, model_of
from simulated_teams import run_alone
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

import glow
from glow.dialects.graph.attention import AttentionOp
from glow.dialects.graph.convolution import ConvOp
from glow.dialects.graph.linear import MatMulOp
from glow.graph_modules import context
from glow.lowering.memory_to_loops import MemoryToLoopsPass
from glow.pass_manager import parse_passes, pipeline_text, run_passes
from glow.pipeline import stages_between
from glow.support.dtypes import dtype_named
from glow.support.targets import target_of

pytestmark = pytest.mark.slow

FULL = pytest.mark.full
PIECES = (1, pytest.param(10, marks=FULL), pytest.param(1000, marks=FULL))


def at_memory(model: ModelProto | ModuleOp, target: str) -> ModuleOp:
    """Return `model` at the memory level."""
    module = model if isinstance(model, ModuleOp) else glow.load(model).module
    text = pipeline_text(stages_between("import", "memory"), target, piece_ns=1)
    run_passes(parse_passes(text), context(), module)
    return module


def outputs(
    module: ModuleOp, feeds: Mapping[str, Any], target: str, piece_ns: int = 0
) -> tuple[list[NDArray[Any]], int]:
    """Run `module`, with `piece_ns` in pieces; return outputs and their number."""
    loops = module.clone()
    text = f'memory-to-loops{{target="{target}" kernels=declared piece_ns={piece_ns}}}'
    run_passes(parse_passes(text), context(), loops)
    loops.verify()
    pieces = run_alone(loops) if piece_ns else 0
    net = glow.compile(loops, target=target)
    return list(net.run(feeds).values()), pieces


def check(
    model: ModelProto | ModuleOp, feeds: Mapping[str, Any], target: str, piece_ns: int
) -> int:
    """Compare all bits with those of whole calls; return the number of pieces."""
    module = at_memory(model, target)
    whole, _ = outputs(module, feeds, target)
    cut, pieces = outputs(module, feeds, target, piece_ns)
    for x, y in zip(whole, cut, strict=True):
        assert x.tobytes() == y.tobytes()
    return pieces


SOME = 4
"""How many cases of an operator `make test` has; kernels of the others are alike."""


def batches(cases: Iterable[Case]) -> Iterator[list[Case]]:
    """Yield cases in models, as many of one opset in each as compile in seconds."""
    by_opset: dict[int, list[Case]] = defaultdict(list)
    for case in cases:
        by_opset[case.opset].append(case)
    for group in by_opset.values():
        for first in range(0, len(group), 150):
            yield group[first : first + 150]


def operators() -> Iterator[Any]:
    """Yield some cases of each operator, and in longer runs the others."""
    some: list[Case] = []
    others: list[Case] = []
    for cases in all_cases().values():
        step = -(-len(cases) // SOME)
        for number, case in enumerate(cases):
            (others if number % step else some).append(case)
    for chosen, marks in ((some, ()), (others, FULL)):
        for batch in batches(chosen):
            yield pytest.param(batch, marks=marks, id=batch[0].op)


@pytest.mark.parametrize("piece_ns", PIECES)
@pytest.mark.parametrize("cases", list(operators()))
def test_operators_give_the_same_bits(cases: list[Case], piece_ns: int) -> None:
    check(model_of(cases), feeds_of(cases), "cpu", piece_ns)


@pytest.mark.parametrize("piece_ns", PIECES)
@pytest.mark.parametrize("name", ["squeezenet", "encoder", "lstm", "shufflenet"])
def test_models_are_cut_and_give_the_same_bits(name: str, piece_ns: int) -> None:
    model = models.build(name)
    feeds = models.inputs_of(model)
    assert check(model, feeds, "cpu", piece_ns) > 10


def test_a_piece_takes_time() -> None:
    with pytest.raises(PassFailedException, match="piece_ns of at least 0, got -2"):
        MemoryToLoopsPass("cpu", piece_ns=-2).apply(context(), ModuleOp([]))


@pytest.mark.parametrize("piece_ns", PIECES)
@pytest.mark.parametrize(
    ("dtype", "target"), cross(["float16", "bfloat16"], ["cpu", "cpu:avx2", "cpu:sse2"])
)
def test_floats_of_16_bits_give_the_same_bits(
    dtype: str, target: str, piece_ns: int
) -> None:
    if not target_of(target).runs_here:
        pytest.skip(f"{target} does not run here")
    rng, type_ = np.random.default_rng(0), dtype_named(dtype)
    shapes = {"x": (1, 32, 16, 16), "w": (48, 32, 3, 3), "m": (16, 72)}
    x, w, m = (rng.standard_normal(shape).astype(type_) for shape in shapes.values())

    def build(x: Any, w: Any, m: Any) -> list[Any]:
        y = ConvOp(x, w, pads=(1, 1, 1, 1)).result
        return [MatMulOp(y, m).result, AttentionOp(y, y, y).result]

    module = module_of([x], {"w": w, "m": m}, build)
    (name,) = (each.name for each in glow.compile(module, target=target).inputs)
    assert check(module, {name: x}, target, piece_ns) > 5


@pytest.mark.parametrize(("side", "channels"), [(56, 128), (200, 32)])
def test_blocks_of_tiles_give_the_same_bits(side: int, channels: int) -> None:
    """A few blocks, whose parts threads share one by one, and many small ones."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((1, channels, side, side)).astype(np.float32)
    w = rng.standard_normal((channels, channels, 3, 3)).astype(np.float32)

    def build(x: Any, w: Any) -> list[Any]:
        return [ConvOp(x, w, pads=(1, 1, 1, 1)).result]

    module = module_of([x], {"w": w}, build)
    (name,) = (each.name for each in glow.compile(module).inputs)
    assert check(module, {name: x}, "cpu", 5000) > 10
