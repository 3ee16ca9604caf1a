"""Arrays of the caller in another order: same numbers, a signature that says so."""

from __future__ import annotations

from pathlib import Path

import models
import numpy as np
import onnx
import pytest
from grids import slow_but
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

import glow
from glow.dialects.layout.transform import TransformOp
from glow.graph_modules import context
from glow.model import parse_text
from glow.options import Options
from glow.pass_manager import plan, run_passes
from glow.support.layout import pack, parse_layout, unpack
from glow.tools import glow_opt, glow_run

TARGETS = ("reference", "reference-checked", "cpu")
MEANINGS = ("DATA_BATCH", "DATA_CHANNEL", "DATA_FEATURE", "DATA_FEATURE")

Array = NDArray[np.float32]


def network(channels: int = 3) -> onnx.ModelProto:
    """A convolution whose result is saved, and saved flat; one input says its axes."""
    f32 = TensorProto.FLOAT
    image = helper.make_tensor_value_info("image", f32, [1, channels, 6, 5])
    for dim, text in zip(image.type.tensor_type.shape.dim, MEANINGS, strict=True):
        dim.denotation = text
    outputs = [
        helper.make_tensor_value_info("out/y", f32, [1, 8, 4, 3]),
        helper.make_tensor_value_info("flat", f32, [1, 96]),
    ]
    weights = np.random.default_rng(0).standard_normal((8, channels, 3, 3), np.float32)
    nodes = [
        helper.make_node("Conv", ["image", "w"], ["c"]),
        helper.make_node("Relu", ["c"], ["out/y"]),
        helper.make_node("Flatten", ["out/y"], ["flat"]),
    ]
    graph = helper.make_graph(
        nodes, "g", [image], outputs, [numpy_helper.from_array(weights, "w")]
    )
    opset = helper.make_opsetid("", 17)
    return helper.make_model(graph, opset_imports=[opset], ir_version=8)


def image(channels: int = 3) -> Array:
    shape = (1, channels, 6, 5)
    return np.random.default_rng(1).standard_normal(shape, np.float32)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("channels", slow_but([1, 3], 3))
@pytest.mark.parametrize(
    "relayout",
    [
        {"image": "NHWC"},
        {"image": "CHWN", "out/y": "NCHW4c", "flat": "[1, 0]"},
        {"image": "NWHC", "out/y": "[2, 0, 3, 1:2, 1:?:2]"},
        "NHWC",
    ],
)
def test_numbers_stay_and_arrays_change(
    target: str, channels: int, relayout: dict[str, str] | str
) -> None:
    proto, x = network(channels), image(channels)
    expected = glow.compile(proto, target="reference").run({"image": x})
    net = glow.compile(proto, target=target, relayout=relayout)
    asked = relayout
    if isinstance(asked, str):
        asked = {"image": asked, "out/y": asked}
    given = pack(parse_layout(asked["image"]), x)
    found = net.run({"image": given})
    for name, array in expected.items():
        plain = f"[{', '.join('0123'[: array.ndim])}]"
        layout = parse_layout(asked.get(name, plain))
        assert found[name].shape == pack(layout, array).shape
        np.testing.assert_allclose(
            unpack(layout, found[name], array.shape), array, 1e-5, 1e-5
        )


@pytest.mark.parametrize("target", TARGETS)
def test_the_signature_says_what_to_pass(target: str) -> None:
    net = glow.compile(network(), target=target, relayout={"image": "NHWC"})
    (spec,) = net.inputs
    assert str(spec) == (
        f"image: float32[1, 6, 5, 3] (NHWC of [1, 3, 6, 5]; axes {', '.join(MEANINGS)})"
    )
    assert [str(spec) for spec in net.outputs] == [
        "out/y: float32[1, 8, 4, 3]",
        "flat: float32[1, 96]",
    ]
    np.testing.assert_array_equal(spec.unpack(spec.pack(image())), image())
    with pytest.raises(glow.BindingError, match=r"NHWC of \[1, 3, 6, 5\].*got float32"):
        net(image())
    assert net(spec.pack(image()))[0].shape == (1, 8, 4, 3)


def test_without_a_wish_everything_is_as_declared() -> None:
    net = glow.compile(network())
    assert net.inputs[0].axes == MEANINGS
    assert (net.inputs[0].layout, net.inputs[0].shape) == ("", (1, 3, 6, 5))
    assert net.inputs[0].pack(image()) is not None
    assert net.outputs[0].axes == ()


def test_a_value_that_is_input_and_output_has_one_order() -> None:
    text = """
    graph.placeholder @x "inout" : tensor<2x3x4x5xf32>
    func.func @main() {
      %x = graph.load @x : tensor<2x3x4x5xf32>
      %y = graph.neg %x : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
      graph.save @x, %y : tensor<2x3x4x5xf32>
      func.return
    }
    """
    x = np.random.default_rng(0).standard_normal((2, 4, 5, 3), np.float32)
    for target in TARGETS:
        module = parse_text(context(), text, "test")
        net = glow.compile(module, target=target, relayout={"x": "NHWC"})
        np.testing.assert_array_equal(net(x), -x)


