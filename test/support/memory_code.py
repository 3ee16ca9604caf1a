"""Run memory-level ops on NumPy arrays: the way of kernel tests."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from simulated_teams import number_of, run_alone
from xdsl.context import Context
from xdsl.dialects.builtin import MemRefLayoutAttr, ModuleOp, NoneAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from glow.backends.cpu import library
from glow.backends.cpu.executable import objects_of
from glow.backends.cpu.linker import link
from glow.backends.cpu.object_cache import ObjectCache
from glow.backends.cpu.targets import expect_host
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.placeholder import ResourceAttr
from glow.dialects.memory.address import Addressing, strided
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import Buffer
from glow.dialects.memory.storage import ConstantOp, GetOp, PlaceholderOp, ViewOp
from glow.lowering.memory_to_loops import MemoryToLoopsPass
from glow.lowering.memory_to_loops.rules import rule_of
from glow.support.targets import target_of
from glow.support.types import dtype_of, element_type_of

Array = NDArray[Any]


class MemoryCode:
    """
    A memory-level `main` under construction, its buffers NumPy arrays.

    Arrays are used in place, so they must be dense; views of them are views of the
    buffer.
    """

    def __init__(self, target: str = "cpu", piece_ns: int = 0):
        self.target, self.piece_ns = target, piece_ns
        self.arrays: list[Array] = []
        self.module = ModuleOp([])
        self.block = Block()
        self.faults: list[str] = []

    def buffer(self, array: Array, layout: MemRefLayoutAttr | None = None) -> SSAValue:
        """Return the buffer of `array`, which may be a view; blocked by `layout`."""
        root = array
        while layout is None and _is_view(root):
            root = root.base
        if not root.flags.c_contiguous:
            root = root.transpose(np.argsort(root.strides, kind="stable")[::-1])
        assert root.flags.c_contiguous
        type_: Any = Buffer(
            element_type_of(root.dtype), root.shape, layout or NoneAttr()
        )
        source = self._placed(root, type_)
        if root is array:
            return source
        size = array.itemsize
        start = array.ctypes.data - root.ctypes.data
        strides = tuple(stride // size for stride in array.strides)
        view = strided(type_, Addressing(array.shape, strides, start // size))
        return self._get(ViewOp(source, view))

    def blocked(self, stored: Array, shape: tuple[int, ...], layout: MemRefLayoutAttr):
        """Return a buffer of `shape` in `layout`, whose physical array is `stored`."""
        type_: Any = Buffer(element_type_of(stored.dtype), shape, layout)
        return self._placed(stored, type_)

    def constant(self, array: Array) -> SSAValue:
        """Return a buffer whose bytes are known when code is made."""
        name = f"c{len(list(self.module.ops))}"
        type_: Any = Buffer(element_type_of(array.dtype), array.shape)
        resource = ResourceAttr.of(array)
        self.module.body.block.add_op(ConstantOp(name, resource, type_))
        return self._get(GetOp(name, type_))

    def _placed(self, array: Array, type_: Buffer) -> SSAValue:
        name = f"b{len(self.arrays)}"
        self.arrays.append(np.asarray(array))
        self.module.body.block.add_op(PlaceholderOp(name, "inout", type_))
        return self._get(GetOp(name, type_))

    def _get(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def add(self, op: Operation) -> None:
        op.verify()
        self.block.add_op(op)

    def apply(
        self,
        op: type[GraphOp],
        ins: Sequence[Array | SSAValue | None],
        outs: Sequence[Array | list[Array] | None],
        *,
        inout: Array | None = None,
        **parameters: Any,
    ) -> None:
        """
        Add a graph op on arrays by slot, with the scratch that its kernel asks for.

        `inout` is the first operand before and the first result after.
        """
        slots = [
            [None if v is None else self._slot(v) for v in values]
            for values in (ins, outs)
        ]
        where = None if inout is None else self.buffer(inout)
        new = ApplyOp(op, *slots, inout=where, **parameters)
        rule = rule_of(op)
        if rule is not None and rule.scratch is not None:
            room = [
                self.buffer(np.zeros(t.get_shape(), dtype_of(t.element_type)))
                for t in rule.scratch(new.graph_op())
            ]
            new = ApplyOp(op, *slots, inout=where, scratch=room, **parameters)
        self.add(new)

    def _slot(self, value: Array | list[Array] | SSAValue) -> Any:
        if isinstance(value, SSAValue):
            return value
        if isinstance(value, list):
            return [self.buffer(array) for array in value]
        return self.buffer(value)

    def loops(self, kernels: Literal["defined", "declared"] = "defined") -> ModuleOp:
        """Lower to loops and verify the result."""
        self.block.add_op(ReturnOp())
        main = FuncOp("main", ([], []), Region(self.block))
        self.module.body.block.add_op(main)
        lowering = MemoryToLoopsPass(self.target, kernels, piece_ns=self.piece_ns)
        lowering.apply(Context(), self.module)
        self.module.verify()
        if self.piece_ns:
            run_alone(self.module)
        return self.module

    def compile(self) -> Any:
        """
        Return a function that runs the ops once and returns the fault or None.

        Kernels come from the library, which keeps them for the next test.
        """
        module, target = self.loops("declared"), target_of(self.target)
        library.lower(module, target)
        expect_host(target)
        code = link(objects_of(module, target, ObjectCache()), ["main"])
        attributes: Any = module.attributes
        constants = [self._bytes(entry) for entry in attributes["glow.constants"]]
        messages = [entry.data for entry in attributes["glow.messages"]]
        fault = ctypes.c_int32(0)
        arena = np.empty(number_of(module, "arena_bytes") + 64, np.uint8)
        arena = arena[-arena.ctypes.data % 64 :]
        tables = [self._table(self.arrays), self._table(constants)]
        prototype = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)
        entry = prototype(code.address("main"))

        def run() -> str | None:
            fault.value = 0
            entry(arena.ctypes.data, tables[0], tables[1], ctypes.addressof(fault))
            return messages[-fault.value - 1] if fault.value else None

        run.keep = (code, constants, self.arrays, entry)  # type: ignore[attr-defined]
        return run

    @staticmethod
    def _bytes(resource: Attribute) -> Array:
        assert isinstance(resource, ResourceAttr)
        assert resource.array is not None
        return resource.array

    @staticmethod
    def _table(arrays: list[Array]) -> Any:
        return (ctypes.c_void_p * max(1, len(arrays)))(*(a.ctypes.data for a in arrays))

    def run(self) -> str | None:
        """Compile and run once; return the message of a fault, or None."""
        return self.compile()()


def _is_view(array: Array) -> bool:
    """Return whether `array` shows elements of another, rather than bare bytes."""
    return isinstance(array.base, np.ndarray) and array.base.dtype == array.dtype
