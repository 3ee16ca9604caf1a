"""Random attributes of the operators of ai.onnx.ml, and models of one of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper

Array = NDArray[Any]

ROWS, FEATURES = 7, 5
RNG = np.random.default_rng(0)
X = RNG.standard_normal((ROWS, FEATURES)).astype(np.float32)
ONNX_TYPES = {"float32": "FLOAT", "int64": "INT64", "float64": "DOUBLE"}


def reals(*shape: int) -> list[float]:
    return RNG.standard_normal(shape).astype(np.float32).reshape(-1).tolist()


def single(
    op: str, inputs: dict[str, Array], outputs: str, version: int = 3, **given: Any
) -> ModelProto:
    """Return a model of one node."""
    names = outputs.split()
    graph = helper.make_graph(
        [helper.make_node(op, [*inputs], names, "n", domain="ai.onnx.ml", **given)],
        "g",
        [
            helper.make_tensor_value_info(
                name, TensorProto.DataType.Value(ONNX_TYPES[a.dtype.name]), a.shape
            )
            for name, a in inputs.items()
        ],
        [helper.make_empty_tensor_value_info(name) for name in names],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", version)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def trees(count: int, depth: int, modes: list[str], **given: Any) -> dict[str, Any]:
    """Return the attributes of random full trees; leaves at `depth`, some before."""
    rows: list[tuple[Any, ...]] = []
    leaves: list[tuple[int, int]] = []
    for tree in range(count):
        level = [0]
        fresh = 1
        for step in range(depth + 1):
            following: list[int] = []
            for number in level:
                if step == depth or (step > 1 and RNG.random() < 0.2):
                    rows.append((tree, number, "LEAF", 0, 0.0, 0, 0, 0))
                    leaves.append((tree, number))
                    continue
                mode = modes[RNG.integers(len(modes))]
                value = float(X[RNG.integers(ROWS), feature := RNG.integers(FEATURES)])
                ends = (fresh, fresh + 1)
                fresh += 2
                tracks = int(RNG.integers(2))
                rows.append((tree, number, mode, int(feature), value, *ends, tracks))
                following += ends
            level = following
    names = ("treeids", "nodeids", "modes", "featureids", "values", "truenodeids")
    names += ("falsenodeids", "missing_value_tracks_true")
    columns = zip(*rows, strict=True)
    lists = {f"nodes_{n}": list(c) for n, c in zip(names, columns, strict=True)}
    return lists | given | {"leaves": leaves}


def classifier(
    classes: list[int],
    positive: bool = True,
    modes: Any = ("BRANCH_LEQ",),
    **given: Any,
) -> dict[str, Any]:
    attributes = trees(6, 4, list(modes), **given)
    leaves = attributes.pop("leaves")
    several = [(tree, node, c) for tree, node in leaves for c in classes]
    weights = (
        RNG.random(len(several)) if positive else RNG.standard_normal(len(several))
    )
    columns = zip(*several, strict=True)
    names = ("class_treeids", "class_nodeids", "class_ids")
    lists = {n: list(c) for n, c in zip(names, columns, strict=True)}
    scale = 1 / 6 if positive else 1.0
    weights = (weights * scale).astype(np.float32).tolist()
    return attributes | lists | {"class_weights": weights}


def regressor(targets: int, **given: Any) -> dict[str, Any]:
    attributes = trees(5, 3, ["BRANCH_LEQ", "BRANCH_GT"], n_targets=targets, **given)
    leaves = attributes.pop("leaves")
    return attributes | {
        "target_treeids": [tree for tree, _ in leaves],
        "target_nodeids": [node for _, node in leaves],
        "target_ids": RNG.integers(targets, size=len(leaves)).tolist(),
        "target_weights": reals(len(leaves)),
    }


def machine(classes: int, kernel: str, **given: Any) -> dict[str, Any]:
    """Return the attributes of a classifier by support vectors."""
    sizes = list(range(2, 2 + classes))
    return {
        "vectors_per_class": sizes,
        "support_vectors": reals(sum(sizes), FEATURES),
        "coefficients": reals(classes - 1, sum(sizes)),
        "rho": reals(classes * (classes - 1) // 2),
        "classlabels_ints": list(range(10, 10 + classes)),
        "kernel_type": kernel,
        "kernel_params": [0.3, 0.2, 2.0],
    } | given
