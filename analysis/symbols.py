"""Uses of the symbols of a module: as declared, and as constants in all but name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from glow.analysis.calls import problems_of_calls
from glow.dialects.graph.placeholder import INFER
from glow.dialects.graph.storage import (
    ConstantOp,
    LoadOp,
    PlaceholderOp,
    SaveOp,
    StorageOp,
)
from glow.support.dimensions import AT_MOST
from glow.support.locations import name_of
from glow.support.types import tensor_type
from glow.support.walking import block_ops, ops_in, ops_of

Use = LoadOp | SaveOp
Named = TypeVar("Named", bound=Operation)


def verify_symbols(module: ModuleOp, infers: bool = False) -> None:
    """
    Raise unless every `graph.load` and `graph.save` fits what it names.

    The one message lists every problem with the op and the declaration or earlier use
    that it contradicts. Linear in the number of ops.
    Errors: a symbol that is unknown or no storage; another shape or element type; a
    save into a constant or an input, or a second one; a load of an output, or after a
    save of the same symbol in the function; an output that nothing saves; a
    placeholder without a direction or, with `infers`, one for which there is none;
    all that is wrong with calls, see `analysis/calls.py`.
    """
    problems = list(_problems(module, infers))
    if problems:
        raise VerifyException("; ".join(problems))


def named_in(module: ModuleOp, *kinds: type[Named]) -> dict[str, Named]:
    """Return the ops of `kinds` right in `module`, by their symbols."""
    ops = ops_of(module.ops, *kinds)
    return {cast(StringAttr, op.properties["sym_name"]).data: op for op in ops}


@dataclass(frozen=True)
class Uses:
    """The loads and saves of one symbol, in the order of the text."""

    loads: list[LoadOp]
    saves: list[SaveOp]

    @property
    def direction(self) -> str:
        """The direction that follows from them; "in" where there are none."""
        if not self.saves:
            return "in"
        return "inout" if self.loads else "out"


NO_USES = Uses([], [])


def uses_of_symbols(module: ModuleOp) -> dict[str, Uses]:
    """Return the loads and saves of each symbol that has some."""
    uses: dict[str, Uses] = {}
    for op in _uses(module):
        if isinstance(op, LoadOp):
            uses.setdefault(_name(op), Uses([], [])).loads.append(op)
        else:
            uses.setdefault(_name(op), Uses([], [])).saves.append(op)
    return uses


def _name(op: Use) -> str:
    symbol: SymbolRefAttr = op.symbol
    return symbol.string_value()


def _problems(module: ModuleOp, infers: bool) -> Iterator[str]:
    table: dict[str, Operation] = {}
    for op in block_ops(module.body.block):
        name = op.properties.get("sym_name")
        if isinstance(name, StringAttr):
            table[name.data] = op
    loaded: set[str] = set()
    saved: dict[str, SaveOp] = {}
    for use in _uses(module):
        if isinstance(use, LoadOp):
            loaded.add(_name(use))
        declared = table.get(_name(use))
        if not isinstance(declared, PlaceholderOp | ConstantOp):
            yield _no_storage(use, declared)
            continue
        yield from _type_problems(use, declared)
        yield from _direction_problems(use, declared)
        yield from _order_problems(use, saved)
    for name, declared in table.items():
        if not isinstance(declared, PlaceholderOp):
            continue
        if declared.direction.data == INFER:
            only_saved = saved.get(name) if name not in loaded else None
            yield from _undirected(declared, only_saved, infers)
        elif name not in saved:
            yield from _unsaved(declared)
    yield from problems_of_calls(module)


def _uses(module: ModuleOp) -> list[Use]:
    return ops_of(ops_in(module.body), LoadOp, SaveOp)


def _at(op: Operation) -> str:
    """Return op, symbol and place as messages name them."""
    if isinstance(op, LoadOp | SaveOp):
        return f"{op.name} @{_name(op)} at {name_of(op)}"
    symbol = op.properties["sym_name"]
    return f"{op.name} @{getattr(symbol, 'data', symbol)} at {name_of(op)}"


def _no_storage(use: Use, declared: Operation | None) -> str:
    if declared is None:
        return f"{_at(use)} names no placeholder or constant of the module"
    return f"{_at(use)} expected a placeholder or constant, got {_at(declared)}"


def _type_problems(use: Use, declared: StorageOp) -> Iterator[str]:
    value = use.result if isinstance(use, LoadOp) else use.value
    type_ = tensor_type(value)
    shapes = type_.get_shape(), declared.type.get_shape()
    elements = type_.element_type, declared.type.element_type
    if shapes[0] != shapes[1] or elements[0] != elements[1]:
        yield f"{_at(use)} expected {declared.type} as {_at(declared)}, got {type_}"


def _direction_problems(use: Use, declared: StorageOp) -> Iterator[str]:
    if isinstance(declared, ConstantOp):
        if isinstance(use, SaveOp):
            yield f"{_at(use)} writes to {_at(declared)}"
        return
    is_load = isinstance(use, LoadOp)
    words = declared.direction.data, declared.residency.data
    for word in words:
        if word in (("out", "scratch") if is_load else ("in", "bound")):
            verb = "reads" if is_load else "writes to"
            yield f'{_at(use)} {verb} {_at(declared)}, which is "{word}"'
            return


def _order_problems(use: Use, saved: dict[str, SaveOp]) -> Iterator[str]:
    earlier = saved.get(_name(use))
    if isinstance(use, SaveOp):
        if earlier is not None:
            yield f"{_at(use)} writes again what {_at(earlier)} wrote"
        saved.setdefault(_name(use), use)
    elif earlier is not None and _function(earlier) is _function(use):
        yield f"{_at(use)} follows {_at(earlier)}, use the saved value instead"


def _function(op: Operation) -> Operation | None:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, FuncOp):
        parent = parent.parent_op()
    return parent


def _undirected(
    declared: PlaceholderOp, only_saved: SaveOp | None, infers: bool
) -> Iterator[str]:
    """Yield why a placeholder without a direction needs one, or can get none."""
    if not infers:
        yield f"{_at(declared)} has no direction, run infer-io"
    elif only_saved is not None and declared.residency.data == "resident":
        yield (
            f"{_at(only_saved)} writes to {_at(declared)}, which is "
            '"resident" but nothing reads it'
        )


def _unsaved(declared: PlaceholderOp) -> Iterator[str]:
    if declared.direction.data in ("out", "inout"):
        yield f'{_at(declared)} is "{declared.direction.data}" but nothing saves it'


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
    for op in ops_of(module.ops, PlaceholderOp):
        name = op.sym_name.data
        reason = _reason_to_keep(op, uses.get(name), name in names)
        if reason is None:
            promoted.append(name)
        else:
            kept[name] = reason
    return Promotion(tuple(promoted), kept)


def _reason_to_keep(op: PlaceholderOp, uses: Uses | None, named: bool) -> str | None:
    """Return why `op` is not a constant, or None."""
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


def counted_placeholders(module: ModuleOp) -> dict[str, tuple[int, str]]:
    """Map placeholders with a counted axis to it and to the name of the count."""
    placeholders = named_in(module, PlaceholderOp)
    found: dict[str, tuple[int, str]] = {}
    for name, op in placeholders.items():
        for axis, meaning in enumerate(op.axes or ()):
            count = meaning.data.removeprefix(AT_MOST)
            if count != meaning.data and count in placeholders:
                found[name] = axis, count
    return found
