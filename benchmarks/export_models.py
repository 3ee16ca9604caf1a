"""
Export further models from PyTorch, with random weights, for `compare_models.py`.

    python benchmarks/export_models.py FOLDER [NAME ...]

Needs torch, torchvision, transformers and onnxscript, which nothing else here does, so
it may run in an environment of its own. FOLDER gets NAME.onnx and NAME.npz, the inputs,
per model: 4 GB for all.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torchvision
import transformers
from torch import Tensor, nn

Example = tuple[nn.Module, dict[str, Tensor]]
"""A module and its inputs by name."""


def image(size: int = 224) -> dict[str, Tensor]:
    return {"image": torch.randn(1, 3, size, size)}


def tokens(length: int, vocabulary: int) -> Tensor:
    return torch.randint(0, vocabulary, (1, length))


def vision(name: str) -> Callable[[], Example]:
    """Return a maker of a network of torchvision; none ends in zeros, as some start."""

    def build() -> Example:
        model = torchvision.models.get_model(name)
        for layer in model.modules():
            if isinstance(layer, nn.Linear) and not layer.weight.any():
                nn.init.normal_(layer.weight, std=0.02)
        return model, image()

    return build


class FirstOutput(nn.Module):
    """A model of transformers, whose first output alone is returned."""

    def __init__(self, model: nn.Module):
        super().__init__()
        self.model = model

    def forward(self, *arguments: Tensor) -> Tensor:
        return self.model(*arguments, return_dict=False)[0]


def bert(**sizes: int) -> Example:
    config = transformers.BertConfig(**sizes)
    model = FirstOutput(transformers.BertModel(config, add_pooling_layer=False))
    return model, {
        "input_ids": tokens(128, config.vocab_size),
        "attention_mask": torch.ones(1, 128, dtype=torch.int64),
    }


def bert_of_4_layers() -> Example:
    sizes = {"hidden_size": 256, "intermediate_size": 1024}
    return bert(**sizes, num_hidden_layers=4, num_attention_heads=4)


def gpt2() -> Example:
    config = transformers.GPT2Config(use_cache=False)
    model = FirstOutput(transformers.GPT2Model(config))
    return model, {"input_ids": tokens(64, config.vocab_size)}


def speech_encoder() -> Example:
    model = FirstOutput(transformers.Wav2Vec2Model(transformers.Wav2Vec2Config()))
    return model, {"samples": torch.randn(1, 160_000)}


class Block(nn.Sequential):
    """Two 3x3 convolutions with batch normalization."""

    def __init__(self, inputs: int, outputs: int):
        layers: list[nn.Module] = []
        for channels in (inputs, outputs):
            layers += [
                nn.Conv2d(channels, outputs, 3, padding=1, bias=False),
                nn.BatchNorm2d(outputs),
                nn.ReLU(),
            ]
        super().__init__(*layers)


class UNet(nn.Module):
    """U-Net (Ronneberger et al., 2015) with 32 to 512 channels."""

    def __init__(self) -> None:
        super().__init__()
        widths = [32, 64, 128, 256, 512]
        self.down = nn.ModuleList(map(Block, [3, *widths], widths))
        self.up = nn.ModuleList(
            nn.ConvTranspose2d(2 * w, w, 2, stride=2) for w in widths[-2::-1]
        )
        self.joined = nn.ModuleList(Block(2 * w, w) for w in widths[-2::-1])
        self.head = nn.Conv2d(widths[0], 2, 1)

    def forward(self, x: Tensor) -> Tensor:
        skipped = [x := self.down[0](x)]
        for block in self.down[1:]:
            skipped.append(x := block(nn.functional.max_pool2d(x, 2)))
        skipped.pop()
        for up, block in zip(self.up, self.joined, strict=True):
            x = block(torch.cat([skipped.pop(), up(x)], 1))
        return self.head(x)


class Recommender(nn.Module):
    """DLRM (Naumov et al., 2019): bags of embeddings, and products of all pairs."""

    def __init__(self, tables: int = 26, rows: int = 20_000, width: int = 64):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(rows, width) for _ in range(tables))
        self.bottom = self.layers(13, 512, 256, width)
        self.top = self.layers(width + tables * (tables + 1) // 2, 512, 256, 1)
        pairs = torch.tril_indices(tables + 1, tables + 1, offset=-1)
        self.register_buffer("places", pairs[0] * (tables + 1) + pairs[1])

    @staticmethod
    def layers(*widths: int) -> nn.Sequential:
        found: list[nn.Module] = []
        for given, wanted in pairwise(widths):
            found += [nn.Linear(given, wanted), nn.ReLU()]
        return nn.Sequential(*found)

    def forward(self, dense: Tensor, ids: Tensor) -> Tensor:
        x = self.bottom(dense)
        bags = [table(ids[:, k]) for k, table in enumerate(self.tables)]
        rows = torch.stack([x, *bags], 1)
        products = (rows @ rows.transpose(1, 2)).flatten(1)
        return self.top(torch.cat([x, products[:, self.places]], 1))


def dlrm(batch: int) -> Callable[[], Example]:
    return lambda: (
        Recommender(),
        {
            "dense": torch.randn(batch, 13),
            "ids": torch.randint(0, 20_000, (batch, 26)),
        },
    )


class LlamaLayer(nn.Module):
    """Attention with grouped heads and rotary positions, then a gated product."""

    def __init__(self, width: int, heads: int, kv_heads: int, inner: int):
        super().__init__()
        self.size, kv = width // heads, width // heads * kv_heads
        self.norms = nn.ModuleList(nn.RMSNorm(width) for _ in range(2))
        self.q, self.o = (nn.Linear(width, width, bias=False) for _ in range(2))
        self.k, self.v = (nn.Linear(width, kv, bias=False) for _ in range(2))
        self.gate, self.up = (nn.Linear(width, inner, bias=False) for _ in range(2))
        self.down = nn.Linear(inner, width, bias=False)

    def heads(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (-1, self.size)).transpose(1, 2)

    @staticmethod
    def rotate(x: Tensor, angles: tuple[Tensor, Tensor]) -> Tensor:
        low, high = x.chunk(2, -1)
        return x * angles[0] + torch.cat([-high, low], -1) * angles[1]

    def forward(
        self, x: Tensor, angles: tuple[Tensor, Tensor], past: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        h = self.norms[0](x)
        q, k, v = (self.heads(linear(h)) for linear in (self.q, self.k, self.v))
        q, k = self.rotate(q, angles), self.rotate(k, angles)
        if past is not None:
            k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        attended = nn.functional.scaled_dot_product_attention(
            q, k, v, is_causal=past is None, enable_gqa=True
        )
        x = x + self.o(attended.transpose(1, 2).flatten(2))
        h = self.norms[1](x)
        x = x + self.down(nn.functional.silu(self.gate(h)) * self.up(h))
        return x, torch.stack([k, v])


class Llama(nn.Module):
    """A decoder in the style of Llama (Touvron et al., 2023), 8 layers of width 768."""

    def __init__(self, length: int, past: int, layers: int = 8):
        super().__init__()
        vocabulary, width, heads, kv_heads = 8_000, 768, 12, 4
        self.embedding = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(
            LlamaLayer(width, heads, kv_heads, 2048) for _ in range(layers)
        )
        self.norm = nn.RMSNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        half = width // heads // 2
        steps = 10_000.0 ** (-torch.arange(half) / half)
        angles = torch.outer(torch.arange(past, past + length), steps).repeat(1, 2)
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def forward(self, ids: Tensor, past: Tensor | None = None) -> tuple[Tensor, Tensor]:
        x, kept = self.embedding(ids), []
        for number, layer in enumerate(self.layers):
            before = None if past is None else past[number]
            x, cache = layer(x, (self.cos, self.sin), before)
            kept.append(cache)
        return self.head(self.norm(x)), torch.stack(kept)


def llama_prefill() -> Example:
    return Llama(64, 0), {"ids": tokens(64, 8_000)}


def llama_decode() -> Example:
    past = torch.randn(8, 2, 1, 4, 512, 64)
    return Llama(1, 512), {"ids": tokens(1, 8_000), "past": past}


MODELS: dict[str, Callable[[], Example]] = {
    "bert_base_128": bert,
    "gpt2_64": gpt2,
    "vit_b_16": vision("vit_b_16"),
    "swin_t": vision("swin_t"),
    "mobilenet_v2_224": vision("mobilenet_v2"),
    "mobilenet_v3": vision("mobilenet_v3_large"),
    "efficientnet_b0": vision("efficientnet_b0"),
    "resnet18": vision("resnet18"),
    "regnet_y_800mf": vision("regnet_y_800mf"),
    "unet_256": lambda: (UNet(), image(256)),
    "dlrm_1": dlrm(1),
    "dlrm_128": dlrm(128),
    "llama_prefill_64": llama_prefill,
    "llama_decode_512": llama_decode,
    "speech_encoder_10s": speech_encoder,
}


OPEN: dict[str, Callable[[], Example]] = {
    "bert_4_open": bert_of_4_layers,
    "bert_base_open": bert,
}
"""Models of any batch and sequence, for `dynamic_shapes.py`."""


def export_open(name: str, folder: Path) -> None:
    """Write model `name`, whose batch and sequence are open, to `folder`."""
    torch.manual_seed(0)
    module, inputs = OPEN[name]()
    torch.onnx.export(
        module.eval(),
        tuple(inputs.values()),
        folder / f"{name}.onnx",
        input_names=list(inputs),
        dynamic_axes={key: {0: "batch", 1: "sequence"} for key in inputs},
        dynamo=False,
    )


def export(name: str, folder: Path) -> None:
    """Write model `name` and its inputs to `folder`."""
    torch.manual_seed(0)
    module, inputs = MODELS[name]()
    torch.onnx.export(
        module.eval(),
        tuple(inputs.values()),
        folder / f"{name}.onnx",
        input_names=list(inputs),
        external_data=False,
        dynamo=True,
        verbose=False,
    )
    arrays: dict[str, Any] = {key: value.numpy() for key, value in inputs.items()}
    np.savez(folder / f"{name}.npz", **arrays)


def main() -> None:
    parser = argparse.ArgumentParser(description="Export models from PyTorch.")
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "names", nargs="*", choices=[[], *MODELS, *OPEN], metavar="NAME"
    )
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    for name in args.names or MODELS:
        write = export_open if name in OPEN else export
        write(name, args.folder)
        print(f"{args.folder / name}.onnx", flush=True)


if __name__ == "__main__":
    main()
