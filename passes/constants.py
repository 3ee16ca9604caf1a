"""Constants of a module: the values that are known, and new ones."""

import re
from functools import cached_property

import numpy as np
from xdsl.dialects.builtin import LocationAttr, ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue

from glow.dialects.graph.storage import (
    INLINE_ELEMENTS,
    ConstantOp,
    LiteralOp,
    LoadOp,
    PlaceholderOp,
)
from glow.support.arrays import Array, physical_bytes, repeated_element
from glow.support.names import Names
from glow.support.types import element_type_of, has_layout, tensor


def base_name(symbol: str) -> str:
    """Return the name of the constant that the one called `symbol` was made from."""
    return re.sub(r"_folded(_\d+)?$", "", symbol)


class Constants:
    """The module's constants by symbol, and the names that are taken."""

    def __init__(self, module: ModuleOp):
        self._block = module.body.block

    # What follows takes a walk over all constants, and most passes ask for none of it.
    @cached_property
    def _symbols(self) -> dict[str, Operation]:
        names = ((op.properties.get("sym_name"), op) for op in self._block.ops)
        return {name.data: op for name, op in names if isinstance(name, StringAttr)}

    @cached_property
    def _names(self) -> Names:
        return Names(self._symbols, separator="_")

    @cached_property
    def _behind(self) -> Operation | None:
        """The first op that is not storage."""
        storage = ConstantOp | PlaceholderOp
        others = (op for op in self._block.ops if not isinstance(op, storage))
        return next(others, None)

    def array_of(self, value: SSAValue) -> Array | None:
        """Return the known array of `value`, in logical shape, or None."""
        if has_layout(value):
            return None
        match value.owner:
            case LiteralOp():
                array = value.owner.array
                # A splat may stand for more bytes than memory has.
                return array if array.nbytes <= physical_bytes() else None
            case LoadOp():
                symbol = self._symbols.get(value.owner.symbol.string_value())
                return symbol.array if isinstance(symbol, ConstantOp) else None
            case _:
                return None

    @property
    def nbytes(self) -> int:
        """The bytes of all constants that this process has."""
        constants = (op for op in self._block.ops if isinstance(op, ConstantOp))
        arrays = (op.array for op in constants)
        return sum(array.nbytes for array in arrays if array is not None)

    def symbol_of(self, value: SSAValue) -> str | None:
        """Return the name of the constant or placeholder that `value` is read from."""
        owner = value.owner
        return owner.symbol.string_value() if isinstance(owner, LoadOp) else None

    def folded_name(self, value: SSAValue) -> str | None:
        """Return the name of what `value` is folded to, if it is read from a symbol."""
        symbol = self.symbol_of(value)
        return None if symbol is None else f"{base_name(symbol)}_folded"

    def make(
        self, array: Array, name: str | None, location: LocationAttr
    ) -> LiteralOp | LoadOp:
        """
        Return an op to insert whose result is `array`; add the constant it reads.

        The constant is called `name`, with a number where that is taken.
        """
        if array.size <= INLINE_ELEMENTS:
            made: LiteralOp | LoadOp = LiteralOp(array)
        elif (element := repeated_element(array)) is not None:
            made = LiteralOp(np.broadcast_to(element, array.shape))
        else:
            symbol = self._names.fresh(name or "constant")
            constant = ConstantOp(symbol, array)
            constant.location = location
            self._add(symbol, constant)
            made = LoadOp(symbol, tensor(element_type_of(array.dtype), array.shape))
        made.location = location
        return made

    def _add(self, symbol: str, constant: ConstantOp) -> None:
        """Insert `constant` after the storage that the module begins with."""
        self._symbols[symbol] = constant
        assert self._behind is not None, "a module without functions has no values"
        self._block.insert_op_before(constant, self._behind)
