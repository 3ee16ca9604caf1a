"""Random graphs of all ops, and cases of ONNX operators, on every target that runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from graph_code import module_of
from hypothesis import HealthCheck, Phase, given, seed, settings
from numpy.typing import NDArray
from onnx import ModelProto
from operators import all_cases
from operators.case import Case, feeds_of, model_of
from operators.oracle import difference as difference_to_others
from operators.oracle import expected_of, run_onnxruntime
from random_models import networks
from random_ops import GENERATORS
from random_ops.call import Call, Source
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

import glow
from glow.backends.reference.memory import MemoryExecutable
from glow.model import context
from glow.pass_manager import plan, run_part
from glow.runtime.interface import Executable
from glow.support.arrays import aligned_array
from glow.support.errors import TargetError
from glow.support.targets import target_of

Array = NDArray[Any]
Notes = dict[str, object]
"""What to write beside a fault: text, bytes or arrays by file name."""

NARROW = ("float16", "bfloat16")


@cache
def targets() -> tuple[str, ...]:
    """Return the targets whose code runs here, the oracle of layouts, and memory."""
    specs = ["cpu", "reference-checked", "memory"]
    for spec in ("cpu:sse2", "cpu:avx2", "cpu:avx512"):
        try:
            specs += [spec] if target_of(spec).runs_here else []
        except TargetError:
            continue
    return tuple(specs)


class Pool(Source):
    """Random choices that come back to shapes and values of a graph."""

    def __init__(self, *seed: int):
        super().__init__(*seed)
        self.values: list[Array] = []

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

    @property
    def inputs(self) -> list[Array]:
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
        def body(*arguments: SSAValue) -> list[SSAValue]:
            known = dict(zip(map(id, self.inputs), arguments, strict=True))
            for call, results in zip(self.calls, self.results, strict=True):
                op = call.build([known[id(array)] for array in call.arrays])
                known |= zip(map(id, results), op.results, strict=True)
            return [known[id(self.results[i][k])] for i, k in self.outputs()]

        return module_of(self.inputs, {}, body)

    def perturbed(self, rng: np.random.Generator) -> list[Array]:
        """Return outputs where each float that an op gives is off by rounding."""
        known = {id(array): array for array in self.inputs}
        for call, results in zip(self.calls, self.results, strict=True):
            with np.errstate(all="ignore"):
                computed = call.build().evaluate([known[id(a)] for a in call.arrays])
            for exact, array in zip(results, computed, strict=True):
                known[id(exact)] = _off(array, rng)
        return [known[id(self.results[i][k])] for i, k in self.outputs()]


def _off(array: Array, rng: np.random.Generator) -> Array:
    if array.dtype.kind != "f" or not array.size:
        return array
    step = {2: 2e-3, 4: 2e-6, 8: 1e-13}[array.itemsize]
    with np.errstate(all="ignore"):
        finite = np.abs(array[np.isfinite(array)]).max(initial=0)
        noise = rng.choice([-1, 0, 1], array.shape)
        # Errors of sums are relative to the largest element.
        size = np.maximum(np.abs(array), finite * rng.choice([0, 0.1]))
        return (array + noise * step * size).astype(array.dtype)


def random_graph(number: int) -> Graph:
    """Return a graph of 1 to 12 ops, of which some read results of others."""
    pool, graph = Pool(number), Graph()
    names = list(GENERATORS)
    wanted = pool.choose([1, 1, 2, 4, 8, 12])
    for _ in range(4 * wanted):
        if len(graph.calls) == wanted:
            break
        call = GENERATORS[pool.choose(names)](pool)
        if not call.has_meaning:
            continue
        results = tuple(np.array(a) for a in call.expected())
        graph.calls.append(call)
        graph.results.append(results)
        for array in (*results, *call.arrays):
            if not any(array is each for each in pool.values):
                pool.add(array)
    return graph


def check_graph(number: int, notes: Notes) -> None:
    """Run a random graph on a target, in arenas that held NaN and 0xAA before."""
    graph = random_graph(number)
    if not graph.calls:
        return
    spec = targets()[number % len(targets())]
    module = graph.module()
    notes["net.mlir"] = f"// target {spec}\n{module}\n"
    notes |= {f"{k}.npy": array for k, array in enumerate(graph.inputs)}
    actual = _run(_executable(module, spec), graph.inputs)
    expected = [graph.results[i][k] for i, k in graph.outputs()]
    wrong = [
        f"{graph.calls[i]}: {told}"
        for (i, _), got, want in zip(graph.outputs(), actual, expected, strict=True)
        if (told := _difference(got, want, np.zeros(want.shape))) is not None
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
        f"{graph.calls[i]}: {told}"
        for (i, _), got, want, spread in rows
        if (told := _difference(got, want, spread)) is not None
    ]
    assert not wrong, f"target {spec}: " + "\n".join(wrong)


def _executable(module: ModuleOp, spec: str) -> Executable:
    if spec != "memory":
        return glow.compile(module, target=spec)
    copy = module.clone()
    for part in plan("import", "memory", "cpu"):
        run_part(part, context(), copy)
    return MemoryExecutable(copy)


def _run(net: Executable, inputs: Sequence[Array]) -> list[Array]:
    """Return the outputs of two runs, which must not see what was in memory before."""
    runs: list[list[Array]] = []
    for fill in (0xFF, 0xAA):
        arena = aligned_array((max(1, net.arena_bytes),), np.dtype(np.uint8))
        arena.fill(fill)
        names = [spec.name for spec in net.inputs]
        given = dict(zip(names, inputs, strict=True))
        outputs = {s.name: np.empty(s.shape, s.dtype) for s in net.outputs}
        for array in outputs.values():
            array.reshape(-1).view(np.uint8)[...] = fill
        bindings = net.bind(given | outputs, arena=arena)
        results = bindings.run()
        runs.append([np.array(results[spec.name]) for spec in net.outputs])
    for one, other in zip(*runs, strict=True):
        np.testing.assert_array_equal(one, other, "what memory held before is seen")
    return runs[0]


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
    if actual.dtype.kind == "f":
        step = {2: 4e-3, 4: 1e-5, 8: 1e-12}[actual.itemsize]
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


@cache
def _cases() -> dict[str, list[Case]]:
    by_op: dict[str, list[Case]] = defaultdict(list)
    for op, cases in all_cases().items():
        by_op[op] += cases
    return by_op


def check_operator(number: int, notes: Notes) -> None:
    """Compare an ONNX operator on other floats with ONNX Runtime or onnx.reference."""
    rng = np.random.default_rng(number)
    ops = list(_cases())
    cases = _cases()[ops[number % len(ops)]]
    case = cases[int(rng.integers(len(cases)))]
    inputs = tuple(
        _redrawn(array, rng) if case.fed(k) else array
        for k, array in enumerate(case.inputs)
    )
    case = Case(
        case.op, inputs, case.attributes, case.constants, case.outputs, case.opset
    )
    model = model_of([case])
    notes["model.onnx"] = model.SerializeToString()
    notes |= {f"{name}.npy": array for name, array in feeds_of([case]).items()}
    spec = [each for each in targets() if each != "memory"][number % 2]
    results = glow.compile(model, target=spec).run(feeds_of([case])).values()
    (expected,) = expected_of([case])
    wrong = [
        told
        for mine, other in zip(results, expected or [], strict=expected is not None)
        if (told := difference_to_others(case.op, mine, other)) is not None
    ]
    assert not wrong, f"{case} on {spec}: {wrong}"


def _redrawn(array: Array | None, rng: np.random.Generator) -> Array | None:
    """Return other floats between the least and the largest of `array`."""
    if array is None or array.dtype.kind != "f" or not array.size:
        return array
    if not np.isfinite(array).all():
        return array
    low, high = float(array.min()), float(array.max())
    return rng.uniform(low, high, array.shape).astype(array.dtype)


def check_networks(number: int, notes: Notes) -> None:
    """Compare ten random networks with ONNX Runtime."""

    @seed(number)
    @settings(
        max_examples=10,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(networks())
    def compare(model: ModelProto) -> None:
        notes["model.onnx"] = model.SerializeToString()
        rng = np.random.default_rng(number)
        net = glow.compile(model, target=("cpu", "reference")[number % 2])
        feeds: dict[str, Array] = {}
        for spec in net.inputs:
            drawn = rng.standard_normal(spec.shape) * 3
            feeds[spec.name] = np.asarray(drawn, spec.dtype)
        expected = run_onnxruntime(model, feeds)
        for found, wanted in zip(net.run(feeds).values(), expected, strict=True):
            assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
            largest = max(1.0, float(np.abs(wanted).max(initial=0)))
            limit = 1e-4 * largest if found.dtype.kind == "f" else 0
            np.testing.assert_allclose(found, wanted, rtol=0, atol=limit)

    compare()
