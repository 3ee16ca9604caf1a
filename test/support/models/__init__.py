"""Models for tests and benchmarks, built in code."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, ValueInfoProto

from models.dense import encoder, mlp
from models.light import FILES, image, light, skeleton

__all__ = ["MODELS", "build", "encoder", "inputs_of", "light", "mlp", "skeleton"]

MODELS: dict[str, Callable[[], ModelProto]] = {
    **{name: partial(light, name) for name in FILES},
    "mlp": mlp,
    "encoder": encoder,
    "encoder_b4": partial(encoder, 4),
}


def build(name: str) -> ModelProto:
    """Return model `name` of `MODELS`."""
    return MODELS[name]()


def inputs_of(model: ModelProto, seed: int = 0) -> dict[str, NDArray[Any]]:
    """Return random inputs for a model of float inputs with static shapes."""
    weights = {tensor.name for tensor in model.graph.initializer}
    given = [info for info in model.graph.input if info.name not in weights]
    return {info.name: _random(info, seed + k) for k, info in enumerate(given)}


def _random(info: ValueInfoProto, seed: int) -> NDArray[Any]:
    tensor = info.type.tensor_type
    assert tensor.elem_type == TensorProto.FLOAT, info.name
    shape = tuple(dim.dim_value for dim in tensor.shape.dim)
    if len(shape) == 4:
        return image(seed, shape)
    return np.random.default_rng(seed).standard_normal(shape, np.float32)
