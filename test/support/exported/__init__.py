"""
Transformers as `torch.onnx.export` writes them, by tracing and by TorchDynamo.

`texts` has a model each, as `regenerate.py` wrote it: nodes and small constants as they
were exported, weights as shapes alone.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from onnx import ModelProto

from exported.text import parsed

FOLDER = Path(__file__).parent / "texts"
NAMES = tuple(sorted(path.stem for path in FOLDER.glob("*.txt")))

WORDS, PLACES = 100, 128


@cache
def read(name: str) -> ModelProto:
    """Return the model called `name`, with the same random weights each time."""
    return parsed((FOLDER / f"{name}.txt").read_text())
