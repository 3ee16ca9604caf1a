"""
Run the memory level on NumPy arrays: an oracle for what lowers to it.

Every allocation is flat and poisoned, so that a view in the wrong place, a value that
is read before it is written and a border that is not zero show up in the numbers.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from memory_recurrent import Recurrences
from numpy.lib.stride_tricks import as_strided
from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, Region, SSAValue

from glow.analysis.buffers import root_of
from glow.dialects.graph import convolution
from glow.dialects.layout.attribute import layout_of, physical_shape_of
from glow.dialects.memory.address import addressing_of, find_addressing
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.storage import ConstantOp, PlaceholderOp
from glow.lowering.convolution.winograd import form_with
from glow.support.element_conversion import convert
from glow.support.layout import pack, unpack
from glow.support.types import dtype_of

Array = np.ndarray[Any, Any]

erf = np.vectorize(math.erf, otypes=[np.float64])


def signless(array: Array) -> Array:
    """The array as ops of `arith` see it: unsigned integers as signed ones."""
    return array.view(f"i{array.itemsize}") if array.dtype.kind == "u" else array


def unsigned(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of the unsigned integers that have the bits of its operands."""

    def found(*operands: Array) -> Array:
        whole = [np.asarray(a).view(f"u{a.itemsize}") for a in operands]
        return signless(np.asarray(function(*whole)))

    return found


SCALARS: dict[str, Callable[..., Any]] = {
    "arith.addf": np.add,
    "arith.addi": np.add,
    "arith.subf": np.subtract,
    "arith.subi": np.subtract,
    "arith.mulf": np.multiply,
    "arith.muli": np.multiply,
    "arith.divf": np.divide,
    "arith.divsi": lambda a, b: np.trunc(a / b).astype(a.dtype),
    "arith.remsi": np.fmod,
    "arith.divui": unsigned(np.floor_divide),
    "arith.remui": unsigned(np.remainder),
    "arith.maxui": unsigned(np.maximum),
    "arith.minui": unsigned(np.minimum),
    "arith.bitcast": lambda a: a,
    "arith.negf": np.negative,
    "arith.maximumf": np.maximum,
    "arith.maxsi": np.maximum,
    "arith.minimumf": np.minimum,
    "arith.minsi": np.minimum,
    "arith.andi": lambda a, b: a & b,
    "arith.ori": lambda a, b: a | b,
    "arith.xori": lambda a, b: a ^ b,
    "arith.select": np.where,
    "math.exp": np.exp,
    "math.log": np.log,
    "math.log1p": np.log1p,
    "math.sqrt": np.sqrt,
    "math.absf": np.abs,
    "math.absi": np.abs,
    "math.tanh": np.tanh,
    "math.floor": np.floor,
    "math.ceil": np.ceil,
    "math.roundeven": np.rint,
    "math.powf": np.power,
    "math.erf": lambda a: erf(a).astype(a.dtype),
}
COMPARISONS = {"oeq": np.equal, "olt": np.less, "ole": np.less_equal}
COMPARISONS |= {"ogt": np.greater, "oge": np.greater_equal, "une": np.not_equal}
COMPARISONS |= {"uno": lambda a, b: np.isnan(a) | np.isnan(b)}
INTEGER_COMPARISONS = (np.equal, np.not_equal, np.less, np.less_equal)
INTEGER_COMPARISONS += (np.greater, np.greater_equal)
INTEGER_COMPARISONS += tuple(map(unsigned, INTEGER_COMPARISONS[2:]))
FLOAT_NAMES = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno"),
)
CASTS = {
    "extf",
    "truncf",
    "fptosi",
    "fptoui",
    "sitofp",
    "uitofp",
    "extsi",
    "extui",
    "trunci",
}


def ints(attribute: Any) -> tuple[int, ...]:
    assert isinstance(attribute, DenseArrayBase)
    return tuple(int(v) for v in attribute.get_values())


