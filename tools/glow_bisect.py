"""`glow-bisect`: run a model after every pass; name the first that changes numbers."""

from __future__ import annotations

from dataclasses import replace

from glow.compilation import Source
from glow.options import target_spec
from glow.pass_manager import parse_passes
from glow.progress_display import progress
from glow.support.errors import BindingError, InternalError
from glow.support.files import TEXT
from glow.symbolic_model import SymbolicModel
from glow.targets import known_targets
from glow.tools.command_line import OneLineParser, fail, run_tool
from glow.tools.feeds import read_arrays
from glow.tools.options import (
    add_inputs,
    add_shared_options,
    compile_options,
    parse_dims,
)


def _parser() -> OneLineParser:
    parser = OneLineParser(
        "glow-bisect",
        description="Run a model after every pass that changes it, and compare with "
        "the pass before. Where results differ by more than rounding, save the few ops "
        "that show it and end with code 1.",
    )
    add = parser.add_argument
    add("model", metavar="MODEL", help="an .onnx or .mlir file")
    targets = ", ".join(known_targets())
    add("--target", default="cpu", help=f"one of {targets} (default: cpu)")
    add("-p", "--passes", default="", help="check these passes, not the pipeline")
    add_inputs(parser)
    add_shared_options(parser)
    return parser


def _run() -> None:
    from glow.checking import check_passes

    args = _parser().parse_args()
    bound, inputs = read_arrays(args.bind, "--bind"), read_arrays(args.input)
    source = Source(args.model, parse_dims(args.dim), args.weights)
    text = source.kind() == TEXT
    model = replace(source, constants=None if text else bound or None).load()
    if isinstance(model, SymbolicModel):
        names = ", ".join(model.dims)
        raise BindingError(f"expected --dim NAME=VALUE for each of {names}")
    if text and bound:
        model = model.bind(bound)
    options = compile_options(args)
    spec = target_spec(args.target, options.cpu_features, options.accuracy)
    passes = parse_passes(args.passes) if args.passes else None
    try:
        with progress(f"checking {args.model}"):
            checked = check_passes(model.module, spec, options, inputs, passes)
    except InternalError as error:
        fail(str(error))
    for each in checked:
        print(f"{each.name}: error {each.error:.2g}")
    print(f"{len(checked)} passes change the module, none its results")


def main() -> None:
    run_tool(_run)
