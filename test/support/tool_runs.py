"""Runs of command-line tools inside the process of the test."""

from collections.abc import Callable

import pytest

Run = Callable[..., tuple[int, str, str]]
"""`run(main, *arguments)` returns the exit code, what was printed, and errors."""


def tool_runner(
    model: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Return what runs a tool on the file `model` for the reference target."""

    def run(main: Callable[[], None], *arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(
            "sys.argv", ["tool", model, "--target", "reference", *arguments]
        )
        code = 0
        try:
            main()
        except SystemExit as ending:
            code = int(ending.code or 0)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run
