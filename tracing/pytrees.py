"""Nested containers of arrays: their leaves, named by where they are, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from glow.support.names import with_article


@dataclass(frozen=True)
class ShapeDtype:
    """
    The shape and element type of an array whose elements are not known.

    An extent may be the name of a dimension that is open, such as "batch".
    """

    shape: tuple[int | str, ...]
    dtype: Any = np.float32


_DEPTH = 200
"""The most containers around a leaf; Python itself follows about a thousand calls."""


class PathLeaf(NamedTuple):
    """A leaf, and the keys that lead to it: `("params", "w1")`."""

    path: tuple[str, ...]
    value: Any

    @property
    def name(self) -> str:
        return ".".join(self.path)


@dataclass(frozen=True)
class Structure:
    """
    The nesting of leaves; equal ones have leaves in the same places.

    `kind` is the type of the container, None for a leaf. A value that is neither, such
    as a string, is a container of kind `object` whose keys are the value and its type.
    """

    kind: type[Any] | None
    keys: tuple[Any, ...] = ()
    children: tuple[Structure, ...] = ()

    def __str__(self) -> str:
        if self.kind is None:
            return "*"
        if self.kind is object:
            return repr(self.keys[0])
        parts = [str(child) for child in self.children]
        if issubclass(self.kind, Mapping):
            named = zip(self.keys, parts, strict=True)
            return "{" + ", ".join(f"{key!r}: {part}" for key, part in named) + "}"
        if self.kind is tuple:
            return f"({', '.join(parts)}{',' * (len(parts) == 1)})"
        if self.kind is list:
            return f"[{', '.join(parts)}]"
        named = zip(self.keys, parts, strict=True)
        inside = ", ".join(f"{key}={part}" for key, part in named)
        return f"{self.kind.__name__}({inside})"


LEAF = Structure(None)


def is_array(value: object) -> bool:
    """Return whether a value is a leaf: an array of any library, or a number."""
    if isinstance(value, bool | type):
        return False
    is_number = isinstance(value, int | float | complex | ShapeDtype)
    return is_number or hasattr(value, "__array__")


def flatten(
    tree: Any,
    is_leaf: Callable[[object], bool] = is_array,
    path: tuple[str, ...] = (),
) -> tuple[list[PathLeaf], Structure]:
    """
    Return the leaves of nested tuples, lists, dicts and dataclasses, and the nesting.

    Errors: TypeError, which begins with the path, for a value that is neither a leaf
    nor a container and cannot be part of a key, as it has no hash.
    """
    leaves: list[PathLeaf] = []
    return leaves, _structure(tree, is_leaf, path, leaves)


def _structure(
    tree: Any,
    is_leaf: Callable[[object], bool],
    path: tuple[str, ...],
    leaves: list[PathLeaf],
) -> Structure:
    if is_leaf(tree):
        leaves.append(PathLeaf(path, tree))
        return LEAF
    if len(path) > _DEPTH:
        raise TypeError(
            f"{path[0]}: expected arrays nested at most {_DEPTH} deep, got more, or a "
            "value that contains itself"
        )
    items, kind = _items(tree), cast(type[Any], type(tree))
    if items is None:
        try:
            hash(tree)
        except TypeError:
            place = ".".join(path) or "value"
            raise TypeError(
                f"{place}: expected an array, a number, or a tuple, list, dict or "
                f"dataclass of such, got {with_article(kind.__name__)}"
            ) from None
        return Structure(object, (tree, kind))
    children = [_structure(v, is_leaf, (*path, str(k)), leaves) for k, v in items]
    return Structure(kind, tuple(key for key, _ in items), tuple(children))


def _items(tree: Any) -> Sequence[tuple[Any, Any]] | None:
    """Return the keys and values of a container; None for another value."""
    if isinstance(tree, dict):
        return list(cast(dict[Any, Any], tree).items())
    if isinstance(tree, tuple) and hasattr(cast(object, tree), "_fields"):
        names: Sequence[str] = cast(Any, tree)._fields
        return list(zip(names, cast(Sequence[Any], tree), strict=True))
    if isinstance(tree, tuple | list):
        return list(enumerate(cast(Sequence[Any], tree)))
    if is_dataclass(tree) and not isinstance(tree, type):
        return [(field.name, getattr(tree, field.name)) for field in fields(tree)]
    return None


def unflatten(structure: Structure, leaves: Sequence[Any]) -> Any:
    """Return containers of this structure around leaves, in order."""
    remaining = iter(leaves)
    tree = _built(structure, remaining)
    assert next(remaining, LEAF) is LEAF, "more leaves than the structure has"
    return tree


def _built(structure: Structure, leaves: Iterator[Any]) -> Any:
    kind = structure.kind
    if kind is None:
        return next(leaves)
    if kind is object:
        return structure.keys[0]
    values = [_built(child, leaves) for child in structure.children]
    make = cast(Callable[..., Any], kind)
    if issubclass(kind, dict):
        return make(zip(structure.keys, values, strict=True))
    if is_dataclass(kind):
        return _dataclass(kind, dict(zip(structure.keys, values, strict=True)))
    return make(*values) if hasattr(make, "_fields") else make(values)


def _dataclass(kind: type[Any], values: Mapping[str, Any]) -> Any:
    """Return an instance with these fields, without what its `__init__` would do."""
    made: Any = object.__new__(kind)
    for name, value in values.items():
        object.__setattr__(made, name, value)
    return made


def map_leaves(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """
    Return a tree like `tree` of what `function` returns for its leaves.

    `function` also gets the leaves of `others`, of the same structure, in these places.
    Errors: ValueError for another structure.
    """
    leaves, structure = flatten(tree)
    columns = [[leaf.value for leaf in leaves]]
    for other in others:
        found, nesting = flatten(other)
        if nesting != structure:
            raise ValueError(f"expected the structure {structure}, got {nesting}")
        columns.append([leaf.value for leaf in found])
    return unflatten(
        structure, [function(*each) for each in zip(*columns, strict=True)]
    )
