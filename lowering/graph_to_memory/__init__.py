"""Lower `graph` to `memory`: each value gets a buffer, each group becomes one op."""

from dataclasses import dataclass
from importlib import import_module

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from glow.analysis.calls import calls_in, entries_of, reached_from
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.storage import (
    ConstantOp,
    LiteralOp,
    LoadOp,
    PlaceholderOp,
    SaveOp,
)
from glow.dialects.memory.base import buffer_type, extents_of
from glow.dialects.memory.storage import ConstantOp as MemoryConstantOp
from glow.dialects.memory.storage import GetOp, ViewOp
from glow.dialects.memory.storage import PlaceholderOp as MemoryPlaceholderOp
from glow.lowering.graph_to_memory.apply import lower_by_kernel
from glow.lowering.graph_to_memory.control_flow import bind_arguments, call_once
from glow.lowering.graph_to_memory.destinations import find_destinations
from glow.lowering.graph_to_memory.elementwise import lower_elementwise
from glow.lowering.graph_to_memory.ordering import ordered
from glow.lowering.graph_to_memory.scalar import has_rule
from glow.lowering.graph_to_memory.state import (
    ALIASING,
    HANDLERS,
    Lowering,
    NewConstants,
    lowers,
    memref_of,
    unsupported,
)
from glow.support.discovery import modules_in
from glow.support.targets import target_of
from glow.support.types import tensor_type
from glow.support.walking import block_ops, free_ops, ops_of


@dataclass(frozen=True)
class GraphToMemoryPass(ModulePass):
    """
    Give every value a buffer, and replace ops by ones that write to buffers.

    Level: layout -> memory. Needs: group-ops, placeholders for arguments. Slices,
    transposes and the like become views; saved and concatenated values are computed
    in place; constants are packed as kernels read them.
    """

    name = "graph-to-memory"

    target: str = "cpu"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for module in modules_in(__name__):
            import_module(module)
        call_once(op)
        entries = entries_of(op)
        if len(entries) != 1 or entries[0].body.block.args:
            raise PassFailedException(
                "graph-to-memory expects one function without arguments: "
                "run arguments-to-placeholders first"
            )
        constants = {c.sym_name.data: c for c in ops_of(op.ops, ConstantOp)}
        placeholders = ops_of(op.ops, PlaceholderOp)
        written = {p.sym_name.data for p in placeholders if p.direction.data == "out"}
        functions = reached_from(entries[0], op)
        callers = {n: c for f in functions for c in calls_in(f) for n in c.callees}
        new, lowered = NewConstants(constants), list[FuncOp]()
        for function in functions:
            lowering = Lowering(target_of(self.target), constants, new)
            outputs, accesses = written, None
            if (caller := callers.get(function.sym_name.data)) is not None:
                outputs, accesses = bind_arguments(lowering, function, caller)
            source = function.body.block
            lowering.destinations = find_destinations(source, outputs, ALIASING)
            lowering.find_halos(source)
            _lower_block(lowering, ordered(source, ALIASING), outputs)
            lowered.append(_function(function, lowering.block, accesses))
        _replace(op, lowered, placeholders, constants, new.ops)


def _function(
    source: FuncOp, block: Block, accesses: ArrayAttr[DictionaryAttr] | None
) -> FuncOp:
    """Return the function of `block`, called and located as `source` is."""
    types = [argument.type for argument in block.args]
    function = FuncOp(
        source.sym_name.data,
        (types, ()),
        Region(block),
        source.sym_visibility,
        arg_attrs=accesses,
    )
    for old, new in zip(source.body.block.args, block.args, strict=False):
        new.name_hint = old.name_hint
    function.location = source.location
    return function


