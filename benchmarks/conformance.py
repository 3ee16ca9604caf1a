"""
Run ONNX's own suite on both targets, and say what passes, fails and is unsupported.

    python benchmarks/conformance.py --output benchmarks/CONFORMANCE.md

Ends with 1 if a case gives a wrong result, raises what it should not, crashes or hangs.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from itertools import groupby
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "support"))
from conformance import FAILED, PASSED, SECONDS, UNSUPPORTED, Outcome, counted
from conformance import run_suite as run_cases

COMMAND = "make conformance"
TARGETS = ("cpu", "reference")
PEER = "onnxruntime"
STATUSES = (PASSED, FAILED, UNSUPPORTED)

Outcomes = dict[str, Sequence[Outcome]]

_PREFIX = "the model needs what is not supported: "
_OWNERS = re.compile(r' \((?:node|input|initializer|output) "')


def reasons(outcome: Outcome) -> list[str]:
    """Return what a case lacks, each without the nodes and inputs that need it."""
    if not outcome.reason.startswith(_PREFIX):
        return [outcome.reason]
    parts = outcome.reason.removeprefix(_PREFIX).split("; ")
    return list(dict.fromkeys(_OWNERS.split(part)[0] for part in parts))


def page(found: Outcomes) -> str:
    """Return the whole page."""
    return "\n".join(
        [
            "# ONNX's own suite",
            "",
            f"Written by `{COMMAND}`: every CPU case of onnx {version('onnx')}'s "
            "`onnx.backend.test` through `glow.onnx_backend`. None is left out, and "
            "none needs a download. A case that crashes or takes more than "
            f"{SECONDS:g} s has failed. The peer is ONNX Runtime {version(PEER)}, "
            "through its own `onnxruntime.backend`.",
            "",
            *_summary(found),
            "",
            "## What is missing",
            "",
            "Cases on target `cpu` that need it, and those that need nothing else.",
            "",
            *_missing(found[TARGETS[0]]),
            "",
            "## Failures",
            "",
            *(_failures(found) or ["None."]),
            "",
            "## By operator",
            "",
            "Cases that passed, failed and are unsupported; those of an operator's "
            "definition by others (`_expanded`) count for the operator.",
            "",
            *_by_operator(found),
            "",
        ]
    )


def _row(*cells: object) -> str:
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def _head(*cells: str) -> list[str]:
    return [_row(*cells), "|" + "---|" * len(cells)]


def _counts(outcomes: Sequence[Outcome]) -> list[int]:
    return [counted(outcomes, status) for status in STATUSES]


def _summary(found: Outcomes) -> list[str]:
    lines = _head("", "cases", *STATUSES)
    for target in TARGETS:
        lines.append(_row(target, len(found[target]), *_counts(found[target])))
    passed = counted(found[PEER], PASSED)
    return [*lines, _row("ONNX Runtime", len(found[PEER]), passed, "", "")]


def _missing(outcomes: Iterable[Outcome]) -> list[str]:
    lacking = [reasons(each) for each in outcomes if each.status == UNSUPPORTED]
    total = Counter(reason for each in lacking for reason in each)
    alone = Counter(each[0] for each in lacking if len(each) == 1)
    ordered = sorted(total.items(), key=lambda item: (-item[1], item[0]))
    rows = [_row(name, count, alone[name]) for name, count in ordered]
    return [*_head("what", "cases", "alone"), *rows]


def _failures(found: Outcomes) -> list[str]:
    return [
        f"- `{each.case}` on {target} {each.status}: {each.reason}"
        for target in TARGETS
        for each in found[target]
        if counted([each], FAILED)
    ]


def _by_operator(found: Outcomes) -> list[str]:
    groups = {target: _grouped(outcomes) for target, outcomes in found.items()}
    lines = _head("operator", *TARGETS, "ONNX Runtime", "what is missing")
    for operator, outcomes in groups[TARGETS[0]].items():
        counts = [" / ".join(map(str, _counts(groups[t][operator]))) for t in TARGETS]
        lacking = [r for o in outcomes if o.status == UNSUPPORTED for r in reasons(o)]
        passed = counted(groups[PEER][operator], PASSED)
        lines.append(_row(operator, *counts, passed, _brief(lacking)))
    return lines


def _grouped(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    def operator(outcome: Outcome) -> str:
        return outcome.operator

    ordered = sorted(outcomes, key=operator)
    return {name: list(group) for name, group in groupby(ordered, operator)}


def _brief(lacking: Iterable[str]) -> str:
    """Return each thing once; types in one list."""
    found = sorted(set(lacking))
    prefix = "element type "
    types = [each.removeprefix(prefix) for each in found if each.startswith(prefix)]
    rest = [each for each in found if not each.startswith(prefix)]
    return "; ".join([*([", ".join(types)] if types else []), *rest])


def main() -> None:
    parser = argparse.ArgumentParser(description="Run ONNX's own suite")
    parser.add_argument("--output", type=Path, help="write the page here")
    parser.add_argument("--jobs", type=int, default=2, help="processes at once")
    parser.add_argument("--cases", nargs="*", help="only these, such as test_abs_cpu")
    arguments = parser.parse_args()
    found: Outcomes = {}
    for backend in (*TARGETS, PEER):
        found[backend] = run_cases(backend, arguments.cases, arguments.jobs)
        numbers = zip(_counts(found[backend]), STATUSES, strict=True)
        print(f"{backend}: {', '.join(f'{n} {status}' for n, status in numbers)}")
    if arguments.output:
        arguments.output.write_text(page(found))
    problems = _failures(found)
    print("\n".join(problems), end="\n" * bool(problems))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
