"""Operators that PyTorch and Caffe2 write into ONNX for rows of tables."""

from __future__ import annotations

from typing import Any

import models
import numpy as np
import pytest
from models.recommender import BAGS
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper, numpy_helper
from targets import TARGETS

import glow
from glow.dialects.graph.embedding import (
    EmbeddingBagOp,
    EmbeddingOp,
    SparseLengthsSumOp,
)
from glow.formats.onnx import import_model
from glow.graph_modules import context
from glow.pass_manager import parse_passes, pipeline_text, run_passes
from glow.pipeline import STAGES
from glow.support.errors import InvalidModelError, UnsupportedModelError

Array = NDArray[Any]

RNG = np.random.default_rng(0)
TABLE = RNG.standard_normal((9, 20)).astype(np.float32)
INDICES = np.array([0, 3, 8, 3, 1, 1])
WEIGHTS = RNG.standard_normal(6).astype(np.float32)
OFFSETS = np.array([0, 2, 2])
LENGTHS = np.array([2, 0, 4], np.int32)

ATEN = ("", "org.pytorch.aten")
CAFFE2 = ("", "org.pytorch._caffe2")


def model(
    op: str,
    domain: str,
    inputs: list[Array | None],
    outputs: int = 1,
    **attributes: Any,
) -> ModelProto:
    """Return one node whose first input is a weight; None leaves an input out."""
    names = ["" if a is None else f"x{k}" for k, a in enumerate(inputs)]
    infos = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape
        )
        for name, a in zip(names, inputs, strict=True)
        if a is not None and name != "x0"
    ]
    results = [f"y{k}" for k in range(outputs)]
    node = helper.make_node(op, names, results, "bags", domain=domain, **attributes)
    assert inputs[0] is not None
    graph = helper.make_graph(
        [node],
        "graph",
        infos,
        [helper.make_tensor_value_info("y0", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(inputs[0], "x0")],
    )
    imports = [helper.make_opsetid("", 17)]
    imports += [helper.make_opsetid(domain, 1)] if domain else []
    return helper.make_model(graph, opset_imports=imports, ir_version=8)


def check(source: ModelProto, feeds: list[Array | None], want: Array) -> None:
    given = [array for array in feeds[1:] if array is not None]
    for target in TARGETS:
        found = glow.compile(source, target=target)(*given)
        np.testing.assert_allclose(found, want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("domain", ATEN)
def test_embedding_bag_of_pytorch(domain: str) -> None:
    """As torch.onnx writes it: four results, attributes for gradients."""
    inputs: list[Array | None] = [TABLE, INDICES, OFFSETS]
    for number, mode in enumerate(("sum", "mean", "max")):
        fixed = {"scale_grad_by_freq": 0, "sparse": 0, "include_last_offset": 0}
        source = model(
            "ATen",
            domain,
            inputs,
            4,
            operator="embedding_bag",
            overload_name="",
            mode=number,
            padding_idx=-1,
            **fixed,
        )
        check(source, inputs, EmbeddingBagOp.compute(*inputs, mode=mode))


def test_embedding_bag_with_weights_padding_and_a_last_offset() -> None:
    ends = np.array([0, 2, 2, 6])
    inputs: list[Array | None] = [TABLE, INDICES, ends, WEIGHTS]
    options = {"padding_idx": 3, "include_last_offset": 1}
    source = model("ATen", ATEN[1], inputs, operator="embedding_bag", **options)
    want = EmbeddingBagOp.compute(
        TABLE, INDICES, ends, WEIGHTS, padding_idx=3, include_last_offset=True
    )
    check(source, inputs, want)
    assert "offsets" in str(import_model(source))


def test_absent_offsets_and_absent_weights_are_not_mixed_up() -> None:
    grid, weights = INDICES.reshape(2, 3), WEIGHTS.reshape(2, 3)
    inputs: list[Array | None] = [TABLE, grid, None, weights]
    source = model("ATen", ATEN[1], inputs, operator="embedding_bag")
    check(source, inputs, EmbeddingBagOp.compute(TABLE, grid, None, weights))


def test_embedding_of_pytorch_gives_the_row_of_padding_too() -> None:
    inputs: list[Array | None] = [TABLE, INDICES.reshape(2, 3)]
    source = model("ATen", ATEN[1], inputs, operator="embedding", padding_idx=3)
    check(source, inputs, EmbeddingOp.compute(TABLE, INDICES.reshape(2, 3)))


@pytest.mark.parametrize("domain", CAFFE2)
@pytest.mark.parametrize("mode", ["sum", "mean"])
def test_sparse_lengths_of_caffe2(mode: str, domain: str) -> None:
    plain: list[Array | None] = [TABLE, INDICES, LENGTHS]
    source = model(f"SparseLengths{mode.title()}", domain, plain)
    check(source, plain, SparseLengthsSumOp.compute(*plain, mode=mode))
    weighted: list[Array | None] = [TABLE, WEIGHTS, INDICES, LENGTHS]
    source = model(f"SparseLengthsWeighted{mode.title()}", domain, weighted)
    want = SparseLengthsSumOp.compute(*plain, WEIGHTS, mode=mode)
    check(source, weighted, want)
    text = str(import_model(source))
    assert "graph.sparse_lengths_sum" in text
    assert "weights" in text


def test_a_recommender_stores_no_rows_that_it_looks_up() -> None:
    module = import_model(models.recommender())
    run_passes(parse_passes(pipeline_text(STAGES[:1], "cpu")), context(), module)
    names = [op.name for op in module.walk()]
    assert names.count("graph.embedding_bag") == len(BAGS)
    assert names.count("graph.gather") == 1  # of the products


REFUSED: list[tuple[dict[str, Any], list[Array | None], type[Exception], str]] = [
    ({"operator": "cumsum"}, [TABLE], UnsupportedModelError, "operator='cumsum'"),
    ({}, [TABLE, INDICES], InvalidModelError, "attribute operator is missing"),
    (
        {"operator": "embedding_bag", "mode": 3},
        [TABLE, INDICES, OFFSETS],
        InvalidModelError,
        "expected a mode from 0 to 2, got 3",
    ),
    (
        {"operator": "embedding_bag", "norm": 1},
        [TABLE, INDICES, OFFSETS],
        UnsupportedModelError,
        "attribute norm of org.pytorch.aten.ATen",
    ),
    ({"operator": "embedding_bag"}, [TABLE], InvalidModelError, "input 1 is missing"),
    (
        {"operator": "embedding_bag", "mode": "sum"},
        [TABLE, INDICES, OFFSETS],
        InvalidModelError,
        "attribute mode has another type",
    ),
    (
        {"operator": "embedding_bag"},
        [TABLE, INDICES, OFFSETS, WEIGHTS[:5]],
        InvalidModelError,
        r"expected weights of shape \[6\], got tensor<5xf32>",
    ),
]


@pytest.mark.parametrize(("attributes", "inputs", "error", "message"), REFUSED)
def test_what_cannot_be_imported_is_reported(
    attributes: dict[str, Any],
    inputs: list[Array | None],
    error: type[Exception],
    message: str,
) -> None:
    source = model("ATen", ATEN[1], inputs, **attributes)
    with pytest.raises(error, match=message):
        import_model(source)


def test_results_for_gradients_are_not_made() -> None:
    inputs: list[Array | None] = [TABLE, INDICES, OFFSETS]
    source = model("ATen", ATEN[1], inputs, 4, operator="embedding_bag")
    source.graph.output[0].name = "y2"
    with pytest.raises(UnsupportedModelError, match="ATen with 4 outputs"):
        import_model(source)


def test_an_operator_of_another_domain_is_unknown() -> None:
    inputs: list[Array | None] = [TABLE, INDICES, LENGTHS]
    source = model("SparseLengthsSum", "org.example", inputs)
    with pytest.raises(
        UnsupportedModelError, match=r"org\.example\.SparseLengthsSum-1"
    ):
        import_model(source)
