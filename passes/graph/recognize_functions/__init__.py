"""Recognize normalizations, activations and losses that are written out."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from glow.passes.graph.recognize_functions._binary_cross_entropy import (
    AbsorbReduction,
    AbsorbWeight,
    RecognizeBinaryCrossEntropy,
)
from glow.passes.graph.recognize_functions._gelu import RecognizeGelu
from glow.passes.graph.recognize_functions._normalizations import (
    AbsorbScaleAndBias,
    RecognizeLayerNorm,
    RecognizeRmsNorm,
)
from glow.passes.graph.recognize_functions._swish import RecognizeSwish
from glow.support.rewriting import rewrite


@dataclass(frozen=True)
class RecognizeFunctionsPass(ModulePass):
    """
    Replace layer and root-mean-square normalizations, gelu, swish and binary
    cross-entropy, where they are written out in other ops, by the one op each.

    So write exporters for opsets that have no such operator, and so are functions that
    a model brings itself. Results differ by rounding, and a loss is finite where a
    probability that rounds to 0 would make it infinite. A number such as sqrt(2) may be
    off by one part in a million; anything else that differs is another function.

    Level: graph -> graph. Needs: `fold-constants` before; `dce` afterwards.
    """

    name = "recognize-functions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(
            op,
            RecognizeGelu(),
            RecognizeSwish(),
            RecognizeRmsNorm(),
            RecognizeLayerNorm(),
            AbsorbScaleAndBias(),
            RecognizeBinaryCrossEntropy(),
            AbsorbWeight(),
            AbsorbReduction(),
        )
