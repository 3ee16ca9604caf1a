"""Reduce a module to the few ops that still show a fault."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from glow.analysis.calls import entries_of
from glow.backends.reference.executable import ReferenceExecutable, TensorStorage
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.fused import FusedOp
from glow.dialects.graph.storage import (
    ConstantOp,
    LiteralOp,
    LoadOp,
    PlaceholderOp,
    SaveOp,
)
from glow.support.arrays import Array

Fragment = tuple[ModuleOp, dict[str, Array]]
"""Some ops of a module as a module, and the value of each of its inputs."""


class _Recorder(TensorStorage):
    """Keeps every value."""

    def free(self, value: SSAValue) -> None:
        pass


def reduced(
    module: ModuleOp,
    inputs: Mapping[str, Array],
    fails: Callable[[Fragment], bool],
    seconds: float = 30.0,
) -> Fragment | None:
    """
    Return as few ops of `module` as still fail, as far as `seconds` allow.

    Its placeholders are directed, and `inputs` are tensors in the model's own order.
    Values that other ops computed become inputs. None if all ops together do not fail.
    """
    recorder = _Recorder()
    net = ReferenceExecutable(module, lambda: recorder)
    specs = [*net.inputs, *(state.spec for state in net.signature.states)]
    packed = {s.name: s.pack(inputs[s.name]).copy() for s in specs if s.name in inputs}
    net.bind(packed).run()
    (function,) = entries_of(module)
    ops = [op for op in function.body.block.ops if isinstance(op, GraphOp | FusedOp)]
    deadline = time.monotonic() + seconds

    def still_fails(chosen: Sequence[Operation]) -> bool:
        return time.monotonic() < deadline and fails(
            part_of(module, chosen, recorder.read)
        )

    if not still_fails(ops):
        return None
    return part_of(module, smallest(ops, still_fails), recorder.read)


def smallest(
    items: Sequence[Operation], fails: Callable[[Sequence[Operation]], bool]
) -> Sequence[Operation]:
    """
    Return a part of `items` that fails, but would not without any one of its items.

    Source: Zeller and Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*,
    2002, algorithm ddmin.
    """
    count = 2
    while len(items) > 1:
        size = -(-len(items) // count)
        starts = range(0, len(items), size)
        chunks = [items[i : i + size] for i in starts]
        rests = [[*items[:i], *items[i + size :]] for i in starts] if count > 2 else []
        part = next((p for p in (*chunks, *rests) if fails(p)), None)
        if part is not None:
            count = 2 if any(part is chunk for chunk in chunks) else max(2, count - 1)
            items = part
        elif count >= len(items):
            break
        else:
            count = min(len(items), 2 * count)
    return items


def part_of(
    module: ModuleOp, ops: Sequence[Operation], value_of: Callable[[SSAValue], Array]
) -> Fragment:
    """Return `ops` of the one function of `module` as a module of their own."""
    builder = _PartBuilder(module, value_of)
    for op in ops:
        builder.add(op)
    return builder.finish(ops), builder.inputs


class _PartBuilder:
    """A module under construction, and the values that stand for those of another."""

    def __init__(self, module: ModuleOp, value_of: Callable[[SSAValue], Array]):
        self._constants = {
            op.sym_name.data: op for op in module.ops if isinstance(op, ConstantOp)
        }
        self._value_of = value_of
        self._symbols: dict[str, Operation] = {}
        self._values: dict[SSAValue, SSAValue] = {}
        self._block = Block()
        self.inputs: dict[str, Array] = {}

    def add(self, op: Operation) -> None:
        """Append a copy of `op`, and of the constants that it reads."""
        for operand in op.operands:
            if operand not in self._values:
                self._values[operand] = self._source(operand)
        self._block.add_op(op.clone(self._values))

    def _source(self, value: SSAValue) -> SSAValue:
        owner = value.owner
        if isinstance(owner, LiteralOp):
            copy = owner.clone()
            self._block.add_op(copy)
            return copy.results[0]
        symbol = owner.symbol.string_value() if isinstance(owner, LoadOp) else ""
        if symbol in self._constants:
            self._symbols.setdefault(symbol, self._constants[symbol].clone())
        else:
            symbol = self._placeholder("in", value)
            self.inputs[symbol] = self._value_of(value)
        load = LoadOp(symbol, _type_of(value))
        self._block.add_op(load)
        return load.result

    def _placeholder(self, direction: str, value: SSAValue) -> str:
        name = f"{direction}{len(self._symbols)}"
        while name in self._constants:
            name += "_"
        self._symbols[name] = PlaceholderOp(name, direction, _type_of(value))
        return name

    def finish(self, ops: Sequence[Operation]) -> ModuleOp:
        """Return the module; values that no op in it reads are outputs."""
        chosen = set(ops)
        for result in (result for op in ops for result in op.results):
            if not any(use.operation in chosen for use in result.uses):
                name = self._placeholder("out", result)
                self._block.add_op(SaveOp(name, self._values[result]))
        self._block.add_op(ReturnOp())
        main = FuncOp("main", FunctionType.from_lists([], []), Region(self._block))
        return ModuleOp([*self._symbols.values(), main])


def _type_of(value: SSAValue) -> Any:
    return value.type
