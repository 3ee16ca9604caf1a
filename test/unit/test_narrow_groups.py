"""Groups of f16 and bf16: values inside are f32, and only what is stored is rounded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import glow

# The spacing of numbers from here on is more than 1, so adding 1/4 changes nothing.
LARGE = {
    "f16": (np.dtype(np.float16), 2048),
    "bf16": (np.dtype(ml_dtypes.bfloat16), 256),
}
NO_PADS = "pads = array<i64: 0, 0, 0, 0>"
FIRST = {
    "elementwise": "%a = graph.neg %x : (T) -> T",
    "product": f"%a = graph.conv %x, %w {{{NO_PADS}}} : (T, W) -> T",
    "pool": f"""%p = graph.conv %x, %w {{{NO_PADS}}} : (T, W) -> T
      %a = graph.avg_pool %p {{kernel_shape = array<i64: 1, 1>, {NO_PADS}}}
          : (T) -> T""",
}
"""What a group begins with; the filter is the negative of an identity."""


def run(body: str, element: str, target: str, folder: Path) -> Any:
    """Return what `body` makes of 1/4 in `x` and a large number in `z`."""
    text = f"""func.func @main(%x: T, %z: T, %w: W) -> F {{
      {body}
      func.return %y : F
    }}"""
    for name, type_ in {
        "F": "tensor<2x64x4x4xf32>",
        "T": f"tensor<2x64x4x4x{element}>",
        "W": f"tensor<64x64x1x1x{element}>",
    }.items():
        for before, after in ((": ", ""), ("(", ""), (", ", ""), ("> ", "")):
            text = text.replace(f"{before}{name}{after}", f"{before}{type_}{after}")
    (folder / "net.mlir").write_text(text)
    dtype, large = LARGE[element]
    x, z = (np.full((2, 64, 4, 4), number, dtype) for number in (0.25, large))
    w = -np.eye(64).reshape(64, 64, 1, 1).astype(dtype)
    return glow.compile(folder / "net.mlir", target)(x, z, w)


@pytest.mark.slow
@pytest.mark.parametrize("element", LARGE)
@pytest.mark.parametrize("first", FIRST)
def test_values_inside_are_not_rounded(
    first: str, element: str, tmp_path: Path
) -> None:
    body = f"""{FIRST[first]}
      %b = graph.sub %z, %a : (T, T) -> T
      %d = graph.sub %b, %z : (T, T) -> T
      %y = graph.cast %d {{to = f32}} : (T) -> F"""
    assert np.unique(run(body, element, "cpu", tmp_path)).tolist() == [0.25]
    assert np.unique(run(body, element, "reference", tmp_path)).tolist() == [0]


@pytest.mark.parametrize("element", LARGE)
@pytest.mark.parametrize("first", FIRST)
def test_casts_to_sixteen_bits_round(first: str, element: str, tmp_path: Path) -> None:
    body = f"""{FIRST[first]}
      %b = graph.sub %z, %a : (T, T) -> T
      %c = graph.cast %b {{to = f32}} : (T) -> F
      %d = graph.neg %c : (F) -> F
      %e = graph.cast %d {{to = {element}}} : (F) -> T
      %f = graph.add %e, %z : (T, T) -> T
      %y = graph.cast %f {{to = f32}} : (T) -> F"""
    for target in ("cpu", "reference"):
        assert np.unique(run(body, element, target, tmp_path)).tolist() == [0]
