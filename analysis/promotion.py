"""Placeholders that may become constants, and why the others may not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from glow.analysis.symbols import Uses, uses_of_symbols
from glow.dialects.graph.storage import PlaceholderOp
from glow.support.locations import name_of


@dataclass(frozen=True)
class Promotion:
    """Placeholders that may become constants; `kept` says why the others may not."""

    promoted: tuple[str, ...]
    kept: Mapping[str, str]


def promotion_of(module: ModuleOp, names: Sequence[str] = ()) -> Promotion:
    """
    Return which placeholders are constants in all but name.

    Those are bound, and no function writes them. One that is resident, which a caller
    may still bind, counts where `names` has it.
    """
    uses = uses_of_symbols(module)
    promoted: list[str] = []
    kept: dict[str, str] = {}
    for op in module.body.ops:
        if isinstance(op, PlaceholderOp):
            name = op.sym_name.data
            reason = _reason_to_keep(op, uses.get(name), name in names)
            if reason is None:
                promoted.append(name)
            else:
                kept[name] = reason
    return Promotion(tuple(promoted), kept)


def _reason_to_keep(op: PlaceholderOp, uses: Uses | None, named: bool) -> str | None:
    """Return why `op` is no constant, or None."""
    if uses is not None and uses.saves:
        return f"it is written, at {name_of(uses.saves[0])}"
    if op.direction.data in ("out", "inout"):
        return f'it is "{op.direction.data}"'
    match op.residency.data:
        case "run":
            return "the caller passes it at each run"
        case "resident" if not named:
            return "callers may bind it"
        case "resident" if op.initial is None:
            return "it has no initial value"
        case _:
            return None
