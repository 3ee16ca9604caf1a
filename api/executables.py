"""Executables from files that `Executable.save` wrote."""

from __future__ import annotations

import os
from pathlib import Path

from glow.runtime.image_file import read_image
from glow.runtime.interface import Executable
from glow.support.errors import TargetError
from glow.support.targets import resolve


def load_saved(path: str | os.PathLike[str], verify: bool) -> Executable:
    """Return the executable in a file; see `glow.load_executable`."""
    image = read_image(Path(path), verify)
    backend = resolve(image.machine.backend)
    if backend.load is None:
        raise TargetError(f"{path}: target {backend.name} loads no executables")
    return backend.load(image)
