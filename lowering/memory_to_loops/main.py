"""The model's `main`: a call and a row of integers per group."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    LocationAttr,
    MemRefType,
    NoneAttr,
    StringAttr,
    TensorType,
    UnitAttr,
    UnknownLoc,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.codegen.memory import flat
from glow.codegen.rows import integers
from glow.codegen.strips import Strips
from glow.codegen.values import INDEX, index
from glow.codegen.writer import Writer, emit, writing_to
from glow.dialects.llvm_ext.memory import BaseOp
from glow.dialects.memory.address import find_addressing
from glow.dialects.memory.base import MemoryOp, buffer_type
from glow.dialects.memory.storage import AllocOp, GetOp, ViewOp
from glow.lowering.memory_to_loops.kernels.kernel import (
    FAULT,
    OFFSETS,
    Argument,
    Kernel,
    Operand,
    Work,
)
from glow.lowering.memory_to_loops.profile import ProfileWriter, timed
from glow.lowering.memory_to_loops.rules import lowers as lowers  # for handlers
from glow.lowering.memory_to_loops.storage import Storage
from glow.support.locations import name_of
from glow.support.targets import Target
from glow.support.types import compute_type, dtype_of

ROWS = "layer_rows"
_LIMIT = 1 << 31
_BYTES = flat(i8)
_POINTERS = flat(_BYTES)
_ARGUMENTS: dict[str, Attribute] = {
    "arena": _BYTES,
    "io": _POINTERS,
    "constants": _POINTERS,
    "fault": flat(i32),
}


@dataclass
class Main:
    """
    `main` while it is written: what the lowering of each memory op appends to.

    A handler reads strides and counts off the op, asks for typed base pointers with
    `base`, for compile-time tables with `offsets`, and appends one `call`.
    """

    target: Target
    storage: Storage
    tables: list[NDArray[Any]] = field(default_factory=lambda: [])
    messages: list[str] = field(default_factory=lambda: [])
    pieces: int = 1
    """The calls that a kernel's work is cut into, in random order: for tests."""
    profile: ProfileWriter | None = None
    """What a profiled `main` notes; None: nothing."""
    kernels: dict[Kernel, tuple[Attribute, ...]] = field(default_factory=lambda: {})
    """The kernels called, with the types of their arguments."""
    rows: list[int] = field(default_factory=lambda: [])
    location: LocationAttr = field(default_factory=UnknownLoc)
    """Where the op that is being lowered came from; its calls inherit it."""

    def __post_init__(self) -> None:
        self.function = func.FuncOp("main", (list(_ARGUMENTS.values()), []))
        self.block = self.function.body.block
        self._args = dict(zip(_ARGUMENTS, self.block.args, strict=True))
        for name, argument in self._args.items():
            argument.name_hint = name
        self._writer = Writer(self.block, self.block)
        self._bases: dict[tuple[str, int | None, int, Any], SSAValue] = {}
        self._indices: dict[int, SSAValue] = {}
        self._symbols: dict[Kernel, str] = {}
        self._table_index: dict[bytes, int] = {}
        type_ = MemRefType(INDEX, [DYNAMIC_INDEX])
        with writing_to(self._writer):
            self._rows = emit(memref.GetGlobalOp(ROWS, type_))

    @property
    def fault(self) -> Argument:
        """Where a kernel stores its code when data makes it fail."""
        return Argument(self._args["fault"], FAULT)

    def hook(self) -> Argument:
        """Return the function to tell of outputs, or null: io has it last."""
        return Argument(self._at("io", len(self.storage.of_caller), 0, i8), Operand(i8))

    def base(
        self,
        buffer: SSAValue,
        start: int = 0,
        seen_as: Attribute | None = None,
        compute: Attribute | None = None,
    ) -> Argument:
        """
        Return a flat typed memref that starts at element 0 of `buffer`.

        A blocked buffer starts at its first stored element. `start` moves it on, in
        elements. `seen_as` is another type for elements of that size, `compute` the
        type that they are computed in, if not the usual one.
        """
        element = seen_as or buffer_type(buffer).element_type
        operand = Operand(element, compute or compute_type(element))
        return Argument(self._base(buffer, start, element), operand)

    def stored(
        self, buffer: SSAValue, start: int = 0, seen_as: Attribute | None = None
    ) -> Argument:
        """Return `base` of a buffer whose elements are only moved, bit for bit."""
        element = seen_as or buffer_type(buffer).element_type
        return self.base(buffer, start, element, compute=element)

    def _base(self, buffer: SSAValue, start: int, element: Attribute) -> SSAValue:
        addressing = find_addressing(buffer_type(buffer))
        offset = start if addressing is None else start + addressing.offset
        root = buffer
        while isinstance(root.owner, ViewOp):
            root = root.owner.source
        size = dtype_of(element).itemsize
        match root.owner:
            case AllocOp() as op:
                if op.offset is None:
                    raise PassFailedException(
                        "memory-to-loops needs placed buffers: run plan-memory first"
                    )
                first = op.offset.value.data + offset * size
                return self._at("arena", None, first, element)
            case GetOp() as op:
                symbol = op.symbol.root_reference.data
                first = offset * size + self.storage.scratch.get(symbol, 0)
                return self._at(*self.storage.entries[symbol], first, element)
            case _:
                raise PassFailedException(f"expected a buffer of {root.type}'s module")

    def strips(
        self, *buffers: SSAValue, unroll: int = 1, moved: bool = False
    ) -> Strips:
        """Return how the target walks along buffers, `moved` or computed on."""
        elements = {buffer_type(buffer).element_type for buffer in buffers}
        computed = () if moved else tuple(map(compute_type, elements))
        return Strips.of(self.target, [*elements, *computed], unroll)

    def known(self, buffer: SSAValue) -> NDArray[Any] | None:
        """Return what `buffer` holds where it is a row-major constant, else None."""
        type_ = buffer_type(buffer)
        if not isinstance(buffer.owner, GetOp) or not isinstance(
            type_.layout, NoneAttr
        ):
            return None
        resource = self.storage.constants.get(buffer.owner.symbol.string_value())
        return None if resource is None else resource.array

    def _index(self, number: int) -> SSAValue:
        if number not in self._indices:
            with writing_to(self._writer):
                self._indices[number] = index(number).ssa
        return self._indices[number]

    def _at(
        self, argument: str, entry: int | None, start: int, element: Any
    ) -> SSAValue:
        key = (argument, entry, start, element)
        if key not in self._bases:
            numbers = {"offset": start} | ({} if entry is None else {"entry": entry})
            op = BaseOp.create(
                operands=[self._args[argument]],
                result_types=[flat(element)],
                properties={name: IntegerAttr(n, i64) for name, n in numbers.items()},
            )
            self.block.add_op(op)
            self._bases[key] = op.result
        return self._bases[key]

    def offsets(self, values: NDArray[np.integer]) -> Argument:
        """
        Return a `memref<?xi32>` constant with these values; equal ones are one.

        Errors: a value that i32 cannot hold.
        """
        if values.size and not -_LIMIT <= values.min() <= values.max() < _LIMIT:
            raise PassFailedException(
                "expected operands of less than 2**31 elements, "
                f"got an offset of {max(-values.min(), values.max())}"
            )
        return replace(self.table(values.astype(np.int32), i32), operand=OFFSETS)

    def table(self, values: NDArray[Any], element: Attribute) -> Argument:
        """Return a flat memref constant with `values` of type `element`."""
        values = np.ascontiguousarray(values)
        key = values.tobytes()
        if key not in self._table_index:
            self._table_index[key] = len(self.tables)
            self.tables.append(values)
        index = len(self.storage.constants) + self._table_index[key]
        base = self._at("constants", index, 0, element)
        return Argument(base, Operand(element))

    def message(self, op: MemoryOp, text: str) -> int:
        """Return the fault code of `text` for `op`; codes start at 1."""
        self.messages.append(f"{text} ({op.title}, from {name_of(op)})")
        return len(self.messages)

    def call(
        self,
        kernel: Kernel,
        arguments: Mapping[str, Argument | SSAValue | None],
        row: Any = (),
        work: Work | None = None,
    ) -> None:
        """
        Append a call: `arguments`, then the table of rows and this row's start.

        A buffer is passed as `base` has it, None is not passed. `row` is a record of
        the kernel; `work` what a call may do in pieces, `self.pieces` if it can.
        """
        work = work or Work()
        passed = {
            name: given if isinstance(given, Argument) else self.base(given)
            for name, given in arguments.items()
            if given is not None
        }
        kernel = kernel.called_with(passed, row)
        bases = [argument.base for argument in passed.values()]
        at = self._index(len(self.rows))
        self.rows.extend(integers(row))
        symbol = self._symbols.get(kernel)
        if symbol is None:  # to write the key of an equal kernel again takes longer
            symbol = self._symbols[kernel] = kernel.symbol
        for piece, (begin, end) in enumerate(self.cuts(work.units)):
            bounds = self._index(begin), self._index(end)
            operands = [*bases, self._rows, at, *bounds]
            if kernel not in self.kernels:
                self.kernels[kernel] = tuple(value.type for value in operands)
            op = func.CallOp(symbol, operands, [])
            op.attributes["units"] = IntegerAttr(work.units, i64)
            op.attributes["cost"] = IntegerAttr(work.cost, i64)
            op.location = self.location
            if self.profile is None:
                self.block.add_op(op)
            else:
                self._record(op, self.profile.add(symbol, piece))

    def _record(self, call: func.CallOp, number: int) -> None:
        """Append `call`, and around it what notes the time in record `number`."""
        # Behind the arrays of the caller, io has the hook, and then the records.
        records = self._at("io", len(self.storage.of_caller) + 1, 0, i64)
        words = range(3 * number + 1, 3 * number + 3)
        self.block.add_ops(timed(call, records, *map(self._index, words)))

    def cuts(self, units: int) -> list[tuple[int, int]]:
        """Return ranges that cover `units` iterations: `pieces`, in random order."""
        count = min(self.pieces, units)
        bounds = [units * i // count for i in range(count + 1)] if count else [0]
        order = list(pairwise(bounds))
        return order if count < 2 else random.Random(units).sample(order, count)

    def finish(self) -> tuple[memref.GlobalOp, func.FuncOp]:
        """Close `main`; return the table of rows and the function."""
        self.block.add_op(func.ReturnOp())
        rows = self.rows or [0]
        dense = DenseIntOrFPElementsAttr.from_list(TensorType(INDEX, [len(rows)]), rows)
        table = memref.GlobalOp.get(
            StringAttr(ROWS),
            MemRefType(INDEX, [len(rows)]),
            dense,
            sym_visibility=StringAttr("private"),
            constant=UnitAttr(),
            alignment=64,
        )
        return table, self.function
