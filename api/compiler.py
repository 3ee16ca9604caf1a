"""Compilation of models: for their shapes, or for each shape when it first comes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count, product

from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, i64

from glow.lowering.convolution.algorithm import BATCHES
from glow.model import Model
from glow.module_compiler import ModuleCompiler
from glow.options import Options, Shapes, target_spec
from glow.passes.graph.tie_states import problems_of_states
from glow.pipeline import LEVELS
from glow.runtime.background import BackgroundWork
from glow.runtime.dynamic import DynamicExecutable
from glow.runtime.interface import Executable
from glow.runtime.symbolic import SymbolicSignature
from glow.runtime.tensor_spec import State, TensorSpec
from glow.shape_compiler import Note, ShapeCompiler, text_of
from glow.support.dimensions import Dims, relations
from glow.support.errors import (
    BindingError,
    CompilationError,
    GlowError,
    TargetError,
)
from glow.support.files import user_cache_dir
from glow.support.garbage import no_collection
from glow.support.layout import LayoutError, requested_layouts
from glow.support.targets import resolve, target_of
from glow.symbolic_model import SymbolicModel, named

Compile = Callable[[Model], Executable]
_LOG = logging.getLogger("glow")


@no_collection()
def compile_model(
    load: Callable[[], Model], target: str, options: Options, compile: Compile
) -> Executable:
    """Compile the model that `load` returns; a symbolic one by `compile`, per shape."""
    spec = target_spec(target, options.cpu_features, options.accuracy)
    backend = resolve(spec)
    machine = target_of(spec)
    folder = user_cache_dir() if options.cache_dir is None else options.cache_dir
    if options.profile and LEVELS.index(backend.level) < LEVELS.index("loops"):
        raise TargetError(
            f"expected a target with kernels to profile, such as cpu, got {target}"
        )
    compiler = ModuleCompiler(backend, machine, spec, options, folder)
    model = load()
    if isinstance(model, SymbolicModel):
        return compile_symbolic(model, compile, compiler)
    if options.shapes:
        raise BindingError("shapes: the model has no symbolic dimensions")
    module = model.module
    if options.check:
        from glow.checking import check_passes

        check_passes(module.clone(), spec, options)
    return compiler.compile(module, model.name)


def compile_symbolic(
    model: SymbolicModel, compile: Compile, compiler: ModuleCompiler
) -> DynamicExecutable:
    """
    Return an executable that makes code of the model for each new shape.

    It calls `compile` where no code can be derived from that of other shapes.

    Errors: a BindingError that lists what is wrong with the shapes to compile for at
    once; a CompilationError that lists layouts and states that do not fit the model.
    """
    signature, options = model.signature, compiler.options
    if options.states:
        signature = _tied(signature, options.states)
    if options.relayout:
        signature = _relaid(signature, options)

    work, shapes = None, options.shapes
    if isinstance(shapes, str):
        work, shapes = BackgroundWork(), ()
    wanted, batch = _combinations(shapes), _batch_of(signature)
    packed_for = list(dict.fromkeys(dims[batch] for dims in wanted if dims.get(batch)))

    def module_for(dims: Dims, note: Note | None = None) -> ModuleOp:
        module = model.specialize(dims, note=note).module
        _note_batches(module, dims.get(batch, 0), packed_for)
        return module

    derived = ShapeCompiler(model.name, signature.dims, compiler, module_for)

    def code_for(dims: Dims) -> Executable:
        try:
            if compiler.derives:
                return derived.compile(dims)
            _LOG.info("%s: compiling for %s", model.name, text_of(dims))
            return compile(Model(model.name, module_for(dims)))
        except CompilationError as error:
            raise named(error, dims) from error.__cause__

    net = DynamicExecutable(
        signature,
        code_for,
        options.cache_size,
        work,
        partial(_computes_apart, model, options),
    )
    problems = [problem for dims in wanted for problem in signature.check_dims(dims)]
    if len(wanted) > options.cache_size:
        problems.append(
            f"expected a cache_size of at least {len(wanted)} for as many shapes, "
            f"got {options.cache_size}"
        )
    if problems:
        texts = (f"shapes: {each}" for each in dict.fromkeys(problems))
        raise BindingError("; ".join(texts))
    for dims in wanted:
        net.specialize(dims)
    return net


def _computes_apart(
    model: SymbolicModel, options: Options, one: Dims, other: Dims, batch: str
) -> bool:
    """Return whether rows are known to be computed singly, and alike in two batches."""
    from glow.formats.onnx.apart_rows import computes_rows_apart

    if options.states or options.relayout:
        return False
    try:
        modules = model.specialize(one).module, model.specialize(other).module
    except GlowError:  # which a call will meet, too
        return False
    return computes_rows_apart(*modules, (one[batch], other[batch]))


def _batch_of(signature: SymbolicSignature) -> str:
    """Return the first dimension of all inputs of rank 3 or more, or an empty name."""
    shapes = (spec.extents or () for spec in signature.inputs)
    first = {shape[0] for shape in shapes if len(shape) > 2}
    return next((name for name in signature.dims if first == {name}), "")


def _note_batches(module: ModuleOp, own: int, packed_for: list[int]) -> None:
    """Note in `module` which batches filters are packed for, by default the first."""
    if own and not packed_for:
        packed_for.append(own)
    if own and packed_for != [own]:
        batches = DenseArrayBase.from_list(i64, [own, *packed_for])
        module.attributes[BATCHES] = batches


def _combinations(shapes: Shapes) -> list[Mapping[str, int]]:
    """Return each combination of extents once, in order."""
    if isinstance(shapes, Mapping):
        lists = [v if isinstance(v, Sequence) else [v] for v in shapes.values()]
        each = product(*lists)
        combinations = [dict(zip(shapes, extents, strict=True)) for extents in each]
    else:
        combinations = [dict(each) for each in shapes]
    unique = {tuple(sorted(each.items())): each for each in combinations}
    return list(unique.values()) if combinations != [{}] else []


def _tied(signature: SymbolicSignature, states: Mapping[str, str]) -> SymbolicSignature:
    problems = list(
        problems_of_states(
            list(states.items()),
            {spec.name: spec for spec in signature.outputs},
            {spec.name: spec for spec in signature.inputs},
            lambda given, wanted: _differ(given, wanted, signature),
            lambda spec: spec.description,
        )
    )
    if problems:
        raise CompilationError("; ".join(problems))
    kept = set(states.values())
    return replace(
        signature,
        inputs=tuple(s for s in signature.inputs if s.name not in kept),
        outputs=tuple(s for s in signature.outputs if s.name not in states),
        states=tuple(State(s, "inout") for s in signature.inputs if s.name in kept),
    )


def _differ(
    given: TensorSpec, wanted: TensorSpec, signature: SymbolicSignature
) -> bool:
    """Return whether the types of two tensors differ, as far as they are known yet."""
    if given.is_typed and given.dtype != wanted.dtype:
        return True
    if not (given.is_shaped and wanted.is_shaped):
        return False
    if len(given.shape) != len(wanted.shape):
        return True
    # Extents that differ for these differ for others; so `past + 1` is not `past`.
    values = {**dict(zip(signature.dims, count(997, 10))), **signature.known}
    pairs = zip(given.extents or (), wanted.extents or (), strict=True)
    return any(_extent(a, values) not in (_extent(b, values), None) for a, b in pairs)


def _extent(extent: int | str, dims: Mapping[str, int]) -> int | None:
    """Return an extent for `dims`; None where it does not follow from these."""
    if isinstance(extent, int):
        return extent
    relation = relations((extent,), dims).get(extent)
    if relation is None:
        return dims.get(extent)
    try:
        return relation.extent(dims)
    except ValueError:
        return None


def _relaid(signature: SymbolicSignature, options: Options) -> SymbolicSignature:
    kept = [state.spec for state in signature.states]
    shapes = {
        spec.name: spec.extents if spec.is_shaped else None
        for spec in (*signature.inputs, *signature.outputs, *kept)
    }
    try:
        requested = requested_layouts(*options.layouts, shapes)
    except LayoutError as error:
        raise CompilationError(str(error)) from None

    def relaid(spec: TensorSpec) -> TensorSpec:
        layout = requested.get(spec.name)
        return spec if layout is None else spec.relaid(layout)

    return replace(
        signature,
        inputs=tuple(map(relaid, signature.inputs)),
        outputs=tuple(map(relaid, signature.outputs)),
        states=tuple(replace(s, spec=relaid(s.spec)) for s in signature.states),
    )
