"""Locations of ops, in the words of the model."""

from typing import Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    FileLineColLoc,
    FusedLoc,
    LocationAttr,
    NameLoc,
    NoneAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, Operation

from glow.support.attributes import string, unchecked

_NOTHING = NoneAttr()


def location_of(name: str) -> LocationAttr:
    """Return the location of what is called `name` in the model."""
    return unchecked(NameLoc, desc=string(name), location=_NOTHING)


def name_of(op: Operation) -> str:
    """Return the model's name of the node(s) that `op` was made from."""
    return name_at(op.location)


def layer_of(op: Operation) -> str:
    """Return the name of the node of `op` on one line, empty if it is of no node."""
    if not _is_of_model(op.location):
        return ""
    name = name_of(op)
    return name if name.isprintable() else repr(name)


def _is_of_model(location: Attribute) -> bool:
    """Return whether a location is a node's, and not a place in a text."""
    if isinstance(location, FusedLoc):
        parts = cast(ArrayAttr[Attribute], location.locations)
        return any(map(_is_of_model, parts))
    return isinstance(location, NameLoc)


def fuse(*locations: LocationAttr) -> LocationAttr:
    """Return the location of what was made from things at `locations`."""
    parts: dict[LocationAttr, None] = {}
    for location in locations:
        match location:
            case UnknownLoc():
                continue
            case FusedLoc(metadata=NoneAttr()):
                parts |= dict.fromkeys(cast(ArrayAttr[Any], location.locations))
            case _:
                parts[location] = None
    match list(parts):
        case []:
            return UnknownLoc()
        case [only]:
            return only
        case several:
            return FusedLoc(tuple(several), NoneAttr())


def name_at(location: Attribute) -> str:
    """Return the model's name of the node(s) at a location."""
    match location:
        case NameLoc():
            return location.desc.data
        case FileLineColLoc():
            return f"{location.filename.data}:{location.line.data}"
        case FusedLoc():
            parts = cast(ArrayAttr[Attribute], location.locations)
            names = dict.fromkeys(name_at(part) for part in parts)
            return " + ".join(name for name in names if name != "an unknown place")
        case UnknownLoc():
            return "an unknown place"
        case _:
            return str(location)
