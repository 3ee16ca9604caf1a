"""Compile models with symbolic dimensions: for some extents at once, then on demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product

from glow.model import Model
from glow.options import Options, Shapes
from glow.runtime.dynamic import DynamicExecutable
from glow.runtime.interface import Executable
from glow.runtime.symbolic import Dims
from glow.support.errors import BindingError, CompilationError
from glow.symbolic import SymbolicModel, named
from glow.symbolic_signature import signature_for

Compile = Callable[[Model], Executable]


def compile_symbolic(
    model: SymbolicModel, compile: Compile, options: Options
) -> DynamicExecutable:
    """
    Return what calls `compile` on the model for each shape that comes along.

    Errors: a BindingError that lists what is wrong with the shapes to compile for at
    once; a CompilationError that lists layouts of inputs, or states, that cannot be.
    """
    signature = signature_for(model.signature, options)
    net = DynamicExecutable(
        signature,
        lambda dims: _compiled(model, compile, dims),
        options.cache_size,
    )
    wanted = _combinations(options.shapes)
    problems = [problem for dims in wanted for problem in signature.check_dims(dims)]
    if len(wanted) > options.cache_size:
        problems.append(
            f"expected a cache_size of at least {len(wanted)} for as many shapes, "
            f"got {options.cache_size}"
        )
    if problems:
        raise BindingError(
            "; ".join(f"shapes: {each}" for each in dict.fromkeys(problems))
        )
    for dims in wanted:
        net.specialize(dims)
    return net


def check_no_shapes(options: Options) -> None:
    """Raise where there are shapes to compile for, and no dimension that has any."""
    if options.shapes:
        raise BindingError("shapes: the model has no symbolic dimensions")


def _compiled(model: SymbolicModel, compile: Compile, dims: Dims) -> Executable:
    found = model.specialize(dims)
    try:
        return compile(found)
    except CompilationError as error:
        raise named(error, dims) from error.__cause__


def _combinations(shapes: Shapes) -> list[Mapping[str, int]]:
    """Return each combination of extents once, in order."""
    if isinstance(shapes, Mapping):
        lists = [v if isinstance(v, Sequence) else [v] for v in shapes.values()]
        found = [dict(zip(shapes, each, strict=True)) for each in product(*lists)]
    else:
        found = [dict(each) for each in shapes]
    unique = {tuple(sorted(each.items())): each for each in found}
    return list(unique.values()) if found != [{}] else []
