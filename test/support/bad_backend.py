"""A backend that crashes, is wrong, hangs, or does as it should, by operator."""

import os
import time
from typing import Any

import numpy as np
from onnx import ModelProto
from onnx.backend.base import Backend, BackendRep


class _Rep(BackendRep):
    def __init__(self, operator: str):
        self._operator = operator

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        match self._operator:
            case "Abs":
                os.abort()
            case "Log":
                time.sleep(3600)
            case "Sqrt":
                return (np.sqrt(inputs[0]),)
        return (inputs[0],)


class BadBackend(Backend):
    """What a test of the conformance runner needs."""

    @classmethod
    def prepare(cls, model: ModelProto, device: str = "CPU", **kwargs: Any) -> _Rep:
        return _Rep(model.graph.node[0].op_type)
