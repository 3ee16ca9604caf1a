"""Turn the arguments and results of a function into named storage."""

from collections.abc import Iterator

from xdsl.context import Context
from xdsl.dialects.builtin import (
    FunctionType,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
    TensorType,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from glow.dialects.graph.storage import LoadOp, PlaceholderOp, SaveOp
from glow.support.names import Names
from glow.support.types import tensor_type

MAIN = "main"


class ArgumentsToPlaceholdersPass(ModulePass):
    """
    Replace the function's arguments and results by placeholders.

    The function is `@main`, or the only one, which is then renamed `@main`.
    Placeholders are named after the values, or `input0`, `output0` and so on where
    those have no name. A function without arguments and results stays as it is.

    Level: graph -> graph. Needs: nothing.
    Errors: several functions and none of them `@main`, one of several blocks,
    a value that is not a tensor.
    """

    name = "arguments-to-placeholders"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        function = _entry_of(op)
        if not function.function_type.inputs and not function.function_type.outputs:
            return
        block, end = body_of(function)
        symbols = (inner.properties.get("sym_name") for inner in op.ops)
        taken = [each.data for each in symbols if isinstance(each, StringAttr)]
        names = Names((*taken, MAIN), separator="_")
        storage = [*_load_arguments(block, names), *_save_results(block, end, names)]
        first = op.body.block.first_op
        assert first is not None
        op.body.block.insert_ops_before(storage, first)
        function.function_type = FunctionType.from_lists([], [])
        function.sym_name = StringAttr(MAIN)
        function.properties.pop("arg_attrs", None)
        function.properties.pop("res_attrs", None)


def _entry_of(module: ModuleOp) -> FuncOp:
    functions = [op for op in module.body.block.ops if isinstance(op, FuncOp)]
    chosen = [op for op in functions if op.sym_name.data == MAIN] or functions
    if len(chosen) != 1:
        names = ", ".join(f"@{op.sym_name.data}" for op in functions) or "none"
        raise PassFailedException(
            f"expected one function, or one that is @main, got {names}"
        )
    return chosen[0]


def body_of(function: FuncOp) -> tuple[Block, ReturnOp]:
    """
    Return the block of a function and its last op.

    Errors: PassFailedException unless it is one block that returns.
    """
    block = function.body.blocks.first
    end = None if block is None else block.last_op
    if block is None or block.next_block is not None or not isinstance(end, ReturnOp):
        raise PassFailedException(
            f"expected @{function.sym_name.data} to be one block that returns"
        )
    return block, end


def _placeholder(name: str, direction: str, value: SSAValue) -> PlaceholderOp:
    if not isinstance(value.type, TensorType):
        raise PassFailedException(
            f"expected arguments and results that are tensors, got {value.type}"
        )
    made = PlaceholderOp(name, direction, tensor_type(value))
    made.location = NameLoc(StringAttr(name), NoneAttr())
    return made


def _load_arguments(block: Block, names: Names) -> Iterator[PlaceholderOp]:
    """Replace each argument of `block` by a load; yield what it loads."""
    first = block.first_op
    assert first is not None
    for index, argument in enumerate(tuple(block.args)):
        name = names.fresh(argument.name_hint or f"input{index}")
        placeholder = _placeholder(name, "in", argument)
        load = LoadOp(placeholder.sym_name.data, placeholder.type)
        load.location = placeholder.location
        load.result.name_hint = argument.name_hint
        block.insert_op_before(load, first)
        argument.replace_all_uses_with(load.result)
        block.erase_arg(argument)
        yield placeholder


def _save_results(block: Block, end: ReturnOp, names: Names) -> Iterator[PlaceholderOp]:
    """Replace each operand of `end` by a save; yield what it saves."""
    for index, value in enumerate(end.arguments):
        name = names.fresh(value.name_hint or f"output{index}")
        placeholder = _placeholder(name, "out", value)
        save = SaveOp(placeholder.sym_name.data, value)
        save.location = placeholder.location
        block.insert_op_before(save, end)
        yield placeholder
    end.operands = []
