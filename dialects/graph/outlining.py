"""Bodies of choices and loops as functions, which see nothing but their arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import FunctionType, LocationAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue


@dataclass(frozen=True)
class OutlinedFunction:
    """A function, and the values from outside that it takes after its own arguments."""

    function: FuncOp
    captured: list[SSAValue]

    @property
    def symbol(self) -> str:
        return self.function.sym_name.data


def outlined(
    symbol: str,
    block: Block,
    results: Sequence[SSAValue],
    location: LocationAttr,
    copy: Callable[[SSAValue], Operation | None],
) -> OutlinedFunction:
    """
    Return the private function that does what `block` does and returns `results`.

    Ops of the block may read values from outside. Where `copy` returns an op for one,
    that op makes it inside; each other one becomes an argument.
    """
    end = ReturnOp(*results)
    end.location = location
    block.add_op(end)
    first = block.first_op
    assert first is not None
    inside: dict[SSAValue, SSAValue] = {}
    captured: list[SSAValue] = []
    for op in list(block.ops):
        for index, operand in enumerate(op.operands):
            owner = operand.owner
            if owner is block or (
                isinstance(owner, Operation) and owner.parent is block
            ):
                continue
            if operand not in inside:
                source = copy(operand)
                if source is None:
                    captured.append(operand)
                    made = block.insert_arg(operand.type, len(block.args))
                else:
                    block.insert_op_before(source, first)
                    made = source.results[0]
                made.name_hint = operand.name_hint
                inside[operand] = made
            op.operands[index] = inside[operand]
    types = [value.type for value in block.args], [v.type for v in end.arguments]
    function = FuncOp(symbol, types, Region(block), visibility="private")
    function.location = location
    return OutlinedFunction(function, captured)


def take_alike(functions: Sequence[OutlinedFunction]) -> list[SSAValue]:
    """
    Let functions take all values that any of them captures, in one order; return these.

    They have no other arguments.
    """
    values = list(dict.fromkeys(v for each in functions for v in each.captured))
    for each in functions:
        take_instead(each.function, values, [values.index(v) for v in each.captured])
    return values


def take_instead(
    function: FuncOp,
    values: Sequence[SSAValue],
    sources: Sequence[int | Operation | None],
) -> None:
    """
    Let a function take `values` in place of its last arguments, which have `sources`.

    A source is the number of a value, an op whose copy makes the argument inside, or
    None for an argument that nothing reads.
    """
    block = function.body.block
    old = list(block.args)[len(block.args) - len(sources) :]
    new: list[SSAValue] = []
    for value in values:
        new.append(block.insert_arg(value.type, len(block.args)))
        new[-1].name_hint = value.name_hint
    for source, argument in zip(sources, old, strict=True):
        if isinstance(source, Operation):
            copy, first = source.clone(), block.first_op
            assert first is not None
            block.insert_op_before(copy, first)
            argument.replace_all_uses_with(copy.results[0])
        elif source is not None:
            argument.replace_all_uses_with(new[source])
        block.erase_arg(argument)
    function.function_type = FunctionType.from_lists(
        [argument.type for argument in block.args],
        list(function.function_type.outputs),
    )
