"""With shapes="background", calls wait for code only where nothing else is exact."""

from __future__ import annotations

import logging
from threading import Event
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from small_onnx import info, model, node

import glow
from glow import DynamicExecutable
from glow.runtime.background import BackgroundWork
from glow.shape_compiler import ShapeCompiler
from glow.support.errors import CompilationError

RNG = np.random.default_rng(0)
W = RNG.standard_normal((4, 4), np.float32)
SOFT = [node("MatMul", "x w", "p"), node("Softmax", "p", "y", axis=-1)]
MIXED = [node("MatMul", "x w", "p"), node("Softmax", "p", "y", axis=0)]


def net_of(nodes: list[Any], **options: Any) -> tuple[DynamicExecutable, Any]:
    """Return a model of [batch, 4], and what works in its background."""
    source = model(nodes, {"x": ("batch", 4)}, [info("y", ("batch", 4))], {"w": W})
    net = glow.compile(source, shapes="background", **options)
    assert isinstance(net, DynamicExecutable)
    work: Any = net._work  # pyright: ignore[reportPrivateUsage]
    assert isinstance(work, BackgroundWork)
    return net, work


def rows(count: int) -> NDArray[np.float32]:
    return np.random.default_rng(count).standard_normal((count, 4), np.float32)


def expected(x: NDArray[Any], axis: int = -1) -> NDArray[Any]:
    e = np.exp(x @ W)
    return e / e.sum(axis, keepdims=True)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Event:
    """An event that compilations in the background wait for."""
    event, compile = Event(), ShapeCompiler.compile
    event.set()

    def gated(self: ShapeCompiler, dims: Any) -> Any:
        assert event.wait(60)
        return compile(self, dims)

    monkeypatch.setattr(ShapeCompiler, "compile", gated)
    return event


@pytest.mark.slow
def test_calls_are_served_by_another_batch_meanwhile(
    gate: Event, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "glow")
    net, work = net_of(SOFT)
    for count in (4, 3):  # the second one waits, and has the rows looked at
        np.testing.assert_allclose(net(rows(count)), expected(rows(count)), rtol=1e-5)
        work.wait()
    gate.clear()
    received: list[str] = []
    for count, by in ((7, 4), (6, 3), (9, 3), (2, 3)):
        x = rows(count)
        np.testing.assert_allclose(net(x), expected(x), rtol=1e-5)
        assert f"batch={count}: served by code for {by}" in caplog.text
        out = np.zeros_like(x)
        net.run({"x": x}, {"y": out}, lambda name, _: received.append(name))
        np.testing.assert_allclose(out, expected(x), rtol=1e-5)
    assert received == ["y"] * 4
    assert len(net.compiled) == 2
    gate.set()
    work.wait()
    assert {"batch": 7} in net.compiled
    caplog.clear()
    np.testing.assert_allclose(net(rows(7)), expected(rows(7)), rtol=1e-5)
    assert "served" not in caplog.text


def test_rows_that_are_mixed_wait(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "glow")
    net, work = net_of(MIXED)
    for count in (4, 3, 7, 2):
        x = rows(count)
        np.testing.assert_allclose(net(x), expected(x, 0), rtol=1e-5)
        work.wait()
    assert "served" not in caplog.text


def test_one_row_and_none_wait(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "glow")
    net, work = net_of(SOFT)
    for count in (1, 3, 0, 1, 5):
        assert net(rows(count)).shape == (count, 4)
        work.wait()
    assert "served" not in caplog.text


def test_errors_of_the_background_are_raised_by_the_next_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    net, work = net_of(SOFT)
    for count in (4, 3):
        net(rows(count))
        work.wait()

    def refuse(*_: Any) -> None:
        raise CompilationError("no room")

    with monkeypatch.context() as patch:
        patch.setattr(ShapeCompiler, "compile", refuse)
        np.testing.assert_allclose(net(rows(6)), expected(rows(6)), rtol=1e-5)
        work.wait()
        net(rows(4))  # which has its code
        with pytest.raises(CompilationError, match=r"^for batch = 6: no room$"):
            net(rows(6))
    net(rows(6))  # an error is raised once
    work.wait()
    assert {"batch": 6} in net.compiled


def test_what_is_not_a_shape_is_named() -> None:
    wanted = 'expected extents by dimension or "background" as shapes, got "later"'
    with pytest.raises(ValueError, match=wanted):
        glow.compile(b"", shapes="later")  # pyright: ignore[reportArgumentType]
