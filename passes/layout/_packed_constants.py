"""Transforms of constants and splats, computed when compiling."""

from collections import Counter
from weakref import WeakKeyDictionary

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from glow.analysis.constants import (
    Constant,
    constant_behind,
    element_of_constant,
    tensor_of,
)
from glow.analysis.symbols import named_in
from glow.dialects.graph.storage import ConstantOp, LiteralOp, LoadOp
from glow.dialects.layout.attribute import layout_of
from glow.dialects.layout.transform import TransformOp
from glow.passes.patterns import Replacement, Results
from glow.support.arrays import Array
from glow.support.layout import pack, print_layout, row_major
from glow.support.names import Names
from glow.support.types import shape_of, tensor_type
from glow.support.walking import ops_in

_Origin = str | LiteralOp
"""A constant that is packed: its symbol, or a literal."""


class StoredConstants:
    """
    Constants by symbol, with the number of their loads.

    A constant is erased with its last load, and its bytes with it, so that memory holds
    no more originals beside packed ones than are still needed.
    """

    def __init__(self, module: ModuleOp):
        self._block = module.body.block
        self._constants = named_in(module, ConstantOp)
        symbols = (op.properties.get("sym_name") for op in module.body.ops)
        self._names = Names(s.data for s in symbols if isinstance(s, StringAttr))
        loads = (op for op in ops_in(module.body) if isinstance(op, LoadOp))
        self._loads = Counter(op.symbol.string_value() for op in loads)
        self._elements = WeakKeyDictionary[Constant, "Array | None"]()
        self._packed: dict[tuple[_Origin, str], str] = {}
        self._origins: dict[str, _Origin] = {}
        """The sources of the constants that were packed here."""

    def _add(self, constant: ConstantOp, after: ConstantOp | None) -> None:
        """Insert `constant` after another or at the start, renamed if need be."""
        symbol = self._names.fresh(constant.sym_name.data)
        constant.sym_name = StringAttr(symbol)
        self._constants[symbol] = constant
        if after is not None:
            self._block.insert_op_after(constant, after)
        elif self._block.first_op is not None:
            self._block.insert_op_before(constant, self._block.first_op)

    def load(self, symbol: str) -> LoadOp:
        """Return a load of constant `symbol` to insert."""
        self._loads[symbol] += 1
        return LoadOp(symbol, self._constants[symbol].type)

    def release(self, value: SSAValue, rewriter: PatternRewriter) -> None:
        """Erase the load of `value`, and its constant if that was the last load."""
        load = value.owner
        if not isinstance(load, LoadOp) or value.first_use is not None:
            return
        symbol = load.symbol.string_value()
        rewriter.erase(load)
        self._loads[symbol] -= 1
        if not self._loads[symbol] and symbol in self._constants:
            rewriter.erase(self._constants.pop(symbol))

    def element(self, constant: Constant) -> Array | None:
        """Return the element whose bits all elements of `constant` have, or None."""
        if constant not in self._elements:
            self._elements[constant] = element_of_constant(constant)
        return self._elements[constant]

    def origin_of(self, constant: Constant) -> _Origin:
        """Return the constant that `constant` was packed from, if it still exists."""
        if isinstance(constant, LiteralOp):
            return constant
        symbol = constant.sym_name.data
        origin = self._origins.get(symbol, symbol)
        is_here = isinstance(origin, LiteralOp) or origin in self._constants
        return origin if is_here else symbol

    def packed(self, origin: _Origin, op: TransformOp) -> str:
        """Return the symbol of `origin` packed into the layout of `op`."""
        constant = self._constants[origin] if isinstance(origin, str) else origin
        if isinstance(constant, ConstantOp) and constant.type == op.result.type:
            return constant.sym_name.data
        layout = layout_of(op.result) or row_major(len(shape_of(op.result)))
        key = origin, print_layout(layout)
        known = self._packed.get(key)
        if known is not None and known in self._constants:
            return known
        array = tensor_of(constant)
        assert array is not None  # `known_behind` saw it
        base = origin if isinstance(origin, str) else "literal"
        type_ = tensor_type(op.result)
        new = ConstantOp(f"{base}.{key[1]}", pack(layout, array), type_)
        new.location = constant.location
        self._add(new, constant if isinstance(constant, ConstantOp) else None)
        symbol = new.sym_name.data
        self._packed[key], self._origins[symbol] = symbol, origin
        return symbol


def known_behind(value: SSAValue) -> Constant | None:
    """Return the literal or loaded constant that `value` is, if its bytes are here."""
    if not isinstance(value.owner, LoadOp | LiteralOp):
        return None
    constant = constant_behind(value)
    if isinstance(constant, ConstantOp) and constant.array is None:
        return None  # the module came without its weights
    return constant


def fold_transform_of_splat(
    op: TransformOp, new: Replacement, constants: StoredConstants
) -> Results:
    """
    transform(x) -> literal, where all elements of the constant x have the same bits.

    The literal is one element, however large x is; its layout says that padding is 0.
    """
    constant, source = known_behind(op.input), op.input
    element = None if constant is None else constants.element(constant)
    if element is None:
        return None
    splat = np.broadcast_to(element, shape_of(op.result))
    new.rewriter.replace(op, LiteralOp(splat, tensor_type(op.result)))
    constants.release(source, new.rewriter)
    return None


def fold_transform_of_constant(
    op: TransformOp, new: Replacement, constants: StoredConstants
) -> Results:
    """transform(load @w) -> load @w', whose bytes are packed; once per layout."""
    constant, source = known_behind(op.input), op.input
    if constant is None:
        return None
    if all(isinstance(use.operation, TransformOp) for use in op.result.uses):
        return None  # they merge with this one, so that no form in between is packed
    symbol = constants.packed(constants.origin_of(constant), op)
    new.rewriter.replace(op, constants.load(symbol))
    constants.release(source, new.rewriter)
    return None
