"""What the memory level computes, before there is machine code, is what ONNX says."""

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

onnxruntime = pytest.importorskip("onnxruntime")

import models  # noqa: E402
from operators import all_cases  # noqa: E402
from operators.case import feeds_of, model_of  # noqa: E402
from xdsl.context import Context  # noqa: E402

import glow  # noqa: E402
from glow.backends.reference.memory import MemoryExecutable  # noqa: E402
from glow.formats.onnx import import_model  # noqa: E402
from glow.pass_manager import parse_passes, pipeline_text  # noqa: E402
from glow.pipeline import STAGES  # noqa: E402

pytestmark = pytest.mark.slow

PICKS = ("GatherElements", "GatherND", "ScatterElements", "ScatterND")
PICKS += ("TensorScatter", "CumSum", "Trilu", "OneHot", "TopK", "Resize")
WALKS = ("LSTM", "GRU", "RNN")

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
    found = MemoryExecutable(module).run(inputs)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    expected: list[Any] = session.run(None, inputs)
    for array, wanted in zip(found.values(), expected, strict=True):
        error = np.abs(array - wanted).max()
        assert error <= 1e-4 * np.abs(wanted).max()


@pytest.mark.parametrize("op", [*PICKS, *WALKS])
def test_memory_level_of_what_picks_scans_and_walks_is_right(op: str) -> None:
    """Views, copies, scratch and what an op writes are what its docstring says."""
    every = all_cases()[op]
    ((opset, _),) = Counter(case.opset for case in every).most_common(1)
    cases = [case for case in every if case.opset == opset]
    module = import_model(model_of(cases))
    for step in parse_passes(pipeline_text(MEMORY, "cpu")):
        step.apply(Context(), module)
    feeds = feeds_of(cases)
    expected = glow.compile(model_of(cases), target="reference").run(feeds)
    found = MemoryExecutable(module).run(feeds)
    for name, wanted in expected.items():
        np.testing.assert_allclose(found[name], wanted, 1e-6, 1e-6)
