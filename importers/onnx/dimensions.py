"""Extents of symbolic dimensions: given, or derived from those given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from onnx import ValueInfoProto

from glow.importers.onnx.records import text_of
from glow.support.dimensions import relations
from glow.support.errors import InvalidModelError


class Dimensions:
    """
    The extents that the caller gives to symbolic dimensions of `inputs`, by name.

    Others, such as "past + 1", follow from them.
    Errors: an InvalidModelError for an extent that cannot be.
    """

    def __init__(self, given: Mapping[str, int], inputs: Iterable[ValueInfoProto] = ()):
        for name, extent in given.items():
            if extent < 0:
                raise InvalidModelError(
                    f'dimension "{name}" is given as {extent}, expected at least 0'
                )
        self.given = dict(given)
        """The extents known so far."""
        self._symbols = symbols_of(inputs)
        self._relations = relations(self._symbols, given)
        self._seen: set[str] = set()

    @property
    def open(self) -> tuple[str, ...]:
        """The names that an import needs the extents of, and has not, in order."""
        names: dict[str, None] = {}
        for name in self._symbols:
            relation = self._relations.get(name)
            names |= dict.fromkeys([name] if relation is None else relation.names)
        return tuple(name for name in names if name not in self.given)

    def find(self, name: str, owner: str) -> int | None:
        """Return the extent of `name`, which `owner` has, or None if it is open."""
        self._seen.add(name)
        relation = self._relations.get(name)
        given = self.given.get(name)
        if relation is None:
            return given
        self._seen.update(relation.names)
        if not self.given.keys() >= set(relation.names):
            return given
        try:
            extent = relation.extent(self.given)
        except ValueError as error:
            raise InvalidModelError(f"{owner} has a dimension where {error}") from None
        if given not in (None, extent):
            raise InvalidModelError(
                f'dimension "{name}" is given as {given}, expected {extent}'
            )
        return extent

    def extent(self, name: str, owner: str) -> int:
        """Return the extent of symbolic dimension `name`, which `owner` has."""
        extent = self.find(name, owner)
        if extent is None:
            names = self.open or (name,)
            dims = ", ".join(f'"{each}": ...' for each in names)
            options = " ".join(f'--dim "{each}=..."' for each in names)
            raise InvalidModelError(
                f'{owner} has the symbolic dimension "{name}"; '
                f"give its extent: dims={{{dims}}} or {options}"
            )
        return extent

    def take(self, expected: int | str, extent: int) -> bool:
        """Say whether `extent` fits what an input has; an open dimension takes it."""
        if isinstance(expected, int):
            return expected == extent
        known = self.find(expected, "an input")
        if known is None and expected not in self._relations:
            self.given[expected] = extent
        return known in (None, extent)

    def check_all_used(self) -> None:
        """Raise where the caller gives a dimension that the model does not have."""
        unknown = sorted(set(self.given) - self._seen)
        if unknown:
            known = ", ".join(f'"{name}"' for name in sorted(self._seen)) or "none"
            raise InvalidModelError(
                f'the model has no symbolic dimension "{unknown[0]}" (it has {known})'
            )


def extents_of(info: ValueInfoProto) -> tuple[int | str, ...] | None:
    """
    Return the extents and symbolic dimensions of a tensor; None: no tensor, no shape.

    A dimension without extent and name goes by its place: `data[0]`.
    """
    if not info.type.tensor_type.HasField("shape"):
        return None
    return tuple(
        dim.dim_value
        if dim.HasField("dim_value")
        else text_of(dim.dim_param, "a dimension") or f"{info.name}[{index}]"
        for index, dim in enumerate(info.type.tensor_type.shape.dim)
    )


def symbols_of(infos: Iterable[ValueInfoProto]) -> tuple[str, ...]:
    """Return the symbolic dimensions of tensors, each once, in order."""
    extents = (extent for info in infos for extent in extents_of(info) or ())
    return tuple(dict.fromkeys(each for each in extents if isinstance(each, str)))
