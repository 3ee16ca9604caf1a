"""Peaks of a core of this machine: arithmetic, and bytes from each level of memory."""

from __future__ import annotations

import ctypes
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from statistics import median
from typing import Any, Generic

import numpy as np
from xdsl.dialects.builtin import bf16, f32
from xdsl.ir import Attribute, Block

from glow.backends.cpu.code_generation import object_code
from glow.backends.cpu.library import kernel_text
from glow.backends.cpu.linker import link
from glow.backends.cpu.processor import all_cache_sizes
from glow.backends.cpu.targets import cpu_target
from glow.codegen.casts import convert
from glow.codegen.functions import dot_pairs, fma
from glow.codegen.loops import N, Var, loop
from glow.codegen.memory import Strip, flat
from glow.codegen.rows import integers
from glow.codegen.shuffles import spread_pair
from glow.codegen.values import Value, index
from glow.lowering.memory_to_loops.kernels.kernel import Argument, Call, Kernel, Operand
from glow.support.arrays import Array, address_of, aligned_empty
from glow.support.targets import Target

_PART_S, _TIMES = 0.001, 20
"""The length of a measurement, and the most of them; the fastest counts."""
_MOST_BYTES = 256 << 20
_VECTORS = 8
"""The vectors that a step reads or writes."""
_OF_THE_CORE = ("L1", "L2")
_PROBE_S, _PROBE_EVERY_S = 25e-6, 5e-3
"""How long the clock is measured, and the least time between measurements."""
_FUNCTION = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2, *[ctypes.c_int64] * 3)

Go = Callable[[Array, object, int], None]


@dataclass(frozen=True)
class MemoryRate:
    """
    A cache or the memory, and how fast bytes come and go.

    Units: bytes; rates in bytes per nanosecond: of reading, and of the fastest way.
    """

    name: str
    bytes: float
    read_rate: float
    rate: float


@dataclass(frozen=True)
class Peaks:
    """The peak of one core. Units: flops per nanosecond, of f32."""

    flops: float
    memories: tuple[MemoryRate, ...]
    """The nearest first; the last one holds everything."""

    @staticmethod
    def of(entry: Mapping[str, Any]) -> Peaks:
        """Return the peaks that `dataclasses.asdict` made `entry` of."""
        memories = tuple(MemoryRate(**each) for each in entry["memories"])
        return Peaks(entry["flops"], memories)

    def best(self, other: Peaks) -> Peaks:
        """Return the higher of both figures everywhere: noise only lowers them."""
        pairs = zip(self.memories, other.memories, strict=True)
        memories = (
            MemoryRate(
                a.name,
                max(a.bytes, b.bytes),
                max(a.read_rate, b.read_rate),
                max(a.rate, b.rate),
            )
            for a, b in pairs
        )
        return Peaks(max(self.flops, other.flops), tuple(memories))

    def at_clock(self, flops: float) -> Peaks:
        """
        Return the peaks of a core at the clock at which it does `flops`.

        The first two caches run at the clock of the core; what is beyond them does not.
        """
        ratio = flops / self.flops
        memories = (
            replace(m, read_rate=m.read_rate * ratio, rate=m.rate * ratio)
            if m.name in _OF_THE_CORE
            else m
            for m in self.memories
        )
        return Peaks(flops, tuple(memories))

    def __str__(self) -> str:
        rates = (f"{m.name} {m.read_rate:.0f} to {m.rate:.0f}" for m in self.memories)
        return f"{self.flops:.0f} GFLOP/s, and GB/s from {', '.join(rates)}"


@dataclass(frozen=True)
class MultiplyAdds(Kernel):
    """
    Multiply and add, on sums that do not depend on each other.

    Unit: one multiply-add of each sum.
    """

    lanes: int
    sums: int

    def write(self, call: Call[tuple[Value, ...]]) -> None:
        total = Var(call["x"].load(0, Strip(self.lanes, self.sums)))
        for _ in loop(*call.range, total):
            total.value = fma(total.value, 0.5, 1.0)
        call["x"].store(total.value, 0)


@dataclass(frozen=True)
class PassesRow(Generic[N]):
    """The number of elements: a multiple of what a step handles."""

    length: N


