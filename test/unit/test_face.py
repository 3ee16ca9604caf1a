"""What objects show, which versions tools name, which arrays a call takes."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper

import glow
from glow.tools import glow_bench, glow_bisect, glow_opt, glow_run

Array = NDArray[Any]

ADD = """
graph.placeholder @x "in" : tensor<2xf32>
graph.placeholder @i "in" : tensor<2xf32>
graph.placeholder @y "out" : tensor<2xf32>
func.func @main() {
  %x = graph.load @x : tensor<2xf32>
  %i = graph.load @i : tensor<2xf32>
  %y = graph.sub %x, %i : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  graph.save @y, %y : tensor<2xf32>
  func.return
}
"""

X, J = np.array([5, 7], np.float32), np.array([1, 2], np.float32)
WANTED = [4, 5]


class WithArray:
    def __init__(self, array: Array):
        self.array = array

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return self.array


class WithInterface:
    def __init__(self, array: Array):
        self.__array_interface__ = array.__array_interface__
        self.array = array


class WithDlpack:
    def __init__(self, array: Array):
        self.array = array

    def __dlpack__(self, **given: Any) -> Any:
        return self.array.__dlpack__(**given)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> glow.Model:
    path = tmp_path_factory.mktemp("model") / "net.mlir"
    path.write_text(ADD)
    return glow.load(path)


@pytest.fixture(scope="module", params=["cpu", "reference"])
def net(request: pytest.FixtureRequest, model: glow.Model) -> glow.Executable:
    return glow.compile(model, target=request.param)


def test_objects_say_what_they_are(model: glow.Model) -> None:
    net = glow.compile(model)
    signature = "(x: float32[2], i: float32[2]) -> (y: float32[2])"
    assert repr(model) == (
        "<Model net: import level; input x: float32[2]; input i: float32[2]; "
        "output y: float32[2]; 1 graph.sub>"
    )
    assert repr(net) == f"<NativeExecutable {signature}>"
    assert repr(net.bind({"x": X})) == (
        "<Bindings input x: float32[2], input i: float32[2] (not bound), "
        "output y: float32[2] (not bound)>"
    )
    builder = glow.Builder("net")
    builder.relu(builder.input("x", (2,)))
    assert repr(builder) == "<Builder net: 2 ops>"
    builder.output("y", builder.linear(builder.input("z", (2, 3)), 4, bias=False))
    assert "; output y: float32[2, 4]; constants 1: 12 elements; " in repr(
        builder.model()
    )
    assert repr(glow.jit(np.negative)) == "<glow.jit negative for cpu>"


def cells(shown: Any) -> list[list[str]]:
    """Return the rows of the table that a notebook shows, and check that it is one."""
    table = ElementTree.fromstring(shown._repr_html_())
    return [[cell.text or "" for cell in row] for row in table.findall("tr")]


def test_notebooks_show_tables(tmp_path: Path) -> None:
    (tmp_path / "net.mlir").write_text(ADD)
    model = glow.load(tmp_path / "net.mlir")
    net = glow.compile(model)
    array = "float32[2]"
    rows = [["input", "x", array], ["input", "i", array], ["output", "y", array]]
    assert cells(model)[1:] == [*rows, ["op", "graph.sub", "1"]]
    assert cells(net)[1:] == rows
    bound = [[*row, "yes" if row[1] == "x" else "no"] for row in rows]
    assert cells(net.bind({"x": X}))[1:] == bound
    builder = glow.Builder("net")
    builder.relu(builder.input("x", (2,)))
    assert ["graph.relu", "1"] in cells(builder)
    x = helper.make_tensor_value_info("a<b", TensorProto.FLOAT, ["n"])
    nodes = [helper.make_node("Relu", ["a<b"], ["y"])]
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n"])
    symbolic = glow.load(helper.make_model(helper.make_graph(nodes, "g", [x], [y])))
    assert ["input", "a<b", "float32[n]"] in cells(symbolic)


def test_completion_finds_what_is_public() -> None:
    assert {*glow.__all__, "__version__"} == {*dir(glow)}
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", glow.__version__)


@pytest.mark.parametrize("tool", [glow_opt, glow_run, glow_bench, glow_bisect])
def test_tools_name_their_version(
    tool: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = tool.__name__.rpartition(".")[2].replace("_", "-")
    monkeypatch.setattr("sys.argv", [name, "--version"])
    with pytest.raises(SystemExit) as ended:
        tool.main()
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"{name} {glow.__version__} (xDSL 0.")


def test_passes_are_listed_with_what_they_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["glow-opt", "--list-passes"])
    with pytest.raises(SystemExit) as ended:
        glow_opt.main()
    assert ended.value.code == 0
    own, _, others = capsys.readouterr().out.partition("\n\n")
    rows = [line.split(maxsplit=1) for line in own.splitlines()]
    assert all(len(row) == 2 for row in rows)
    assert dict(rows)["fold-constants"].startswith("Evaluate ops whose operands are")
    assert "canonicalize" in others


@pytest.mark.parametrize(
    "kind", [WithArray, WithInterface, WithDlpack, np.ndarray.tolist, tuple]
)
def test_calls_take_what_numpy_can_take_over(net: glow.Executable, kind: Any) -> None:
    x, i = kind(X), kind(J)
    for found in (
        net(x, i),
        net(x, i=i),
        net(i=i, x=x),
        net.run([x, i])["y"],
        net.run(None, {"i": i, "x": x})[0],
        net.run({"i": i, "x": x})["y"],
        net.bind({"x": x, "i": i}).run()["y"],
    ):
        assert np.array_equal(found, WANTED)


def test_memory_of_others_is_shared(net: glow.Executable) -> None:
    x = X.copy()
    bindings = net.bind({"x": WithDlpack(x), "i": WithInterface(J)})
    x[:] = 9
    assert np.array_equal(bindings.run()["y"], [8, 7])


def test_symbolic_models_take_them_too(symbolic: glow.Executable) -> None:
    assert np.array_equal(symbolic([[1.0, -2.0]]), [[1, 0]])
    assert np.array_equal(symbolic(x=WithArray(X[np.newaxis])), [[5, 7]])
    assert np.array_equal(symbolic.run([[[3, 4]]])["y"], [[3, 4]])
    (found,) = symbolic.run(None, {"x": [[3, 4]]})
    assert np.array_equal(found, [[3, 4]])


@pytest.fixture
def symbolic(onnx_model: Any) -> glow.Executable:
    return glow.compile(onnx_model)


@pytest.fixture
def onnx_model() -> Any:
    """A relu of rows whose number is open."""
    from onnx import TensorProto, helper

    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ("batch", 2))
        for name in "xy"
    ]
    relu = helper.make_node("Relu", ["x"], ["y"])
    graph = helper.make_graph([relu], "g", ends[:1], ends[1:])
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    )


WRONG = {
    "a float for integers": (lambda net: net([0.5, 1]), "got a list"),
    "text": (lambda net: net("ab"), "got a str"),
    "ragged": (lambda net: net([[1], [2, 3]]), "got a list"),
    "too large": (lambda net: net([1 << 70, 1]), "got a list"),
    "another shape": (lambda net: net([1, 2, 3]), "got int64[3]"),
    "both": (lambda net: net([1, 2], x=X), "expected 1 array (x: int64[2]), got 2"),
    "unknown": (lambda net: net(z=X), 'no input is called "z"'),
    "no feeds": (
        lambda net: net.run(None),
        "expected a dict of inputs by name, or a list of them, got a NoneType",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_array_is_refused(name: str) -> None:
    call, message = WRONG[name]
    b = glow.Builder()
    b.output("y", b.neg(b.input("x", (2,), np.int64)))
    net = glow.compile(b.model(), target="reference")
    with pytest.raises(glow.BindingError) as refused:
        call(net)
    assert message in str(refused.value)


def test_bindings_are_read_as_a_dict_is(net: glow.Executable) -> None:
    bindings = net.bind({"x": X, "i": J})
    assert (list(bindings), len(bindings)) == (["x", "i", "y"], 3)
    assert "x" in bindings
    assert "z" not in bindings
    assert dict(bindings)["x"] is X


def test_no_weights_lie_beside_a_device(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    b = glow.Builder()
    b.output("y", b.linear(b.input("x", (1, 64)), 64))
    path = tmp_path / "net.mlir"
    path.write_text(str(b.model()))
    written: list[object] = []
    monkeypatch.setattr(glow_opt, "save_weights_beside", lambda *a: written.append(a))
    monkeypatch.setattr("sys.argv", ["glow-opt", str(path), "-o", "/dev/null"])
    glow_opt.main()
    assert not written


def test_compiled_models_keep_their_target(
    model: glow.Model,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "net.glow"
    glow.compile(model).save(path)
    monkeypatch.setattr("sys.argv", ["glow-run", str(path), "--target", "reference"])
    with pytest.raises(SystemExit):
        glow_run.main()
    assert "is compiled already: expected no --target" in capsys.readouterr().err


def test_models_show_every_level(model: glow.Model, tmp_path: Path) -> None:
    assert model.ir("import") == str(model)
    assert "memory.elementwise" in model.ir("memory")
    assert "llvm.func" in model.ir("llvm", target="cpu:avx2")
    with pytest.raises(ValueError, match=r"a level out of import, graph, .*got 'asm'"):
        model.ir("asm")
    (tmp_path / "memory.mlir").write_text(model.ir("memory"))
    past = glow.load(tmp_path / "memory.mlir")
    with pytest.raises(
        glow.CompilationError, match="a level from memory on, got graph"
    ):
        past.ir("graph")


@pytest.mark.parametrize(
    ("level", "line"),
    {"memory": "    }", "loops": "func.call", "llvm": "llvm.call"}.items(),
)
def test_text_names_layers_where_values_have_no_names(
    level: str, line: str, tmp_path: Path
) -> None:
    b = glow.Builder()
    b.output("y", b.relu(b.add(b.input("x", (4,)), b.input("z", (4,)))))
    text = b.model().ir(level)
    assert re.search(rf"{line}.*  // add \+ relu$", text, re.M)
    (tmp_path / "net.mlir").write_text(text)
    assert str(glow.load(tmp_path / "net.mlir").module) in re.sub(" +//.*", "", text)


def session_of(source: Any) -> glow.InferenceSession:
    return glow.InferenceSession(source, None, ["CPUExecutionProvider"])


def test_sessions_are_used_as_those_of_onnx_runtime(onnx_model: Any) -> None:
    import onnxruntime

    theirs = onnxruntime.InferenceSession(onnx_model.SerializeToString())
    ours = session_of(onnx_model)
    for arguments in ("get_inputs", "get_outputs"):
        given = [(a.name, a.shape, a.type) for a in getattr(ours, arguments)()]
        assert given == [
            (a.name, a.shape, a.type) for a in getattr(theirs, arguments)()
        ]
    x = np.array([[1, -2]], np.float32)
    for names in (None, ["y"]):
        assert np.array_equal(ours.run(names, {"x": x}), theirs.run(names, {"x": x}))
    assert ours.get_providers() == theirs.get_providers()[-1:]
    binding = ours.io_binding()
    binding.bind_cpu_input("x", x)
    buffer = np.empty((1, 2), np.float32)
    binding.bind_output("y", buffer)
    ours.run_with_iobinding(binding)
    assert binding.copy_outputs_to_cpu()[0] is buffer
    assert np.array_equal(buffer, [[1, 0]])
    with pytest.raises(glow.BindingError, match='no output is called "z", expected y'):
        ours.run(["z"], {"x": x})


def test_sessions_run_executables(model: glow.Model, tmp_path: Path) -> None:
    glow.compile(model).save(tmp_path / "net.glow")
    session = session_of(tmp_path / "net.glow")
    assert np.array_equal(session.run(None, {"x": X, "i": J})[0], WANTED)


def test_compilations_are_logged(
    onnx_model: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", "glow")
    symbolic = glow.compile(onnx_model)
    assert not caplog.messages
    symbolic(X[np.newaxis])
    first, *stages, last = caplog.messages
    assert first == "model: compiling for batch=1"
    assert last.startswith("model: compiled for batch=1 in ")
    assert {"graph", "layout", "memory", "loops", "llvm", "machine"} == {
        line.split()[2] for line in stages
    }
    for outcome in ("not there", "found"):
        caplog.clear()
        glow.compile(onnx_model, shapes={"batch": 2}, cache_dir=tmp_path)
        assert any(
            line.endswith(f"in {tmp_path}: {outcome}") for line in caplog.messages
        )


def test_functions_of_a_builder_have_the_words_of_the_op() -> None:
    b = glow.Builder()
    assert b.relu.__doc__.startswith("max(x, 0), elementwise; NaN stays NaN.")
    assert str(inspect.signature(b.elu)) == "(input, *, alpha=1.0)"
    assert "mask=None" in str(inspect.signature(b.attention))


def test_a_saved_executable_is_no_model_and_the_error_says_what_reads_it(
    model: glow.Model, tmp_path: Path
) -> None:
    glow.compile(model).save(tmp_path / "net.glow")
    with pytest.raises(glow.InvalidModelError, match=r"glow\.load_executable reads it"):
        glow.compile(tmp_path / "net.glow")