def _lower_block(lowering: Lowering, ops: list[Operation], outputs: set[str]) -> None:
    updates: list[SaveOp] = []
    in_place = set(lowering.destinations.saved.values())
    for inner in ops:
        lowering.at(inner)
        if isinstance(inner, SaveOp):
            if inner.symbol.string_value() not in outputs:
                updates.append(inner)
            elif inner not in in_place:
                _copy_to_symbol(lowering, inner, lowering[inner.value])
            continue
        if isinstance(inner, ReturnOp):
            break
        if isinstance(inner, GraphOp) and has_rule(inner):
            lower_elementwise(lowering, inner)
        elif type(inner) in HANDLERS:
            HANDLERS[type(inner)](lowering, inner)
        elif isinstance(inner, GraphOp):
            lower_by_kernel(lowering, inner)
        else:
            raise unsupported(inner, "has no lowering to memory")
    _update(lowering, updates)
    lowering.add(ReturnOp())
    _drop_unused(lowering.block)


def _drop_unused(block: Block) -> None:
    """Erase `get`s and views that nothing reads, such as of a filter packed anew."""
    for op in reversed(block_ops(block)):
        if isinstance(op, GetOp | ViewOp) and op.result.first_use is None:
            op.detach()
            op.erase()


@lowers(LoadOp)
def _load(lowering: Lowering, op: LoadOp) -> None:
    lowering.bind(
        op.result,
        lowering.get(op.symbol.string_value(), memref_of(tensor_type(op.result))),
    )


@lowers(LiteralOp)
def _literal(lowering: Lowering, op: LiteralOp) -> None:
    lowering.bind_literal(op)


def _update(lowering: Lowering, saves: list[SaveOp]) -> None:
    """
    Copy values to placeholders that are also read; coalesce-copies may undo that.

    The old value of a placeholder may be the new value of another one: it is copied
    before it is overwritten. If such copies form a cycle, a temporary holds one value.
    """
    pending = [(op, lowering[op.value]) for op in saves if not _is_held(op)]
    while pending:
        wanted = {lowering.symbol_behind(source) for _, source in pending}
        ready = [s for s in pending if s[0].symbol.string_value() not in wanted]
        if ready:
            _copy_to_symbol(lowering, *ready[0])
            pending.remove(ready[0])
            continue
        op, source = pending.pop(0)
        lowering.at(op)
        held = lowering.temporary(buffer_type(source).element_type, extents_of(source))
        lowering.copy(source, held)
        pending.append((op, held))


def _is_held(op: SaveOp) -> bool:
    """Return whether the placeholder gets the value that it already has."""
    owner = op.value.owner
    return isinstance(owner, LoadOp) and owner.symbol == op.symbol


def _copy_to_symbol(lowering: Lowering, op: SaveOp, source: SSAValue) -> None:
    lowering.at(op)
    result = lowering.get(op.symbol.string_value(), memref_of(tensor_type(op.value)))
    lowering.zero_padding(result)
    lowering.copy(source, result)


def _replace(
    module: ModuleOp,
    functions: list[FuncOp],
    placeholders: list[PlaceholderOp],
    constants: dict[str, ConstantOp],
    new_constants: list[MemoryConstantOp],
) -> None:
    """Swap the graph's symbols and functions for those of the memory level."""
    used = {
        op.symbol.string_value()
        for function in functions
        for op in function.body.block.ops
        if isinstance(op, GetOp)
    }
    new: list[Operation] = []
    for p in placeholders:
        storage = MemoryPlaceholderOp(
            p.sym_name.data,
            p.direction.data,
            memref_of(p.type),
            p.axes,
            p.residency.data,
            p.initial,
        )
        storage.location = p.location
        new.append(storage)
    for symbol, c in constants.items():
        if symbol in used:
            storage = MemoryConstantOp(symbol, c.resource, memref_of(c.type), c.axes)
            storage.location = c.location
            new.append(storage)
    new += [*(c for c in new_constants if c.sym_name.data in used), *functions]
    block = module.body.block
    for old in reversed(block_ops(block)):
        old.detach()
        free_ops(*old.regions)
    block.add_ops(new)