@dataclass(frozen=True)
class Passes(Kernel):
    """
    Go over all elements, and read them, write them, or both.

    Unit: once over all.
    """

    lanes: int
    reads: bool
    writes: bool

    def write(self, call: Call[PassesRow[Value]]) -> None:
        x, strip = call["x"], Strip(self.lanes, _VECTORS)
        total = Var(x.load(0, strip))
        for _ in loop(*call.range, total):
            for at in loop(0, call.row.length, total, step=strip.size):
                if self.reads and self.writes:
                    x.store(x.load(at, strip) + 1.0, at)
                elif self.reads:
                    total.value = total.value + x.load(at, strip)
                else:
                    x.store(total.value, at)
        x.store(total.value, 0)


@dataclass(frozen=True)
class TileRow(Generic[N]):
    """The length of the sums of a tile, and where each of its rows begins."""

    length: N
    rows: tuple[N, ...]


@dataclass(frozen=True)
class TileProducts(Kernel):
    """
    Multiply rows, which lie anywhere, by a panel of vectors; a near cache has both.

    Unit: a tile whose sums are as long as the row says. With `in_pairs` numbers are
    bf16, two of which are multiplied at once.
    """

    vectors: int
    lanes: int
    in_pairs: bool

    def write(self, call: Call[TileRow[Value]]) -> None:
        x, pair = call["x"], 2 if self.in_pairs else 1
        strip, rows = Strip(self.lanes, self.vectors), call.row.rows
        wide = replace(strip, lanes=pair * self.lanes)
        for _ in loop(*call.range):
            totals = [Var(strip.constant(0, f32)) for _ in rows]
            k, line = Var(index(0)), Var(call.row.length * len(rows))
            for _ in loop(0, call.row.length, k, line, *totals, step=2 * pair):
                for _ in range(2):
                    weights = x.load(line.value, wide)
                    for start, total in zip(rows, totals, strict=True):
                        at = start + k.value
                        if self.in_pairs:
                            left = spread_pair(x.load(at, Strip(2)), wide.lanes)
                            total.value = dot_pairs(left, weights, total.value)
                        else:
                            total.value = fma(x[at], weights, total.value)
                    k.value += pair
                    line.value += wide.size
            for i, total in enumerate(totals):
                x.store(convert(total.value, x.element), i * strip.size)


_DEPTH = 1024
"""The length of the sums of a tile that is measured: its panel leaves L1."""


