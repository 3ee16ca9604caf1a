"""State of the lowering to memory: buffers of values, destinations, constants."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import (
    AnyTensorType,
    LocationAttr,
    MemRefType,
    NoneAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.analysis.buffers import root_of, symbol_of
from glow.dialects.graph.placeholder import ResourceAttr
from glow.dialects.graph.storage import ConstantOp, LiteralOp, LoadOp
from glow.dialects.layout.attribute import LayoutAttr, layout_of, physical_shape_of
from glow.dialects.memory.address import (
    Addressing,
    addressing_of,
    find_addressing,
    is_blocked,
    strided,
)
from glow.dialects.memory.base import Buffer, buffer_type, extents_of
from glow.dialects.memory.elementwise import CopyOp, ZeroHaloOp
from glow.dialects.memory.storage import AllocOp, GetOp, ViewOp
from glow.dialects.memory.storage import ConstantOp as MemoryConstantOp
from glow.lowering.graph_to_memory.destinations import Destinations
from glow.lowering.graph_to_memory.halo import Halos, find_halos, widest
from glow.support.arrays import has_same_bytes, sample_of
from glow.support.attributes import unchecked
from glow.support.layout import Layout, pack, row_major, unpack
from glow.support.locations import name_of
from glow.support.names import Names
from glow.support.targets import Target
from glow.support.types import element_type_of, tensor_type


@lru_cache(1 << 12)
def memref_of(type_: AnyTensorType) -> Buffer:
    """Return the type of a buffer that holds a tensor of `type_`, layout included."""
    layout = layout_of(type_)
    encoding = NoneAttr() if layout is None else LayoutAttr(layout)
    parts = {"element_type": type_.element_type, "shape": type_.shape}
    return unchecked(MemRefType, **parts, layout=encoding, memory_space=NoneAttr())


@lru_cache(1 << 12)
def _row_major(element: Attribute, shape: tuple[int, ...]) -> Buffer:
    """Return the type of a buffer without gaps, which values share."""
    return MemRefType(element, shape)


class NewConstants:
    """The constants that a module gets while its functions are lowered."""

    def __init__(self, taken: Iterable[str]):
        self.ops: list[MemoryConstantOp] = []
        self._names = Names(taken)
        self._by_sample: dict[
            tuple[Attribute, bytes], list[tuple[NDArray[Any], str]]
        ] = {}

    def symbol_of(
        self, array: NDArray[Any], hint: str, type_: Buffer, location: LocationAttr
    ) -> str:
        """Return the symbol of a constant with `array`; equal ones are one."""
        alike = self._by_sample.setdefault((type_, sample_of(array)), [])
        for known, symbol in alike:
            if has_same_bytes(known, array):
                return symbol
        symbol = self._names.fresh(hint)
        new = MemoryConstantOp(symbol, ResourceAttr.of(array), type_)
        new.location = location
        self.ops.append(new)
        alike.append((array, symbol))
        return symbol


class Lowering:
    """
    The function being written, and the buffer of each value of the graph.

    A value's buffer may be a view of another's. Destinations are decided before: a
    value that is saved or concatenated is computed right where it is wanted.
    """

    def __init__(
        self,
        target: Target,
        constants: dict[str, ConstantOp],
        new_constants: NewConstants | None = None,
    ):
        """Begin a function; functions of a module share `new_constants`."""
        self.target = target
        self.block = Block()
        self.arguments: list[str] = []
        """Names of the function's arguments in loads and saves."""
        self.destinations = Destinations()
        self.halos: dict[SSAValue, Halos] = {}
        self.new_constants = new_constants or NewConstants(constants)
        self._constants = constants
        self._buffers: dict[SSAValue, SSAValue] = {}
        self._location: LocationAttr = UnknownLoc()
        self._gets: dict[str, SSAValue] = {}

    def find_halos(self, block: Block) -> None:
        """
        Note the border of each value; a whole has the widest of its parts.

        A value with a border gets its own buffer, from which it is saved.
        """
        self.halos = find_halos(block)
        saved = self.destinations.saved
        for value in self.halos.keys() & saved.keys():
            if layout_of(value) is not None:
                del saved[value]
        for value, part in self.destinations.parts.items():
            halo = self.halos.get(value)
            if halo is not None:
                self.halos[part.whole] = widest(self.halos.get(part.whole, halo), halo)

    # Appending

    def at(self, op: Operation) -> None:
        """Go on with an op of the graph: all ops that it becomes get its location."""
        self._location = op.location

    def add(self, op: Operation) -> None:
        self._place_here(op)
        self.block.add_op(op)

    def _place_here(self, op: Operation) -> None:
        """Give `op` and the ops in its regions the location of what is lowered."""
        for inner in op.walk():
            inner.location = self._location

    def _value(self, op: Operation) -> SSAValue:
        self.add(op)
        return op.results[0]

    # Buffers

    def __getitem__(self, value: SSAValue) -> SSAValue:
        return self._buffers[value]

    def bind(self, value: SSAValue, buffer: SSAValue) -> None:
        """Note that `value` lies in `buffer`."""
        self._buffers[value] = buffer

    def alloc(self, type_: Buffer) -> SSAValue:
        return self._value(AllocOp(type_))

    def temporary(self, element: Attribute, shape: Sequence[int]) -> SSAValue:
        """Return a new row-major buffer."""
        return self.alloc(_row_major(element, tuple(shape)))

    def has_place(self, value: SSAValue) -> bool:
        """Return whether `value` must lie elsewhere than the values it is made of."""
        places = self.destinations
        return value in places.saved or value in places.parts or value in self.halos

    def destination(self, value: SSAValue) -> SSAValue:
        """Return the buffer to compute `value` into, and bind it."""
        if value not in self._buffers:
            self.bind(value, self._place(value))
        return self._buffers[value]

    def _place(self, value: SSAValue) -> SSAValue:
        save = self.destinations.saved.get(value)
        if save is not None:
            whole = memref_of(tensor_type(save.value))
            buffer = self.get(save.symbol.string_value(), whole)
            self.zero_padding(buffer)
            return buffer if value is save.value else self._seen_as(buffer, value)
        part = self.destinations.parts.get(value)
        if part is not None:
            whole = self.destination(part.whole)
            return self.slice(whole, part.axis, part.start, value)
        return self._allocate(value)

    def _seen_as(self, buffer: SSAValue, value: SSAValue) -> SSAValue:
        """Return the bytes of `buffer` as the buffer of `value`."""
        type_ = memref_of(tensor_type(value))
        addressing, layout = find_addressing(type_), layout_of(type_)
        if addressing is not None and not is_blocked(buffer):
            return self.view(buffer, addressing)
        shape = type_.get_shape()
        return self.relabeled(buffer, shape, layout or row_major(len(shape)))

    def _allocate(self, value: SSAValue) -> SSAValue:
        """Return a buffer for `value` with the border that its readers ask for."""
        type_ = memref_of(tensor_type(value))
        halo = self.halos.get(value)
        layout = layout_of(type_)
        if halo is not None and layout is not None:
            wider = LayoutAttr(layout.with_halo(halo))
            type_ = Buffer(type_.element_type, type_.get_shape(), wider)
        buffer = self.alloc(type_)
        self.zero_padding(buffer)
        return buffer

    def zero_padding(self, buffer: SSAValue) -> None:
        """Zero what is around the elements of `buffer`; copies fill up its blocks."""
        type_ = buffer_type(buffer)
        is_padded = prod(physical_shape_of(type_)) != prod(type_.get_shape())
        layout = layout_of(type_)
        has_halo = layout is not None and layout.has_halo
        if is_padded and (has_halo or not is_blocked(buffer)):
            self.add(ZeroHaloOp(buffer))

    def slice(
        self, whole: SSAValue, axis: int, start: int, value: SSAValue
    ) -> SSAValue:
        """Return the view of `whole` that begins at `start` along `axis`."""
        size = tensor_type(value).get_shape()[axis]
        return self.view(whole, addressing_of(whole).along(axis, start, size))

    def view(self, source: SSAValue, addressing: Addressing) -> SSAValue:
        if addressing == addressing_of(source):
            return source
        return self._value(ViewOp(source, strided(buffer_type(source), addressing)))

    def permuted(self, source: SSAValue, order: Sequence[int]) -> SSAValue:
        """Return `source`, which has a layout, with its logical axes in this order."""
        layout = layout_of(buffer_type(source))
        assert layout is not None
        shape = [extents_of(source)[i] for i in order]
        return self.relabeled(source, shape, layout.transposed(order))

    def relabeled(
        self, source: SSAValue, shape: Sequence[int], layout: Layout
    ) -> SSAValue:
        """Return the bytes of `source` as a buffer of `shape` in `layout`."""
        element = buffer_type(source).element_type
        return self._value(ViewOp(source, Buffer(element, shape, LayoutAttr(layout))))

    def copy(self, source: SSAValue, result: SSAValue) -> None:
        self.add(CopyOp(source, result))

    def add_argument(self, type_: Buffer) -> str:
        """Add an argument to the function; return its name in loads and saves."""
        name = f"argument {len(self.arguments)}"
        self.arguments.append(name)
        self._gets[name] = self.block.insert_arg(type_, len(self.block.args))
        return name

    def symbol_behind(self, buffer: SSAValue) -> str | None:
        """Return the name in loads and saves of the root of `buffer`."""
        root = root_of(buffer)
        if isinstance(root, BlockArgument):
            return self.arguments[root.index]
        return symbol_of(root)

    def get(self, symbol: str, type_: Buffer) -> SSAValue:
        """Return the buffer of placeholder or constant `symbol`."""
        if symbol not in self._gets:
            self._gets[symbol] = self._value(GetOp(symbol, type_))
        return self._gets[symbol]

    def contiguous(self, value: SSAValue) -> SSAValue:
        """Return a buffer with what `value` holds, row-major without gaps."""
        buffer = self[value]
        if not is_blocked(buffer) and addressing_of(buffer).is_contiguous:
            return buffer
        new = self.temporary(buffer_type(buffer).element_type, extents_of(buffer))
        self.copy(buffer, new)
        return new

    # Constants

    def known(self, value: SSAValue) -> NDArray[Any] | None:
        """Return the bytes of `value` in physical order if they are known here."""
        match value.owner:
            case LiteralOp() as op:
                layout = layout_of(op.result)
                return op.array if layout is None else pack(layout, op.array)
            case LoadOp() as op:
                constant = self._constants.get(op.symbol.string_value())
                return None if constant is None else constant.array
            case _:
                return None

    def bind_literal(self, op: LiteralOp) -> None:
        """Put the value of `op` into a constant buffer, in the layout it has."""
        array, type_ = self.known(op.result), memref_of(tensor_type(op.result))
        assert array is not None
        self.bind(op.result, self.constant(array, "literal", type_))

    def logical(self, value: SSAValue) -> NDArray[Any] | None:
        """Return the known contents of `value` in logical order, or None."""
        array = self.known(value)
        type_ = tensor_type(value)
        layout = layout_of(type_)
        if array is None or layout is None:
            return array
        return unpack(layout, array, type_.get_shape())

    def constant(
        self, array: NDArray[Any], hint: str, type_: Buffer | None = None
    ) -> SSAValue:
        """Return a constant buffer with `array`; equal ones are one."""
        array = np.ascontiguousarray(array).reshape(array.shape)
        type_ = type_ or _row_major(element_type_of(array.dtype), array.shape)
        symbol = self.new_constants.symbol_of(array, hint, type_, self._location)
        return self.get(symbol, type_)


GraphHandler = Callable[[Lowering, Any], None]
HANDLERS: dict[type[Operation], GraphHandler] = {}
ALIASING: set[type[Operation]] = set()


def lowers(
    *ops: type[Operation], aliasing: bool = False
) -> Callable[[GraphHandler], GraphHandler]:
    """
    Register a function as the lowering of graph ops `ops`.

    An `aliasing` one may bind the result to a view of its operand, so it computes
    into no destination.
    """

    def register(handler: GraphHandler) -> GraphHandler:
        for op in ops:
            HANDLERS[op] = handler
            if aliasing:
                ALIASING.add(op)
        return handler

    return register


def unsupported(op: Operation, what: str) -> PassFailedException:
    return PassFailedException(f"{name_of(op)}: {op.name} {what}")
