"""
Generated parts of `docs/architecture.md` and `README.md`, and the picture of levels.

A part stands between two comments of its page, which name it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from glow.graph_modules import context
from glow.model import parse_text
from glow.pass_manager import plan, run_part
from glow.pipeline import STAGES
from glow.support.errors import InternalError

ARCHITECTURE = Path("docs/architecture.md")
README = Path("README.md")
LEVELS = Path("docs/levels.svg")
_RESULTS = Path("benchmarks/RESULTS.md")
_END = "<!-- end -->"
_IMPORT = re.compile(r"^\s*(?:from|import) glow\.(\w+)", re.MULTILINE)

_TARGET = "cpu:avx2"
_MODEL = """
func.func @main(%image: tensor<1x3x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %filter = graph.literal dense<0.5> : tensor<8x3x1x1xf32> : tensor<8x3x1x1xf32>
  %0 = graph.conv %image, %filter {pads = array<i64: 0, 0, 0, 0>}
      : (tensor<1x3x4x4xf32>, tensor<8x3x1x1xf32>) -> tensor<1x8x4x4xf32>
  %1 = graph.relu %0 : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  func.return %1 : tensor<1x8x4x4xf32>
}
"""
_WIDTH = 96
_SAYS = {
    "graph": "whole tensors: what is computed",
    "layout": "the order of every value in memory; groups",
    "memory": "buffers, their lifetimes, one arena",
    "loops": "kernels as loops; a main that calls them",
    "llvm": "functions and instructions of LLVM",
}
# Text stands in boxes of a color of their own, so that pages may be light or dark.
_SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 {height}" \
width="400" height="{height}" font-family="sans-serif" font-size="13" \
text-anchor="middle">
<title>The levels of a program, from a model to machine code</title>
<style>
rect {{ fill: #e8eaf6; stroke: #3f51b5; }}
path {{ fill: none; stroke: #7986cb; stroke-width: 2; }}
text {{ fill: #1a237e; }}
.name {{ font-weight: bold; font-size: 14px; }}
.dialects {{ font-family: monospace; font-size: 11px; fill: #455a64; }}
</style>"""
# Kinds of models that differ: convolutions, attention, recurrence, tables.
_SHOWN = (
    *("resnet50", "vgg19", "mobilenet_v2_224", "unet_256", "swin_t"),
    *("bert_base_128", "llama_decode_512", "speech_encoder_10s", "lstm", "dlrm_128"),
)
_SHORTENED = (
    (r"^(builtin.module) attributes .*", r"\1 attributes {...} {"),
    (r"(_|\")[0-9a-f]{12,64}\b", r"\1..."),  # digests
    (r" : (tensor<.*>) : \1$", r" : \1"),  # a literal and its result
    (r"type = memref<\w+>, ", ""),
)

# For each level, a text that one of its lines has, and what to say about that line.
NOTES: dict[str, dict[str, str]] = {
    "graph": {
        'graph.placeholder @image "in"': (
            "What the caller passes is a placeholder with a name and a direction."
        ),
        "= graph.load @image": (
            "Ops compute with values. A load reads what the placeholder held before "
            "the run."
        ),
        "= graph.conv": (
            "The convolution is about whole tensors, in the order of axes that the "
            "model has. No type says yet how elements lie in memory."
        ),
        "graph.save": "The only write is at the end, once per placeholder.",
    },
    "layout": {
        "= graph.literal": (
            "The kernel reads filters in panels of 16 output channels. That order is "
            "part of the type, and the constant is packed now."
        ),
        "= graph.fused": (
            "Convolution and relu are a group, as one kernel computes both. The "
            "tensors keep their shapes: only types changed."
        ),
    },
    "memory": {
        "memory.constant": (
            "The packed filter is a buffer of 16 columns, 8 of them padding. Its "
            "bytes are not in the text, only their SHA-256."
        ),
        "= memory.get @output0": (
            "The result needs no memory of its own: it is computed where the caller "
            "wants it."
        ),
        "memory.conv": (
            "An op names the buffers that it reads and writes; the way to compute it "
            "is chosen."
        ),
        "arith.maximumf": (
            "The relu is an epilogue: it is computed on registers before they are "
            "stored."
        ),
    },
    "loops": {
        "layer_rows": (
            "All that the kernel needs to know of this layer is a row of integers: "
            "counts, strides, offsets."
        ),
        "func.func private": (
            "The kernel itself is in a library that models share; its name follows "
            "from what it is made for."
        ),
        "func.func @main": (
            "`main` takes memory to work in, tables of pointers to the caller's "
            "arrays and to constants, and a place to note faults."
        ),
        "func.call": "A layer is a call.",
    },
    "llvm": {
        "llvm.func @main": "The same function in LLVM's types: buffers are pointers.",
        "llvm.call": "The same call. From here on LLVM does the rest.",
    },
}


