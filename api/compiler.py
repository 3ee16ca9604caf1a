"""From a model to an executable: the stages that a backend needs, then the backend."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException

from glow.compilation import compile_source
from glow.dynamic import check_no_shapes, compile_symbolic
from glow.levels import level_of
from glow.model import Model, context
from glow.options import Options, target_spec
from glow.passes.graph.tie_states import TieStatesPass
from glow.passes.layout.relayout_io import RelayoutIoPass
from glow.pipeline import (
    Stage,
    parse_passes,
    pipeline_text,
    run_passes,
    run_stage,
    stages_between,
)
from glow.runtime.interface import Executable, StageReport
from glow.source import Source
from glow.support.errors import CompilationError
from glow.support.garbage import no_collection
from glow.support.mapping import forget, is_mapped
from glow.support.targets import Backend, resolve, target_of
from glow.support.weights import resources_of
from glow.symbolic import SymbolicModel


@no_collection()
def compile_model(model: object, target: str, options: Options) -> Executable:
    """Compile `model` (IR, a `Source`, or what that takes); see `glow.compile`."""
    spec = target_spec(target, options.cpu_features)
    backend = resolve(spec)
    machine = target_of(spec)
    found = model_of(model)
    if isinstance(found, SymbolicModel):
        static = replace(options, shapes=())
        return compile_symbolic(
            found, lambda each: compile_source(Source(each), target, static), options
        )
    check_no_shapes(options)
    module = found.module
    reports = _lower(module, backend, spec, options)
    start = time.perf_counter()
    executable = backend.compile(module, machine, cache_dir=options.cache_dir)
    reports.append(StageReport("machine", time.perf_counter() - start, None))
    executable.stages = tuple(reports)
    return executable


def model_of(model: object) -> Model:
    """Return the model, with IR that nobody else has."""
    source = model if isinstance(model, Source) else Source(model)
    match source.model:
        case SymbolicModel() as found:
            return found
        case Model(name=name, module=module):
            return Model(name, module.clone())
        case ModuleOp() as module:
            return Model("model", module.clone())
        case _:
            return source.load()


def _lower(
    module: ModuleOp, backend: Backend, spec: str, options: Options
) -> list[StageReport]:
    stages = stages_between(level_of(module), backend.level)
    kernels = "declared" if backend.links_kernels else "defined"
    chosen = choose_passes(
        stages, spec, options.disable, options.stop_after_pass, kernels
    )
    add_states(stages, chosen, options.states)
    relaid = add_relayout(stages, chosen, options.relayout)
    ctx = context()
    given = [resource.array for resource in resources_of(module)]
    mapped = [array for array in given if is_mapped(array)]
    del given  # what passes replace is not to be kept
    reports: list[StageReport] = []
    try:
        for stage, passes in zip(stages, chosen, strict=True):
            reports.append(run_stage(stage, passes, ctx, module))
            for array in mapped:
                forget(array)
        run_passes(relaid, ctx, module)
        return reports
    except DiagnosticException as error:
        raise CompilationError(" ".join(str(error).split())) from error


def choose_passes(
    stages: Sequence[Stage],
    spec: str,
    disable: Sequence[str] = (),
    stop_after_pass: int | None = None,
    kernels: str = "defined",
) -> list[list[ModulePass]]:
    """
    Return the passes of each stage that are to run.

    Errors: a name in `disable` that is no optional pass of the stages.
    """
    optional = {name for stage in stages for name in stage.optional}
    unknown = sorted(set(disable) - optional)
    if unknown:
        known = ", ".join(sorted(optional)) or "none"
        raise ValueError(
            f"expected passes to disable out of {known}, got {', '.join(unknown)}"
        )
    chosen: list[list[ModulePass]] = []
    count = 0
    for stage in stages:
        chosen.append([])
        for each in parse_passes(pipeline_text([stage], spec, kernels)):
            count += 1
            late = stop_after_pass is not None and count > stop_after_pass
            if each.name not in stage.optional or not (late or each.name in disable):
                chosen[-1].append(each)
    return chosen


def add_states(
    stages: Sequence[Stage],
    chosen: Sequence[list[ModulePass]],
    states: Mapping[str, str] | None,
) -> None:
    """
    Put the pass that ties `states` where inputs and outputs are placeholders.

    Errors: a model that is past stage graph.
    """
    if not states:
        return
    names = [stage.name for stage in stages]
    if "graph" not in names:
        raise CompilationError("expected a model at the graph level to tie states")
    passes = chosen[names.index("graph")]
    at = [each.name for each in passes].index("arguments-to-placeholders")
    passes.insert(at + 1, TieStatesPass(tuple(states), tuple(states.values())))


def add_relayout(
    stages: Sequence[Stage],
    chosen: Sequence[list[ModulePass]],
    relayout: Mapping[str, str] | str | None,
) -> list[ModulePass]:
    """
    Put the pass for `relayout` before those of stage layout.

    Return it instead where that stage does not run, to come last.
    Errors: a model that is past that stage.
    """
    if not relayout:
        return []
    if isinstance(relayout, str):
        added = RelayoutIoPass((), (relayout,))
    else:
        added = RelayoutIoPass(tuple(relayout), tuple(relayout.values()))
    names = [stage.name for stage in stages]
    if "layout" in names:
        chosen[names.index("layout")].insert(0, added)
        return []
    if names and names[-1] != "graph":
        raise CompilationError(
            "expected a model without assigned layouts to relayout inputs and outputs"
        )
    return [added]
