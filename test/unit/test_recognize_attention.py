"""Attention that exporters write out becomes one op, and means the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from graph_code import run
from grids import slow_but
from models.exported_attention import EXPORTED
from numpy.typing import NDArray
from operators.oracle import run_onnxruntime
from repository import ROOT
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

import glow
from glow.dialects.graph.attention import AttentionOp
from glow.graph_modules import context
from glow.model import parse_text
from glow.pass_manager import parse_passes, run_passes
from glow.runtime.comparison import error_of
from glow.support.types import dtype_of, element_of, shape_of

BEFORE = "fold-constants,remove-identities,recognize-attention,elide-optionals"

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of NaN


@pytest.mark.parametrize("name", EXPORTED)
def test_exported_attention_is_seen(name: str) -> None:
    exported = EXPORTED[name]()
    module = glow.load(exported.proto).module
    run_passes(parse_passes(BEFORE), context(), module)
    (op,) = (op for op in module.walk() if isinstance(op, AttentionOp))
    found = {
        "mask": op.mask is not None,
        "bias": op.bias is not None,
        "masked_score": op.masked_score,
        "unseen": op.unseen,
        "heads": op.sizes.kv_heads,
    }
    absent = {"mask": False, "bias": False, "masked_score": -np.inf, "heads": 4}
    assert found == absent | exported.seen


@pytest.mark.parametrize(
    "target", ["cpu", pytest.param("reference", marks=pytest.mark.full)]
)
@pytest.mark.parametrize("name", slow_but(EXPORTED, "bert", "llama", "dynamo", "bloom"))
def test_exported_attention_is_right(name: str, target: str) -> None:
    exported = EXPORTED[name]()
    (found,) = glow.compile(exported.proto, target).run(exported.feeds).values()
    (expected,) = run_onnxruntime(exported.proto, exported.feeds, optimized=False)
    assert error_of(found, expected) <= 1e-5


@pytest.mark.slow
def test_every_case_means_the_same_afterwards() -> None:
    """With masks of both values, and biases of -inf: some queries see nothing."""
    rng = np.random.default_rng(0)
    path = ROOT / "test" / "passes" / "graph" / "recognize_attention.mlir"
    module = parse_text(context(), path.read_text(), path.name)
    for function in [op for op in module.ops if isinstance(op, FuncOp)]:
        clone = function.clone()
        clone.sym_name = StringAttr("main")
        case = ModuleOp([clone])
        arrays = [
            _drawn(rng, shape_of(value), dtype_of(element_of(value)))
            for value in function.body.block.args
        ]
        expected = run(case, arrays)
        run_passes(parse_passes("recognize-attention"), context(), case)
        for one, other in zip(run(case, arrays), expected, strict=True):
            assert error_of(one, other) <= 2e-6, function.sym_name.data


def _drawn(
    rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]
) -> NDArray[Any]:
    if dtype == np.bool_:
        return rng.random(shape) < 0.5
    array = rng.standard_normal(shape).astype(dtype)
    if shape[-1] == 3:  # what is added to scores
        array[rng.random(shape) < 0.4] = -np.inf
    return array
