"""What softmax and normalisations of the memory level do to NumPy arrays."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from xdsl.ir import SSAValue

from glow.dialects.graph import layer_norm, normalization

Array = np.ndarray[Any, Any]


class Normalizations(ABC):
    """Part of a machine that runs the memory level."""

    @abstractmethod
    def read(self, buffer: SSAValue) -> Array: ...

    @abstractmethod
    def write(self, buffer: SSAValue, array: Array) -> None: ...

    def run_softmax(self, op: Any) -> None:
        log = op.log is not None
        kind = normalization.LogSoftmaxOp if log else normalization.SoftmaxOp
        found = kind.compute(self.read(op.input), axis=op.axis.value.data)
        self.write(op.result, found)

    def run_layer_norm(self, op: Any) -> None:
        found = layer_norm.LayerNormOp.compute(
            *(v and self.read(v) for v in (op.input, op.scale, op.bias)),
            axis=op.axis.value.data,
            epsilon=op.epsilon.value.data,
            with_statistics=op.mean is not None,
        )
        outs = [o for o in (op.result, op.mean, op.inv_std_dev) if o is not None]
        for buffer, array in zip(outs, found, strict=True):
            self.write(buffer, array)

    def run_rms_norm(self, op: Any) -> None:
        found = layer_norm.RmsNormOp.compute(
            *(v and self.read(v) for v in (op.input, op.scale)),
            axis=op.axis.value.data,
            epsilon=op.epsilon.value.data,
        )
        self.write(op.result, found)

    def run_lrn(self, op: Any) -> None:
        numbers = {n: getattr(op, n).value.data for n in ("size", "alpha", "beta")}
        found = normalization.LrnOp.compute(
            self.read(op.input), **numbers, bias=op.bias.value.data
        )
        self.write(op.result, found)
