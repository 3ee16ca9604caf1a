"""Broken texts of every level: they are refused, or compiled and run."""

from __future__ import annotations

import os
import random
import re
import resource
import signal
import traceback
from collections.abc import Callable
from functools import lru_cache

from graphs import BLOCK, Notes, random_graph, run
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException

import glow
from glow.analysis.levels import level_of
from glow.analysis.validity import verify_module
from glow.graph_modules import context
from glow.model import parse_text
from glow.pass_manager import entry_checks, plan, run_part, run_passes
from glow.pipeline import LEVELS
from glow.runtime.comparison import random_inputs
from glow.support.errors import GlowError

TEXTS_OF_ONE = 64
"""As many texts are made from one, which is that of a graph of one or two ops."""

LARGEST_RUN = 1 << 24
"""Bytes of memory above which nothing is run; a text may ask for any."""

CHILD_S = 10

_TOKEN = re.compile(r'"[^"]*"|[\w.$@%#^-]+|\s+|.', re.DOTALL)
_WORDS = ("0", "1", "-1", "2", "4096", "9223372036854775807", "f32", "i64", "x", "{")
_WORDS += ("}", "%0", "nan", "memref<4xf32>", "tensor<2x0xf32>", "tensor<?xf32>")


@lru_cache(maxsize=8)
def _tokens(number: int, level: str) -> tuple[list[str], ModuleOp]:
    """Return a text in tokens, and the module that has its constants."""
    module = random_graph(number * BLOCK, sizes=(1, 2)).module()
    for part in plan("import", level, "cpu") if level != "import" else ():
        run_part(part, context(), module)
    return _TOKEN.findall(str(module)), module


def _mutated(tokens: list[str], rng: random.Random) -> str:
    tokens = list(tokens)
    for _ in range(rng.choice((1, 1, 2, 4))):
        at, other = rng.randrange(len(tokens)), rng.randrange(len(tokens))
        match rng.randrange(5):
            case 0:
                del tokens[at]
            case 1:
                tokens.insert(at, tokens[at])
            case 2:
                tokens[at], tokens[other] = tokens[other], tokens[at]
            case 3:
                tokens[at] = tokens[other]
            case _:
                tokens[at] = rng.choice(_WORDS)
    return "".join(tokens)


def check_text(number: int, notes: Notes) -> None:
    """Parse, verify, compile and run a mutated text of one of the levels."""
    one = number // TEXTS_OF_ONE
    tokens, _ = _tokens(one, LEVELS[one % len(LEVELS)])
    notes["net.mlir"] = text = _mutated(tokens, random.Random(number))
    try:
        module = parse_text(context(), text, "net.mlir")
        verify_module(module)
        level = level_of(module)
        run_passes(entry_checks(level, "cpu"), context(), module)
    except (GlowError, DiagnosticException) as error:
        assert str(error).strip()
        return
    if LEVELS.index(level) < LEVELS.index("loops"):
        _compile_and_run(module, number, lambda: None)
    else:
        in_child(lambda compiled: _compile_and_run(module, number, compiled))


def _compile_and_run(
    module: ModuleOp, number: int, compiled: Callable[[], object]
) -> None:
    """Run a program, which sees nothing of what memory held before, or is refused."""
    try:
        net = glow.compile(module)
        arrays = (*net.inputs, *net.outputs)
        if net.arena_bytes + sum(each.nbytes for each in arrays) > LARGEST_RUN:
            return
        inputs = list(random_inputs(net, number).values())
        compiled()
        run(net, inputs, number)
    except (GlowError, DiagnosticException) as error:
        assert str(error).strip()


def in_child(check: Callable[[Callable[[], object]], None]) -> None:
    """
    Call `check` in a process of its own, where it calls what it is given before code.

    All up to there has to be right. What the code does then is nobody's fault: what it
    means is not known.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (CHILD_S, CHILD_S))
            signal.alarm(10 * CHILD_S)
            check(lambda: os.write(writer, b"runs"))
        except BaseException:
            os.write(writer, traceback.format_exc().encode())
            os._exit(1)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, errors="replace") as pipe:
        report = pipe.read()
    status = os.waitpid(child, 0)[1]
    assert not status or report.startswith("runs"), f"ended with {status}: {report}"
