"""Executables from files that `Executable.save` wrote."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from glow.runtime.image_file import read_images
from glow.runtime.interface import Executable
from glow.support.errors import BindingError, TargetError
from glow.support.targets import resolve

if TYPE_CHECKING:
    from glow.runtime.symbolic import Dims
    from glow.runtime.symbolic_header import Symbols


def load_saved(path: str | os.PathLike[str], verify: bool) -> Executable:
    """Return the executable in a file; see `glow.load_executable`."""
    images, symbols = read_images(Path(path), verify)
    backend = resolve(images[0].machine.backend)
    if backend.load is None:
        raise TargetError(f"{path}: target {backend.name} loads no executables")
    found = [backend.load(image) for image in images]
    return found[0] if symbols is None else _dynamic(path, symbols, found)


def _dynamic(
    path: str | os.PathLike[str], symbols: Symbols, found: Sequence[Executable]
) -> Executable:
    """Return what runs those that are `found`, and compiles no others."""
    from glow.runtime.dynamic import DynamicExecutable

    by_dims = {
        tuple(sorted(dims.items())): net
        for dims, net in zip(symbols.dims, found, strict=True)
    }
    known = " or ".join(_described(dims) for dims in symbols.dims)

    def look_up(dims: Dims) -> Executable:
        net = by_dims.get(tuple(sorted(dims.items())))
        if net is None:
            raise BindingError(
                f"{path}: expected {known}, which it is compiled for, got "
                f"{_described(dims)}; compile the model for more shapes and save it"
            )
        return net

    net = DynamicExecutable(symbols.signature, look_up, len(found))
    for dims in symbols.dims:
        net.specialize(dims)
    return net


def _described(dims: Dims) -> str:
    return ", ".join(f"{name} = {extent}" for name, extent in dims.items())
