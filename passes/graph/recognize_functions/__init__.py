"""Recognize normalizations, activations and losses that are written out."""

from glow.passes.graph.recognize_functions._activations import (
    recognize_gelu,
    recognize_swish,
)
from glow.passes.graph.recognize_functions._binary_cross_entropy import (
    absorb_reduction,
    absorb_weight,
    recognize_binary_cross_entropy,
)
from glow.passes.graph.recognize_functions._normalizations import (
    absorb_scale_or_bias,
    recognize_layer_norm,
    recognize_rms_norm,
)
from glow.passes.patterns import RewritePass


class RecognizeFunctionsPass(RewritePass):
    """
    Replace layer and root-mean-square normalizations, gelu, swish and binary
    cross-entropy, where they are written out in other ops, by the one op each.

    Exporters write them out for opsets without such an operator, and so do functions
    that a model defines itself. Results differ by rounding, and a loss is finite where
    a probability that rounds to 0 would make it infinite. A number such as sqrt(2) may
    be off by one part in a million; with any other difference, nothing is replaced.

    Level: graph -> graph. Needs: `fold-constants` before; `dce` afterwards.
    """

    name = "recognize-functions"
    patterns = (
        recognize_gelu,
        recognize_swish,
        recognize_rms_norm,
        recognize_layer_norm,
        absorb_scale_or_bias,
        recognize_binary_cross_entropy,
        absorb_weight,
        absorb_reduction,
    )
