"""glow.udf: models as functions from a batch to a batch."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repository import ROOT
from small_onnx import info, model, node

import glow

f32 = np.float32
RNG = np.random.default_rng(0)
WEIGHTS = RNG.standard_normal((12, 5)).astype(f32)
FILTER = RNG.standard_normal((4, 1, 3, 3)).astype(f32)
DATA = RNG.standard_normal((75, 1, 3, 4)).astype(f32)


def network(rows: int | str = "n") -> Any:
    """Return a model of images, whose rows it computes apart."""
    nodes = [
        node("Conv", "x f", "c", pads=[1, 1, 1, 1]),
        node("ReduceSum", "c one", "r", keepdims=0),
        node("Flatten", "r", "v"),
        node("MatMul", "v w", "y"),
        node("ArgMax", "y", "best", axis=1, keepdims=0),
    ]
    weights = {"f": FILTER, "w": WEIGHTS, "one": np.array([1])}
    return model(nodes, {"x": (rows, 1, 3, 4)}, ["y", "best"], weights)


@pytest.fixture(scope="module")
def scored() -> Any:
    return glow.udf(network(), rows=8, keep=["id"])


def test_rows_do_not_depend_on_how_they_are_split(scored: Any) -> None:
    ids = np.arange(len(DATA))
    whole = scored({"x": DATA, "id": ids, "other": ids})
    assert list(whole) == ["id", "y", "best"]
    expected = glow.compile(network())(DATA)
    np.testing.assert_allclose(whole["y"], expected[0], rtol=1e-4, atol=1e-4)
    order = RNG.permutation(len(DATA))
    for step in (1, 3, 8, 50):
        parts = [order[i : i + step] for i in range(0, len(order), step)]
        found = [scored({"x": DATA[part], "id": part}) for part in parts]
        for name in ("id", "y", "best"):
            joined = np.concatenate([each[name] for each in found])
            np.testing.assert_array_equal(joined, whole[name][order])


def test_batches_may_be_empty_and_of_other_numbers(scored: Any) -> None:
    none = scored({"x": DATA[:0], "id": []})
    assert (none["y"].shape, none["best"].dtype) == ((0, 5), np.dtype("int64"))
    (row,) = scored({"x": DATA[:1].reshape(1, 12).tolist(), "id": "a"})["y"]
    np.testing.assert_array_equal(row, scored({"x": DATA[:1], "id": "a"})["y"][0])


def test_it_is_pickled_by_file_and_named(scored: Any, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLOW_CACHE_DIR", str(tmp_path))
        copied = pickle.loads(pickle.dumps(scored))
    batch = {"x": DATA[:9], "id": range(9)}
    np.testing.assert_array_equal(copied(batch)["y"], scored(batch)["y"])
    assert copied.__name__ == "glow_udf"
    assert "8 rows at once" in repr(copied)


def test_an_executable_of_a_fixed_batch_is_taken_as_it_is() -> None:
    scored = glow.udf(glow.compile(network(4)), outputs=["best"])
    assert scored.rows == 4
    assert list(scored({"x": DATA[:6]})) == ["best"]


def test_frames_come_back_as_frames(scored: Any) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": list(DATA[:9]), "id": range(9)}, index=range(5, 14))
    wanted = scored({"x": DATA[:9], "id": range(9)})
    (found,) = scored(iter([frame]))  # as Spark's mapInPandas does
    assert list(found.columns) == ["id", "y", "best"]
    assert list(found.index) == list(frame.index)
    np.testing.assert_array_equal(np.stack(found["y"]), wanted["y"])
    np.testing.assert_array_equal(found["best"], wanted["best"])


@pytest.mark.parametrize("kind", ["RecordBatch", "Table"])
def test_arrow_comes_back_as_arrow(scored: Any, kind: str) -> None:
    arrow = pytest.importorskip("pyarrow")
    wanted = scored({"x": DATA[:9], "id": range(9)})
    flat = DATA[:9].reshape(9, 12)
    columns = {
        "tensors": arrow.FixedShapeTensorArray.from_numpy_ndarray(DATA[:9]),
        "sized lists": arrow.FixedSizeListArray.from_arrays(flat.reshape(-1), 12),
        "lists": arrow.array(flat.tolist()),
    }
    for name, column in columns.items():
        batch = getattr(arrow, kind).from_pydict({"x": column, "id": list(range(9))})
        found = scored(batch)
        assert type(found) is type(batch)
        (y,) = found.column("y").chunks if kind == "Table" else [found.column("y")]
        np.testing.assert_array_equal(y.to_numpy_ndarray(), wanted["y"], name)


def twice(rows: Any, name: str = "x", **more: Any) -> Any:
    return model([node("Add", f"{name} {name}", "y")], {name: rows, **more}, ["y"])


MISTAKES = {
    "columns": (
        lambda f: f({"a": DATA}),
        "missing columns x, id; there are a",
    ),
    "rows": (
        lambda f: f({"x": DATA.reshape(-1, 3, 4, 1)[:, :2], "id": 1}),
        r"column x: expected rows of \[1, 3, 4\], got rows of \[2, 4, 1\]",
    ),
    "kind": (
        lambda f: f({"x": DATA * 1j, "id": 1}),
        "column x: expected float32, got complex64",
    ),
    "words": (
        lambda f: f({"x": np.array(["a"] * 12), "id": 1}),
        r"column x: expected rows of \[1, 3, 4\], got numbers",
    ),
    "ragged rows": (
        lambda f: f({"x": [[1.0, 2.0], [3.0]], "id": [1, 2]}),
        r"column x: expected rows of \[1, 3, 4\], got some of other shapes",
    ),
    "one number": (
        lambda f: f({"x": 1.5, "id": 1}),
        r"column x: expected rows of \[1, 3, 4\] in an array or a list, got a float",
    ),
    "no numbers": (
        lambda f: f({"x": np.array([[None] * 12]), "id": [1]}),
        "column x: expected numbers in every row, got something else",
    ),
    "dimensions": (
        lambda _: glow.udf(twice(("n", "m"))),
        'dimensions m are not known; load the model with dims={"m": ...}',
    ),
    "a fixed batch": (
        lambda _: glow.udf(network(4), rows=8),
        r"expected the batch, 8 rows, as first axis of .* got x: float32\[4, 1, 3, 4\]",
    ),
    "outputs": (
        lambda _: glow.udf(network(4), outputs=["z"]),
        "no output is called z; there are y, best",
    ),
    "numbers for outputs": (
        lambda _: glow.udf(network(4), outputs=[0]),
        "expected names of outputs, got an int among them",
    ),
    "a number to keep": (
        lambda _: glow.udf(network(4), keep=3),
        "expected names of columns as keep, got an int",
    ),
    "an output to keep": (
        lambda _: glow.udf(network(4), keep=["id", "best"]),
        "expected names in keep that no output has, got best; rename the column, or "
        r"leave that output out with outputs=\[...\]",
    ),
    "several columns": (
        lambda _: glow.udf(
            model([node("Add", "a b", "y")], {"a": ("n", 2), "b": ("n", 2)}, ["y"])
        )({"a": DATA[:2, 0, 0, :2], "b": DATA[:3, 0, 0, :2]}),
        "expected columns of as many rows, got a has 2, b has 3",
    ),
    "numbers": (
        lambda _: glow.udf(
            model([node("Add", "x x", "y")], {"x": info("x", (2,), "i32")}, ["y"])
        )({"x": np.array([1.5, 2])}),
        "column x: expected int32, got float64",
    ),
    "large numbers": (
        lambda _: glow.udf(
            model([node("Add", "x x", "y")], {"x": info("x", (2,), "i32")}, ["y"])
        )({"x": np.array([1 << 40, 2])}),
        "column x: expected numbers that int32 holds, got others",
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes_are_reported_in_words(scored: Any, case: str) -> None:
    act, message = MISTAKES[case]
    with pytest.raises(glow.BindingError, match=message):
        act(scored)


def test_what_is_no_batch_is_refused(scored: Any) -> None:
    with pytest.raises(ValueError, match="expected at least one row at once, got rows"):
        glow.udf(network(), rows=0)
    with pytest.raises(ValueError, match="expected an integer as rows, got a str"):
        glow.udf(network(), rows="8")  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match=r"expected a batch: a dict of arrays, .* list"):
        scored([DATA])
    with pytest.raises(TypeError, match="an executable takes no accuracy"):
        glow.udf(glow.compile(network(4)), accuracy="strict")
    with pytest.raises(
        TypeError,
        match=r"^glow.udf: expected arguments out of rows, .*, memory_bytes, got row, "
        "did you mean rows",
    ):
        glow.udf(network(), row=8)


def test_a_single_name_is_one_column() -> None:
    scored = glow.udf(network(4), outputs="best", keep="y")
    assert list(scored({"x": DATA[:6], "y": range(6)})) == ["y", "best"]


@pytest.mark.parametrize("framework", ["ray", "dask", "pyspark"])
def test_the_examples_of_frameworks_give_what_a_process_does(
    framework: str, tmp_path: Path
) -> None:
    pytest.importorskip(f"{framework}.data" if framework == "ray" else framework)
    if framework == "pyspark" and shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    path = tmp_path / "net.onnx"
    path.write_bytes(network().SerializeToString())
    run = f"""
import sys, numpy as np, glow
sys.path.insert(0, {str(ROOT / "examples")!r})
from {framework.removeprefix("py")}_batches import score
if __name__ == "__main__":
    rows = score({str(path)!r}, 100)
    found = np.stack(rows["y"] if {framework != "ray"} else [r["y"] for r in rows])
    images = np.random.default_rng(0).random((100, 1, 3, 4), np.float32)
    np.testing.assert_array_equal(found, glow.udf({str(path)!r})({{"x": images}})["y"])
"""
    script = tmp_path / "run.py"
    script.write_text(run)
    environment = {**os.environ, "GLOW_CACHE_DIR": str(tmp_path / "cache")}
    environment["PYSPARK_PYTHON"] = sys.executable
    environment["RAY_worker_niceness"] = "0"  # or other tests keep its workers waiting
    subprocess.run([sys.executable, script], check=True, env=environment, timeout=120)
