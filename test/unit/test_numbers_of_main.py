"""A `main` that is numbers runs as the code that it stands for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import models
import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import glow
from glow.backends.cpu.executable import compile_module
from glow.graph_modules import context
from glow.lowering.loops_to_llvm import LoopsToLlvmPass
from glow.lowering.loops_to_llvm.numbers_of_main import calls_of
from glow.pass_manager import parse_passes, pipeline_text, run_passes
from glow.pipeline import stages_between
from glow.support.targets import target_of


def executable(source: Any, piece_ns: int, main: Any) -> tuple[ModuleOp, Any]:
    module = glow.load(source).module
    stages = stages_between("import", "loops")
    text = pipeline_text(stages, "cpu", "declared", piece_ns)
    passes: Sequence[Any] = parse_passes(text + ",expand-math{target=cpu}")
    run_passes([*passes, LoopsToLlvmPass("cpu", main)], context(), module)
    return module, compile_module(module, target_of("cpu"))


@pytest.mark.slow
@pytest.mark.parametrize("piece_ns", [0, 500, 20_000])
@pytest.mark.parametrize("name", ["squeezenet", "encoder"])
def test_results_are_the_same_bits(name: str, piece_ns: int) -> None:
    source = models.build("squeezenet") if name != "encoder" else models.encoder(2)
    module, net = executable(source, piece_ns, "numbers")
    assert calls_of(module)
    module, code = executable(source, piece_ns, "code")
    assert calls_of(module) is None
    feeds = models.inputs_of(source)
    expected = code.run(feeds)
    for threads in (1, 2, 5):
        net.threads = threads
        for name, array in net.run(feeds).items():
            np.testing.assert_array_equal(array, expected[name])
