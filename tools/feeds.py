"""Arrays to run a model on, from files, and outputs to files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from glow.runtime.signature import Array, Signature
from glow.support.dtypes import dtype_named
from glow.tools.options import named


def read_arrays(texts: Sequence[str], option: str = "--input") -> dict[str, Array]:
    """Return the arrays of `option NAME=FILE.npy` options."""
    files = named(texts, f"{option} NAME=FILE.npy", once=False)
    return {name: _read(file) for name, file in files.items()}


def feeds_of_peers(
    signature: Signature, inputs: Mapping[str, Array], bound: Mapping[str, Array]
) -> dict[str, Array]:
    """Return the inputs of other runtimes: also bound ones, and initial states."""
    starts = {state.spec: state.start() for state in signature.states}
    states = {spec.name: spec.unpack(array) for spec, array in starts.items()}
    return {**bound, **states, **signature.unpacked(inputs)}


def _read(file: str) -> Array:
    try:
        array: Any = np.load(file, allow_pickle=False)
    except (ValueError, EOFError):
        raise ValueError(f"{file}: expected an array in a .npy file") from None
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{file}: expected one array, got an archive")
    array = cast(Array, array)
    if array.dtype == np.dtype("V2"):  # so NumPy writes bfloat16
        array = array.view(dtype_named("bfloat16"))
    return array


def write_outputs(outputs: Mapping[str, Array], folder: Path) -> list[Path]:
    """Write each output to `folder` as NAME.npy; return the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    for name, array in outputs.items():
        safe = "".join(c if c.isalnum() or c in "._-" else "_" for c in name)
        paths.append(folder / f"{safe}.npy")
        np.save(paths[-1], array)
    return paths
