"""
Compile models of PyTorch's and transformers' families as they are, and print a table.

    make torch-models PYTORCH=FOLDER

Needs torch, torchvision, transformers and onnxscript, and a C++ compiler for inductor;
FOLDER has the packages where they are not installed here. With `--results FILE` what is
measured is kept there, and what is there is not measured again; names of models measure
these alone, `--engines glow,inductor` these beside eager PyTorch.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from reporting import Page, kept_json, processor, table_head, today

COMMAND = "make torch-models"
SECONDS = 3.0
"""How long the engines take turns for each model."""

ENGINES = ("glow", "inductor", "guards", "onnxruntime")
"""What is measured beside eager PyTorch; guards: what TorchDynamo itself takes."""

Example = tuple[Any, tuple[Any, ...], dict[str, Any]]
"""A model, and its arguments by position and by name."""


def vision(name: str, size: int = 224, **options: Any) -> Callable[[], Example]:
    def make() -> Example:
        import torch
        import torchvision

        model = torchvision.models.get_model(name, weights=None, **options)
        return model, (torch.randn(1, 3, size, size),), {}

    return make


SMALL = {
    "hidden_size": 256,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "intermediate_size": 1024,
}


def text(name: str, kind: str = "Model", **config: Any) -> Callable[[], Example]:
    """Return a maker of a model of transformers that reads 128 tokens."""

    def make() -> Example:
        import torch
        import transformers

        settings = getattr(transformers, f"{name}Config")(**config)
        if hasattr(settings, "use_cache"):
            settings.use_cache = False
        model = getattr(transformers, name + kind)(settings)
        ids = torch.randint(5, 500, (1, 128))
        named = {"input_ids": ids}
        if settings.is_encoder_decoder:
            named["decoder_input_ids"] = ids[:, :32]
        return model, (), named

    return make


def other(
    name: str, shape: tuple[int, ...] = (1, 3, 224, 224), key: str = "pixel_values"
) -> Callable[..., Callable[[], Example]]:
    """Return a maker of makers of models of transformers that read images or sound."""

    def configured(**config: Any) -> Callable[[], Example]:
        def make() -> Example:
            import torch
            import transformers

            prefix = name.removesuffix("Model")
            settings = getattr(transformers, f"{prefix}Config")(**config)
            model = getattr(transformers, name)(settings)
            return model, (), {key: torch.randn(*shape)}

        return make

    return configured


GROUPED = {**SMALL, "num_key_value_heads": 4}
MODELS: dict[str, Callable[[], Example]] = {
    **{
        name: vision(name)
        for name in (
            *("alexnet", "vgg11", "resnet18", "resnet50", "mobilenet_v2"),
            *("mobilenet_v3_small", "efficientnet_b0", "densenet121", "squeezenet1_1"),
            *("shufflenet_v2_x1_0", "mnasnet1_0", "regnet_y_400mf", "convnext_tiny"),
            *("swin_t", "vit_b_16", "maxvit_t"),
        )
    },
    "googlenet": vision("googlenet", init_weights=False, aux_logits=False),
    "deeplabv3": vision("deeplabv3_mobilenet_v3_large", weights_backbone=None),
    "lraspp": vision("lraspp_mobilenet_v3_large", weights_backbone=None),
    "bert": text("Bert", **SMALL),
    "distilbert": text("DistilBert", dim=256, n_layers=4, n_heads=8, hidden_dim=1024),
    "roberta": text("Roberta", **SMALL),
    "albert": text("Albert", **SMALL),
    "electra": text("Electra", **SMALL),
    "deberta-v2": text("DebertaV2", **SMALL),
    "gpt2": text("GPT2", n_embd=256, n_layer=4, n_head=8),
    "opt": text(
        "OPT",
        hidden_size=256,
        num_hidden_layers=4,
        num_attention_heads=8,
        ffn_dim=1024,
        word_embed_proj_dim=256,
    ),
    "llama": text("Llama", **GROUPED),
    "mistral": text("Mistral", **GROUPED),
    "qwen2": text("Qwen2", **GROUPED),
    "gemma2": text("Gemma2", **GROUPED, head_dim=32),
    "phi": text("Phi", **SMALL),
    "bloom": text("Bloom", hidden_size=256, n_layer=4, n_head=8),
    "t5": text("T5", d_model=256, d_ff=1024, num_layers=4, num_heads=8, d_kv=32),
    "bart": text(
        "Bart",
        d_model=256,
        encoder_layers=3,
        decoder_layers=3,
        encoder_attention_heads=8,
        decoder_attention_heads=8,
        encoder_ffn_dim=1024,
        decoder_ffn_dim=1024,
    ),
    "dinov2": other("Dinov2Model")(
        hidden_size=256, num_hidden_layers=4, num_attention_heads=8
    ),
    "clip-vision": other("CLIPVisionModel")(**SMALL),
    "segformer": other("SegformerModel")(),
    "wav2vec2": other("Wav2Vec2Model", (1, 16000), "input_values")(**SMALL),
}


def measure(name: str, engines: Sequence[str]) -> dict[str, Any]:
    """Return what is found for a model; numbers of an engine that fails are absent."""
    import onnxruntime
    import torch

    import glow  # the backend finds it; here for its version
    from glow.tools.timing import interleaved_medians

    assert glow.compile
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model, arguments, named = MODELS[name]()
    model.eval()
    for parameter in model.parameters():  # some networks end in zeros
        if parameter.ndim > 1 and not parameter.any():
            torch.nn.init.normal_(parameter, std=0.02)
    found: dict[str, Any] = {"failures": {}}
    programs: dict[str, Callable[[], Any]] = {
        "eager": lambda: model(*arguments, **named)
    }
    with torch.no_grad():
        expected = _tensors(programs["eager"]())
        for backend in (each for each in ENGINES[:3] if each in engines):
            torch._dynamo.reset()
            options = {"fallback": False} if backend == "glow" else None
            given = _repeat_first if backend == "guards" else backend
            fast = torch.compile(model, backend=given, options=options)
            start = _cpu_seconds()
            try:
                results = _tensors(fast(*arguments, **named))
            except Exception as error:
                found["failures"][backend] = f"{type(error).__name__}: {error}"[:300]
                continue
            found[f"{backend} first"] = _cpu_seconds() - start
            found[f"{backend} error"] = _error(results, expected)
            programs[backend] = lambda fast=fast: fast(*arguments, **named)
        if "onnxruntime" in engines:
            try:
                given = arguments, named
                programs["onnxruntime"] = _session(onnxruntime, model, *given)
            except Exception as error:
                text = f"{type(error).__name__}: {error}"
                found["failures"]["onnxruntime"] = text[:300]
        medians = interleaved_medians(list(programs.values()), 1, SECONDS)
    return found | {f"{n} ms": m * 1e3 for n, m in zip(programs, medians, strict=True)}


def _repeat_first(graph: Any, _inputs: Any) -> Callable[..., Any]:
    """Return a function that computes once, and returns that from then on."""
    kept: list[Any] = []

    def call(*arguments: Any) -> Any:
        if not kept:
            kept.append(graph(*arguments))
        return kept[0]

    return call


def _cpu_seconds() -> float:
    """Return the processor time of this process and of those that it ran."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(kind) for kind in kinds]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _tensors(results: Any) -> list[Any]:
    import torch
    from torch.utils._pytree import tree_leaves

    return [each for each in tree_leaves(results) if isinstance(each, torch.Tensor)]


