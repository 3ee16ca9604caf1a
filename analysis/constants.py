"""Values that are known when a model is compiled."""

from __future__ import annotations

from weakref import WeakKeyDictionary, WeakValueDictionary

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, SSAValue

from glow.dialects.graph.fused import FusedOp
from glow.dialects.graph.storage import ConstantOp, LiteralOp, LoadOp, PlaceholderOp
from glow.dialects.layout.transform import TransformOp

Constant = ConstantOp | LiteralOp

Storage = ConstantOp | PlaceholderOp

# Lookups in a symbol table walk the module, so results are kept as long as it is.
_Found = WeakValueDictionary[str, Storage]
_FOUND: WeakKeyDictionary[ModuleOp, _Found] = WeakKeyDictionary()


def constant_behind(value: SSAValue) -> Constant | None:
    """
    Return what holds the known `value`, or None.

    Groups and layout transforms are looked through: the tensor is the same.
    """
    if isinstance(value, BlockArgument):
        group = value.block.parent_op()
        if isinstance(group, FusedOp):
            return constant_behind(group.operands[value.index])
        return None
    match value.owner:
        case TransformOp() as transform:
            return constant_behind(transform.input)
        case LiteralOp() as literal:
            return literal
        case LoadOp() as load:
            return _constant(load)
        case _:
            return None


def _constant(load: LoadOp) -> ConstantOp | None:
    module = load.get_toplevel_object()
    if not isinstance(module, ModuleOp):
        return None
    storage = _declared(module, load.symbol.string_value())
    return storage if isinstance(storage, ConstantOp) else None


def _declared(module: ModuleOp, symbol: str) -> Storage | None:
    known = _FOUND.setdefault(module, WeakValueDictionary())
    op = known.get(symbol)
    if op is None or not _is_current(op, module, symbol):
        storage = [op for op in module.body.ops if isinstance(op, Storage)]
        known.clear()
        known.update({op.sym_name.data: op for op in storage})
        op = known.get(symbol)
    return op


def _is_current(op: Storage, module: ModuleOp, symbol: str) -> bool:
    return op.parent_op() is module and op.sym_name.data == symbol
