"""Code for a new shape follows from that for others, and is as if compiled for it."""

from __future__ import annotations

import gc
import logging
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from weakref import WeakSet

import exported
import numpy as np
import pytest
from numpy.typing import NDArray
from operators.oracle import run_onnxruntime
from small_onnx import info, model, node

import glow
from glow import DynamicExecutable
from glow.dialects.memory.attention import AttentionOp
from glow.graph_modules import context
from glow.lowering.graph_to_memory.attention import decide_blocks
from glow.pass_manager import lowered
from glow.support.targets import target_of
from glow.symbolic_model import SymbolicModel


def compiled(source: Any, **options: Any) -> DynamicExecutable:
    net = glow.compile(source, **options)
    assert isinstance(net, DynamicExecutable)
    return net


def steps_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return `derived 1,9` or `compiled 1,9` for each shape that code was made for."""
    found: list[str] = []
    for record in caplog.records:
        if record.levelno == logging.INFO and record.args and len(record.args) == 4:
            _, how, dims, _ = map(str, record.args)
            extents = (each.partition("=")[2] for each in dims.split(", "))
            found.append(f"{how} {','.join(extents)}")
    caplog.clear()
    return found


def rows(extra: Iterable[Any], weights: dict[str, NDArray[Any]] | None = None) -> Any:
    """Return a model of [length, 4] that ends in `extra`, which reads x and makes y."""
    return model(
        list(extra), {"x": ("length", 4)}, [info("y", (None, None))], weights or {}
    )


def relu_rows() -> Any:
    return rows([node("Relu", "x", "y")])


def texts(batch: int, length: int) -> dict[str, NDArray[Any]]:
    rng = np.random.default_rng(batch * 1000 + length)
    mask = rng.integers(0, 2, (batch, length))
    mask[:, 0] = 1
    ids = rng.integers(3, exported.WORDS, (batch, length))
    return {"input_ids": ids, "attention_mask": mask}


@pytest.mark.slow
def test_transformer_gets_the_bits_that_a_compilation_gives(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "glow")
    source = exported.read("bert")
    net = compiled(source)
    for length in (64, 51, 120, 90):
        feeds = texts(2, length)
        (y,) = net.run(feeds).values()
        static = glow.compile(glow.load(source, dims={"batch": 2, "sequence": length}))
        np.testing.assert_array_equal(y, *static.run(feeds).values())
        np.testing.assert_allclose(y, run_onnxruntime(source, feeds)[0], atol=1e-4)
    assert steps_in(caplog)[-1] == "derived 2,90"


def test_shape_that_outgrows_others_is_between_after_one_twice_as_large(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "glow")
    net = compiled(relu_rows())
    for length in (3, 4, 5, 9, 12, 18, 19):
        x = np.random.default_rng(length).standard_normal((length, 4), np.float32)
        np.testing.assert_array_equal(net(x), np.maximum(x, 0))
    assert steps_in(caplog) == [
        *("compiled 3", "compiled 4", "compiled 5"),
        *("compiled 18", "derived 9", "derived 12", "derived 18"),
        *("compiled 38", "derived 19"),
    ]


def test_no_shape_larger_than_a_model_takes(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "glow")
    table = np.random.default_rng(0).standard_normal((16, 4), np.float32)
    nodes = [
        node("Shape", "x", "shape"),
        node("Slice", "shape zero one", "end"),
        node("Slice", "table zero end", "part"),
        node("Add", "x part", "y"),
    ]
    weights = {"table": table, "zero": np.array([0]), "one": np.array([1])}
    net = compiled(rows(nodes, weights))
    for length in (5, 6, 7, 10, 11):
        x = np.ones((length, 4), np.float32)
        np.testing.assert_array_equal(net(x), x + table[:length])
    steps = steps_in(caplog)
    assert steps == [f"compiled {n}" for n in (5, 6, 7, 10, 11)]


def test_only_whole_steps_from_samples_are_derived(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Samples that all are multiples of 8 do not show what is rounded to these."""
    caplog.set_level(logging.INFO, "glow")
    net = compiled(relu_rows())
    for length in (8, 16, 32, 24, 20, 28, 23, 22, 31, 40, 88):
        net(np.zeros((length, 4), np.float32))
    assert steps_in(caplog) == [
        *("compiled 8", "compiled 16", "compiled 32", "derived 24"),
        *("compiled 20", "derived 28", "compiled 23", "derived 22", "derived 31"),
        *("compiled 80", "derived 40", "compiled 176", "derived 88"),
    ]