def _error(found: list[Any], expected: list[Any]) -> float:
    """Return the largest difference, over the largest number of the same tensor."""
    assert len(found) == len(expected)
    pairs = [(f.float(), e.float()) for f, e in zip(found, expected, strict=True)]
    return max(
        ((f - e).abs().max() / e.abs().max().clamp_min(1e-30)).item() for f, e in pairs
    )


def _session(
    onnxruntime: Any, model: Any, arguments: tuple[Any, ...], named: dict[str, Any]
) -> Callable[[], Any]:
    import torch

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    with TemporaryDirectory() as folder:
        path = f"{folder}/model.onnx"
        given: dict[str, Any] = {"kwargs": named, "dynamo": True, "verbose": False}
        torch.onnx.export(model, arguments, path, **given)
        session = onnxruntime.InferenceSession(path, options)
    tensors = [*arguments, *named.values()]
    names = [each.name for each in session.get_inputs()]
    feeds = {n: t.numpy() for n, t in zip(names, tensors, strict=True)}
    return lambda: session.run(None, feeds)


def row(name: str, found: dict[str, Any]) -> list[str]:
    def number(key: str, places: int) -> str:
        engine = key.partition(" ")[0]
        lacking = "fails" if engine in found["failures"] else "-"
        return f"{found[key]:.{places}f}" if key in found else lacking

    speeds = (
        [
            found[f"{each} ms"] / found["glow ms"] if f"{each} ms" in found else None
            for each in ("eager", "inductor", "onnxruntime")
        ]
        if "glow ms" in found
        else []
    )
    error = f"{found['glow error']:.0e}" if "glow error" in found else "fails"
    engines = ("glow", "guards", "eager", "inductor", "onnxruntime")
    return [
        name,
        error,
        number("glow first", 1),
        number("inductor first", 1),
        *(number(f"{each} ms", 2) for each in engines),
        *("-" if speed is None else f"{speed:.2f}" for speed in speeds or [None] * 3),
    ]


