"""
Transformers as exporters write them: shapes and masks computed from other shapes.

The nodes are those of `torch.onnx.export` on models of the transformers library:
by tracing, where each `size()` is a Shape and a Gather and each `view` a Concat and a
Reshape; and by TorchDynamo, where dimensions are called s0, s1 and arithmetic on them.
"""

from exported.bert import bert
from exported.dynamo import dynamo
from exported.gpt2 import gpt2
from exported.llama import llama
from exported.tracing import PLACES, WORDS

__all__ = ["MODELS", "PLACES", "WORDS", "bert", "dynamo", "gpt2", "llama"]

MODELS = {"bert": bert, "gpt2": gpt2, "llama": llama, "dynamo": dynamo}
