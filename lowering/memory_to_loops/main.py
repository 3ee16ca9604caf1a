"""The model's `main`: a call and a row of integers per group."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass, field
from itertools import count, groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    LocationAttr,
    MemRefType,
    NoneAttr,
    UnknownLoc,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from glow.analysis.buffers import root_of, size_bytes
from glow.codegen.rows import integers
from glow.codegen.strips import Strips
from glow.codegen.values import INDEX
from glow.codegen.writer import Writer, current, emit, writing_to
from glow.dialects.memory.address import addressing_of, offset_of
from glow.dialects.memory.base import MemoryOp, buffer_type
from glow.dialects.memory.storage import GetOp
from glow.dialects.team.sections import SectionOp
from glow.lowering.memory_to_loops import _pointers
from glow.lowering.memory_to_loops._pointers import Pointers
from glow.lowering.memory_to_loops._sections import saves_time, sections_of
from glow.lowering.memory_to_loops._shared import SharedCalls
from glow.lowering.memory_to_loops._tables import TablePool, as_offsets
from glow.lowering.memory_to_loops.interleaving import PlannedCall, rounds_of
from glow.lowering.memory_to_loops.kernels.kernel import (
    FAULT,
    OFFSETS,
    Argument,
    Kernel,
    Operand,
    PreparedCall,
    Work,
)
from glow.lowering.memory_to_loops.profile import ProfileWriter
from glow.lowering.memory_to_loops.repeats import Repeats
from glow.lowering.memory_to_loops.rules import lowers as lowers  # for handlers
from glow.lowering.memory_to_loops.storage import Storage
from glow.support.attributes import integer, symbol_reference
from glow.support.locations import name_of
from glow.support.op_construction import build_op
from glow.support.targets import Target
from glow.support.types import compute_type, dtype_of
from glow.support.walking import operands_of

ROWS = "layer_rows"


@dataclass
class Main:
    """
    `main` while it is written: what the lowering of each memory op appends to.

    A handler reads strides and counts off the op, asks for typed base pointers with
    `base`, for compile-time tables with `offsets`, and appends one `call`.
    """

    target: Target
    storage: Storage
    tables: TablePool = field(default_factory=TablePool)
    messages: list[str] = field(default_factory=lambda: [])
    profile: ProfileWriter | None = None
    """Writes the records of a profiled `main`; None: there are none."""
    kernels: dict[str, tuple[Kernel, list[Attribute]]] = field(default_factory=dict)
    """The kernels called, by symbol, and the types of their arguments."""
    rows: list[int] = field(default_factory=lambda: [])
    functions: list[func.FuncOp] = field(default_factory=lambda: [])
    """Functions of choices and loops, which `main` or one of them calls."""
    callees: Mapping[str, func.FuncOp] = field(default_factory=lambda: {})
    """The functions of the memory level that ops call."""
    piece_ns: int = 0
    """Least nanoseconds of a piece where threads share calls; 0 for one thread."""
    near_bytes: int = 0
    """The bytes that calls may pass on before they take turns."""

    def __post_init__(self) -> None:
        arguments = _pointers.arguments(self.piece_ns > 0)
        self.function = func.FuncOp("main", (list(arguments.values()), []))
        self.block = self.function.body.block
        passed = dict(zip(arguments, self.block.args, strict=True))
        for name, argument in passed.items():
            argument.name_hint = name
        self._numbers = count()
        self._point(Writer(self.block, self.block), passed)
        self._location: LocationAttr = UnknownLoc()
        self.shared = SharedCalls(self.storage, self.piece_ns)
        self.sections: list[SectionOp] = []
        self.spent = 0
        """Estimated nanoseconds of all calls so far."""
        self._planned: list[PlannedCall] = []
        self._is_inner = False
        self.repeats = Repeats(self.storage)
        self._places: Mapping[SSAValue, str] = {}
        """The argument that holds a buffer which a function is called with."""

    def _point(self, writer: Writer, arguments: Mapping[str, SSAValue]) -> None:
        self._pointers = Pointers(self.block, writer, arguments)
        type_ = MemRefType(INDEX, [DYNAMIC_INDEX])
        with writing_to(writer):
            self._rows = emit(memref.GetGlobalOp(ROWS, type_))

    def within(
        self,
        block: Block,
        arguments: Mapping[str, SSAValue],
        places: Mapping[SSAValue, str],
    ) -> Main:
        """
        Return a `Main` for a block of the function being written, for one thread.

        `arguments` are those of this function, `places` which of them holds a buffer
        that is an argument at the memory level. Kernels, rows, tables and messages are
        shared.
        """
        inner = copy(self)
        inner.block, inner._places = block, places
        inner.piece_ns, inner.profile, inner.spent = 0, None, 0
        inner._is_inner, inner.repeats = True, Repeats(self.storage)
        inner._point(current(), arguments)
        return inner

    def argument(self, name: str) -> SSAValue:
        """Return an argument of the function being written."""
        return self._pointers.arguments[name]

    def fresh_name(self, what: str) -> str:
        """Return a name for a function that belongs to `main`."""
        return f"main.{what}_{next(self._numbers)}"

    def begin(self, op: Operation) -> None:
        """Go on with `op`, from which calls inherit their location."""
        self.repeats.refuse()  # unless its calls are recorded from here on
        self._location = op.location
        self.shared.begin(op)
        if self.profile is not None:
            self.profile.begin(op)

    def lower(self, op: Operation, lower: Callable[[Main], None]) -> None:
        """
        Append the calls of `op`, which has begun.

        They are those of an op like it if there was one, else those of `lower`.
        """
        likeness = self.repeats.likeness_of(op)
        known = self.repeats.find(likeness)
        if known is None:
            self.repeats.begin(op)
            lower(self)
            self.repeats.end(likeness)
            return
        buffers = operands_of(op)
        for group, calls in groupby(known, lambda each: each.group):
            with nullcontext() if group is None else self.shared.beside():
                for each in calls:
                    passed = dict(each.passed)
                    for name, number in each.numbers.items():
                        passed[name] = self._moved(passed[name], buffers[number])
                    self._append_row(each.call, passed)

    def _moved(self, argument: Argument, buffer: SSAValue) -> Argument:
        """Return an argument that points into another buffer, at the same distance."""
        operand, lead = argument.operand, argument.lead
        base = self._base(buffer, lead, operand.element)
        return argument._replace(base=base, buffer=buffer)

    @property
    def fault(self) -> Argument:
        """Where a kernel stores its code when data makes it fail."""
        return Argument(self._pointers.arguments["fault"], FAULT)

    def hook(self) -> Argument:
        """Return the function to tell of outputs, or null: io has it last."""
        return Argument(self._behind(0, i8), Operand(i8))

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
        lead = (start + offset_of(buffer)) * dtype_of(element).itemsize
        return Argument(self._base(buffer, lead, element), operand, buffer, lead)

    def own(
        self,
        buffer: SSAValue,
        seen_as: Attribute | None = None,
        compute: Attribute | None = None,
        size: int = 0,
    ) -> Argument:
        """
        Return `base` of scratch that each piece of the op's one call has for itself.

        Where threads share calls, `size` bytes or all lie in the memory of the worker.
        """
        if not self.piece_ns:
            return self.base(buffer, 0, seen_as, compute)._replace(is_own=True)
        element = seen_as or buffer_type(buffer).element_type
        operand = Operand(element, compute or compute_type(element))
        first = self.shared.own(size or size_bytes(buffer_type(buffer)))
        return Argument(self._pointers.at("scratch", None, first, element), operand)

    def stored(
        self, buffer: SSAValue, start: int = 0, seen_as: Attribute | None = None
    ) -> Argument:
        """Return `base` of a buffer whose elements are only moved, bit for bit."""
        element = seen_as or buffer_type(buffer).element_type
        return self.base(buffer, start, element, compute=element)

    def bytes_of(self, buffer: SSAValue) -> Argument:
        """Return the bytes of a buffer without gaps."""
        itemsize = dtype_of(buffer_type(buffer).element_type).itemsize
        lead = addressing_of(buffer).offset * itemsize
        return Argument(self._base(buffer, lead, i8), Operand(i8), buffer, lead)

    def _base(self, buffer: SSAValue, lead: int, element: Attribute) -> SSAValue:
        root = root_of(buffer)
        if root in self._places:
            return self._pointers.at(self._places[root], None, lead, element)
        argument, entry, first = self.storage.place_of(root, bool(self._places))
        return self._pointers.at(argument, entry, first + lead, element)

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
        if not isinstance(buffer.owner, GetOp) or type_.layout != NoneAttr():
            return None
        self.repeats.refuse()
        resource = self.storage.constants.get(buffer.owner.symbol.string_value())
        return None if resource is None else resource.array

    def offsets(self, values: NDArray[np.integer]) -> Argument:
        """
        Return a `memref<?xi32>` constant with these values; equal ones are one.

        Errors: a value that i32 cannot hold.
        """
        table = as_offsets(values, self._location)
        return Argument(self._table(table, i32), OFFSETS)

    def table(self, values: NDArray[Any], element: Attribute) -> Argument:
        """Return a flat memref constant with `values` of type `element`."""
        return Argument(self._table(values, element), Operand(element))

    def _table(self, values: NDArray[Any], element: Attribute) -> SSAValue:
        number = len(self.storage.constants) + self.tables.number_of(values)
        return self._pointers.at("constants", number, 0, element)

    def message(self, op: MemoryOp, text: str) -> int:
        """Return the fault code of `text` for `op`; codes start at 1."""
        self.repeats.refuse()
        self.messages.append(f"{text} ({op.title}, from {name_of(op)})")
        return len(self.messages)

    def call(
        self,
        kernel: Kernel,
        arguments: Mapping[str, Argument | SSAValue | None],
        row: Any = (),
        work: Work | None = None,
        *,
        ordered: bool = False,
    ) -> None:
        """
        Append a call: `arguments`, then the table of rows and this row's start.

        A buffer is passed as `base` has it, None is not passed. `row` is a record of
        the kernel; `work` what a call may do in pieces. A call that is `ordered` comes
        after all before it, whatever these touch.
        """
        passed = {
            name: given if isinstance(given, Argument) else self.base(given)
            for name, given in arguments.items()
            if given is not None
        }
        work = work or Work()
        kernel = kernel.called_with(passed, row).interned()
        if work.units and kernel.symbol not in self.kernels:
            types = [*(each.base.type for each in passed.values()), self._rows.type]
            self.kernels[kernel.symbol] = kernel, [*types, INDEX, INDEX, INDEX]
        numbers, per_ns = integers(row), kernel.per_ns(self.target.costs)
        call = PreparedCall(kernel.symbol, numbers, work, per_ns, ordered)
        self.repeats.add(call, passed, self.shared.group)
        self._append_row(call, passed)

    def _append_row(self, call: PreparedCall, passed: Mapping[str, Argument]) -> None:
        """Append a row and its call, on arguments of the types that it is for."""
        row = self._pointers.index(len(self.rows))
        self.rows.extend(call.row)
        if call.work.units:
            operands = [*(each.base for each in passed.values()), self._rows, row]
            self._append(call, operands, passed)

    def call_function(
        self,
        symbol: str,
        arguments: Mapping[str, Argument],
        others: Sequence[SSAValue],
        work: Work,
    ) -> None:
        """Append a call of a function that belongs to `main`, and to no library."""
        self.repeats.refuse()
        operands = [*(argument.base for argument in arguments.values()), *others]
        self._append(PreparedCall(symbol, (), work), operands, arguments)

    def _append(
        self,
        call: PreparedCall,
        operands: Sequence[SSAValue],
        passed: Mapping[str, Argument],
    ) -> None:
        cost = int(call.work.units * call.work.cost / call.per_ns)
        self.spent += cost
        if self.piece_ns:
            op = self.shared.add(call, operands, passed, cost)
            op.location = self._location
            if self.profile is not None:
                self.profile.share(op)
            return
        group = 0 if self.profile is None else self.profile.current
        beside = self.shared.written, self.shared.group, cost, group
        place = self._location, self.storage
        planned = PlannedCall(call, operands, passed, *place, *beside)
        if self._is_inner:
            self._add(planned, 0, call.work.units)
        else:
            self._planned.append(planned)

    def _add(self, call: PlannedCall, begin: int, end: int) -> None:
        """Add the op that does some units of `call`."""
        bounds = self._pointers.index(begin), self._pointers.index(end)
        cost = call.prepared.work.cost
        counts = {"units": integer(end - begin), "cost": integer(cost)}
        callee = {"callee": symbol_reference(call.prepared.symbol)}
        operands = [*call.operands, *bounds]
        op = build_op(func.CallOp, operands, (), callee, counts, location=call.location)
        if self.profile is None:
            self.block.add_op(op)
        else:
            self.block.add_ops(self.profile.time(op, self._behind(1, i64), call.group))

    def _behind(self, number: int, element: Attribute) -> SSAValue:
        """Return what io has behind arrays: the hook, and where records are."""
        entry = len(self.storage.of_caller) + number
        return self._pointers.at("io", entry, 0, element)

    @property
    def is_shared(self) -> bool:
        """Whether a second thread saves more time than it takes to wake it."""
        return saves_time(self.sections, self.piece_ns)

    def finish(self) -> None:
        """Close `main`: put shared calls into sections, others into turns, and end."""
        if self.piece_ns:
            team = self._pointers.arguments["team"]
            self.sections = sections_of(self.shared.calls, team, self.piece_ns)
            if self.profile is not None:
                self.profile.time_pieces(self.sections, self._behind(1, i64))
            self.block.add_ops(self.sections)
        for part in rounds_of(self._planned, self.near_bytes, self.target.costs):
            self._add(*part)
        for call in self._planned:
            if call.is_interleaved and self.profile is not None:
                self.profile.read_near(call.group, self.near_bytes)
        self.block.add_op(func.ReturnOp())
