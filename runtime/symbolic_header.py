"""Symbolic dimensions in files of compiled models, as JSON and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from glow.runtime.image_header import spec_entry, spec_fields
from glow.runtime.signature import State
from glow.runtime.symbolic import Dims, SymbolicSignature
from glow.runtime.symbolic_spec import SymbolicSpec


@dataclass(frozen=True)
class Symbols:
    """The signature of the images of a file, and the extents of each."""

    signature: SymbolicSignature
    dims: tuple[Dims, ...]
    """For which extents each image is compiled."""


def symbols_entry(symbols: Symbols) -> dict[str, Any]:
    """Return symbolic dimensions as a file has them."""
    signature = symbols.signature
    return {
        "inputs": [spec_entry(spec) for spec in signature.inputs],
        "outputs": [spec_entry(spec) for spec in signature.outputs],
        "states": [
            {"direction": state.direction, **spec_entry(state.spec)}
            for state in signature.states
        ],
        "known": dict(signature.known),
        "dims": [dict(dims) for dims in symbols.dims],
    }


def symbols_of(entry: Mapping[str, Any]) -> Symbols:
    """Return the symbols that an entry of a file describes."""
    signature = SymbolicSignature(
        tuple(map(_spec_of, entry["inputs"])),
        tuple(map(_spec_of, entry["outputs"])),
        tuple(State(_spec_of(each), each["direction"]) for each in entry["states"]),
        entry["known"],
    )
    return Symbols(signature, tuple(entry["dims"]))


def _spec_of(entry: Mapping[str, Any]) -> SymbolicSpec:
    extents = entry["extents"]
    known = None if extents is None else tuple(extents)
    return SymbolicSpec(**spec_fields(entry), extents=known)
