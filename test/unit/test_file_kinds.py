"""Files are read as what they begin with; missing ones are named."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import glow
from glow.support.files import kind_of_file
from glow.tools import glow_opt, glow_run

X = np.array([-1, 2], np.float32)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """The same relu as a model, as text, and compiled, in files without a suffix."""
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, (2,)) for n in "xy"]
    graph = helper.make_graph([helper.make_node("Relu", "x", "y")], "g", *zip(ends))
    opset = helper.make_opsetid("", 17)
    found = {kind: tmp_path / f"a-{kind}.bin" for kind in ("onnx", "mlir", "glow")}
    found["onnx"].write_bytes(
        helper.make_model(graph, opset_imports=[opset]).SerializeToString()
    )
    model = glow.load(found["onnx"])
    found["mlir"].write_text(f"// A comment.\n\n{model}")
    glow.compile(model).save(found["glow"])
    return found


@pytest.mark.parametrize("kind", ["onnx", "mlir", "glow"])
def test_content_says_what_a_file_is(
    kind: str,
    files: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = files[kind]
    assert kind_of_file(path) == f".{kind}"
    assert np.array_equal(glow.InferenceSession(path).run(None, {"x": X})[0], [0, 2])
    monkeypatch.setattr("sys.argv", ["glow-run", str(path), "--random-inputs"])
    glow_run.main()
    assert capsys.readouterr().out.startswith("y: float32[2] values from ")
    if kind == "glow":
        with pytest.raises(glow.InvalidModelError, match=r"load_executable reads"):
            glow.load(path)
        return
    assert np.array_equal(glow.compile(path)(X), [0, 2])
    monkeypatch.setattr("sys.argv", ["glow-opt", str(path), "--stop-after", "graph"])
    glow_opt.main()
    assert "graph.relu" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text",
    [
        "builtin.module {}",
        '"builtin.module"() : () -> ()',
        "// as module.glow\n  module {",
        "#map = affine_map<(d0) -> (d0)>",
    ],
)
def test_text_begins_in_several_ways(text: str, tmp_path: Path) -> None:
    (tmp_path / "net").write_text(text)
    assert kind_of_file(tmp_path / "net") == ".mlir"


@pytest.mark.parametrize(
    "content", [b"", b"x,y\n1.5,2\n", b"# A title\n", b'{"a": 1}', b"\x08\x00", b"PK"]
)
def test_other_files_are_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "net.csv"
    path.write_bytes(content)
    message = "expected an ONNX model or IR as text, got '.csv' with neither"
    with pytest.raises(glow.InvalidModelError, match=message):
        glow.compile(path)


@pytest.mark.parametrize(
    ("suffix", "hint"),
    [
        (".pt", "export the module by torch.onnx.export, or read it in PyTorch and"),
        (".pt2", "glow.load takes what torch.export.load reads from it"),
        (".pkl", "convert the model by skl2onnx"),
        (".keras", "convert the model by tf2onnx"),
    ],
)
def test_a_message_says_what_to_do_with_files_of_other_frameworks(
    suffix: str, hint: str, tmp_path: Path
) -> None:
    path = tmp_path / f"net{suffix}"
    path.write_bytes(b"PK")
    message = f"got '{suffix}' with neither; {hint}"
    with pytest.raises(glow.InvalidModelError, match=message):
        glow.load(path)


def test_a_suffix_that_says_what_a_file_is_counts(tmp_path: Path) -> None:
    model: Any = onnx.ModelProto()
    path = tmp_path / "net.mlir"
    path.write_bytes(model.SerializeToString())
    assert kind_of_file(path) == ".mlir"


@pytest.mark.parametrize("name", ["none.onnx", "none.mlir", "none.glow", "none"])
def test_a_missing_file_is_named_in_a_clear_line(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    read = glow.load_executable if name == "none.glow" else glow.compile
    with pytest.raises(FileNotFoundError) as missed:
        read(name)
    missing = f"{name}: no such file or directory"
    assert str(missed.value) == f"{missing}; the current folder is {tmp_path}"
    assert missed.value.filename == name
    with pytest.raises(FileNotFoundError) as missed:
        read(tmp_path / name)
    assert str(missed.value) == f"{tmp_path}/{missing}"


@pytest.mark.parametrize("name", ["net.onnx", "net.glow"])
def test_a_missing_folder_to_write_to_is_named(
    name: str,
    files: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    model = glow.load(files["onnx"])
    write = model.export if name == "net.onnx" else glow.compile(model).save
    with pytest.raises(FileNotFoundError) as missed:
        write(f"no/{name}")
    expected = f"no/{name}: no folder no; the current folder is {tmp_path}"
    assert str(missed.value) == expected


def test_a_folder_in_place_of_a_file_to_write_is_named_once(
    files: dict[str, Path], tmp_path: Path
) -> None:
    folder = tmp_path / "net.onnx"
    folder.mkdir()
    with pytest.raises(IsADirectoryError) as refused:
        glow.load(files["onnx"]).export(folder)
    assert str(refused.value) == f"[Errno 21] Is a directory: '{folder}'"
    assert {*tmp_path.iterdir()} == {folder, *files.values()}
