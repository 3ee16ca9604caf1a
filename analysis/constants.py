"""Values that are known when a model is compiled."""

from __future__ import annotations

from typing import cast
from weakref import WeakKeyDictionary, WeakValueDictionary

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, OpResult, SSAValue

from glow.analysis.symbols import uses_of_symbols
from glow.dialects.graph.fused import FusedOp
from glow.dialects.graph.movement import (
    DepthToSpaceOp,
    ExpandOp,
    ReshapeOp,
    SpaceToDepthOp,
    TileOp,
    TransposeOp,
)
from glow.dialects.graph.slicing import SliceOp
from glow.dialects.graph.storage import (
    ConstantOp,
    LiteralOp,
    LoadOp,
    PlaceholderOp,
    StorageOp,
)
from glow.dialects.layout.attribute import layout_of
from glow.dialects.layout.transform import TransformOp
from glow.support.arrays import Array, repeated_element
from glow.support.errors import CompilationError
from glow.support.layout import unpack
from glow.support.walking import ops_of

Constant = ConstantOp | LiteralOp


# Lookups in a symbol table walk the module, so results are kept as long as it is.
_Found = WeakValueDictionary[str, StorageOp]
_FOUND: WeakKeyDictionary[ModuleOp, _Found] = WeakKeyDictionary()


def constant_behind(value: SSAValue) -> Constant | None:
    """
    Return the literal or constant that holds `value`, or None if it is not known.

    Groups and layout transforms are looked through: the tensor is the same.
    """
    if type(value) is not OpResult:
        group = value.block.parent_op() if isinstance(value, BlockArgument) else None
        if isinstance(value, BlockArgument) and isinstance(group, FusedOp):
            return constant_behind(group.operands[value.index])
        return None
    owner = value.op
    # By its exact class: many values are asked for, and most are made by other ops.
    kind = type(owner)
    if kind is LoadOp:
        return _constant(cast(LoadOp, owner))
    if kind is TransformOp:
        return constant_behind(cast(TransformOp, owner).input)
    return cast(LiteralOp, owner) if kind is LiteralOp else None


def _constant(load: LoadOp) -> ConstantOp | None:
    module = load.get_toplevel_object()
    if not isinstance(module, ModuleOp):
        return None
    storage = _declared(module, load.symbol.string_value())
    return storage if isinstance(storage, ConstantOp) else None


def _declared(module: ModuleOp, symbol: str) -> StorageOp | None:
    known = _FOUND.get(module)
    if known is None:
        known = _FOUND[module] = WeakValueDictionary()
    op = known.get(symbol)
    if op is None or not _is_current(op, module, symbol):
        storage = ops_of(module.ops, ConstantOp, PlaceholderOp)
        known.clear()
        known.update({op.sym_name.data: op for op in storage})
        op = known.get(symbol)
    return op


def _is_current(op: StorageOp, module: ModuleOp, symbol: str) -> bool:
    return op.parent_op() is module and op.sym_name.data == symbol


MOVING = (
    ReshapeOp
    | TransposeOp
    | ExpandOp
    | TileOp
    | SliceOp
    | SpaceToDepthOp
    | DepthToSpaceOp
    | TransformOp
)
"""Ops whose elements are all elements of their one operand."""


def uniform_element(value: SSAValue) -> Array | None:
    """Return the one element that `value` is known to repeat, or None."""
    while isinstance(value.owner, MOVING):
        value = value.owner.input
    constant = constant_behind(value)
    return None if constant is None else element_of_constant(constant)


def element_of_constant(constant: Constant) -> Array | None:
    """Return the one element that `constant` repeats, bit by bit, or None."""
    array = tensor_of(constant)
    return None if array is None else repeated_element(array)


def tensor_of(constant: Constant) -> Array | None:
    """Return the tensor that `constant` holds, or None if its bytes are not here."""
    if isinstance(constant, LiteralOp):
        return constant.array
    array, layout = constant.array, layout_of(constant.type)
    if array is None or layout is None:
        return array
    return unpack(layout, array, constant.type.get_shape())


def check_present(module: ModuleOp) -> None:
    """Raise CompilationError, which names all constants in use without their bytes."""
    used = uses_of_symbols(module)
    absent = [
        f'"{op.sym_name.data}"'
        for op in ops_of(module.ops, ConstantOp)
        if op.array is None and op.sym_name.data in used
    ]
    if absent:
        names, others = ", ".join(absent[:3]), len(absent) - 3
        raise CompilationError(
            f"the bytes of constant{'s' * (len(absent) > 1)} {names}"
            f"{f' and {others} others' * (others > 0)} are absent; name the file that "
            "has them with --weights, which glow-opt -o writes beside a text"
        )
