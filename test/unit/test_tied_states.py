"""Outputs that are inputs of the next run: decoders with a cache, recurrent models."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from models.decoder import STATES, decoder, decoder_cached
from numpy.typing import NDArray
from onnx import ModelProto
from operators.oracle import run_onnxruntime
from repository import ROOT
from small_onnx import model, node
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

import glow
from glow.analysis.buffers import root_of
from glow.analysis.copies import copies_in
from glow.dialects.graph.scattering import TensorScatterOp
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.storage import GetOp
from glow.graph_modules import context
from glow.options import Options
from glow.pass_manager import plan, run_passes

Array = NDArray[Any]
TARGETS = ("cpu", "reference", "reference-checked")
SMALL = {"width": 32, "heads": 4, "kv_heads": 2, "wide": 48}
CAPACITY = 24


class Sequence:
    """One sequence of tokens: bindings of its own, and what ONNX Runtime says."""

    def __init__(self, net: glow.Executable, growing: ModelProto, seed: int):
        self.x, self.length = np.empty((1, 1, 32), np.float32), np.zeros(1, np.int64)
        self.bound = net.bind({"input": self.x, "length": self.length})
        self.growing = growing
        self.past = [np.zeros((1, 2, 0, 8), np.float32)] * 2
        self.draw = np.random.default_rng(seed).standard_normal

    def step(self) -> None:
        """Append a token to both, and compare."""
        self.x[...] = self.draw(self.x.shape, np.float32)
        feeds = {"input": self.x, "positions": self.length.reshape(1, 1)}
        feeds |= dict(zip(STATES.values(), self.past, strict=True))
        expected, *self.past = run_onnxruntime(self.growing, feeds)
        np.testing.assert_allclose(self.bound.run()["output"], expected, atol=2e-5)
        self.length += 1

    def fork(self) -> Sequence:
        """Return another sequence that goes on from here."""
        twin = object.__new__(Sequence)
        twin.__dict__ |= self.__dict__
        twin.x, twin.length = self.x.copy(), self.length.copy()
        twin.bound = self.bound.clone()
        twin.bound["input"], twin.bound["length"] = twin.x, twin.length
        twin.draw = np.random.default_rng(99).standard_normal
        return twin


@pytest.fixture(scope="module", params=TARGETS)
def net(request: pytest.FixtureRequest) -> glow.Executable:
    source = decoder_cached(CAPACITY, **SMALL)
    return glow.compile(source, target=request.param, states=STATES)


@pytest.fixture(scope="module")
def growing() -> ModelProto:
    return decoder(1, "past", **SMALL, positions=CAPACITY)


@pytest.mark.slow
def test_signature_has_no_states(net: glow.Executable) -> None:
    assert [spec.name for spec in net.inputs] == ["input", "length"]
    assert [spec.name for spec in net.outputs] == ["output"]
    names = [state.spec.name for state in net.signature.states]
    assert names == ["past_key", "past_value"]


@pytest.mark.slow
def test_sequences_in_turns_forks_and_a_reset(
    net: glow.Executable, growing: ModelProto
) -> None:
    first, second = Sequence(net, growing, 1), Sequence(net, growing, 2)
    for _ in range(4):
        first.step()
        second.step()
        second.step()
    third = first.fork()
    for each in (first, third, second, third, first):
        each.step()
    # What a state is can be said by name: here that nothing was there.
    for name in STATES.values():
        third.bound[name] = np.zeros((1, 2, CAPACITY, 8), np.float32)
    third.length[...] = 0
    third.past = [array[:, :, :0] for array in third.past]
    third.step()
    first.step()


@pytest.mark.slow
def test_a_full_cache_is_reported(net: glow.Executable, growing: ModelProto) -> None:
    sequence = Sequence(net, growing, 3)
    sequence.length[...] = CAPACITY - 1
    sequence.x[...] = 1
    sequence.bound.run()
    held = {name: sequence.bound[name] for name in STATES.values()}
    before = {name: np.copy(array) for name, array in held.items() if array is not None}
    for length in (CAPACITY, CAPACITY + 1000, -1):
        sequence.length[...] = length
        with pytest.raises(glow.ExecutionError, match=r"expected an? (write )?index"):
            sequence.bound.run()
    for name, array in before.items():
        assert np.array_equal(sequence.bound[name], array)
    sequence.length[...] = CAPACITY - 1
    sequence.bound.run()


def test_a_call_starts_from_the_initial_states(net: glow.Executable) -> None:
    x, length = np.ones((1, 1, 32), np.float32), np.zeros(1, np.int64)
    first = net(x, length)
    bound = net.bind({"input": x, "length": length})
    assert np.array_equal(bound.run()["output"], first)
    length[...] = 1
    assert not np.array_equal(bound.run()["output"], first)
    length[...] = 0
    assert np.array_equal(net(x, length), first)


def test_saved_executables_have_states(tmp_path: Path, growing: ModelProto) -> None:
    source = decoder_cached(CAPACITY, **SMALL)
    glow.compile(source, states=STATES).save(tmp_path / "net.glow")
    sequence = Sequence(glow.load_executable(tmp_path / "net.glow"), growing, 4)
    for _ in range(3):
        sequence.step()


@pytest.mark.full
def test_long_sequences(growing: ModelProto) -> None:
    net = glow.compile(decoder_cached(CAPACITY, **SMALL), states=STATES)
    for seed in range(20):
        sequence = Sequence(net, growing, seed)
        for _ in range(CAPACITY):
            sequence.step()


def at_memory_level(capacity: int) -> ModuleOp:
    module = glow.load(decoder_cached(capacity, **SMALL)).module.clone()
    for part in plan("import", "memory", "cpu", Options(states=STATES)):
        run_passes(part.passes, context(), module)
    return module


def is_scatter(op: Operation) -> bool:
    return isinstance(op, ApplyOp) and op.graph_class is TensorScatterOp


@pytest.mark.slow
def test_a_step_writes_what_it_appends() -> None:
    """The caches are written by tensor_scatter alone, and nobody copies them."""
    module = at_memory_level(CAPACITY)
    scattered = [op for op in module.walk() if is_scatter(op)]
    symbols = [root_of(op.operands[-1]).owner for op in scattered]
    assert [op.symbol.string_value() for op in symbols if isinstance(op, GetOp)] == [
        *STATES.values()
    ]
    small, large = (
        sum(each.bytes for each in copies_in(at_memory_level(capacity)))
        for capacity in (CAPACITY, 100 * CAPACITY)
    )
    assert small == large


@pytest.mark.slow
def test_the_example_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    example = runpy.run_path(str(ROOT / "examples" / "kv_cache.py"))
    monkeypatch.setitem(example["main"].__globals__, "TOKENS", 5)
    example["main"]()  # raises where a step differs from ONNX Runtime's
    assert capsys.readouterr().out.count("tokens/s") == 2


@pytest.mark.slow
def test_the_table_of_the_benchmark_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    import kv_cache

    ours, theirs, error = kv_cache.measure(256, 128, rounds=1)
    assert min(ours, theirs) > 0
    assert error < 1e-4


def lstm() -> ModelProto:
    nodes = [node("LSTM", "x w r - - h c", "y h2 c2", "lstm", hidden_size=3)]
    draw = np.random.default_rng(0).standard_normal
    weights = {
        "w": draw((1, 12, 2), np.float32),
        "r": draw((1, 12, 3), np.float32),
    }
    shapes = {"x": (1, 1, 2), "h": (1, 1, 3), "c": (1, 1, 3)}
    return model(nodes, shapes, ["y", "h2", "c2"], weights)


@pytest.mark.parametrize("target", TARGETS)
def test_recurrent_networks_keep_their_states(target: str) -> None:
    net = glow.compile(lstm(), target=target, states={"h2": "h", "c2": "c"})
    x = np.empty((1, 1, 2), np.float32)
    bound = net.bind({"x": x})
    h = c = np.zeros((1, 1, 3), np.float32)
    for seed in range(4):
        x[...] = np.random.default_rng(seed).standard_normal(x.shape)
        y, h, c = run_onnxruntime(lstm(), {"x": x, "h": h, "c": c})
        np.testing.assert_allclose(bound.run()["y"], y, atol=1e-5)
        np.testing.assert_allclose(bound["h"], h, atol=1e-5)
        np.testing.assert_allclose(bound["c"], c, atol=1e-5)


def refusal(source: object, states: dict[str, str]) -> str:
    with pytest.raises(glow.CompilationError) as refused:
        glow.compile(source, states=states)
    return str(refused.value)


def test_states_that_cannot_be_are_all_named() -> None:
    assert refusal(lstm(), {"h2": "x", "c": "c", "c2": "h0"}) == (
        'states: expected an output out of "y", "h2", "c2", got "c"; '
        'states: expected an input out of "x", "h", "c", got "h0"; '
        'states: expected output "h2" of the type of input "x", '
        "tensor<1x1x2xf32>, got tensor<1x1x3xf32>"
    )


def test_states_are_tied_where_a_model_begins(tmp_path: Path) -> None:
    text = 'memory.placeholder @x "in" : memref<2xf32>\nfunc.func @main() {func.return}'
    (tmp_path / "net.mlir").write_text(text)
    assert refusal(tmp_path / "net.mlir", {"y": "x"}) == (
        "states: expected to go through stage graph, got levels memory to llvm"
    )


def test_a_cache_that_grows_is_no_state() -> None:
    assert refusal(decoder(1, "past", **SMALL), STATES) == (
        'states: expected output "present_key" of the type of input "past_key", '
        "float32[1, 2, past, 8], got float32[1, 2, past + 1, 8]; "
        'states: expected output "present_value" of the type of input "past_value", '
        "float32[1, 2, past, 8], got float32[1, 2, past + 1, 8]"
    )
