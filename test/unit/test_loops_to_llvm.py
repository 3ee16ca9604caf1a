"""Every elementwise op of the loops level, as machine code, against NumPy."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from compiled_loops import compile_loops
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.parser import Parser
from xdsl.universe import Universe

from glow.backends.cpu.linker import Code
from glow.support.targets import target_of

pytestmark = pytest.mark.slow

Array = NDArray[Any]
LANES = 8
COUNT = 64
DTYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "i32": np.int32,
    "i64": np.int64,
    "index": np.int64,
    "i1": np.bool_,
}


@dataclass(frozen=True)
class Case:
    """An op on `arity` operands of one type, and what it computes."""

    op: str
    source: str
    result: str
    expected: Callable[..., Any]
    arity: int = 2
    vector_op: str | None = ""
    """The op for vectors: "" is the same, None that there is none."""
    shift: bool = False
    comparison: bool = False

    @property
    def name(self) -> str:
        words = self.op.replace(".", "_").replace(",", "").split()
        return f"{'_'.join(words)}_{self.source}_{self.result}"

    def text(self, lanes: int) -> str:
        """Return a loop over arrays, one element or one vector at a time."""
        op = self.vector_op or self.op if lanes else self.op

        def shape(type_: str) -> str:
            return f"vector<{lanes}x{type_}>" if lanes else type_

        source, result = shape(self.source), shape(self.result)
        names = ["%a", "%b", "%c"][: self.arity]
        loads = "\n".join(self._load(n, source, lanes) for n in names)
        types = f"{source} to {result}" if self._is_conversion else source
        store = "vector.store" if lanes else "memref.store"
        tail = f", {result}" if lanes else ""
        arguments = "".join(f"{n}s: memref<?x{self.source}>, " for n in names)
        return f"""
func.func @{self.name}{"_v" if lanes else ""}(
    {arguments}%o: memref<?x{self.result}>, %n: index) {{
  %zero = arith.constant 0 : index
  %step = arith.constant {lanes or 1} : index
  scf.for %i = %zero to %n step %step {{
    {loads}
    %r = {op} {", ".join(names)} : {types}
    {store} %r, %o[%i] : memref<?x{self.result}>{tail}
  }}
  func.return
}}"""

    def _load(self, name: str, type_: str, lanes: int) -> str:
        buffer = f"{name}s[%i] : memref<?x{self.source}>"
        if lanes:
            return f"{name} = vector.load {buffer}, {type_}"
        return f"{name} = memref.load {buffer}"

    @property
    def _is_conversion(self) -> bool:
        return self.source != self.result and not self.comparison


def wrapping(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function`, silent about overflow."""

    def call(*arrays: Array) -> Any:
        with np.errstate(all="ignore"):
            return function(*arrays)

    return call


