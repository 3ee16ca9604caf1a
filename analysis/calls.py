"""Functions of a module that its ops call: which, in what order, and as declared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any, cast

from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import PassFailedException

from glow.analysis.directions import functions_of
from glow.dialects.graph.control_flow import CallingOp, ControlFlowOp, gradient_of
from glow.dialects.graph.storage import ConstantOp, LoadOp, PlaceholderOp, SaveOp
from glow.support.locations import name_of
from glow.support.types import is_float
from glow.support.walking import ops_in, ops_of


def calls_in(function: FuncOp) -> list[CallingOp]:
    """Return the ops of `function` that call functions, in order."""
    return ops_of(ops_in(function.body), CallingOp)


def names_called_in(function: FuncOp) -> list[str]:
    """
    Return the names of functions that ops of `function` call, `func.call` too.

    The name of its gradient, if it has one, is last.
    """
    names: list[str] = []
    for op in ops_of(ops_in(function.body), CallingOp, CallOp):
        if isinstance(op, CallingOp):
            names += op.callees
        else:
            names.append(op.callee.string_value())
    gradient = gradient_of(function)
    return [*names, gradient] if gradient else names


def entries_of(module: ModuleOp) -> list[FuncOp]:
    """Return the functions with a body that no op of `module` calls."""
    functions = functions_of(module)
    if len(functions) == 1:  # which does not call itself
        return functions
    called = {name for f in functions for name in names_called_in(f)}
    return [f for f in functions if f.sym_name.data not in called]


def callees_first(functions: Iterable[FuncOp]) -> list[FuncOp]:
    """
    Return `functions`, each after those that it calls.

    Errors: PassFailedException for functions that call themselves, also through others.
    """
    by_name = {f.sym_name.data: f for f in functions}
    if len(by_name) == 1 and by_name.keys().isdisjoint(
        name for f in by_name.values() for name in names_called_in(f)
    ):
        return list(by_name.values())
    sorter = TopologicalSorter[str]()
    for name, function in by_name.items():
        sorter.add(name, *names_called_in(function))
    try:
        order = list(sorter.static_order())
    except CycleError as error:
        names = ", ".join(f"@{name}" for name in dict.fromkeys(error.args[1]))
        raise PassFailedException(
            f"expected functions that do not recur, got {names}"
        ) from None
    return [by_name[name] for name in order if name in by_name]


def reached_from(entry: FuncOp, module: ModuleOp) -> list[FuncOp]:
    """Return `entry` and the functions that it calls, also through others."""
    functions = {f.sym_name.data: f for f in functions_of(module)}
    if list(functions.values()) == [entry]:
        return [entry]
    reached, waiting = dict[str, FuncOp](), [entry]
    while waiting:
        function = waiting.pop()
        reached[function.sym_name.data] = function
        names = names_called_in(function)
        waiting += [functions[n] for n in names if n in functions and n not in reached]
    return list(reached.values())


def problems_of_calls(module: ModuleOp) -> Iterator[str]:
    """
    Yield what is wrong with functions that ops of `module` call, and with the calls.

    These are: a function that is unknown or has another type; one that saves, or that
    loads what is not a constant; one that calls itself.
    """
    table = {f.sym_name.data: f for f in ops_of(module.ops, FuncOp)}
    storage = {
        op.sym_name.data: op for op in ops_of(module.ops, ConstantOp, PlaceholderOp)
    }
    called: set[str] = set()
    for function in functions_of(module):
        if gradient := gradient_of(function):
            called.add(gradient)
            yield from _problems_of_gradient(function, table.get(gradient))
        for op in calls_in(function):
            if not isinstance(op, ControlFlowOp):
                continue
            inputs, outputs = op.signature()
            for name in op.callees:
                at = f"{op.name} @{name} at {name_of(op)}"
                callee = table.get(name)
                called.add(name)
                if callee is None or not callee.body.blocks:
                    yield f"{at} names no function of the module that has a body"
                    continue
                type_ = callee.function_type
                if (type_.inputs.data, type_.outputs.data) != (inputs, outputs):
                    types = [", ".join(map(str, each)) for each in (inputs, outputs)]
                    got = ", ".join(map(str, type_.inputs))
                    made = ", ".join(map(str, type_.outputs))
                    yield (
                        f"{at} expected a function of ({types[0]}) -> ({types[1]}), "
                        f"got ({got}) -> ({made})"
                    )
    try:
        callees_first(functions_of(module))
    except PassFailedException as error:
        yield str(error)
    for name, function in table.items():
        if name in called:
            yield from _problems_inside(function, storage)


def _problems_of_gradient(function: FuncOp, found: FuncOp | None) -> Iterator[str]:
    """Yield what is wrong with the type of a declared gradient."""
    type_ = function.function_type
    inputs, outputs = type_.inputs.data, type_.outputs.data
    given = (*inputs, *outputs, *filter(_is_float, outputs))
    expected = FunctionType.from_lists(given, list(filter(_is_float, inputs)))
    if found is None or not found.body.blocks or found.function_type != expected:
        got = "none" if found is None else str(found.function_type)
        yield (
            f"@{function.sym_name.data} expected a gradient of type {expected}, got "
            f"{got}"
        )


def _is_float(type_: Attribute) -> bool:
    return isinstance(type_, TensorType) and is_float(cast(Any, type_).element_type)


def _problems_inside(
    function: FuncOp, storage: Mapping[str, Operation]
) -> Iterator[str]:
    """Yield what a function does that no called function may do."""
    name = function.sym_name.data
    if len(function.body.blocks) != 1 or not isinstance(
        function.body.block.last_op, ReturnOp
    ):
        yield f"expected @{name} to be one block that returns"
        return
    for op in ops_in(function.body):
        if isinstance(op, SaveOp):
            yield (
                f"{op.name} {op.symbol} at {name_of(op)} is in @{name}, which an op "
                "calls: return the value, and save what the op gives"
            )
        elif isinstance(op, LoadOp):
            declared = storage.get(op.symbol.string_value())
            if (
                isinstance(declared, PlaceholderOp)
                and declared.residency.data != "bound"
            ):
                yield (
                    f"{op.name} {op.symbol} at {name_of(op)} is in @{name}, which an "
                    "op calls: load it outside, and pass the value"
                )