class Machine(Recurrences):
    """The buffers of one run."""

    def __init__(self, module: ModuleOp, inputs: dict[str, Array]):
        self.symbols: dict[str, Array] = {}
        self.memory: dict[SSAValue, Array] = {}
        self.outputs: dict[str, Array] = {}
        for op in module.ops:
            if isinstance(op, ConstantOp):
                assert op.array is not None
                self.symbols[op.sym_name.data] = op.array.reshape(-1)
            elif isinstance(op, PlaceholderOp):
                found = inputs.get(op.sym_name.data)
                if found is None:
                    found = poisoned(op.type)
                else:
                    found = np.array(found, dtype_of(op.type.element_type))
                self.symbols[op.sym_name.data] = np.ascontiguousarray(found).reshape(-1)
                if op.direction.data != "in":
                    self.outputs[op.sym_name.data] = self.symbols[op.sym_name.data]
        (function,) = [op for op in module.ops if isinstance(op, FuncOp)]
        for op in function.body.block.ops:
            step = getattr(self, f"run_{op.name.split(chr(46))[1]}", None)
            if step is not None:
                with np.errstate(all="ignore"):
                    step(op)

    def elements(self, buffer: SSAValue) -> Array:
        """The logical elements of `buffer`, writable."""
        base = self.memory[root_of(buffer)]
        a = addressing_of(buffer)
        size = base.itemsize
        strides = [s * size for s in a.strides]
        return as_strided(base[a.offset :], a.shape, strides)

    def read(self, buffer: SSAValue) -> Array:
        type_ = buffer_type(buffer)
        if find_addressing(type_) is None:
            layout = layout_of(type_)
            assert layout is not None
            stored = self.memory[root_of(buffer)].reshape(physical_shape_of(type_))
            return unpack(layout, stored, type_.get_shape())
        return self.elements(buffer).copy()

    def write(self, buffer: SSAValue, array: Array) -> None:
        self.elements(buffer)[...] = array

    # Storage

    def run_get(self, op: Any) -> None:
        self.memory[op.result] = self.symbols[op.symbol.string_value()]

    def run_alloc(self, op: Any) -> None:
        self.memory[op.result] = poisoned(op.result.type)

    # Elementwise

    def run_elementwise(self, op: Any) -> None:
        values = [self.read(v) for v in op.inputs]
        results = run_region(op.body, values)
        for buffer, found in zip(op.results_, results, strict=True):
            self.write(buffer, found)

    def run_copy(self, op: Any) -> None:
        type_ = buffer_type(op.result)
        if find_addressing(type_) is None:
            packed = pack(layout_of(type_), self.read(op.source))  # type: ignore
            self.memory[root_of(op.result)][...] = packed.reshape(-1)
        else:
            self.write(op.result, self.read(op.source))

    def run_fill(self, op: Any) -> None:
        self.write(op.result, np.asarray(op.value.value.data))

    def run_zero_halo(self, op: Any) -> None:
        inside = self.read(op.result)
        self.memory[root_of(op.result)][...] = 0
        self.write(op.result, inside)

    # Products

    def run_conv(self, op: Any) -> None:
        channels = buffer_type(op.result).get_shape()[1]
        found = convolution.ConvOp.compute(
            self.read(op.input),
            unpacked(op, self.read(op.filter), channels),
            None if op.bias is None else self.read(op.bias),
            strides=ints(op.strides),
            pads=ints(op.pads),
            dilations=ints(op.dilations),
            group=op.group.value.data,
        )
        self.write(op.result, self._epilogue(op, found))

    def run_matmul(self, op: Any) -> None:
        found = self.read(op.lhs) @ self.read(op.rhs)
        if op.bias is not None:
            found = found + self.read(op.bias)
        self.write(op.result, self._epilogue(op, found))

    def _epilogue(self, op: Any, found: Any) -> Any:
        if not op.epilogue.blocks:
            return found
        return run_region(op.epilogue, [found, *(self.read(e) for e in op.extras)])[0]

    # Graph ops

    def run_apply(self, op: Any) -> None:
        sources, results = (*op.inouts, *op.ins), (*op.inouts, *op.outs)
        found = op.graph_op().evaluate([self.read(value) for value in sources])
        for buffer, array in zip(results, found, strict=True):
            self.write(buffer, array)


