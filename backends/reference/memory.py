"""
Interpreter of modules at the memory level, op by op on NumPy arrays.

Every allocation is flat and poisoned, at its place in the arena once it has one, so
that a view in the wrong place, a value that is read before it is written, buffers that
share bytes and a border that is not zero show up in the numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.lib.stride_tricks import as_strided
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue

from glow.analysis.buffers import root_of, size_bytes
from glow.analysis.calls import entries_of
from glow.analysis.directions import functions_of
from glow.backends.reference.executable import errors_at, signature_of
from glow.backends.reference.physical import poisoned
from glow.backends.reference.recurrent import run_recurrent
from glow.backends.reference.scalars import run_region
from glow.dialects.graph.attention import AttentionOp as GraphAttentionOp
from glow.dialects.graph.convolution import ConvOp as GraphConvOp
from glow.dialects.layout.attribute import layout_of, physical_shape_of
from glow.dialects.memory.address import addressing_of, find_addressing
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.attention import HeadsOp
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.control_flow import ControlFlowOp, IfOp, LoopOp
from glow.dialects.memory.elementwise import (
    CopyOp,
    ElementwiseOp,
    FillOp,
    ZeroHaloOp,
)
from glow.dialects.memory.products import ConvOp, EpilogueOp, MatMulOp
from glow.dialects.memory.recurrent import RecurrentOp
from glow.dialects.memory.storage import (
    AllocOp,
    ConstantOp,
    DeallocOp,
    GetOp,
    PlaceholderOp,
    ReadyOp,
    ViewOp,
)
from glow.lowering.convolution.winograd import form_with
from glow.runtime.frame import Notify
from glow.runtime.interface import Executable
from glow.support.arrays import Array
from glow.support.dtypes import is_narrow, widened
from glow.support.element_conversion import convert
from glow.support.errors import CompilationError, ExecutionError
from glow.support.layout import pack, unpack
from glow.support.types import dtype_of


class MemoryExecutable(Executable):
    """
    The meaning of a module at the memory level, with or without a planned arena.

    Errors: a module without one function to run, a constant without bytes.
    """

    def __init__(self, module: ModuleOp):
        entries = entries_of(module)
        if len(entries) != 1:
            raise CompilationError(f"expected one function, got {len(entries)}")
        self._body = entries[0].body.block
        self._module = module
        super().__init__(signature_of(module))

    def execute(
        self,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        states: Sequence[Array] = (),
        notify: Notify | None = None,
    ) -> None:
        signature = self.signature
        pairs = zip(signature.inputs, inputs, strict=True)
        symbols = {spec.name: array for spec, array in pairs}
        for spec, array in zip(signature.outputs, outputs, strict=True):
            if spec.name in symbols:  # updated in place
                array[...] = symbols[spec.name]
            else:
                array.reshape(-1)[...] = poisoned(array.size, array.dtype)
            symbols[spec.name] = array
        kept = zip(signature.states, states, strict=True)
        symbols |= {state.spec.name: array for state, array in kept}
        machine = MemoryMachine(self._module, symbols)
        for op in self._body.ops:
            machine.run(op)
        for number in range(len(outputs) if notify is not None else 0):
            cast(Notify, notify)(number)


class MemoryMachine:
    """The buffers of one run; `symbols` are arrays of the caller, used in place."""

    def __init__(self, module: ModuleOp, symbols: Mapping[str, Array]):
        size = module.attributes.get("glow.arena_bytes")
        bytes_ = size.value.data if isinstance(size, IntegerAttr) else 0
        self._arena = np.full(bytes_, 0xFF, np.uint8)
        self._memory: dict[SSAValue, Array] = {}
        self._functions = {f.sym_name.data: f for f in functions_of(module)}
        self._symbols = {name: array.reshape(-1) for name, array in symbols.items()}
        for op in module.ops:
            if isinstance(op, ConstantOp | PlaceholderOp):
                name = op.sym_name.data
                array = op.array if isinstance(op, ConstantOp) else op.initial_array
                if name not in self._symbols:
                    start = _poisoned_buffer(op.type) if array is None else array
                    self._symbols[name] = start.reshape(-1)

    def run(self, op: Operation) -> None:
        """Run one op of the body of a function; errors say which one."""
        if isinstance(op, IfOp):
            return self.choose(op)
        if isinstance(op, LoopOp):
            return self.loop(op)
        for kinds, step in _STEPS:
            if isinstance(op, kinds):
                with errors_at(op), np.errstate(all="ignore"):
                    step(self, op)
                return
        raise ExecutionError(f"expected an op of the memory level, got {op.name}")

    def read(self, buffer: SSAValue) -> Array:
        """Return the logical elements of `buffer`, as they are now."""
        type_ = buffer_type(buffer)
        if find_addressing(type_) is None:
            layout = layout_of(type_)
            assert layout is not None
            return unpack(layout, self._stored(buffer), type_.get_shape())
        return self._elements(buffer).copy()

    def find(self, buffer: SSAValue | None) -> Array | None:
        return None if buffer is None else self.read(buffer)

    def write(self, buffer: SSAValue, array: Array) -> None:
        """Set the logical elements of `buffer`."""
        type_ = buffer_type(buffer)
        rounded = _stored_as(array, dtype_of(type_.element_type))
        if find_addressing(type_) is None:
            layout = layout_of(type_)
            assert layout is not None
            whole = np.broadcast_to(rounded, type_.get_shape())
            self._stored(buffer)[...] = pack(layout, np.ascontiguousarray(whole))
        else:
            self._elements(buffer)[...] = rounded

    def _stored(self, buffer: SSAValue) -> Array:
        shape = physical_shape_of(buffer_type(buffer))
        return self._memory[root_of(buffer)].reshape(shape)

    def _elements(self, buffer: SSAValue) -> Array:
        """Return a writable view of the elements, which must lie in their buffer."""
        base, place = self._memory[root_of(buffer)], addressing_of(buffer)
        first, last = place.bounds
        if first <= last and not (first >= 0 and last < base.size):
            raise ExecutionError(
                f"expected elements within {base.size}, got {first} to {last}"
            )
        strides = [stride * base.itemsize for stride in place.strides]
        return as_strided(base[min(place.offset, base.size) :], place.shape, strides)

    def get(self, op: GetOp) -> None:
        self._memory[op.result] = self._symbols[op.symbol.string_value()]

    def alloc(self, op: AllocOp) -> None:
        type_ = buffer_type(op.result)
        fresh = _poisoned_buffer(type_)
        if op.offset is not None:
            start, size = op.offset.value.data, size_bytes(type_)
            if start + size > self._arena.size:
                raise ExecutionError(
                    f"expected an arena of {start + size} bytes, got {self._arena.size}"
                )
            place = self._arena[start : start + size].view(fresh.dtype)
            place[...] = fresh
            fresh = place
        self._memory[op.result] = fresh

    def choose(self, op: IfOp) -> None:
        self._call(op, op.callees[0 if self.read(op.condition) else 1])

    def loop(self, op: LoopOp) -> None:
        limit = None if op.limit is None else int(self.read(op.limit))
        iteration = 0
        while (limit is None or iteration < limit) and (
            op.condition is None or self.read(op.condition)
        ):
            self.write(op.iteration, np.array(iteration))
            self._call(op, op.callees[0])
            iteration += 1
        condition = self.find(op.condition)
        if op.must_end is not None and condition:
            raise op.still_true()

    def _call(self, op: ControlFlowOp, callee: str) -> None:
        """Run a function on the buffers of `op`, with its frame as the arena."""
        body, arena = self._functions[callee].body.block, self._arena
        for argument, (buffer, _) in zip(body.args, op.passed(), strict=True):
            self._memory[argument] = self._elements(buffer).reshape(-1)
        if op.frame is not None:
            self._arena = self._memory[op.frame].view(np.uint8)
        for inner in body.ops:
            self.run(inner)
        self._arena = arena

    def elementwise(self, op: ElementwiseOp) -> None:
        results = run_region(op.body, [self.read(value) for value in op.inputs])
        for buffer, array in zip(op.results_, results, strict=True):
            self.write(buffer, array)

    def copy(self, op: CopyOp) -> None:
        self.write(op.result, self.read(op.source))

    def fill(self, op: FillOp) -> None:
        self.write(op.result, np.asarray(cast(Any, op.value).value.data))

    def zero_halo(self, op: ZeroHaloOp) -> None:
        inside = self.read(op.result)
        self._memory[root_of(op.result)][...] = 0
        self.write(op.result, inside)

    def conv(self, op: ConvOp) -> None:
        channels, window = buffer_type(op.result).get_shape()[1], op.window
        extents = buffer_type(op.result).get_shape()[2:]
        product = GraphConvOp.compute(
            widened(self.read(op.input)),
            _plain_filter(op, widened(self.read(op.filter)), channels),
            None if op.bias is None else widened(self.read(op.bias)),
            strides=window.strides,
            pads=(*window.begins, *window.ends),
            dilations=window.dilations,
            group=op.group.value.data,
        )
        # A result may leave out the last positions of the window.
        self._finish(
            op, op.result, product[(..., *(slice(extent) for extent in extents))]
        )

    def matmul(self, op: MatMulOp) -> None:
        product = widened(self.read(op.lhs)) @ widened(self.read(op.rhs))
        if op.bias is not None:
            product = product + widened(self.read(op.bias))
        self._finish(op, op.result, product)

    def _finish(
        self, op: EpilogueOp | ApplyOp, result: SSAValue, computed: Array
    ) -> None:
        if op.epilogue.blocks:
            extras = [self.read(extra) for extra in op.extras]
            (computed,) = run_region(op.epilogue, [computed, *extras])
        self.write(result, computed)

    def attend(self, op: HeadsOp) -> None:
        optional = ("mask", "bias", "valid_length")
        found = {name: self.find(getattr(op, name, None)) for name in optional}
        query, key, value = (
            widened(self.read(v)) for v in (op.query, op.key, op.value)
        )
        parameters = {
            name: parameter.value_of(op)
            for name, parameter in GraphAttentionOp.declared().items()
            if name in op.get_irdl_definition().properties
        }
        result, *_ = GraphAttentionOp.compute(query, key, value, **found, **parameters)
        self.write(op.result, result)

    def recur(self, op: RecurrentOp) -> None:
        run_recurrent(op, self.find, self.write)

    def apply(self, op: ApplyOp) -> None:
        graph_op = op.graph_op()
        sources, results = (*op.inouts, *op.ins), (*op.inouts, *op.outs)
        computed = graph_op.evaluate([self.read(value) for value in sources])
        for buffer, array in zip(results, computed, strict=True):
            self._finish(op, buffer, array)


def _nothing(machine: MemoryMachine, op: Operation) -> None:
    """Run an op that touches no element."""


_STEPS: tuple[tuple[Any, Callable[[MemoryMachine, Any], None]], ...] = (
    (ViewOp | DeallocOp | ReadyOp | ReturnOp, _nothing),
    (GetOp, MemoryMachine.get),
    (AllocOp, MemoryMachine.alloc),
    (ElementwiseOp, MemoryMachine.elementwise),
    (CopyOp, MemoryMachine.copy),
    (FillOp, MemoryMachine.fill),
    (ZeroHaloOp, MemoryMachine.zero_halo),
    (ConvOp, MemoryMachine.conv),
    (MatMulOp, MemoryMachine.matmul),
    (HeadsOp, MemoryMachine.attend),
    (RecurrentOp, MemoryMachine.recur),
    (ApplyOp, MemoryMachine.apply),
)


def _poisoned_buffer(type_: Any) -> Array:
    dtype = dtype_of(type_.element_type)
    return poisoned(size_bytes(type_) // dtype.itemsize, dtype)


def _stored_as(array: Array, dtype: np.dtype[Any]) -> Array:
    """Return a result as a buffer's elements: rounded, or the same bits unsigned."""
    if array.dtype.kind == "i" and dtype.kind == "u" and array.dtype != dtype:
        return array.astype(dtype)
    return convert(array, dtype) if is_narrow(dtype) else array.astype(dtype)


def _plain_filter(op: ConvOp, array: Array, channels: int) -> Array:
    """Return the filter [O, I/group, k...] from the form that the algorithm reads."""
    match op.algorithm.data:
        case "direct" | "pairs":
            if op.algorithm.data == "pairs":
                *outer, pairs, width, two = array.shape
                array = array.swapaxes(-1, -2).reshape(*outer, pairs * two, width)
            group, panels, *kernel, depth, width = array.shape
            spatial = range(2, 2 + len(kernel))
            split = array.transpose(0, 1, array.ndim - 1, array.ndim - 2, *spatial)
            rows = split.reshape(group, panels * width, depth, *kernel)
            return rows[:, : channels // group].reshape(channels, depth, *kernel)
        case "depthwise":
            return np.moveaxis(array, -1, 0)[:, None]
        case "winograd":
            _, panels, depth, width = array.shape
            form = form_with(len(array))
            sides = (form.side, form.side, panels * width, depth)
            places = array.transpose(0, 1, 3, 2).reshape(sides)
            back = np.linalg.pinv(np.array(form.points))
            filters = np.einsum("ya,xb,aboi->oiyx", back, back, places)
            return filters[:channels].astype(array.dtype)
        case _:
            return array
