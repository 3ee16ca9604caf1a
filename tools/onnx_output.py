"""Output of `glow-opt` as ONNX: a file by its suffix, or text."""

from __future__ import annotations

import argparse
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from glow.graph_modules import exported
from glow.tools.options import AnyParser

SUFFIXES = (".onnx", ".onnx.txt")


def add_onnx_arguments(parser: AnyParser) -> None:
    add = parser.add_argument
    add("--onnx-text", action="store_true", help="print ONNX to read, as .onnx.txt")
    add("--opset", type=int, metavar="N", help="the version of ONNX to write")
    add(
        "--external-data",
        action="store_true",
        help="write weights beside the .onnx file of -o, however few they are",
    )


def check_onnx_arguments(args: argparse.Namespace) -> None:
    """Raise ValueError for options of ONNX where something else is written."""
    if args.opset is not None and not (args.onnx_text or _ends(args, *SUFFIXES)):
        raise ValueError("expected --opset with --onnx-text or -o FILE.onnx")
    if args.external_data and (args.onnx_text or not _ends(args, ".onnx")):
        raise ValueError("expected --external-data with -o FILE.onnx")


def _ends(args: argparse.Namespace, *suffixes: str) -> bool:
    return args.output_file is not None and args.output_file.endswith(suffixes)


def write_onnx(module: ModuleOp, args: argparse.Namespace) -> str | None:
    """Return the text of ONNX to print, "" for a file, None where IR is wanted."""
    is_file = _ends(args, *SUFFIXES)
    if not is_file and not args.onnx_text:
        return None
    from glow.formats.onnx import save_model, text_of_model

    model = exported(module, Path(args.input_file or "model").stem, args.opset)
    if args.onnx_text:
        return text_of_model(model)
    save_model(model, Path(args.output_file), args.external_data or None)
    return ""
