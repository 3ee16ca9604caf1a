"""What holds after every stage: provenance, determinism, a tight arena."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SUPPORT = str(Path(__file__).parents[1] / "support")
sys.path.insert(0, SUPPORT)

import models  # noqa: E402
from xdsl.context import Context  # noqa: E402
from xdsl.dialects.builtin import ModuleOp, UnknownLoc  # noqa: E402
from xdsl.dialects.func import FuncOp, ReturnOp  # noqa: E402
from xdsl.ir import Operation  # noqa: E402

from glow.importers.onnx import import_model  # noqa: E402
from glow.pipeline import STAGES, parse_passes, pipeline_text  # noqa: E402

NETWORKS = models.FILES
MEMORY = [s for s in STAGES if s.name in ("graph", "layout", "memory")]


def at_memory(name: str) -> ModuleOp:
    module = import_model(models.skeleton(name))
    for step in parse_passes(pipeline_text(MEMORY, "cpu")):
        step.apply(Context(), module)
    return module


def has_place(op: Operation) -> bool:
    """Whether `op` must say where it came from: it computes, or stores."""
    return not isinstance(op, ModuleOp | FuncOp | ReturnOp)


@pytest.mark.parametrize("name", ["squeezenet", "shufflenet"])
def test_every_op_knows_its_node_after_every_pass(name: str) -> None:
    module = import_model(models.skeleton(name))
    for step in parse_passes(pipeline_text(MEMORY, "cpu")):
        step.apply(Context(), module)
        lost = [
            op.name
            for op in module.walk()
            if has_place(op) and isinstance(op.location, UnknownLoc)
        ]
        assert not lost, f"{step.name} lost the locations of {sorted(set(lost))}"


@pytest.mark.parametrize("name", NETWORKS)
def test_the_arena_is_close_to_its_lower_bound(name: str) -> None:
    attributes = at_memory(name).attributes
    arena, bound = (
        attributes[key].value.data  # type: ignore[attr-defined]
        for key in ("glow.arena_bytes", "glow.arena_lower_bound")
    )
    assert 0 < bound <= arena <= 1.15 * bound


SCRIPT = """
import sys
sys.path.insert(0, {support!r})
import models, hashlib
from xdsl.context import Context
from glow.importers.onnx import import_model
from glow.pipeline import STAGES, parse_passes, pipeline_text
module = import_model(models.skeleton("squeezenet"))
for stage in STAGES:
    for step in parse_passes(pipeline_text([stage], "cpu")):
        step.apply(Context(), module)
    print(stage.name, hashlib.sha256(str(module).encode()).hexdigest())
"""


def test_every_stage_prints_the_same_in_another_process() -> None:
    texts = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT.format(support=SUPPORT)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1
    assert texts.pop().count("\n") == len(STAGES)
