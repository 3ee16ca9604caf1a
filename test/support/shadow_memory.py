"""
Walk the memory level byte by byte: an oracle for what `verify-memory` promises.

Each byte of the arena and of each placeholder has an owner and a state. Addresses are
those of `pack`, one by one, so that the pass and this share the dialect and no more.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, StridedLayoutAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from glow.dialects.layout.attribute import layout_of, physical_shape_of, strides_of
from glow.dialects.memory.base import Buffer, MemoryOp, buffer_type
from glow.dialects.memory.elementwise import ZeroHaloOp
from glow.dialects.memory.products import ConvOp
from glow.dialects.memory.storage import (
    AllocOp,
    ConstantOp,
    DeallocOp,
    GetOp,
    PlaceholderOp,
    ReadyOp,
    ViewOp,
)
from glow.support.layout import pack
from glow.support.types import dtype_of

UNKNOWN, VALUE, ZERO = 0, 1, 2

Addresses = NDArray[np.int64]
Widths = tuple[tuple[int, int], ...]


class Fault(Exception):
    """The program reads or writes what it must not, or leaves something undone."""


def require(holds: Any, reason: str) -> None:
    if not holds:
        raise Fault(reason)


def stored_elements(type_: Buffer) -> int:
    return prod(physical_shape_of(type_))


def addresses(type_: Buffer, around: Widths = ()) -> Addresses:
    """Return the place of each element, and of `around` so many before and after."""
    shape = type_.get_shape()
    around = around or ((0, 0),) * len(shape)
    if isinstance(type_.layout, StridedLayoutAttr):
        strides, offset = strides_of(type_.layout, shape) or ((), 0)
        places = np.asarray(offset)
        for n, stride, (before, after) in zip(shape, strides, around, strict=True):
            places = places[..., None] + np.arange(-before, n + after) * stride
        return places
    layout = layout_of(type_)
    if layout is None:
        require(not any(map(any, around)), "there is no halo")
        return np.arange(prod(shape)).reshape(shape)
    wide = tuple(n + sum(pair) for n, pair in zip(shape, layout.halo, strict=True))
    stored = pack(
        layout.with_halo(((0, 0),) * len(shape)),
        np.arange(1, prod(wide) + 1).reshape(wide),
    ).ravel()
    places = np.zeros(prod(wide), np.int64)
    places[stored[stored > 0] - 1] = np.nonzero(stored)[0]
    kept: list[slice] = []
    for n, has, wanted in zip(shape, layout.halo, around, strict=True):
        require(has[0] >= wanted[0] and has[1] >= wanted[1], "the halo is too small")
        kept.append(slice(has[0] - wanted[0], has[0] + n + wanted[1]))
    return places.reshape(wide)[tuple(kept)]


@dataclass
class Storage:
    """Bytes of the arena from `start` on, or a symbol's own, that belong to `owner`."""

    states: NDArray[np.uint8]
    owners: NDArray[np.int64]
    owner: int
    start: int
    type_: Buffer

    def bytes_at(self, places: Addresses, itemsize: int) -> Addresses:
        require(places.size == 0 or places.min() >= 0, "below the start")
        firsts = self.start + places.ravel() * itemsize
        bytes_ = (firsts[:, None] + np.arange(itemsize)).ravel()
        require((bytes_ < len(self.states)).all(), "beyond the end")
        require((self.owners[bytes_] == self.owner).all(), "bytes of another buffer")
        return bytes_


