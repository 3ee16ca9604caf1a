"""Random graphs of all ops on every target that runs, compared with `compute`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from math import prod
from typing import Any

import ml_dtypes
import numpy as np
from graph_code import module_of
from guarded import reused_bytes
from numpy.typing import NDArray
from random_ops import GENERATORS
from random_ops.call import F32, F64, INTS, Call, Source
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

import glow
from glow.backends.reference.memory import MemoryExecutable
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.declaration import ElementwiseOp
from glow.graph_modules import context
from glow.lowering.group_ops import PRODUCTS
from glow.lowering.memory_to_loops.rules import rule_of
from glow.pass_manager import plan, run_part
from glow.runtime.interface import Executable
from glow.support.dtypes import is_floating, is_narrow, widened
from glow.support.errors import TargetError
from glow.support.targets import target_of

Array = NDArray[Any]
Notes = dict[str, object]
"""What to write beside a fault: text, bytes or arrays by file name."""

BLOCK = 256
"""As many numbers have a theme in common."""

F16, BF16 = np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)
# What a rounding changes at most, in an element or, of sums, in the largest one.
ROUNDING = {F16: 1e-3, BF16: 8e-3, F32: 1e-6, F64: 5e-14}


@cache
def targets() -> tuple[str, ...]:
    """Return the targets whose code runs here, the oracle of layouts, and memory."""
    specs = ["cpu", "cpu", "reference-checked", "memory"]
    for spec in ("cpu:sse2", "cpu:avx2", "cpu:avx512"):
        try:
            specs += [spec] if target_of(spec).runs_here else []
        except TargetError:
            continue
    return tuple(specs)


@dataclass(frozen=True)
class Theme:
    """
    A target, some ops and some types, which neighbors have in common.

    Most kernels of a graph are then those of graphs before, and few ops meet in more
    ways than all would: *swarm testing* (A. Groce et al., 2012).
    """

    target: str
    names: tuple[str, ...]
    types: tuple[np.dtype[Any], ...]
    narrow: np.dtype[Any] | None

    @staticmethod
    def of(number: int) -> Theme:
        source = Source(number // BLOCK, 1)
        names = source.rng.choice(list(GENERATORS), source.choose([4, 8, 8, 16]), False)
        types = (source.choose([F32, F32, F64]), source.choose(INTS))
        narrow = source.choose([None, None, None, None, None, F16, BF16])
        return Theme(source.choose(targets()), tuple(map(str, names)), types, narrow)


class Pool(Source):
    """Random choices by a theme that come back to shapes and values of a graph."""

    def __init__(self, theme: Theme, seed: int):
        super().__init__(seed)
        self.theme = theme
        self.values: list[Array] = []

    def choose(self, options: Sequence[Any]) -> Any:
        if all(isinstance(option, np.dtype) for option in options):
            options = [t for t in options if t in self.theme.types] or options
        return super().choose(options)

    def shape(
        self, low: int = 0, high: int = 5, empty: float = 0.05
    ) -> tuple[int, ...]:
        known = [
            a.shape for a in self.values if low <= a.ndim <= high and (a.size or empty)
        ]
        if known and self.flip(0.6):
            return self.choose(known)
        return super().shape(low, high, empty)

    def array(
        self, shape: Sequence[int], dtype: Any, strange: float = 0.2, scale: float = 3
    ) -> Array:
        if self.theme.narrow is not None and is_floating(dtype):
            dtype = self.theme.narrow
        fitting = [
            a for a in self.values if a.shape == tuple(shape) and a.dtype == dtype
        ]
        if fitting and self.flip(0.8):
            return self.choose(fitting)
        return super().array(shape, dtype, strange, scale)

    def add(self, array: Array) -> None:
        array.flags.writeable = False  # generators must not change it
        self.values.append(array)


@dataclass
class Graph:
    """Calls in order, some on results of others."""

    calls: list[Call] = field(default_factory=lambda: [])
    results: list[tuple[Array, ...]] = field(default_factory=lambda: [])
    constants: set[int] = field(default_factory=lambda: set())
    """Arrays that are not inputs but constants, by their identity."""

    @property
    def inputs(self) -> list[Array]:
        return [array for array in self.given if id(array) not in self.constants]

    @property
    def given(self) -> list[Array]:
        """The arrays that no call gives, each once."""
        made = {id(array) for results in self.results for array in results}
        given = {id(a): a for call in self.calls for a in call.arrays}
        return [array for key, array in given.items() if key not in made]

    def outputs(self) -> list[tuple[int, int]]:
        """Return what no call reads, by call and by result; and every third value."""
        read = {id(a) for call in self.calls for a in call.arrays}
        counts = [len(each) for each in self.results]
        places = [(i, k) for i, count in enumerate(counts) for k in range(count)]
        return [
            (i, k)
            for n, (i, k) in enumerate(places)
            if id(self.results[i][k]) not in read or n % 3 == 0
        ]

    def module(self) -> ModuleOp:
        constants = [array for array in self.given if id(array) in self.constants]

        def body(*arguments: SSAValue, **loads: SSAValue) -> list[SSAValue]:
            known = dict(zip(map(id, self.inputs), arguments, strict=True))
            known |= zip(map(id, constants), loads.values(), strict=True)
            for call, results in zip(self.calls, self.results, strict=True):
                op = call.build([known[id(array)] for array in call.arrays])
                known |= zip(map(id, results), op.results, strict=True)
            return [known[id(self.results[i][k])] for i, k in self.outputs()]

        named = {f"weight{k}": array for k, array in enumerate(constants)}
        return module_of(self.inputs, named, body)

    def perturbed(self, rng: np.random.Generator) -> list[Array]:
        """
        Return outputs where each float that an op gives is off by rounding.

        Ops of one kernel may hand on floats of 16 bits as f32 (docs/accuracy.md), so in
        some runs all that can begin a group, and elementwise ops, do.
        """
        known = {id(array): array for array in self.given}
        fused = rng.random() < 0.5
        for call, results in zip(self.calls, self.results, strict=True):
            arrays = [known[id(a)] for a in call.arrays]
            narrow = is_narrow(results[0].dtype) and not call.op.MOVES
            is_elementwise = issubclass(call.op, ElementwiseOp)
            if not (fused and narrow and is_elementwise):
                arrays = [
                    _typed(a, b) for a, b in zip(arrays, call.arrays, strict=True)
                ]
            if fused and narrow and (is_elementwise or _begins_groups(call.op)):
                call, arrays = call.with_floats(F32), [widened(a) for a in arrays]
            arrays = _reordered(call, arrays, rng)
            with np.errstate(all="ignore"):
                computed = call.build().evaluate(arrays)
            for exact, array in zip(results, computed, strict=True):
                known[id(exact)] = _off(array, rng)
        exact = [self.results[i][k] for i, k in self.outputs()]
        return [_typed(known[id(array)], array) for array in exact]


def _begins_groups(op: type[GraphOp]) -> bool:
    rule = rule_of(PRODUCTS.get(op, op))
    return rule is not None and rule.epilogue is not None


def _typed(array: Array, like: Array) -> Array:
    with np.errstate(all="ignore"):
        return array.astype(like.dtype, copy=False)


def _reordered(
    call: Call, arrays: list[Array], rng: np.random.Generator
) -> list[Array]:
    """Return what a reduction may take its operand for: other orders, rounded."""
    if not call.op.name.startswith("graph.reduce_"):
        return arrays
    array = arrays[0]
    if is_floating(array.dtype):
        noise = rng.uniform(-1, 1, array.shape) * ROUNDING[array.dtype]
        with np.errstate(all="ignore"):
            array = (array.astype(np.float64) * (1 + noise)).astype(array.dtype)
    for axis in call.parameters["axes"]:
        array = array.take(rng.permutation(array.shape[axis]), axis)
    return [array, *arrays[1:]]


def _off(array: Array, rng: np.random.Generator) -> Array:
    if not is_floating(array.dtype) or not array.size:
        return array
    step = 2 * ROUNDING[array.dtype]
    with np.errstate(all="ignore"):
        wide = array.astype(np.float64)
        finite = np.abs(wide[np.isfinite(wide)]).max(initial=0)
        # Of any size: integers that wrap around tell errors of one size as one.
        noise = rng.uniform(-1, 1, array.shape)
        # Errors of sums are relative to the largest element.
        size = np.maximum(np.abs(wide), finite * rng.choice([0, 0.1]))
        return np.asarray(wide + noise * step * size).astype(array.dtype)


def random_graph(number: int, sizes: Sequence[int] = (1, 1, 2, 4, 8, 12)) -> Graph:
    """Return a graph of one of `sizes` ops, of which some read results of others."""
    theme = Theme.of(number)
    pool, graph = Pool(theme, number), Graph()
    wanted = pool.choose(sizes)
    for tries in count():
        if len(graph.calls) == wanted:
            break
        # Not all ops take the types of the theme.
        names = theme.names if tries < 8 * wanted else tuple(GENERATORS)
        call = GENERATORS[pool.choose(names)](pool)
        if theme.narrow is not None:
            call = call.with_floats(theme.narrow)
        if not call.has_meaning:
            continue
        results = tuple(np.array(a) for a in call.expected())
        graph.calls.append(call)
        graph.results.append(results)
        for array in (*results, *call.arrays):
            if not any(array is each for each in pool.values):
                pool.add(array)
    if pool.flip(0.3):
        graph.constants = {id(array) for array in graph.given if pool.flip()}
    return graph


def check_graph(number: int, notes: Notes) -> None:
    """Run a random graph on a target, in arenas that held NaN and 0xAA before."""
    graph = random_graph(number)
    spec = Theme.of(number).target
    module = graph.module()
    notes["net.mlir"] = f"// target {spec}\n{module}\n"
    notes |= {f"{k}.npy": array for k, array in enumerate(graph.inputs)}
    actual = run(_executable(module, spec), graph.inputs, number)
    expected = [graph.results[i][k] for i, k in graph.outputs()]
    wrong = [
        f"{graph.calls[i]}: {problem}"
        for (i, _), got, want in zip(graph.outputs(), actual, expected, strict=True)
        if (problem := _difference(got, want, np.zeros(want.shape))) is not None
    ]
    if not wrong:
        return
    rng = np.random.default_rng(number)
    runs = [graph.perturbed(rng) for _ in range(8)]
    spreads = [
        np.max([_distance(run[n], want) for run in runs], axis=0)
        for n, want in enumerate(expected)
    ]
    rows = zip(graph.outputs(), actual, expected, spreads, strict=True)
    wrong = [
        f"{graph.calls[i]}: {problem}"
        for (i, _), got, want, spread in rows
        if (problem := _difference(got, want, spread)) is not None
    ]
    assert not wrong, f"target {spec}: " + "\n".join(wrong)


def _executable(module: ModuleOp, spec: str) -> Executable:
    if spec != "memory":
        return glow.compile(module, target=spec)
    copy = module.clone()
    for part in plan("import", "memory", "cpu"):
        run_part(part, context(), copy)
    return MemoryExecutable(copy)


def run(net: Executable, inputs: Sequence[Array], number: int) -> list[Array]:
    """
    Return the outputs of two runs, which must not see what was in memory before.

    All arrays lie right before a page without access, or right behind one.
    """
    runs: list[list[Array]] = []
    for fill in (0xFF, 0xAA):
        place = _places(fill, at_end=number % 2 == 0)
        arena = place(np.dtype(np.uint8), (max(1, -(-net.arena_bytes // 64)) * 64,))
        bound: dict[str, Array] = {}
        for spec, array in zip(net.inputs, inputs, strict=True):
            bound[spec.name] = place(spec.dtype, spec.shape)
            bound[spec.name][...] = array
        bound |= {s.name: place(s.dtype, s.shape) for s in net.outputs}
        results = net.bind(bound, arena=arena).run()
        runs.append([np.array(results[spec.name]) for spec in net.outputs])
    for one, other in zip(*runs, strict=True):
        problem = "what memory held before is seen"
        np.testing.assert_array_equal(widened(one), widened(other), problem)
    return runs[0]


def _places(
    fill: int, *, at_end: bool
) -> Callable[[np.dtype[Any], Sequence[int]], Array]:
    """Return what makes arrays of bytes of `fill` in guarded memory."""
    numbers = count()

    def place(dtype: np.dtype[Any], shape: Sequence[int]) -> Array:
        size = prod(shape) * dtype.itemsize
        found = reused_bytes(next(numbers), size, at_end=at_end)
        found.fill(fill)
        return found.view(dtype).reshape(shape)

    return place


def _distance(a: Array, b: Array) -> Array:
    """Return |a - b| in f64, infinite where only one of them is a number."""
    with np.errstate(all="ignore"):
        x, y = a.astype(np.float64), b.astype(np.float64)
        same = (x == y) | (np.isnan(x) & np.isnan(y))
        return np.where(same, 0.0, np.nan_to_num(np.abs(x - y), nan=np.inf))


def _difference(actual: Array, expected: Array, spread: Array) -> str | None:
    if (actual.dtype, actual.shape) != (expected.dtype, expected.shape):
        return f"expected {expected.dtype}{list(expected.shape)}, got {actual.shape}"
    allowed = np.zeros(expected.shape)
    if is_floating(actual.dtype):
        step = (4 if is_narrow(actual.dtype) else 10) * ROUNDING[actual.dtype]
        with np.errstate(all="ignore"):
            wide = expected.astype(np.float64)
        finite = np.abs(wide[np.isfinite(wide)]).max(initial=1.0)
        allowed = allowed + step * finite
    with np.errstate(all="ignore"):
        wrong = _distance(actual, expected) > allowed + 20 * spread
    if not wrong.any():
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{wrong.sum()} of {wrong.size}, at {at} {actual[at]} from {expected[at]}"
