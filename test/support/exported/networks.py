"""Small networks of PyTorch and transformers, and what they are exported with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import transformers
from torch import Tensor, nn

BATCH, LENGTH, PAST, WORDS, PLACES = 2, 3, 5, 100, 128
WIDTH, HEADS, HEAD, LAYERS = 64, 4, 16, 2
TOKENS = {0: "batch", 1: "sequence"}


@dataclass
class Network:
    """A module, example inputs by name, and what their dynamic axes are called."""

    module: nn.Module
    inputs: dict[str, Tensor]
    axes: dict[str, dict[int, str]]
    outputs: list[str]


def _sizes(**more: Any) -> dict[str, Any]:
    return {
        "vocab_size": WORDS,
        "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": 2 * WIDTH,
        "max_position_embeddings": PLACES,
        **more,
    }


def _tokens(length: int = LENGTH) -> Tensor:
    return torch.randint(0, WORDS, (BATCH, length))


class _First(nn.Module):
    """A model of ids and a mask, or of an image: its first result."""

    def __init__(self, model: nn.Module):
        super().__init__()
        self.model = model

    def forward(self, *given: Tensor) -> Tensor:
        names = (
            ("input_ids", "attention_mask") if len(given) == 2 else ("pixel_values",)
        )
        return self.model(**dict(zip(names, given, strict=True)))[0]


class _OfTokens(_First):
    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        return super().forward(input_ids, attention_mask)


class _OfImage(_First):
    def forward(self, image: Tensor) -> Tensor:
        return super().forward(image)


def _of_tokens(model: nn.Module, output: str) -> Network:
    inputs = {"input_ids": _tokens(), "attention_mask": torch.ones_like(_tokens())}
    return Network(_OfTokens(model), inputs, dict.fromkeys(inputs, TOKENS), [output])


class _Step(nn.Module):
    """A decoder that takes keys and values of the past, and returns all of them."""

    def __init__(self, model: nn.Module):
        super().__init__()
        self.model = model

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor,
        past_key_0: Tensor,
        past_value_0: Tensor,
        past_key_1: Tensor,
        past_value_1: Tensor,
    ) -> tuple[Tensor, ...]:
        cache = transformers.DynamicCache()
        cache.update(past_key_0, past_value_0, 0)
        cache.update(past_key_1, past_value_1, 1)
        found = self.model(
            input_ids=input_ids,
            attention_mask=attention_mask,
            past_key_values=cache,
            use_cache=True,
        )
        layers = found.past_key_values.layers
        presents = [tensor for each in layers for tensor in (each.keys, each.values)]
        return (found.logits, *presents)


def _step(model: nn.Module, heads: int) -> Network:
    inputs = {"input_ids": _tokens(), "attention_mask": _tokens(PAST + LENGTH)}
    axes = {"input_ids": TOKENS, "attention_mask": {0: "batch", 1: "total"}}
    outputs = ["logits"]
    for layer in range(LAYERS):
        for kind in ("key", "value"):
            name = f"past_{kind}_{layer}"
            inputs[name] = torch.randn(BATCH, heads, PAST, HEAD)
            axes[name] = {0: "batch", 2: "past"}
            outputs.append(f"present_{kind}_{layer}")
    return Network(_Step(model), inputs, axes, outputs)


def bert() -> Network:
    config = transformers.BertConfig(**_sizes())
    return _of_tokens(transformers.BertModel(config), "last_hidden_state")


def deberta() -> Network:
    config = transformers.DebertaV2Config(
        **_sizes(), relative_attention=True, pos_att_type=["c2p", "p2c"]
    )
    return _of_tokens(transformers.DebertaV2Model(config), "last_hidden_state")


def distilbert() -> Network:
    """In an opset that has attention as one operator."""
    config = transformers.DistilBertConfig(
        vocab_size=WORDS,
        dim=WIDTH,
        n_layers=LAYERS,
        n_heads=HEADS,
        hidden_dim=2 * WIDTH,
        max_position_embeddings=PLACES,
    )
    return _of_tokens(transformers.DistilBertModel(config), "last_hidden_state")


def gpt2() -> Network:
    config = transformers.GPT2Config(
        vocab_size=WORDS, n_positions=PLACES, n_embd=WIDTH, n_layer=LAYERS, n_head=HEADS
    )
    return _step(transformers.GPT2LMHeadModel(config), HEADS)


def llama() -> Network:
    config = transformers.LlamaConfig(**_sizes(num_key_value_heads=2))
    return _step(transformers.LlamaForCausalLM(config), 2)


def gemma2() -> Network:
    """With capped scores, and a window in every other layer."""
    sizes = _sizes(num_key_value_heads=2, head_dim=HEAD, query_pre_attn_scalar=HEAD)
    config = transformers.Gemma2Config(**sizes, sliding_window=4, use_cache=False)
    return _of_tokens(transformers.Gemma2ForCausalLM(config), "logits")


def gptj() -> Network:
    """Rotary embeddings of neighbors, in the first half of each head."""
    config = transformers.GPTJConfig(
        vocab_size=WORDS,
        n_positions=PLACES,
        n_embd=WIDTH,
        n_layer=LAYERS,
        n_head=HEADS,
        rotary_dim=HEAD // 2,
        use_cache=False,
    )
    return _of_tokens(transformers.GPTJForCausalLM(config), "logits")


class _Translation(nn.Module):
    def __init__(self, model: nn.Module):
        super().__init__()
        self.model = model

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, decoder_input_ids: Tensor
    ) -> Tensor:
        return self.model(
            input_ids=input_ids,
            attention_mask=attention_mask,
            decoder_input_ids=decoder_input_ids,
            use_cache=False,
        )[0]


def t5() -> Network:
    config = transformers.T5Config(
        vocab_size=WORDS,
        d_model=WIDTH,
        d_kv=HEAD,
        d_ff=2 * WIDTH,
        num_layers=LAYERS,
        num_heads=HEADS,
        decoder_start_token_id=0,
    )
    model = _Translation(transformers.T5ForConditionalGeneration(config))
    inputs = {
        "input_ids": _tokens(),
        "attention_mask": torch.ones_like(_tokens()),
        "decoder_input_ids": _tokens(4),
    }
    axes = dict.fromkeys(inputs, TOKENS)
    axes["decoder_input_ids"] = {0: "batch", 1: "target"}
    return Network(model, inputs, axes, ["logits"])


def _of_image(model: nn.Module) -> Network:
    image = torch.randn(BATCH, 3, 32, 32)
    return Network(_OfImage(model), {"image": image}, {"image": {0: "batch"}}, ["y"])


def swin() -> Network:
    config = transformers.SwinConfig(
        image_size=32,
        patch_size=4,
        embed_dim=16,
        depths=[2, 2],
        num_heads=[2, 4],
        window_size=4,
    )
    return _of_image(transformers.SwinModel(config))


class _Pairs(nn.Module):
    def __init__(self, model: nn.Module):
        super().__init__()
        self.model = model

    def forward(
        self, input_ids: Tensor, image: Tensor, attention_mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        found = self.model(
            input_ids=input_ids, pixel_values=image, attention_mask=attention_mask
        )
        return found.logits_per_image, found.text_embeds


def clip() -> Network:
    sizes = _sizes(max_position_embeddings=32)
    text = dict(sizes, projection_dim=32, eos_token_id=2, bos_token_id=1)
    vision = dict(sizes, projection_dim=32, image_size=32, patch_size=8)
    config = transformers.CLIPConfig(
        text_config={**text, "pad_token_id": 0}, vision_config=vision, projection_dim=32
    )
    inputs = {
        "input_ids": _tokens(),
        "image": torch.randn(3, 3, 32, 32),
        "attention_mask": torch.ones_like(_tokens()),
    }
    texts = {0: "texts", 1: "sequence"}
    axes = {"input_ids": texts, "image": {0: "images"}, "attention_mask": texts}
    model = _Pairs(transformers.CLIPModel(config))
    return Network(model, inputs, axes, ["logits", "embeds"])


DYNAMO = {"dynamo": True, "opset_version": 18}
TRACED = {"dynamo": False, "opset_version": 17}

NETWORKS: dict[str, tuple[Callable[[], Network], dict[str, Any]]] = {
    "bert": (bert, TRACED),
    "clip": (clip, DYNAMO),
    "deberta": (deberta, DYNAMO),
    "distilbert": (distilbert, {"dynamo": True, "opset_version": 23}),
    "gemma2": (gemma2, DYNAMO),
    "gpt2": (gpt2, DYNAMO),
    "gptj": (gptj, DYNAMO),
    "llama": (llama, TRACED),
    "swin": (swin, DYNAMO),
    "t5": (t5, TRACED),
}
"""Which networks there are, and what exports them: TorchDynamo, or tracing."""
