"""Rotary embeddings that exporters write out become one op, and mean the same."""

from __future__ import annotations

import pytest
from models.exported_rotary import ROTARY
from operators.oracle import run_onnxruntime

import glow
from glow.dialects.graph.rotary_embedding import RotaryEmbeddingOp
from glow.graph_modules import context
from glow.pass_manager import parse_passes, run_passes
from glow.runtime.comparison import error_of

BEFORE = "fold-constants,remove-identities,recognize-rotary-embedding,dce"


@pytest.mark.parametrize("name", ROTARY)
def test_exported_rotary_embedding_is_seen(name: str) -> None:
    exported = ROTARY[name]()
    module = glow.load(exported.proto).module
    run_passes(parse_passes(BEFORE), context(), module)
    (op,) = (op for op in module.walk() if isinstance(op, RotaryEmbeddingOp))
    found = {
        "interleaved": op.interleaved,
        "rotary_embedding_dim": op.rotary_embedding_dim,
        "positions": op.positions is not None,
    }
    assert found == exported.seen
    left = {op.name for op in module.walk()}
    assert not left & {"graph.neg", "graph.add", "graph.sub"}


@pytest.mark.parametrize(
    "target", ["cpu", pytest.param("reference", marks=pytest.mark.full)]
)
@pytest.mark.parametrize("name", ROTARY)
def test_exported_rotary_embedding_is_right(name: str, target: str) -> None:
    exported = ROTARY[name]()
    (found,) = glow.compile(exported.proto, target).run(exported.feeds).values()
    (expected,) = run_onnxruntime(exported.proto, exported.feeds, optimized=False)
    assert error_of(found, expected) <= 1e-5
