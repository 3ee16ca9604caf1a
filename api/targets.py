"""Targets by name: the backends of this package, and of others by entry points."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from glow.support.errors import TargetError
from glow.support.targets import Backend, resolve, target_of

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "glow.backends"


def find_backend(name: str) -> Backend:
    """
    Return the backend that is called `name`.

    Errors: a name that no installed package provides.
    """
    own = _own_backend(name)
    if own is not None:
        return own
    point = entry_points().get(name)
    if point is None:
        known = ", ".join(known_targets())
        raise TargetError(f"expected a target out of {known}, got {name!r}")
    return point.load()


def _own_backend(name: str) -> Backend | None:
    """
    Return the backend of this package that is a package called `name`.

    To ask what packages are installed takes longer than to load an executable.
    """
    module = f"glow.backends.{name}"
    if not name.isidentifier() or find_spec(module) is None:
        return None
    return getattr(import_module(module), "BACKEND", None)


@cache
def entry_points() -> dict[str, EntryPoint]:
    """Return the entry points of all backends by name; load none."""
    from importlib import metadata  # slow to import

    points = {point.name: point for point in metadata.entry_points(group=GROUP)}
    return dict(sorted(points.items()))


def known_targets() -> tuple[str, ...]:
    """Return the names that `target=NAME` may have; load no backend."""
    return tuple(entry_points())


def own_targets() -> tuple[str, ...]:
    """Return the names of the targets of this package; load no backend."""
    points = entry_points().items()
    return tuple(name for name, point in points if point.value.startswith("glow."))


def identity_of(spec: str) -> str:
    """Return what tells the target that `spec` names, on this machine, from others."""
    backend = resolve(spec)
    if backend.identity is None:
        return repr(target_of(spec))
    return f"{backend.name} {backend.identity(spec.partition(':')[2])}"