def measured_tile(
    target: Target, rows: int, columns: int, in_pairs: bool = False, lanes: int = 0
) -> float:
    """
    Return the flops per nanosecond of a register tile, of f32 or of bf16.

    `lanes` is the length of vectors, by default that of the target.
    """
    x = aligned_empty(_MOST_BYTES >> 8).view(np.float32)
    x.fill(0)
    lanes = lanes or min(target.f32_lanes, columns)
    kernel = TileProducts(columns // lanes, lanes, in_pairs)
    row = TileRow(_DEPTH, tuple(range(0, rows * _DEPTH, _DEPTH)))
    run = _linked(kernel, row, target, bf16 if in_pairs else f32)
    return 2 * rows * columns * _DEPTH / _best(lambda units: run(x, row, units))


class ClockProbe:
    """
    The rate of multiply-adds of a core at its present clock, measured now and then.

    Processors lower their clock some milliseconds after the first instructions of 512
    bits, more for denser ones, and other load on the machine lowers it too: 3.5 and 3.1
    GHz on Sapphire Rapids. A run is compared with its own clock, not an earlier one.
    """

    def __init__(self) -> None:
        self._adding, self._per_unit, self._x = _multiply_adds(cpu_target())
        self._units = 1
        while min(self._seconds(1), self._seconds(1)) < _PROBE_S:
            self._units *= 2
        self._rates: list[float] = []
        self._last = -math.inf

    def measure(self) -> None:
        """Note the rate, unless that was done a moment ago."""
        if time.perf_counter() < self._last + _PROBE_EVERY_S:
            return
        one, four = self._one_and_four()
        while one < _PROBE_S / 2:  # others used the core while units were counted
            self._units *= 2
            one, four = self._one_and_four()
        if four > one:
            self._rates.append(3 * self._units * self._per_unit / (four - one) / 1e9)
            self._last = time.perf_counter()

    def _one_and_four(self) -> tuple[float, float]:
        """
        Return the seconds of one and of four times the units.

        Both include the microseconds of a call and of the first vectors of 512 bits.
        """
        one, four = (min(self._seconds(n) for _ in range(3)) for n in (1, 4))
        return one, four

    def _seconds(self, times: int) -> float:
        return _seconds(partial(self._adding, self._x, ()), times * self._units)

    def flops(self) -> float:
        """Return the median of what was measured, in flops per nanosecond."""
        while not self._rates:
            self.measure()
        return median(self._rates)


def _multiply_adds(target: Target) -> tuple[Go, int, Array]:
    """Return a function of multiply-adds, the flops of a unit, and an array for it."""
    sums = min(12, target.registers - 3)
    x = aligned_empty(4 * sums * target.f32_lanes).view(np.float32)
    x.fill(0)
    adding = _linked(MultiplyAdds(target.f32_lanes, sums), (), target)
    return adding, 2 * sums * target.f32_lanes, x


_WAYS = ((True, False), (True, True), (False, True))
"""Reading, updating and writing; the bytes of an update count twice."""


def measured_peaks() -> Peaks:
    """Return what a core of this machine does, which takes a second or two."""
    target, sizes = cpu_target(), all_cache_sizes()
    names = ("L1", "L2", "L3")[: len(sizes)]
    room = min(4 * sizes[-1], _MOST_BYTES)
    x = aligned_empty(room).view(np.float32)
    x.fill(0)
    adding, per_unit, few = _multiply_adds(target)
    once = _best(lambda units: adding(few, (), units))
    memories: list[MemoryRate] = []
    ways = [(Passes(target.f32_lanes, *way), sum(way)) for way in _WAYS]
    passing = [(_linked(kernel, PassesRow(0), target), count) for kernel, count in ways]
    step = _VECTORS * target.f32_lanes

    def rate(go: Go, part: int) -> float:
        """Return the bytes of `part` that are passed in a nanosecond."""
        length = part // x.itemsize // step * step
        return length * x.itemsize / _best(partial(go, x, PassesRow(length)))

    # Half of a cache, so that its other contents do not matter. Others use the last one
    # too: its size is the most that is read nearer to its rate than to the memory's.
    *inner, last = sizes
    near = held = min([last // 2, *(4 * size for size in inner[-1:])])
    reading = passing[0][0]
    least = (rate(reading, near) + rate(reading, room)) / 2
    while 2 * held <= min(last, room // 2) and rate(reading, 2 * held) > least:
        held *= 2
    holds = (*inner, held, math.inf)
    used = (*(size // 2 for size in inner), near, room)
    for name, size, part in zip((*names, "memory"), holds, used, strict=True):
        rates = [count * rate(go, part) for go, count in passing]
        memories.append(MemoryRate(name, size, rates[0], max(rates)))
    return Peaks(per_unit / once, tuple(memories))


@cache
def _linked(
    kernel: Kernel, row: object, target: Target, element: Attribute = f32
) -> Go:
    """Return a function that runs `kernel` on an array, a row and a number of units."""
    nowhere = Block(arg_types=[flat(element)]).args[0]
    arguments = {"x": Argument(nowhere, Operand(element))}
    kernel = kernel.called_with(arguments, row)
    code = link([object_code(kernel_text(kernel, target), target)], [kernel.symbol])
    function = _FUNCTION(code.address(kernel.symbol))

    def run(x: Array, row: object, units: int) -> None:
        assert code is not None, "the code lives as long as this function"
        rows = np.array([*integers(row), 0], np.int64)
        function(address_of(x), address_of(rows), 0, 0, units)

    return run


def _best(run: Callable[[int], None]) -> float:
    """Return the nanoseconds of a unit in the fastest of several measurements."""
    units, taken = 1, 0.0
    while taken < _PART_S / 4:
        units *= 1 if not taken else 4
        taken = min(_seconds(run, units) for _ in range(3))
    units = max(1, int(units * _PART_S / taken))
    times = max(3, min(_TIMES, int(_TIMES * _PART_S / taken)))
    return min(_seconds(run, units) for _ in range(times)) / units * 1e9


def _seconds(run: Callable[[int], None], units: int) -> float:
    start = time.perf_counter()
    run(units)
    return time.perf_counter() - start