def unsigned(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` on the same bits without a sign."""

    def call(*arrays: Array) -> Any:
        with np.errstate(all="ignore"):
            kind = np.dtype(f"u{arrays[0].dtype.itemsize}")
            return function(*(a.view(kind) for a in arrays))

    return call


def truncated_quotient(a: Array, b: Array) -> Array:
    return (np.abs(a) // np.abs(b)) * np.sign(a) * np.sign(b)


def per_element(function: Callable[..., float]) -> Callable[..., Array]:
    """Return a function of the C library on arrays."""

    def call(*arrays: Array) -> Array:
        rows = zip(*(a.astype(np.float64).tolist() for a in arrays), strict=True)
        return np.array([function(*row) for row in rows])

    return call


INTEGER: dict[str, Callable[..., Any]] = {
    "addi": np.add,
    "subi": np.subtract,
    "muli": np.multiply,
    "divsi": truncated_quotient,
    "divui": unsigned(np.floor_divide),
    "remsi": np.fmod,
    "remui": unsigned(np.remainder),
    "andi": np.bitwise_and,
    "ori": np.bitwise_or,
    "xori": np.bitwise_xor,
    "maxsi": np.maximum,
    "minsi": np.minimum,
    "maxui": unsigned(np.maximum),
    "minui": unsigned(np.minimum),
}
SHIFTS: dict[str, Callable[..., Any]] = {
    "shli": np.left_shift,
    "shrsi": np.right_shift,
    "shrui": unsigned(np.right_shift),
}
FLOAT: dict[str, Callable[..., Any]] = {
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
    "arith.maxnumf": np.fmax,
    "arith.minnumf": np.fmin,
    "math.copysign": np.copysign,
    "llvm_ext.remf": np.fmod,
    "math.atan2": np.arctan2,
    "math.powf": np.power,
}
FLOAT_UNARY: dict[str, Callable[..., Any]] = {
    "arith.negf": np.negative,
    "math.absf": np.abs,
    "math.sqrt": np.sqrt,
    "math.rsqrt": lambda a: 1 / np.sqrt(a),
    "math.floor": np.floor,
    "math.ceil": np.ceil,
    "math.trunc": np.trunc,
    "math.roundeven": np.rint,
    "math.round": lambda a: np.copysign(np.floor(np.abs(a) + 0.5), a),
    "math.exp": np.exp,
    "math.exp2": np.exp2,
    "math.expm1": np.expm1,
    "math.log": np.log,
    "math.log2": np.log2,
    "math.log10": np.log10,
    "math.log1p": np.log1p,
    "math.sin": np.sin,
    "math.cos": np.cos,
    "math.tan": np.tan,
    "math.asin": np.arcsin,
    "math.acos": np.arccos,
    "math.atan": np.arctan,
    "math.sinh": np.sinh,
    "math.cosh": np.cosh,
    "math.tanh": np.tanh,
    "math.asinh": np.arcsinh,
    "math.acosh": np.arccosh,
    "math.atanh": np.arctanh,
    "math.cbrt": np.cbrt,
    "math.erf": per_element(math.erf),
}
INTEGER_COMPARISONS: dict[str, Callable[..., Any]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "slt": np.less,
    "sle": np.less_equal,
    "sgt": np.greater,
    "sge": np.greater_equal,
    "ult": unsigned(np.less),
    "ule": unsigned(np.less_equal),
    "ugt": unsigned(np.greater),
    "uge": unsigned(np.greater_equal),
}


def unordered(a: Array, b: Array) -> Array:
    return np.isnan(a) | np.isnan(b)


FLOAT_COMPARISONS: dict[str, Callable[..., Any]] = {
    "false": lambda a, b: np.zeros(a.shape, bool),
    "oeq": lambda a, b: (a == b) & ~unordered(a, b),
    "ogt": np.greater,
    "oge": np.greater_equal,
    "olt": np.less,
    "ole": np.less_equal,
    "one": lambda a, b: (a != b) & ~unordered(a, b),
    "ord": lambda a, b: ~unordered(a, b),
    "ueq": lambda a, b: (a == b) | unordered(a, b),
    "ugt": lambda a, b: (a > b) | unordered(a, b),
    "uge": lambda a, b: (a >= b) | unordered(a, b),
    "ult": lambda a, b: (a < b) | unordered(a, b),
    "ule": lambda a, b: (a <= b) | unordered(a, b),
    "une": np.not_equal,
    "uno": unordered,
    "true": lambda a, b: np.ones(a.shape, bool),
}


def saturated(kind: type[Any], low: int, high: int) -> Callable[[Array], Array]:
    return lambda a: np.clip(np.trunc(np.nan_to_num(a)), low, high).astype(kind)


def cases() -> list[Case]:
    found = [
        Case(f"arith.{op}", type_, type_, wrapping(f), shift=op in SHIFTS)
        for table in (INTEGER, SHIFTS)
        for op, f in table.items()
        for type_ in ("i8", "i32", "i64")
    ]
    for type_ in ("f32", "f64"):
        found += [Case(op, type_, type_, wrapping(f)) for op, f in FLOAT.items()]
        found += [
            Case(op, type_, type_, wrapping(f), arity=1)
            for op, f in FLOAT_UNARY.items()
        ]
        found += [
            Case(f"arith.cmpf {p},", type_, "i1", f, comparison=True,
                 vector_op=f"llvm_ext.cmpf {p},")
            for p, f in FLOAT_COMPARISONS.items()
        ]  # fmt: skip
        found.append(Case("math.fma", type_, type_, lambda a, b, c: a * b + c, 3))
    found += [
        Case(f"arith.cmpi {p},", "i32", "i1", f, comparison=True,
             vector_op=f"llvm_ext.cmpi {p},")
        for p, f in INTEGER_COMPARISONS.items()
    ]  # fmt: skip
    return found + conversions() + counting()


def conversions() -> list[Case]:
    def case(op: str, source: str, result: str, f: Callable[..., Any]) -> Case:
        return Case(f"arith.{op}", source, result, f, 1, f"llvm_ext.{op}")

    def cast(kind: type[Any]) -> Callable[[Array], Array]:
        return lambda a: a.astype(kind)

    return [
        case("sitofp", "i32", "f32", cast(np.float32)),
        case("sitofp", "i64", "f64", cast(np.float64)),
        case("uitofp", "i8", "f32", lambda a: a.view(np.uint8).astype(np.float32)),
        case("fptosi", "f32", "i32", cast(np.int32)),
        case("fptosi", "f64", "i64", cast(np.int64)),
        case("fptoui", "f32", "i8", lambda a: np.abs(a).astype(np.uint8)),
        case("extsi", "i8", "i32", cast(np.int32)),
        case("extui", "i8", "i32", lambda a: a.view(np.uint8).astype(np.int32)),
        case("extui", "i1", "i8", cast(np.int8)),
        case("trunci", "i32", "i8", cast(np.int8)),
        Case("arith.extf", "f32", "f64", cast(np.float64), 1),
        Case("arith.truncf", "f64", "f32", cast(np.float32), 1),
        Case("arith.bitcast", "f32", "i32", lambda a: a.view(np.int32), 1),
        Case("arith.index_cast", "i32", "index", cast(np.int64), 1, None),
        Case("arith.index_cast", "index", "i32", cast(np.int32), 1, None),
        Case("arith.index_cast", "i64", "index", cast(np.int64), 1, None),
        Case("llvm_ext.fptosi_sat", "f32", "i8", saturated(np.int8, -128, 127), 1),
        Case("llvm_ext.fptoui_sat", "f32", "i8", saturated(np.uint8, 0, 255), 1),
    ]


def counting() -> list[Case]:
    def bits(a: Array) -> list[str]:
        return [f"{int(v) & 0xFFFFFFFF:032b}" for v in a]

    return [
        Case("math.absi", "i32", "i32", np.abs, 1),
        Case("math.ctlz", "i32", "i32",
             lambda a: np.array([len(b) - len(b.lstrip("0")) for b in bits(a)]), 1),
        Case("math.cttz", "i32", "i32",
             lambda a: np.array([len(b) - len(b.rstrip("0")) for b in bits(a)]), 1),
        Case("math.ctpop", "i32", "i32",
             lambda a: np.array([b.count("1") for b in bits(a)]), 1),
    ]  # fmt: skip


CASES = {case.name: case for case in cases()}


@cache
def context() -> Context:
    ctx = Context()
    for name, dialect in Universe.get_multiverse().all_dialects.items():
        ctx.register_dialect(name, dialect)
    return ctx


@cache
def compiled(target: str) -> Code:
    """Compile all cases as one module."""
    texts = [case.text(0) for case in CASES.values()]
    texts += [c.text(LANES) for c in CASES.values() if c.vector_op is not None]
    module = Parser(context(), "\n".join(texts)).parse_module()
    module.verify()
    return compile_loops(module, target_of(target))


def operands(case: Case) -> list[Array]:
    """Return random operands within the domain of the op."""
    rng = np.random.default_rng(0)
    dtype, found = DTYPES[case.source], []
    for position in range(case.arity):
        if case.source.startswith("f"):
            values = rng.uniform(-120, 120, COUNT)
            if case.comparison:
                values = rng.choice([np.nan, 0.0, -0.0, 1.5, np.inf, -np.inf], COUNT)
            if case.op.startswith("math.") and case.arity != 3:
                values = rng.uniform(0.05, 0.95, COUNT)
            if case.op == "math.acosh":
                values += 1
            if case.op in ("arith.fptoui", "llvm_ext.remf"):
                values = np.abs(values)
            if "_sat" in case.op:
                values *= 1e9
        elif case.source == "i1":
            values = rng.integers(0, 2, COUNT)
        else:
            info = np.iinfo(dtype)
            values = rng.integers(info.min + 1, info.max, COUNT, dtype=dtype)
            if position == 1:
                values[values == 0] = 3
                values[values == -1] = 5
                if case.shift:
                    values = rng.integers(0, info.bits, COUNT)
        found.append(np.ascontiguousarray(values.astype(dtype)))
    return found


@pytest.mark.parametrize("target", ["cpu", "cpu:sse2"])
@pytest.mark.parametrize("name", CASES)
def test_op_computes_what_numpy_does(name: str, target: str):
    case, jit = CASES[name], compiled(target)
    arrays = operands(case)
    expected = np.asarray(case.expected(*arrays))
    for suffix in ("", "_v") if case.vector_op is not None else ("",):
        out = np.zeros(COUNT, DTYPES[case.result])
        types = [ctypes.c_void_p] * (case.arity + 1)
        function = ctypes.CFUNCTYPE(None, *types, ctypes.c_int64)
        pointers = [a.ctypes.data for a in (*arrays, out)]
        function(jit.address(name + suffix))(*pointers, COUNT)
        if case.result.startswith("f"):
            rtol = 2e-6 if case.result == "f32" else 1e-14
            np.testing.assert_allclose(out, expected, rtol=rtol, atol=1e-37)
        else:
            np.testing.assert_array_equal(out, expected.astype(out.dtype))
