"""Training of models: gradients as outputs, and constants as inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from glow.analysis.directions import functions_of
from glow.analysis.symbols import named_in
from glow.dialects.graph.storage import (
    ConstantOp,
    LiteralOp,
    LoadOp,
    PlaceholderOp,
    SaveOp,
    StorageOp,
)
from glow.dialects.graph.tensors import Tensor
from glow.passes.constants import Constants
from glow.passes.gradient_writer import GradientWriter, erase_unused
from glow.passes.gradients import gradients
from glow.passes.graph.arguments_to_placeholders import body_of
from glow.passes.graph.unroll_loops import UnrollLoopsPass
from glow.support.arrays import Array
from glow.support.errors import BindingError
from glow.support.locations import location_of, name_of
from glow.support.names import Names
from glow.support.types import element_of, is_float, tensor_type


def add_gradients(module: ModuleOp, of: Sequence[str], loss: str | None) -> None:
    """
    Add outputs to a module: the gradients of output `loss`, which is a single number.

    The gradient of x is called `x_gradient`.
    Errors: BindingError for unknown names; PassFailedException for an op on the way
    that has no gradient.
    """
    # Loops without a limit may still have a known number of iterations.
    UnrollLoopsPass().apply(Context(), module)
    symbols = named_in(module, PlaceholderOp, ConstantOp)
    main = _main_of(module)
    block, end = body_of(main)
    ops = list(block.ops)[:-1]
    known = _inputs_in(ops, symbols)
    for name in of:
        if name not in known:
            listed = ", ".join(f'"{each}"' for each in known) or "none"
            raise BindingError(
                f'no gradient of "{name}", expected inputs or constants of floats out '
                f"of {listed}"
            )
    writer, value = GradientWriter.before(end, module), _loss_in(ops, loss)
    result = writer.tensor(value)
    seed = writer.like(1, result).reshape(*result.shape)
    wanted = [value for name in of for value in known[name]]
    found = gradients({value: seed}, wanted, ops, writer)
    names = Names(symbols, separator="_")
    for name in of:
        parts = [found[each] for each in known[name] if each in found]
        if not parts:
            raise BindingError(f'the loss does not depend on "{name}"')
        total = reduce(lambda a, b: a + b, parts)
        _save(total, names.fresh(f"{name}_gradient"), module, writer)
    erase_unused(block)


def free_constants(module: ModuleOp, names: Sequence[str]) -> dict[str, Array]:
    """
    Turn constants of a module into inputs, after the others; return their values.

    Errors: BindingError for a name that is not a constant of floats.
    """
    main = _main_of(module)
    symbols = named_in(module, PlaceholderOp, ConstantOp)
    constants = Constants(module)
    known = {
        name: values
        for name, values in _inputs_in(list(main.body.block.ops), symbols).items()
        if not isinstance(symbols.get(name), PlaceholderOp)
    }
    arrays: dict[str, Array] = {}
    for name in names:
        if name not in known:
            listed = ", ".join(f'"{each}"' for each in known) or "none"
            raise BindingError(
                f'no parameter is called "{name}", expected constants of floats out of '
                f"{listed}"
            )
        array = constants.array_of(known[name][0])
        assert array is not None, "a constant without bytes"
        arrays[name] = np.array(array)
        made = PlaceholderOp(name, "in", tensor_type(known[name][0]))
        made.location = location_of(name)
        if (before := symbols.get(name)) is not None:
            before.detach()
        _declare(made, module)
        for value in known[name]:
            load = LoadOp(name, made.type)
            load.location = made.location
            Rewriter.replace_op(cast(Operation, value.owner), load)
    return arrays


def _main_of(module: ModuleOp) -> FuncOp:
    """Return the function that runs; others are bodies of choices and loops."""
    (main,) = (f for f in functions_of(module) if f.sym_visibility is None)
    return main


def _declare(placeholder: PlaceholderOp, module: ModuleOp) -> None:
    """Add a placeholder after the storage that the module begins with."""
    block, storage = module.body.block, named_in(module, PlaceholderOp, ConstantOp)
    if storage:
        block.insert_op_after(placeholder, list(storage.values())[-1])
    else:
        block.insert_op_before(placeholder, cast(Operation, block.first_op))


def _inputs_in(
    ops: Sequence[Operation], symbols: Mapping[str, StorageOp]
) -> dict[str, list[SSAValue]]:
    """Return the float values of each input and constant, by its name."""
    found: dict[str, list[SSAValue]] = {name: [] for name in symbols}
    for op in ops:
        if isinstance(op, LoadOp | LiteralOp) and is_float(element_of(op.result)):
            is_load = isinstance(op, LoadOp)
            name = op.symbol.string_value() if is_load else name_of(op)
            found.setdefault(name, []).append(op.result)
    return {name: values for name, values in found.items() if values}


def _loss_in(ops: Sequence[Operation], loss: str | None) -> SSAValue:
    """Return the value of the output called `loss`, or of the only one."""
    saves = {op.symbol.string_value(): op for op in ops if isinstance(op, SaveOp)}
    listed = ", ".join(f'"{name}"' for name in saves)
    if loss is None and len(saves) > 1:
        raise BindingError(f"expected a loss out of the outputs {listed}, got none")
    if loss is not None and loss not in saves:
        raise BindingError(f'expected a loss out of the outputs {listed}, got "{loss}"')
    value = saves[loss or next(iter(saves))].value
    if tensor_type(value).element_count() != 1 or not is_float(element_of(value)):
        raise BindingError(
            f"expected a loss that is one number of floats, got {value.type}"
        )
    return value


def _save(
    gradient: Tensor, name: str, module: ModuleOp, writer: GradientWriter
) -> None:
    """Add an output with a gradient to the module."""
    placeholder = PlaceholderOp(name, "out", gradient.type)
    save = SaveOp(name, gradient.value)
    placeholder.location = save.location = location_of(name)
    _declare(placeholder, module)
    writer.insert(save)