def head() -> str:
    packages = ("torch", "torchvision", "transformers", "onnxruntime")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    titles = (
        "model",
        "error",
        "glow first s",
        "inductor first s",
        "glow ms",
        "of it guards ms",
    )
    titles += (
        "eager ms",
        "inductor ms",
        "ONNX Runtime ms",
        "/ eager",
        "/ inductor",
        "/ ONNX Runtime",
    )
    return f"""# Models of PyTorch, compiled as they are

Written by `{COMMAND}` on {today()}: {platform.machine()}
({processor()}), 1 thread, {versions}.

`torch.compile(model, backend="glow", options={{"fallback": False}})` beside eager
PyTorch, inductor, and ONNX Runtime on what `torch.onnx.export` writes. Weights are
random; images have 224 x 224 pixels, texts 128 tokens, and models of transformers 4
layers of 256. The error is the largest difference from eager PyTorch over the largest
number. A first call compiles all that it needs, nothing of which was kept from before,
by processor time. Latencies are medians of runs that take turns in one process, by its
processor time; the last columns are how many times as fast glow is. Guards are what
TorchDynamo itself takes for a call, whatever the backend: the call of a graph that
returns what it computed the first time. ONNX Runtime is called without them. What has a
`-` was not measured.

{table_head(titles)}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*MODELS, []])
    parser.add_argument("--child", choices=MODELS, help=argparse.SUPPRESS)
    parser.add_argument("--results", type=Path)
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    if arguments.child:
        engines = arguments.engines.split(",")
        with TemporaryDirectory() as folder:  # what inductor kept before is not found
            os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", folder)
            print(json.dumps(measure(arguments.child, engines)))
        return
    page = Page(head())
    failures: dict[str, dict[str, str]] = {}
    for name in arguments.names or MODELS:
        given = "--child", name, "--engines", arguments.engines
        measured = kept_json(arguments.results, name, __file__, *given)
        page.add_row(*row(name, measured))
        failures[name] = measured["failures"]
    for name, engines in failures.items():
        for engine, failure in engines.items():
            page.add(f"\n{name} fails in {engine}: {' '.join(failure.split())}\n")
    page.write(arguments.output)


if __name__ == "__main__":
    sys.exit(main())