def architecture_page(root: Path) -> str:
    """Return the page with its generated parts."""
    parts = {"example": worked_example(), "layers": picture_of_layers(root)}
    return _filled((root / ARCHITECTURE).read_text(), parts)


def readme_page(root: Path) -> str:
    """Return README with the speed of some models, from the table of benchmarks."""
    speeds = table_of_speed((root / _RESULTS).read_text())
    return _filled((root / README).read_text(), {"speed": speeds})


def _filled(text: str, parts: Mapping[str, str]) -> str:
    for name, part in parts.items():
        start = f"<!-- {name}: written by make docs -->"
        before, _, rest = text.partition(start)
        text = f"{before}{start}\n{part}\n{_END}{rest.partition(_END)[2]}"
    return text


def table_of_speed(results: str) -> str:
    """Return the rows of `_SHOWN` of the table `results`, without its last columns."""
    table = [line[1:-1].split("|") for line in results.splitlines() if line[:1] == "|"]
    rows = {cells[0].strip(): cells for cells in table}
    shown = [table[0], table[1], *(rows[name] for name in _SHOWN)]
    return "\n".join("|" + "|".join(cells[:6]) + "|" for cells in shown)


def picture_of_levels() -> str:
    """Return the levels from above to below as SVG, with the dialects of each."""
    boxes = [("import", "ONNX, PyTorch, Python functions, text", "")]
    for stage in STAGES:
        dialects = ", ".join(sorted(stage.dialects - {"builtin"}))
        boxes.append((stage.name, _SAYS[stage.name], dialects))
    boxes.append(("machine code", "run in the process, or saved", ""))
    lines: list[str] = []
    y = 1
    for name, says, dialects in boxes:
        height = 62 if dialects else 44
        lines.append(f'<rect x="1" y="{y}" width="398" height="{height}" rx="6"/>')
        if y > 1:
            lines.append(f'<path d="M200 {y - 20}V{y - 4}m-4-5l4 5l4-5"/>')
        lines.append(f'<text x="200" y="{y + 19}" class="name">{name}</text>')
        lines.append(f'<text x="200" y="{y + 36}">{says}</text>')
        if dialects:
            lines.append(
                f'<text x="200" y="{y + 53}" class="dialects">{dialects}</text>'
            )
        y += height + 21
    return "\n".join([_SVG.format(height=y - 20), *lines, "</svg>", ""])


def picture_of_layers(root: Path) -> str:
    """Return the folders, with arrows to those that they import, as few as will do."""
    settings = tomllib.loads((root / "pyproject.toml").read_text())
    folders = settings["tool"]["setuptools"]["package-dir"]
    imports = {name: _imported(root, name) - {name} for name in folders.values()}
    lines = ["flowchart TD"]
    for folder, several in sorted(imports.items()):
        behind = {far for near in several for far in _reached(near, imports)}
        lines += [f"  {folder} --> {near}" for near in sorted(several - behind)]
    return _mermaid(lines)


def _imported(root: Path, folder: str) -> set[str]:
    """Return the folders that one imports, inside functions as well."""
    paths = sorted((root / folder).rglob("*.py"))
    names = {name for path in paths for name in _IMPORT.findall(path.read_text())}
    return {name if (root / name).is_dir() else "api" for name in names}


def _reached(folder: str, imports: Mapping[str, set[str]]) -> set[str]:
    near = imports.get(folder, set[str]())
    return near | {far for each in near for far in _reached(each, imports)}


def _mermaid(lines: list[str]) -> str:
    return "\n".join(["```mermaid", *lines, "```"])


def worked_example() -> str:
    """Return the model at every level as Markdown, with numbers at lines, and notes."""
    ctx = context()
    module = parse_text(ctx, _MODEL, "example")
    parts: list[str] = []
    (*above, _), (llvm,) = (
        plan("import", "llvm", _TARGET, kernels="declared"),
        plan("loops", "llvm", _TARGET),
    )
    for part in (*above, llvm):
        run_part(part, ctx, module)
        assert part.ends is not None
        parts.append(_level(part.ends.name, module))
    return "\n\n".join(parts)


def _level(name: str, module: ModuleOp) -> str:
    lines = [_shown(line) for line in str(module).splitlines()]
    notes: list[str] = []
    for number, (text, note) in enumerate(NOTES[name].items(), 1):
        at = next((i for i, line in enumerate(lines) if text in line), None)
        if at is None:
            raise InternalError(
                f"tools/architecture_page.py: no {text!r} at level {name}"
            )
        lines[at] += f"  // ({number})"
        notes.append(f"{number}. {note}")
    code = "\n".join(lines)
    return f"### Level {name}\n\n```mlir\n{code}\n```\n\n" + "\n".join(notes)


def _shown(line: str) -> str:
    """Return a line without attributes of modules and digests, cut if it is long."""
    for pattern, replacement in _SHORTENED:
        line = re.sub(pattern, replacement, line)
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 4].rstrip()} ..."
