"""Load and compile a model as a command line asks for it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from glow import DynamicExecutable, Executable, InternalError, load_executable
from glow.compilation import Source, compile_source
from glow.options import CACHE_SIZE
from glow.progress_display import progress
from glow.support.arrays import Array
from glow.support.files import EXECUTABLE, TEXT, kind_of_file
from glow.support.targets import resolve
from glow.targets import known_targets
from glow.tools.command_line import fail
from glow.tools.feeds import read_arrays
from glow.tools.options import (
    add_shared_options,
    cache_dir_of,
    compile_options,
    file_argument,
    parse_dims,
    parse_shapes,
    repeated,
)
from glow.tools.timing import clock_for

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

# Options that apply to models and not to executables; but `--dim` may choose one of
# several shapes.
_OF_MODELS = (
    *("accuracy", "bind", "cpu_features", "dim", "disable", "fold_bytes"),
    *(
        "memory_bytes",
        "relayout_io",
        "shapes",
        "states",
        "stop_after_pass",
        "trust",
        "weights",
    ),
)


_TARGET = "cpu"


@dataclass(frozen=True)
class Session:
    """A compiled model, and the seconds that it took from the file on."""

    net: Executable
    compile_s: float
    bound: Mapping[str, Array]
    """The arrays that are compiled in, by the names of the model's inputs."""

    def by_shape(self) -> list[tuple[str, Executable]]:
        """Return the executable, or one for each of `--shapes`, by its extents."""
        if not isinstance(self.net, DynamicExecutable) or not self.net.compiled:
            return [("", self.net)]
        nets: list[tuple[str, Executable]] = []
        for dims in self.net.compiled:
            extents = ", ".join(f"{name}={extent}" for name, extent in dims.items())
            nets.append((extents, self.net.specialize(dims)))
        return nets


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which model to compile, and how."""
    add = parser.add_argument
    targets = ", ".join(known_targets())
    text = "an .onnx, .mlir or .glow file"
    add("model", type=file_argument, metavar="MODEL", help=text)
    add("--target", default=_TARGET, help=f"one of {targets} (default: cpu)")
    add(
        "--threads",
        type=int,
        metavar="N",
        help="the most threads of a run (default: as many as this process may use)",
    )
    add(
        "--shapes",
        action="append",
        default=[],
        metavar="NAME=VALUE,...",
        help="compile for each of these extents of a symbolic dimension: batch=1,8",
    )
    add_shared_options(parser)


def open_session(
    args: argparse.Namespace, inputs: Mapping[str, Array] | None
) -> Session:
    """Load and compile what `args` names; `inputs` say what its dimensions are."""
    clock = clock_for(args.threads)
    start = clock()
    if kind_of_file(Path(args.model)) == EXECUTABLE:
        with progress(f"loading {args.model}"):
            return Session(_loaded(args, inputs), clock() - start, {})
    bound = read_arrays(args.bind, "--bind")
    net = _compiled(_source(args, bound), args, inputs)
    return Session(net, clock() - start, bound)


def laid_out(args: argparse.Namespace, inputs: Mapping[str, Array]) -> ModuleOp:
    """Return the layout level of the model of `args`, for the shapes of `inputs`."""
    from glow.graph_modules import context
    from glow.pass_manager import lowered
    from glow.symbolic_model import SymbolicModel

    model = _source(args, read_arrays(args.bind, "--bind")).load()
    if isinstance(model, SymbolicModel):
        model = model.specialize(model.signature.dims_of(inputs))
    options = compile_options(args)
    return lowered(context(), model.module, "layout", args.target, options)


def _source(args: argparse.Namespace, bound: Mapping[str, Array]) -> Source:
    """Return the model that `args` names, some of its inputs bound."""
    dims = parse_dims(args.dim)
    source = Source(args.model, dims, args.weights)
    if bound and source.kind() == TEXT:
        return Source(source.load().bind(bound))
    return replace(source, constants=bound or None)


def _loaded(args: argparse.Namespace, inputs: Mapping[str, Array] | None) -> Executable:
    """Return the executable in a file, for the shape that `args` or `inputs` say."""
    net = load_executable(args.model, threads=args.threads)
    has_shapes = isinstance(net, DynamicExecutable)
    refused = [n for n in _OF_MODELS if not (n == "dim" and has_shapes)]
    given = [n.replace("_", "-") for n in refused if getattr(args, n)]
    given += ["target"] if args.target != _TARGET else []
    if given:
        raise ValueError(
            f"{args.model} is compiled already: expected no --{', --'.join(given)}"
        )
    if not isinstance(net, DynamicExecutable):
        return net
    if args.dim:
        return net.specialize(parse_dims(args.dim))
    return net.specialize(net.dims_of(inputs)) if inputs else net


def _compiled(
    source: Source, args: argparse.Namespace, inputs: Mapping[str, Array] | None
) -> Executable:
    shapes = parse_shapes(args.shapes)
    options = replace(
        compile_options(args),
        threads=args.threads,
        cache_dir=cache_dir_of(args),
        shapes=shapes,
        cache_size=max(CACHE_SIZE, prod(map(len, shapes.values()))),
        profile=_is_profiled(args),
    )
    try:
        with progress(f"compiling {args.model}"):
            net = compile_source(source, args.target, options)
            if inputs is None or shapes or not isinstance(net, DynamicExecutable):
                return net
            dims = {**source.dims, **net.dims_of(inputs)}
            source = replace(source, dims=dims)
            return compile_source(source, args.target, options)
    except InternalError as error:
        _report(source, args, error)


def _is_profiled(args: argparse.Namespace) -> bool:
    options = vars(args)
    asked = map(options.get, ("roofline", "simulate_threads"))
    return options.get("profile") is not None or any(asked)


def _report(source: Source, args: argparse.Namespace, error: InternalError) -> NoReturn:
    from glow.tools.output import save_crash

    backend = resolve(args.target)
    stage = backend.level if backend.emit is None else "object"
    arguments = ["--target", args.target, "--stop-after", stage, *repeated(args)]
    command = save_crash(source.load().module, arguments, error)
    fail(f"{error}; reproduce with: {command}")
