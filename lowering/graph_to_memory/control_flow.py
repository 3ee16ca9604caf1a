"""Lower choices and loops: their functions take buffers, state is replaced in place."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    ModuleOp,
    StringAttr,
    i1,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue

from glow.analysis.calls import calls_in
from glow.dialects.graph.control_flow import CallingOp, IfOp, LoopOp
from glow.dialects.graph.storage import LiteralOp, LoadOp, SaveOp
from glow.dialects.memory.address import addressing_of, is_blocked
from glow.dialects.memory.base import Kind, buffer_type
from glow.dialects.memory.control_flow import ACCESS
from glow.dialects.memory.control_flow import IfOp as MemoryIfOp
from glow.dialects.memory.control_flow import LoopOp as MemoryLoopOp
from glow.dialects.memory.elementwise import FillOp
from glow.lowering.graph_to_memory.state import Lowering, lowers, memref_of
from glow.support.arrays import repeated_element
from glow.support.names import Names
from glow.support.types import element_of, number_attribute, shape_of, tensor_type


@lowers(IfOp)
def _if(lowering: Lowering, op: IfOp) -> None:
    condition = lowering.contiguous(op.condition)
    inputs = [lowering.contiguous(value) for value in op.inputs]
    outs = [_whole_destination(lowering, value) for value in op.outputs]
    lowering.add(
        MemoryIfOp(
            condition,
            inputs,
            outs,
            then_function=op.then_function,
            else_function=op.else_function,
        )
    )
    _deliver(lowering, op.outputs, outs)


@lowers(LoopOp)
def _loop(lowering: Lowering, op: LoopOp) -> None:
    limit = None if op.limit is None else lowering.contiguous(op.limit)
    inputs = [lowering.contiguous(value) for value in op.inputs]
    condition = None
    if op.condition is not None:
        condition = lowering.temporary(i1, ())
        lowering.copy(lowering[op.condition], condition)
    carried = [_whole_destination(lowering, value) for value in op.outputs]
    for value, buffer in zip(op.initial, carried, strict=True):
        _start(lowering, value, buffer)
    iteration = lowering.temporary(i64, ())
    lowering.add(
        MemoryLoopOp(
            limit,
            condition,
            carried,
            inputs,
            iteration,
            body=op.body,
            must_end=op.must_end,
        )
    )
    _deliver(lowering, op.outputs, carried)


def _start(lowering: Lowering, value: SSAValue, buffer: SSAValue) -> None:
    """Write to `buffer` what a loop starts with; one number everywhere is a fill."""
    known = value.owner.array if isinstance(value.owner, LiteralOp) else None
    element = None if known is None else repeated_element(known)
    if element is None:
        lowering.copy(lowering[value], buffer)
        return
    number = number_attribute(element.item(), buffer_type(buffer).element_type)
    lowering.add(FillOp(number, buffer))


def _whole_destination(lowering: Lowering, value: SSAValue) -> SSAValue:
    """Return the place of `value` if that has no gaps, else a new buffer."""
    place = lowering.destination(value)
    if not is_blocked(place) and addressing_of(place).is_contiguous:
        return place
    return lowering.temporary(element_of(value), shape_of(value))


def _deliver(
    lowering: Lowering, values: Sequence[SSAValue], made: Sequence[SSAValue]
) -> None:
    """Copy what was made in a new buffer to the place of its value."""
    for value, buffer in zip(values, made, strict=True):
        if lowering[value] is not buffer:
            lowering.copy(buffer, lowering[value])


def call_once(module: ModuleOp) -> None:
    """
    Give each op of `module` that calls a function one of its own.

    What a function does to its arguments depends on the op that calls it.
    """
    functions = {f.sym_name.data: f for f in module.ops if isinstance(f, FuncOp)}
    names, taken = Names(functions), set[str]()
    waiting = list(functions.values())
    while waiting:
        for op in calls_in(waiting.pop(0)):
            own: list[str] = []
            for name in op.callees:
                if name in taken:
                    copy = functions[name].clone()
                    name = names.fresh(name)
                    copy.sym_name = StringAttr(name)
                    functions[name] = copy
                    module.body.block.add_op(copy)
                    waiting.append(copy)
                taken.add(name)
                own.append(name)
            op.call_instead(*own)


def bind_arguments(
    lowering: Lowering, function: FuncOp, caller: CallingOp
) -> tuple[set[str], ArrayAttr[DictionaryAttr]]:
    """
    Let `function` load its arguments and save its results, as `caller` passes them.

    So they are placeholders to all that lowers the function. Returns the names of those
    that are only written, and what is done to each argument of the new function.
    """
    block = function.body.block
    top, end = block.first_op, block.last_op
    assert top is not None
    assert isinstance(end, ReturnOp)
    kinds: list[Kind] = []

    def place(value: SSAValue, kind: Kind) -> str:
        kinds.append(kind)
        return lowering.add_argument(memref_of(tensor_type(value)))

    for value in block.args:
        load = LoadOp(place(value, Kind.IN), tensor_type(value))
        load.location = function.location
        block.insert_op_before(load, top)
        value.replace_all_uses_with(load.result)
    results = [*enumerate(end.arguments, len(kinds))]
    if isinstance(caller, LoopOp):
        first = 0 if caller.condition is None else 1
        carried = [value for _, value in results[first:]]
        results = [*enumerate(carried, 1), *results[:first]]
    outputs: set[str] = set()
    for number, value in results:
        if number < len(kinds):
            kinds[number] = Kind.INOUT
            name = lowering.arguments[number]
        else:
            name = place(value, Kind.OUT)
            outputs.add(name)
        save = SaveOp(name, value)
        save.location = end.location
        block.insert_op_before(save, end)
    attributes = [DictionaryAttr({ACCESS: StringAttr(kind.value)}) for kind in kinds]
    return outputs, ArrayAttr(attributes)
