"""Progress of long work, shown on terminals."""

import io
import time

import numpy as np
import pytest

import glow
from glow import progress_display
from glow.support.progress import begin_step, counted, expect_steps


@pytest.fixture(scope="module")
def model() -> glow.Model:
    builder = glow.Builder()
    x = builder.input("x", (2,), np.float32)
    builder.output("y", builder.relu(x))
    return builder.model()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("has_rich", [False, True])
def test_progress_names_the_step_and_the_share(
    has_rich: bool, model: glow.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    if has_rich:
        pytest.importorskip("rich")
    else:
        monkeypatch.setattr(progress_display, "find_spec", lambda name: None)
    monkeypatch.setattr(progress_display, "_PATIENCE_S", 0.0)
    monkeypatch.setattr(progress_display, "_PERIOD_S", 0.01)
    monkeypatch.setattr("sys.stderr", stream := Terminal())
    with glow.progress("my model"):
        expect_steps(4)
        begin_step("first")
        begin_step("second")
        time.sleep(0.2)
    assert "my model" in stream.getvalue()
    assert "25% second" in stream.getvalue()
    with glow.progress(), counted() as steps:
        glow.compile(model)
    assert steps.name == "machine code"
    assert 0.5 < steps.share < 1


def test_progress_is_for_terminals(
    model: glow.Model, capsys: pytest.CaptureFixture[str]
) -> None:
    with glow.progress():
        glow.compile(model)
    assert capsys.readouterr().err == ""
