"""Finder of backends by name, a module of its own to keep `import glow` fast."""

from __future__ import annotations

from collections.abc import Callable

FINDERS: list[Callable[[str], object]] = []
"""
One function that returns the `Backend` with a name, or raises a TargetError.

Passes stand below the backends, so the package above both, `glow` itself, sets it.
"""
