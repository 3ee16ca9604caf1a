"""The finder of backends by name, apart so that `import glow` imports no more."""

from __future__ import annotations

from collections.abc import Callable

FINDERS: list[Callable[[str], object]] = []
"""
One function that returns the `Backend` with a name, or raises a TargetError.

Passes stand below the backends, so the package above both, `glow` itself, sets it.
"""