def test_shape_that_outgrows_others_by_whole_steps_is_between(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "glow")
    net = compiled(relu_rows())
    for length in (9, 15, 27, 33, 71):
        net(np.zeros((length, 4), np.float32))
    assert steps_in(caplog) == [
        *("compiled 9", "compiled 15", "compiled 27"),
        *("compiled 69", "derived 33", "compiled 71"),
    ]


@pytest.mark.slow
def test_strided_windows_are_derived_by_whole_steps(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """An extent of other steps neither is derived nor spoils what others show."""
    caplog.set_level(logging.INFO, "glow")
    steps = [node("Conv", "x w", "z", strides=[4]), node("Relu", "z", "y")]
    filters = np.random.default_rng(0).standard_normal((8, 3, 5), np.float32)
    inputs, outputs = {"x": (2, 3, "length")}, [info("y", (2, 8, None))]
    source = model(steps, inputs, outputs, {"w": filters})
    net = compiled(source)
    for length in (20, 44, 92, 33, 68, 34, 116, 95, 188, 35):
        x = np.random.default_rng(length).standard_normal((2, 3, length), np.float32)
        (expected,) = run_onnxruntime(source, {"x": x})
        np.testing.assert_allclose(net(x), expected, rtol=1e-4, atol=1e-5)
    assert steps_in(caplog) == [
        *("compiled 20", "compiled 44", "compiled 92", "compiled 33", "derived 68"),
        *("compiled 34", "compiled 236", "derived 116", "compiled 95", "derived 188"),
        "compiled 35",
    ]


def test_rounded_extents_are_computed_by_the_model(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The model pads to a multiple of 3; samples of one rest look like a line."""
    caplog.set_level(logging.INFO, "glow")
    nodes = [
        node("Shape", "x", "shape"),
        node("Slice", "shape zero one", "length"),
        node("Neg", "length", "less"),
        node("Mod", "less three", "rest"),
        node("Concat", "zeros rest zero", "pads", axis=0),
        node("Pad", "x pads", "y"),
    ]
    weights = {
        "zero": np.array([0]),
        "one": np.array([1]),
        "three": np.array([3]),
        "zeros": np.array([0, 0]),
    }
    net = compiled(rows(nodes, weights))
    for length in (5, 8, 17, 11, 12):
        x = np.ones((length, 4), np.float32)
        assert net(x).shape == (-(-length // 3) * 3, 4)
    assert all(step.startswith("compiled") for step in steps_in(caplog))


def test_one_and_none_are_no_family(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "glow")
    net = compiled(relu_rows())
    for length in (0, 1, 2, 3, 4, 5):
        assert net(np.zeros((length, 4), np.float32)).shape == (length, 4)
    steps = steps_in(caplog)
    assert steps[:5] == [f"compiled {n}" for n in range(5)]
    assert steps[5:] == ["compiled 10", "derived 5"]


def test_family_of_one_batch_has_the_constants_of_that_batch(
    caplog: pytest.LogCaptureFixture,
) -> None:
    steps = [
        node("Shape", "x", "batch", start=0, end=1),
        node("Squeeze", "batch", "rows"),
        node("Range", "zero rows one", "numbers"),
        node("Unsqueeze", "numbers axes", "column"),
        node("Cast", "column", "factors", to=1),
        node("Mul", "x factors", "z"),
        node("Softmax", "z", "y", axis=1),
    ]
    numbers = {"zero": np.array(0), "one": np.array(1), "axes": np.array([1])}
    inputs, outputs = {"x": ("batch", "length")}, [info("y", (None, None))]
    net = compiled(model(steps, inputs, outputs, numbers))
    caplog.set_level(logging.INFO, "glow")
    for batch, length in ((2, 9), (5, 9), (5, 17), (5, 32)):
        net.specialize({"batch": batch, "length": length})
    for batch, length in ((5, 20), (2, 17), (2, 32), (2, 20), (5, 21), (3, 21)):
        x = np.random.default_rng(0).standard_normal((batch, length), np.float32)
        got = net(x)
        powers = np.exp(x * np.arange(batch, dtype=np.float32)[:, None])
        expected = powers / powers.sum(1, keepdims=True)
        np.testing.assert_allclose(got, expected, rtol=1e-5)
    derived = {each for each in steps_in(caplog) if each.startswith("derived")}
    assert derived >= {"derived 5,20", "derived 5,21"}


@pytest.mark.slow
def test_shapes_that_threads_derive_at_once_are_right() -> None:
    net = compiled(rows([node("Softmax", "x", "z"), node("Relu", "z", "y")]))
    for length in (3, 9, 32, 41):
        net.specialize({"length": length})
    x = np.random.default_rng(0).standard_normal((40, 4), np.float32)
    expected = np.exp(x) / np.exp(x).sum(1, keepdims=True)
    lengths = list(range(10, 40))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: net(x[:n]), lengths))
    for length, each in zip(lengths, found, strict=True):
        np.testing.assert_allclose(each, expected[:length], rtol=1e-5)


def test_derived_code_that_is_refused_is_compiled(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from glow.module_compiler import ModuleCompiler
    from glow.support.errors import CompilationError

    def refuse(*_: Any) -> None:
        raise CompilationError("no room")

    caplog.set_level(logging.INFO, "glow")
    net = compiled(relu_rows())
    for length in (3, 4, 7):
        net(np.zeros((length, 4), np.float32))
    with monkeypatch.context() as patch:
        patch.setattr(ModuleCompiler, "place_and_compile", refuse)
        net(np.ones((5, 4), np.float32))
    assert "model: cannot derive length=5: no room" in caplog.text
    assert steps_in(caplog)[-1] == "compiled 5"
    assert net(np.ones((6, 4), np.float32)).shape == (6, 4)
    assert steps_in(caplog)[-1] == "derived 6"


def test_shapes_share_machine_code() -> None:
    net = compiled(rows([node("Softmax", "x", "z"), node("Relu", "z", "y")]))
    images = [net.specialize({"length": n}).image() for n in (16, 17, 64, 30)]
    assert {image.objects for image in images} == {images[0].objects}
    assert len({image.constants[-1].tobytes() for image in images}) == len(images)


@pytest.mark.slow
def test_shapes_share_the_code_of_threads() -> None:
    """Many sections, so that `main` is in parts, and pieces of several units."""
    rng = np.random.default_rng(0)
    nodes = [node("Identity", "x", "v0")]
    for n in range(20):
        nodes.append(node("MatMul", f"v{n} w", f"p{n}"))
        nodes.append(node("Softmax", f"p{n}", f"v{n + 1}", axis=0))
    nodes.append(node("Neg", "v20", "y"))
    shape = {"x": ("length", 64)}
    weights = {"w": rng.standard_normal((64, 64), np.float32)}
    source = model(nodes, shape, [info("y", ("length", 64))], weights)
    net = compiled(source, threads=2)
    images = [net.specialize({"length": n}).image() for n in (701, 768, 1200, 960)]
    assert all(image.team and image.team.sections > 16 for image in images)
    assert {image.objects for image in images} == {images[0].objects}
    x = rng.standard_normal((960, 64), np.float32)
    static = glow.compile(glow.load(source, dims={"length": 960}), threads=1)
    np.testing.assert_array_equal(net(x), static(x))


def test_shapes_that_broadcast_are_of_another_form(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The model reads one row from 100 on, as passes do with constants that grow."""
    caplog.set_level(logging.INFO, "glow")
    nodes = [
        node("Shape", "x", "shape"),
        node("Slice", "shape zero one", "length"),
        node("Less", "length hundred", "is_short"),
        node("Where", "is_short length one", "count"),
        node("Slice", "table zero count", "part"),
        node("Add", "x part", "y"),
    ]
    table = np.random.default_rng(0).standard_normal((99, 4), np.float32)
    numbers = {"zero": np.array([0]), "one": np.array([1]), "hundred": np.array([100])}
    net = compiled(rows(nodes, {"table": table, **numbers}))
    for length in (5, 200, 9, 301, 16, 400, 7, 250):
        x = np.ones((length, 4), np.float32)
        part = table[: length if length < 100 else 1]
        np.testing.assert_array_equal(net(x), x + part)
    assert steps_in(caplog)[-2:] == ["derived 7", "derived 250"]


@pytest.mark.parametrize(
    "options",
    [{"profile": True}, {"relayout": {"x": "CN"}}, {"fold_bytes": 1 << 20}],
    ids=["profile", "relayout", "fold_bytes"],
)
def test_options_of_other_stages_are_kept(options: dict[str, Any]) -> None:
    net = compiled(relu_rows(), **options)
    for length in (3, 5, 9, 7):
        stages = net.specialize({"length": length}).stages
    assert [stage.name for stage in stages] == ["memory", "loops", "llvm", "machine"]
    x = np.random.default_rng(0).standard_normal((7, 4), np.float32)
    x = x.T.copy() if "relayout" in options else x
    y = np.maximum(x, 0)
    np.testing.assert_array_equal(net(x), y.T if "relayout" in options else y)


def test_states_and_saved_files_have_derived_shapes(tmp_path: Any) -> None:
    nodes = [node("Add", "x past", "present"), node("Neg", "present", "y")]
    inputs = {"x": ("length", 4), "past": ("length", 4)}
    outputs = [info("y", ("length", 4)), info("present", ("length", 4))]
    net = compiled(model(nodes, inputs, outputs, {}), states={"present": "past"})
    for length in (3, 5, 10, 6):
        x = np.ones((length, 4), np.float32)
        bound = net.bind({"x": x})
        bound.run()
        np.testing.assert_array_equal(bound.run()["y"], -2 * x)
    assert net.specialize({"length": 6}).stages[0].name == "memory"
    net.save(tmp_path / "net.glow")
    again = glow.load_executable(tmp_path / "net.glow")
    assert isinstance(again, DynamicExecutable)
    assert again.compiled == net.compiled


def test_attentions_of_equal_extents_share_what_is_decided_anew() -> None:
    source = glow.load(exported.read("bert"), dims={"batch": 2, "sequence": 64})
    module = lowered(context(), source.module, "memory", "cpu:avx2")
    ops = [op for op in module.walk() if isinstance(op, AttentionOp)]
    for op in ops:
        decide_blocks(target_of("cpu:avx2"), op)
    blocks = {(id(op.query_block), id(op.key_block), id(op.joins_heads)) for op in ops}
    assert len(ops) == 2
    assert len(blocks) == 1
    module.verify()


@pytest.mark.slow
def test_many_lengths_in_one_process() -> None:
    weight = np.random.default_rng(0).standard_normal((4, 8), np.float32)
    nodes = [
        node("MatMul", "x w", "product"),
        node("Softmax", "product", "shares"),
        node("Transpose", "shares", "turned"),
        node("MatMul", "turned shares", "y"),
    ]
    source = rows(nodes, {"w": weight})
    net = compiled(source, cache_size=4)
    lengths = np.random.default_rng(1).permutation(np.arange(10, 60)).tolist()
    made = WeakSet[glow.Executable]()
    for length in lengths:
        made.add(net.specialize({"length": length}))
        x = np.random.default_rng(length).standard_normal((length, 4), np.float32)
        wanted = run_onnxruntime(source, {"x": x})[0]
        np.testing.assert_allclose(net(x), wanted, rtol=1e-4)
    assert [dims["length"] for dims in net.compiled] == lengths[-4:]
    gc.collect()
    assert len(made) == 4, "executables beyond cache_size and their arenas are freed"


def test_specialized_model_says_what_it_rounds() -> None:
    nodes = [
        node("Shape", "x", "shape"),
        node("Div", "shape two", "half"),
        node("ConstantOfShape", "half", "y"),
    ]
    source = rows(nodes, {"two": np.array([2, 1])})
    loaded = glow.load(source)
    assert isinstance(loaded, SymbolicModel)
    notes: list[Any] = []
    loaded.specialize({"length": 6}, note=notes.append)
    assert [each[0] for each in notes] == ["graph.div"]