@pytest.mark.parametrize(
    ("relayout", "message"),
    [
        (
            {"foo": "NHWC"},
            r'input or output out of "image", "out/y", "flat", got "foo"',
        ),
        ({"w": "NHWC"}, "expected the name of an input or output"),
        ({"image": "NC"}, 'expected a layout of rank 4 for "image", got NC of rank 2'),
        ({"image": "NHWQ"}, 'layout "NHWQ", column 4: expected the letters'),
        ({"image": "N*HW"}, "column 2: .* got the wildcard"),
        ({"image": ""}, 'layout "", column 1: expected a layout, got the end'),
        ({"image": "NCHW8c"}, r'expected blocks that divide the axes of "image"'),
        ({"image": "N[a=64]HWC"}, "without alignment and halo for .image."),
        ({"image": "NHWC, halo = [0, 0, 1, 1]"}, "without alignment and halo"),
        ("NCDHW", "expected an input or output of rank 5 for layout NCDHW, got none"),
    ],
)
@pytest.mark.parametrize("target", TARGETS)
def test_what_cannot_be_is_refused(
    target: str, relayout: dict[str, str] | str, message: str
) -> None:
    with pytest.raises(glow.CompilationError, match=message):
        glow.compile(network(), target=target, relayout=relayout)


def run_tool(main: object, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["tool", *arguments])
    try:
        main()  # pyright: ignore
    except SystemExit as end:
        return int(end.code or 0)
    return 0


@pytest.fixture
def path(tmp_path: Path) -> str:
    onnx.save(network(), tmp_path / "net.onnx")
    return str(tmp_path / "net.onnx")


def test_tools_take_the_same_wish(
    path: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wish = ["--relayout-io", "image=NHWC", "--relayout-io", "out/y=NCHW4c"]
    assert run_tool(glow_run.main, monkeypatch, path, "--signature", *wish) == 0
    assert capsys.readouterr().out.splitlines() == [
        "input image: float32[1, 6, 5, 3] (NHWC of [1, 3, 6, 5]; axes "
        + ", ".join(MEANINGS)
        + ")",
        "output out/y: float32[1, 2, 4, 3, 4] (NCHW4c of [1, 8, 4, 3])",
        "output flat: float32[1, 96]",
    ]
    compared = [path, "--random-inputs", "0", "--vs", "onnxruntime", *wish]
    assert run_tool(glow_run.main, monkeypatch, *compared) == 0
    assert "NCHW4c of [1, 8, 4, 3]) values from 0" in capsys.readouterr().out
    lowered = [path, "--stop-after", "layout", *wish]
    assert run_tool(glow_opt.main, monkeypatch, *lowered) == 0
    text = capsys.readouterr().out
    assert "@image" in text
    assert "tensor<1x3x6x5xf32, #layout.physical<NHWC>>" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--relayout-io", "image=NHWC", "--relayout-io", "NHWC"], "NAME=LAYOUT once"),
        (["--relayout-io", "a=NHWC", "--relayout-io", "a=NHWC"], "NAME=LAYOUT once"),
        (["--relayout-io", "=NHWC"], "NAME=LAYOUT once"),
        (["--relayout-io", "image="], "NAME=LAYOUT once"),
        (["--relayout-io", "b=NHWC"], 'out of "image", "out/y", "flat", got "b"'),
    ],
)
def test_wrong_wishes_get_one_line(
    path: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    assert run_tool(glow_run.main, monkeypatch, path, *arguments) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert message in error


def test_glow_opt_needs_stages_to_put_it_into(
    path: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_tool(glow_opt.main, monkeypatch, path, "--relayout-io", "NHWC") == 1
    assert "--relayout-io together with --stop-after" in capsys.readouterr().err


def test_the_report_of_layouts_knows_the_wish(
    path: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report = [path, "--layout-report"]
    assert run_tool(glow_opt.main, monkeypatch, *report) == 0
    assert "(1 of inputs" in capsys.readouterr().out
    report += ["--relayout-io", "image=NHWC"]
    assert run_tool(glow_opt.main, monkeypatch, *report) == 0
    assert "of inputs" not in capsys.readouterr().out


def test_assigned_layouts_come_too_late(
    path: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lowered = str(Path(path).with_name("net.mlir"))
    done = [path, "--stop-after", "layout", "-o", lowered]
    assert run_tool(glow_opt.main, monkeypatch, *done) == 0
    again = [lowered, "--signature", "--relayout-io", "NHWC"]
    assert run_tool(glow_run.main, monkeypatch, *again) == 1
    assert "relayout: expected to go through stage layout" in capsys.readouterr().err


@pytest.mark.parametrize("target", TARGETS)
def test_a_written_module_keeps_what_its_author_wants(
    target: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = str(Path(path).with_name("wanted.mlir"))
    passes = "relayout-io{names=image layouts=NHWC}"
    run_tool(glow_opt.main, monkeypatch, path, "-p", passes, "-o", wanted)
    net = glow.compile(wanted, target=target)
    given = {"image": net.inputs[0].pack(image())}
    assert given["image"].shape == (1, 6, 5, 3)
    expected = glow.compile(path, target="reference").run({"image": image()})
    for name, array in net.run(given).items():
        np.testing.assert_allclose(array, expected[name], 1e-5, 1e-5)


@pytest.mark.slow
def test_nothing_moves_in_the_order_of_the_target() -> None:
    """The plain order costs a movement at the input, which the wish saves."""
    proto = models.TWINS["resnet50"](width=8, size=64)
    counts: list[int] = []
    for relayout in (None, "NHWC"):
        module = glow.load(proto).module.clone()
        for part in plan("import", "layout", "cpu", Options(relayout=relayout)):
            run_passes(part.passes, context(), module)
        counts.append(sum(isinstance(op, TransformOp) for op in module.walk()))
    assert counts == [1, 0]
