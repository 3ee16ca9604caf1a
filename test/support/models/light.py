"""
The convolutional networks in the onnx package, with weights that mean something.

The files have their structure only: each weight is a constant of one value.
"""

from __future__ import annotations

import zlib
from functools import lru_cache
from pathlib import Path

import onnx
from onnx import ModelProto

from models.calibration import calibrated

FILES = {
    "alexnet": "light_bvlc_alexnet",
    "densenet121": "light_densenet121",
    "inception_v1": "light_inception_v1",
    "inception_v2": "light_inception_v2",
    "resnet50": "light_resnet50",
    "shufflenet": "light_shufflenet",
    "squeezenet": "light_squeezenet",
    "vgg19": "light_vgg19",
    "zfnet512": "light_zfnet512",
}


@lru_cache(maxsize=2)
def light(name: str) -> ModelProto:
    """Return network `name` of `FILES` with seeded weights, the same for each call."""
    return calibrated(skeleton(name), seed=zlib.crc32(name.encode()))


def skeleton(name: str) -> ModelProto:
    """Return network `name` as its file is: opset 9, weights listed as inputs."""
    folder = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
    return onnx.load(folder / f"{FILES[name]}.onnx")