class Shadow:
    """The memory of one run of `function`."""

    def __init__(self, module: ModuleOp, function: FuncOp):
        arena: Any = module.attributes.get("glow.arena_bytes")
        size = 0 if arena is None else arena.value.data
        require(size >= 0, "a negative arena")
        self.states = np.zeros(size, np.uint8)
        self.owners = np.zeros(size, np.int64)
        self.symbols = {
            op.sym_name.data: op
            for op in module.ops
            if isinstance(op, PlaceholderOp | ConstantOp)
        }
        self.storages: dict[SSAValue, Storage] = {}
        self.named: dict[str, Storage] = {}
        self.alive: set[SSAValue] = set()
        self.ready: list[str] = []
        for op in function.body.block.ops:
            self.step(op)
        require(not self.alive, "buffers are left")
        self.finish()

    def finish(self) -> None:
        outputs = [name for name in self.symbols if self.is_output(name)]
        require(not self.ready or sorted(self.ready) == sorted(outputs), "marks")
        for name in outputs:
            type_ = buffer_type(self.symbols[name].type)
            states = self.symbol(name).states
            bytes_ = self.symbol(name).bytes_at(addresses(type_), size_of(type_))
            require((states[bytes_] != UNKNOWN).all(), f"@{name} is not written")

    def is_output(self, name: str) -> bool:
        op = self.symbols.get(name)
        return isinstance(op, PlaceholderOp) and op.is_output

    def symbol(self, name: str) -> Storage:
        require(name in self.symbols, f"@{name} is unknown")
        if name not in self.named:
            op = self.symbols[name]
            type_ = buffer_type(op.type)
            out = isinstance(op, PlaceholderOp) and op.direction.data == "out"
            size = stored_elements(type_) * size_of(type_)
            states = np.full(size, UNKNOWN if out else VALUE, np.uint8)
            self.named[name] = Storage(states, np.zeros(size, np.int64), 0, 0, type_)
        return self.named[name]

    def step(self, op: Operation) -> None:
        match op:
            case AllocOp():
                self.allocate(op)
            case DeallocOp():
                require(op.buffer in self.alive, "dealloc")
                self.alive.remove(op.buffer)
                owner = self.storages[op.buffer].owner
                self.owners[self.owners == owner] = 0
            case GetOp():
                name = op.symbol.string_value()
                require(self.symbol(name).type_ == op.result.type, "another type")
                self.storages[op.result] = self.symbol(name)
            case ReadyOp():
                name = op.symbol.string_value()
                require(self.is_output(name) and name not in self.ready, "a mark")
                self.ready.append(name)
            case ViewOp():
                self.storages[op.result] = self.storages[op.source]
            case MemoryOp():
                self.access(op)
            case _:
                pass

    def allocate(self, op: AllocOp) -> None:
        type_ = buffer_type(op.result)
        require(op.offset is not None, "no offset")
        assert op.offset is not None
        start = op.offset.value.data
        end = start + stored_elements(type_) * size_of(type_)
        require(end <= len(self.states), "beyond the arena")
        require(not self.owners[start:end].any(), "bytes are taken")
        owner = len(self.storages) + 1
        self.owners[start:end], self.states[start:end] = owner, UNKNOWN
        storage = Storage(self.states, self.owners, owner, start, type_)
        self.storages[op.result] = storage
        self.alive.add(op.result)

    def bytes_of(self, value: SSAValue) -> Addresses:
        type_ = buffer_type(value)
        return self.storages[value].bytes_at(addresses(type_), size_of(type_))

    def access(self, op: MemoryOp) -> None:
        for value, kind in op.accesses():
            states = self.storages[value].states
            require(not kind.reads or states[self.bytes_of(value)].all(), "unknown")
        if isinstance(op, ConvOp) and op.halo is not None:
            self.read_border(op)
        self.check_overlaps(op)
        for value, kind in op.accesses():
            if kind.writes:
                self.write(op, value)

    def read_border(self, op: ConvOp) -> None:
        type_, storage = buffer_type(op.input), self.storages[op.input]
        wide = addresses(type_, op.border())
        all_ = storage.bytes_at(wide, size_of(type_))
        border = np.setdiff1d(all_, self.bytes_of(op.input))
        require((storage.states[border] == ZERO).all(), "the border is not zero")

    def check_overlaps(self, op: MemoryOp) -> None:
        accesses, pairs = op.accesses(), op.in_place_pairs()
        for i, (written, kind) in enumerate(accesses):
            for j, (other, other_kind) in enumerate(accesses):
                if i == j or not kind.writes or (other_kind.writes and j < i):
                    continue
                one, two = self.storages[written], self.storages[other]
                if one.states is two.states and (other, written) not in pairs:
                    shared = np.intersect1d(
                        self.bytes_of(written), self.bytes_of(other)
                    )
                    require(not shared.size, "operands overlap")

    def write(self, op: MemoryOp, value: SSAValue) -> None:
        storage = self.storages[value]
        for name, named in self.named.items():
            if named is storage:
                symbol = self.symbols[name]
                require(isinstance(symbol, PlaceholderOp), "a constant")
                assert isinstance(symbol, PlaceholderOp)
                require(symbol.direction.data != "in", "an input")
                require(name not in self.ready, "it was ready")
        bytes_ = self.bytes_of(value)
        if isinstance(op, ZeroHaloOp):
            size = stored_elements(storage.type_) * size_of(storage.type_)
            all_ = np.arange(storage.start, storage.start + size)
            storage.states[np.setdiff1d(all_, bytes_)] = ZERO
        else:
            storage.states[bytes_] = VALUE


def size_of(type_: Buffer) -> int:
    return dtype_of(type_.element_type).itemsize


def find_fault(module: ModuleOp) -> str | None:
    """Return what is wrong with the only function of `module`, None if nothing is."""
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    try:
        Shadow(module, function)
    except Fault as fault:
        return str(fault)
    return None
