"""
ONNX's own suite on a backend, each case in a process that may crash or hang.

The cases, their data and what counts as equal are `onnx.backend.test`'s, unchanged.
"""

from __future__ import annotations

import os
import re
import tempfile
import unittest
import warnings
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from typing import Any

BACKENDS = {
    "cpu": "glow.onnx_backend:GlowBackend",
    "reference": "glow.onnx_backend:GlowReferenceBackend",
    "onnxruntime": "onnxruntime.backend.backend:OnnxRuntimeBackend",
}
DEVICE = "_cpu"
SECONDS = 60.0

PASSED, FAILED, UNSUPPORTED, CRASHED, HUNG = (
    "passed",
    "failed",
    "unsupported",
    "crashed",
    "hung",
)


@dataclass(frozen=True)
class Outcome:
    """What became of a case, and in a line why."""

    case: str
    operator: str
    """The operator that a node case is about; of other cases the kind."""
    status: str
    reason: str = ""


def run_suite(
    backend: str,
    cases: Iterable[str] | None = None,
    jobs: int = 2,
    seconds: float = SECONDS,
) -> list[Outcome]:
    """
    Run ONNX's suite, or those of its `cases`, on a backend out of `BACKENDS`.

    `backend` may also be `module:class`. A case that takes more than `seconds` hangs.
    """
    path = BACKENDS.get(backend, backend)
    with tempfile.TemporaryDirectory() as folder:
        first = _Worker(path, folder)
        known = first.operators
        names = sorted(known if cases is None else cases)
        unknown = set(names) - known.keys()
        assert not unknown, f"no such cases: {sorted(unknown)}"
        queue: SimpleQueue[str] = SimpleQueue()
        for name in names:
            queue.put(name)
        with ThreadPoolExecutor(jobs) as pool:
            others = [
                pool.submit(_drain, worker, path, folder, queue, seconds)
                for worker in [first, *[None] * (jobs - 1)]
            ]
            found = [each for other in others for each in other.result()]
    return sorted(
        (Outcome(name, known[name], *rest) for name, *rest in found),
        key=lambda outcome: outcome.case,
    )


def _drain(
    worker: _Worker | None,
    backend: str,
    folder: str,
    queue: SimpleQueue[str],
    seconds: float,
) -> list[tuple[str, str, str]]:
    """Run cases of the queue until it is empty; a worker that dies is replaced."""
    found: list[tuple[str, str, str]] = []
    try:
        while True:
            name = queue.get_nowait()
            worker = worker or _Worker(backend, folder)
            status, reason = worker.run(name, seconds)
            found.append((name, status, reason))
            if status in (CRASHED, HUNG):
                worker.stop()
                worker = None
    except Empty:
        return found
    finally:
        if worker is not None:
            worker.stop()


class _Worker:
    """A process that runs one case after the other."""

    def __init__(self, backend: str, folder: str):
        context = get_context("spawn")
        self._ours, theirs = context.Pipe()
        arguments = (theirs, backend, folder)
        self._process = context.Process(target=_work, args=arguments, daemon=True)
        self._process.start()
        theirs.close()
        self.operators: Mapping[str, str] = self._ours.recv()

    def run(self, case: str, seconds: float) -> tuple[str, str]:
        self._ours.send(case)
        try:
            if not self._ours.poll(seconds):
                return HUNG, f"no answer within {seconds:g} s"
            return self._ours.recv()
        except (EOFError, ConnectionError):
            self._process.join()
            return CRASHED, f"the process ended with {self._process.exitcode}"

    def stop(self) -> None:
        self._process.kill()
        self._process.join()
        self._ours.close()


def _work(connection: Connection, backend: str, folder: str) -> None:
    """Send the operator of each case, then for each name that comes its outcome."""
    os.environ["ONNX_HOME"] = folder
    warnings.simplefilter("ignore")
    with open(os.devnull, "w") as nowhere:
        for stream in (1, 2):  # cases print, also from C++
            os.dup2(nowhere.fileno(), stream)
    from onnx.backend.test import BackendTest

    module, _, name = backend.partition(":")
    suite = BackendTest(getattr(import_module(module), name), __name__)
    cases = {
        case: kind(case)
        for kind in suite.test_cases.values()
        for case in dir(kind)
        if case.startswith("test_") and case.endswith(DEVICE)
    }
    operators = _operators()
    connection.send({case: operators[case.removesuffix(DEVICE)] for case in cases})
    protos = {
        case: item.proto
        for items in suite._test_items.values()
        for case, item in items.items()
    }
    while True:
        try:
            case = connection.recv()
        except EOFError:
            return
        connection.send(_outcome(cases[case], suite.backend, protos[case]))


def _outcome(
    case: unittest.TestCase, backend: Any, proto: list[Any]
) -> tuple[str, str]:
    result = unittest.TestResult()
    case.run(result)
    if problems := result.failures + result.errors:
        return FAILED, _error_of(problems[0][1])
    if result.skipped:
        reason = result.skipped[0][1]
        if reason == "Not compatible with backend":
            reason = _incompatibility(backend, proto[0])
        return UNSUPPORTED, reason
    return PASSED, ""


def _error_of(traceback: str) -> str:
    """Return the line of a traceback that says the error."""
    lines = [line for line in traceback.splitlines() if line.strip()]
    heads = [line for line in lines if re.match(r"[\w.]+(Error|Exception)\b", line)]
    return (heads or lines)[-1]


def _incompatibility(backend: Any, model: Any) -> str:
    """Return why a backend is not compatible, which the suite does not ask."""
    try:
        backend.prepare(model)
    except Exception as error:
        return str(error)
    return "is_compatible says no, prepare says yes"


def _operators() -> dict[str, str]:
    """Map each case to the operator that it is about, or to its kind."""
    from onnx.backend.test.loader import load_model_tests

    found: dict[str, str] = {}
    for kind in ("real", "simple", "pytorch-converted", "pytorch-operator"):
        found |= {case.name: f"{kind} models" for case in load_model_tests(kind=kind)}
    nodes = load_model_tests(kind="node")
    for case in nodes:
        node = case.model.graph.node[0]  # of a body, which the name tells
        found[case.name] = f"{node.domain}.{node.op_type}".removeprefix(".")
    for case in nodes:
        base, expanded, _ = case.name.rpartition("_expanded")
        if expanded and base in found:
            found[case.name] = found[base]
    return found


def counted(outcomes: Sequence[Outcome], status: str) -> int:
    """Return how many ended so; what crashed or hung has failed, too."""
    wanted = (FAILED, CRASHED, HUNG) if status == FAILED else (status,)
    return sum(outcome.status in wanted for outcome in outcomes)