def unpacked(op: Any, array: Array, channels: int) -> Array:
    """The filter [O, I/group, k...] from the form that the algorithm reads."""
    if op.algorithm.data == "pairs":
        *outer, pairs, width, two = array.shape
        array = array.swapaxes(-1, -2).reshape(*outer, pairs * two, width)
    match op.algorithm.data:
        case "direct" | "pairs":
            group, panels, *kernel, depth, width = array.shape
            spatial = range(2, 2 + len(kernel))
            order = (0, 1, array.ndim - 1, array.ndim - 2, *spatial)
            split = array.transpose(order)
            rows = split.reshape(group, panels * width, depth, *kernel)
            columns = rows[:, : channels // group]
            return columns.reshape(channels, depth, *kernel)
        case "depthwise":
            return np.moveaxis(array, -1, 0)[:, None]
        case "generic":
            return array
        case "winograd":
            _, panels, depth, width = array.shape
            form = form_with(len(array))
            sides = (form.side, form.side, panels * width, depth)
            places = array.transpose(0, 1, 3, 2).reshape(sides)
            back = np.linalg.pinv(np.array(form.points))
            found = np.einsum("ya,xb,aboi->oiyx", back, back, places)
            return found[:channels].astype(array.dtype)
        case other:
            raise AssertionError(f"the oracle does not know {other} filters")


def poisoned(type_: Any) -> Array:
    size = math.prod(physical_shape_of(type_))
    dtype = dtype_of(type_.element_type)
    if dtype.kind == "f":
        return np.full(size, np.nan, dtype)
    return np.full(size, 111, np.uint8).astype(dtype)


def run_region(region: Region, values: list[Any]) -> list[Any]:
    """Run a scalar region on whole arrays, which broadcast."""
    block = region.block
    known: dict[SSAValue, Any] = {
        arg: signless(np.asarray(value))
        for arg, value in zip(block.args, values, strict=True)
    }
    for op in block.ops:
        operands = [known[v] for v in op.operands]
        if op.name == "memory.yield":
            return operands
        known[op.results[0]] = run_scalar(op, operands)
    raise AssertionError("a region without memory.yield")


def run_scalar(op: Operation, operands: list[Any]) -> Any:
    kind = op.name.split(".")[1]
    result = dtype_of(op.results[0].type)
    if kind == "constant":
        value = op.properties["value"]
        assert isinstance(value, FloatAttr | IntegerAttr)
        return np.asarray(value.value.data).astype(result)
    if kind in ("cmpf", "cmpi"):
        predicate = op.properties["predicate"]
        assert isinstance(predicate, IntegerAttr)
        index = predicate.value.data
        floats = kind == "cmpf"
        known = (
            COMPARISONS[FLOAT_NAMES[index]] if floats else INTEGER_COMPARISONS[index]
        )
        return known(*operands)
    if kind in CASTS:
        return converted(kind, operands[0], result)
    return np.asarray(SCALARS[op.name](*operands)).astype(result)


def converted(kind: str, value: Array, dtype: np.dtype[Any]) -> Array:
    """What one of `CASTS` gives."""
    if kind.startswith("fpto"):
        whole = dtype if kind == "fptosi" else np.dtype(f"u{dtype.itemsize}")
        return signless(convert(value, whole))
    if kind in ("uitofp", "extui") and value.dtype.kind == "i":
        value = value.view(f"u{value.itemsize}")
    return value.astype(dtype)


def run_memory(module: ModuleOp, inputs: dict[str, Array]) -> dict[str, Array]:
    """Run `@main` of a memory-level module; return flat outputs by name."""
    return Machine(module, inputs).outputs
