"""Models for tests and benchmarks, built in code."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, ValueInfoProto

from models.builder import BELOW
from models.calibration import image
from models.channels_last import TO_NHWC, channels_last
from models.convolutional import mobilenet_v2, resnet50
from models.decoder import decoder_cached, decoder_prefill, decoder_step
from models.dense import encoder, mlp
from models.light import FILES, light, skeleton
from models.recommender import recommender
from models.recurrent import lstm
from models.segmentation import unet

__all__ = [
    "FILES",
    "MODELS",
    "TWINS",
    "build",
    "channels_last",
    "decoder_cached",
    "decoder_prefill",
    "decoder_step",
    "encoder",
    "inputs_of",
    "light",
    "lstm",
    "mlp",
    "mobilenet_v2",
    "recommender",
    "resnet50",
    "skeleton",
    "twin_inputs",
    "unet",
]

MODELS: dict[str, Callable[[], ModelProto]] = {
    **{name: partial(light, name) for name in FILES},
    "mlp": mlp,
    "encoder": encoder,
    "encoder_b4": partial(encoder, 4),
    "decoder_step": decoder_step,
    "decoder_prefill": decoder_prefill,
    "lstm": lstm,
    "lstm_b4": partial(lstm, 4),
    "recommender": recommender,
    "recommender_b64": partial(recommender, 64),
    "unet": unet,
}

TWINS: dict[str, Callable[..., ModelProto]] = {
    "mobilenet_v2": mobilenet_v2,
    "resnet50": resnet50,
}
"""Networks that `channels_last` is made of too; they take `width` and `size`."""


def build(name: str) -> ModelProto:
    """Return model `name` of `MODELS`."""
    return MODELS[name]()


def inputs_of(model: ModelProto, seed: int = 0) -> dict[str, NDArray[Any]]:
    """Return random inputs for a model of floats and of integers with a bound."""
    weights = {tensor.name for tensor in model.graph.initializer}
    given = [info for info in model.graph.input if info.name not in weights]
    return {info.name: _random(info, seed + k) for k, info in enumerate(given)}


def twin_inputs(inputs: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return `inputs` as the twin with channels last takes them."""
    return {
        name: np.ascontiguousarray(array.transpose(TO_NHWC))
        for name, array in inputs.items()
    }


def _random(info: ValueInfoProto, seed: int) -> NDArray[Any]:
    tensor = info.type.tensor_type
    shape = tuple(dim.dim_value for dim in tensor.shape.dim)
    generator = np.random.default_rng(seed)
    if tensor.elem_type == TensorProto.INT64:
        (below,) = (int(p.value) for p in info.metadata_props if p.key == BELOW)
        return generator.integers(0, below, shape)
    assert tensor.elem_type == TensorProto.FLOAT, info.name
    if len(shape) == 4:
        return image(seed, shape)
    return generator.standard_normal(shape, np.float32)
