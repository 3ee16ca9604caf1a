"""From a model to an executable: the stages that a backend needs, then the backend."""

from __future__ import annotations

import time

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException

from glow.analysis.levels import level_of
from glow.model import SymbolicModel, context
from glow.options import Options, target_spec
from glow.pass_manager import plan, run_part
from glow.runtime.interface import Executable, StageReport
from glow.source import Source
from glow.support.errors import CompilationError
from glow.support.garbage import no_collection
from glow.support.mapped_files import forget, is_mapped
from glow.support.targets import Backend, resolve, target_of
from glow.support.weights import resources_of
from glow.symbolic import Compile, check_no_shapes, compile_symbolic


@no_collection()
def compile_model(
    source: Source, target: str, options: Options, compile: Compile
) -> Executable:
    """
    Compile a model; see `glow.compile`.

    `compile` compiles the IR that a model with symbolic dimensions becomes.
    """
    spec = target_spec(target, options.cpu_features)
    backend = resolve(spec)
    machine = target_of(spec)
    model = source.load()
    if isinstance(model, SymbolicModel):
        return compile_symbolic(model, compile, options)
    check_no_shapes(options)
    module = model.module
    reports = _lower(module, backend, spec, options)
    start = time.perf_counter()
    executable = backend.compile(module, machine, cache_dir=options.cache_dir)
    reports.append(StageReport("machine", time.perf_counter() - start, None))
    executable.stages = tuple(reports)
    return executable


def _lower(
    module: ModuleOp, backend: Backend, spec: str, options: Options
) -> list[StageReport]:
    kernels = "declared" if backend.links_kernels else "defined"
    parts = plan(level_of(module), backend.level, spec, options, kernels)
    ctx = context()
    given = [resource.array for resource in resources_of(module)]
    mapped = [array for array in given if is_mapped(array)]
    del given  # what passes replace is not to be kept
    reports: list[StageReport] = []
    try:
        for part in parts:
            report = run_part(part, ctx, module)
            reports += [] if report is None else [report]
            for array in mapped:
                forget(array)
        return reports
    except DiagnosticException as error:
        raise CompilationError(" ".join(str(error).split())) from error
