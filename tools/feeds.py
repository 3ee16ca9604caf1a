"""Arrays to run a model on, from files, and outputs to files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import numpy as np

from glow.runtime.signature import Signature
from glow.support.arrays import Array
from glow.support.dtypes import dtype_named
from glow.support.errors import memory_for
from glow.tools.options import check_folder, named

_LONGEST = 200
"""The most characters of a file's name; systems allow 255 bytes."""


def read_arrays(texts: Sequence[str], option: str = "--input") -> dict[str, Array]:
    """Return the arrays of `option NAME=FILE.npy` options."""
    files = named(texts, f"{option} NAME=FILE.npy once per name")
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
        with memory_for(file):
            array: Any = np.load(file, allow_pickle=False)
    except (ValueError, EOFError):
        raise ValueError(f"{file}: expected an array in a .npy file") from None
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{file}: expected one array, got an archive")
    array = cast(Array, array)
    if array.dtype == np.dtype("V2"):  # so NumPy writes bfloat16
        array = array.view(dtype_named("bfloat16"))
    return array


def output_paths(names: Iterable[str], folder: Path) -> dict[str, Path]:
    """
    Return a distinct file in `folder` for each name, and make the folder.

    Characters other than letters, digits and ._-~ are quoted, as %2F. Names that are
    too long for a file end in a hash, as do names that differ only in case, which some
    file systems ignore. Errors: OSError where nothing can be written.
    """
    check_folder(folder)
    plain = {name: quote(name, safe="") for name in names}
    count = Counter(text.lower() for text in plain.values())
    return {
        name: folder / f"{_file_name(name, text, count[text.lower()] == 1)}.npy"
        for name, text in plain.items()
    }


def _file_name(name: str, plain: str, is_unlike_others: bool) -> str:
    if is_unlike_others and len(plain) <= _LONGEST:
        return plain
    digest = sha256(name.encode()).hexdigest()[:32]
    return f"{plain[: _LONGEST - len(digest) - 1]}-{digest}"
