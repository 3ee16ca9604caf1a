"""
Train the last layer of an ONNX network anew, for other classes, and save the network.

The network here is made first: a random one, whose features are kept.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

import glow
from glow import optim

RNG = np.random.default_rng(0)


def network() -> Any:
    """Return an ONNX model: scores of 3 classes for 64 points, and their loss."""
    shapes = {"w1": (2, 64), "b1": (64,), "w2": (64, 3), "b2": (3,)}
    arrays = {
        name: (RNG.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)
        for name, shape in shapes.items()
    }
    nodes = [
        helper.make_node("Gemm", ["x", "w1", "b1"], ["wide"]),
        helper.make_node("Tanh", ["wide"], ["features"]),
        helper.make_node("Gemm", ["features", "w2", "b2"], ["scores"]),
        helper.make_node("SoftmaxCrossEntropyLoss", ["scores", "labels"], ["loss"]),
    ]
    inputs = [("x", TensorProto.FLOAT, (64, 2)), ("labels", TensorProto.INT64, (64,))]
    outputs = [("scores", TensorProto.FLOAT, (64, 3)), ("loss", TensorProto.FLOAT, ())]
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info(*each) for each in inputs],
        [helper.make_tensor_value_info(*each) for each in outputs],
        [
            numpy_helper.from_array(a.astype(np.float32), name)
            for name, a in arrays.items()
        ],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def examples() -> dict[str, Any]:
    """Return points, labeled by which of three sectors around 0 they are in."""
    points = RNG.standard_normal((64, 2)).astype(np.float32)
    angles = np.arctan2(points[:, 0], points[:, 1])
    return {"x": points, "labels": ((angles + np.pi) / (2.1 * np.pi / 3)).astype(int)}


def train(steps: int = 300) -> tuple[glow.Model, list[float]]:
    """Return the network with its last layer trained, and the loss of each step."""
    model, weights = glow.load(network()).free(["w2", "b2"])
    net = glow.compile(model.gradient(["w2", "b2"], loss="loss"))
    optimizer, losses = optim.adam(optim.cosine(0.05, steps)), list[float]()
    state = optimizer.init(weights)
    for _ in range(steps):
        found = net.run({**examples(), **weights})
        gradients = {name: found[f"{name}_gradient"] for name in weights}
        weights, state = optimizer.update(weights, gradients, state)
        losses.append(float(found["loss"]))
    return model.bind(weights), losses


if __name__ == "__main__":
    trained, losses = train()
    print(f"loss {losses[0]:.3f} at first, {np.mean(losses[-10:]):.3f} at last")
    if len(sys.argv) > 1:
        trained.export(sys.argv[1])
