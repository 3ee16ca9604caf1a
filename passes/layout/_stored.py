"""Constants of a module while transforms are folded into them."""

from __future__ import annotations

from collections import Counter

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from glow.dialects.graph.storage import ConstantOp, LoadOp
from glow.support.names import Names


class StoredConstants:
    """
    Constants by symbol, with the number of their loads.

    A constant is erased with its last load, and its bytes with it, so that memory holds
    no more originals beside packed ones than are still needed.
    """

    def __init__(self, module: ModuleOp):
        self._block = module.body.block
        self._constants = {
            op.sym_name.data: op for op in module.body.ops if isinstance(op, ConstantOp)
        }
        symbols = (op.properties.get("sym_name") for op in module.body.ops)
        self._names = Names(s.data for s in symbols if isinstance(s, StringAttr))
        loads = (op for op in module.walk() if isinstance(op, LoadOp))
        self._loads = Counter(op.symbol.string_value() for op in loads)

    def __getitem__(self, symbol: str) -> ConstantOp:
        return self._constants[symbol]

    def __contains__(self, symbol: str) -> bool:
        return symbol in self._constants

    def add(self, constant: ConstantOp, after: ConstantOp | None) -> None:
        """Insert `constant` behind another or at the start, renamed if need be."""
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
