"""Losses that ONNX has no operator for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from glow.dialects.graph.loss import BinaryCrossEntropyWithLogitsLossOp
from glow.formats.onnx.nodes import NodeWriter, OnnxForm, OnnxValue
from glow.formats.onnx.registry import onnx_form
from glow.passes.graph.decompose_losses import decompose_binary_cross_entropy


@onnx_form(BinaryCrossEntropyWithLogitsLossOp)
def binary_cross_entropy(
    op: BinaryCrossEntropyWithLogitsLossOp, out: NodeWriter
) -> Sequence[OnnxValue | None]:
    return out.function(op, cast(OnnxForm, decompose_binary_cross_entropy))
