"""Targets by name: the backends of this package, and of others by entry points."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from glow.support.errors import TargetError
from glow.support.extensions import BACKENDS, entry_points_of, load
from glow.support.targets import Backend, parts_of, resolve, target_of


def find_backend(name: str) -> Backend:
    """
    Return the backend that is called `name`.

    Errors: TargetError for a name that no installed package provides, ExtensionError
    for a package whose backend does not load.
    """
    own = _own_backend(name)
    if own is not None:
        return own
    for point in entry_points_of(BACKENDS):
        if point.name == name:
            return load(point, Backend)
    known = ", ".join(known_targets())
    raise TargetError(f"expected a target out of {known}, got {name!r}")


def _own_backend(name: str) -> Backend | None:
    """Return the backend of this package `name`, faster than by its entry point."""
    module = f"glow.backends.{name}"
    if not name.isidentifier() or find_spec(module) is None:
        return None
    return getattr(import_module(module), "BACKEND", None)


def known_targets() -> tuple[str, ...]:
    """Return the names that `target=NAME` may have; load no backend."""
    return tuple(point.name for point in entry_points_of(BACKENDS))


def own_targets() -> tuple[str, ...]:
    """Return the names of the targets of this package; load no backend."""
    points = entry_points_of(BACKENDS)
    return tuple(each.name for each in points if each.value.startswith("glow."))


def identity_of(spec: str) -> str:
    """Return a text that is equal for equal targets on this machine."""
    backend = resolve(spec)
    if backend.identity is None:
        return repr(target_of(spec))
    _, features, accuracy = parts_of(spec)
    return f"{backend.name} {accuracy} {backend.identity(features)}"
