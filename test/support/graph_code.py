"""Build graph-level functions in code and run them through `compute`."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.storage import ConstantOp, LiteralOp, LoadOp
from glow.support.types import element_type_of, tensor

Array = NDArray[Any]


def module_of(
    arguments: Sequence[Array],
    constants: dict[str, Array],
    body: Callable[..., Sequence[SSAValue]],
) -> ModuleOp:
    """
    Return a module whose `main` is `body`.

    It takes a value for each argument and, by name, one for each constant.
    """
    block = Block(arg_types=[_type_of(array) for array in arguments])
    with ImplicitBuilder(block):
        loads = {
            name: LoadOp(name, _type_of(a)).result for name, a in constants.items()
        }
        results = body(*block.args, **loads)
        ReturnOp(*results)
    types = [value.type for value in block.args], [value.type for value in results]
    symbols = [ConstantOp(name, array) for name, array in constants.items()]
    module = ModuleOp([*symbols, FuncOp("main", types, Region(block))])
    module.verify()
    return module


def run(module: ModuleOp, arguments: Sequence[Array]) -> list[Array]:
    """Return what `main` of `module` computes."""
    module.verify()
    (main,) = (op for op in module.ops if isinstance(op, FuncOp))
    symbols = {op.sym_name.data: op for op in module.ops if isinstance(op, ConstantOp)}
    values = dict(zip(main.body.block.args, arguments, strict=True))
    for op in main.body.block.ops:
        match op:
            case LoadOp():
                array = symbols[op.symbol.string_value()].array
                assert array is not None
                values[op.result] = array
            case LiteralOp():
                values[op.result] = op.array
            case GraphOp():
                found = op.evaluate([values[operand] for operand in op.operands])
                values |= zip(op.results, found, strict=True)
            case ReturnOp():
                return [values[operand] for operand in op.arguments]
            case _:
                raise AssertionError(op.name)
    raise AssertionError("no return")


def _type_of(array: Array) -> Any:
    return tensor(element_type_of(np.asarray(array).dtype), np.shape(array))
