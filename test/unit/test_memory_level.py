"""What the memory level computes, before there is machine code, is what ONNX says."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

onnxruntime = pytest.importorskip("onnxruntime")

import models  # noqa: E402
from memory_interpreter import run_memory  # noqa: E402
from xdsl.context import Context  # noqa: E402

from glow.importers.onnx import import_model  # noqa: E402
from glow.pipeline import STAGES, parse_passes, pipeline_text  # noqa: E402

pytestmark = pytest.mark.slow

MEMORY = [stage for stage in STAGES if stage.name == "memory"]


@pytest.mark.parametrize("name", ["mlp", "encoder", "squeezenet"])
def test_memory_level_of_a_plain_import_is_right(name: str) -> None:
    """No layouts and no groups: each op alone, in row-major buffers."""
    model = models.build(name)
    inputs = models.inputs_of(model)
    module = import_model(model)
    for step in parse_passes(pipeline_text(MEMORY, "cpu")):
        step.apply(Context(), module)
    module.verify()
    found = run_memory(module, inputs)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    expected: list[Any] = session.run(None, inputs)
    for array, wanted in zip(found.values(), expected, strict=True):
        error = np.abs(array - wanted.reshape(-1)).max()
        assert error <= 1e-4 * np.abs(wanted).max()
