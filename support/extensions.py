"""Extensions by other packages: objects and modules named by entry points."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeVar

from glow.support.errors import ExtensionError
from glow.support.names import with_article

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")

BACKENDS = "glow.backends"
"""Values of class `Backend`: a target each, with the name of the entry point."""
KERNELS = "glow.kernels"
"""Modules that register lowerings of their own ops; importing one does."""
ONNX = "glow.onnx"
"""Modules whose functions under `@onnx_op` import operators."""
PIPELINE = "glow.pipeline"
"""Values of class `AddedStep`: passes that the default pipeline runs as well."""
UNIVERSE = "xdsl.universe"
"""xDSL's own: values of class `Universe`, with dialects and passes."""

GROUPS = (BACKENDS, KERNELS, ONNX, PIPELINE, UNIVERSE)


def installed_version() -> str:
    """Return the version of glow-xdsl, or of its part that runs saved executables."""
    from importlib.metadata import PackageNotFoundError, version  # slow to import

    try:
        return version("glow-xdsl")
    except PackageNotFoundError:
        return version("glow-xdsl-runtime")


@cache
def entry_points_of(group: str) -> tuple[EntryPoint, ...]:
    """Return the entry points of a group, by name; to look costs some milliseconds."""
    from importlib.metadata import entry_points  # slow to import

    return tuple(sorted(entry_points(group=group), key=lambda point: point.name))


def load(point: EntryPoint, kind: type[T]) -> T:
    """
    Return what an entry point names, an instance of `kind`.

    Errors: ExtensionError that names the package, whatever is wrong with it.
    """
    try:
        value = point.load()
    except Exception as error:
        raise broken(point, f"{type(error).__name__}: {error}") from error
    if not isinstance(value, kind):
        name = with_article(type(value).__name__)
        raise broken(point, f"expected {with_article(kind.__name__)}, got {name}")
    return value


def broken(point: EntryPoint, reason: str) -> ExtensionError:
    """Return an error that names the package of an entry point."""
    package = point.value if point.dist is None else point.dist.name
    return ExtensionError(
        f'package {package}: entry point "{point.name}" of {point.group}: {reason}'
    )


def load_all(group: str, kind: type[T]) -> list[T]:
    """Return what all entry points of a group name, by the names of these."""
    return [load(point, kind) for point in entry_points_of(group)]
