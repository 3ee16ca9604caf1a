"""`glow-run`: run a model on arrays from files or on random ones."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from glow.progress_display import progress
from glow.runtime.comparison import error_of, random_inputs, tolerance_of
from glow.runtime.interface import Executable
from glow.runtime.signature import Signature
from glow.support.arrays import Array
from glow.support.dtypes import widened
from glow.support.files import EXECUTABLE, check_parent, kind_of_file
from glow.support.thread_count import allowed_threads
from glow.tools.command_line import OneLineParser, fail, run_tool
from glow.tools.drawing_page import FORMATS
from glow.tools.feeds import feeds_of_peers, output_paths, read_arrays
from glow.tools.options import add_cache_options, add_inputs, folder_argument
from glow.tools.peers import PEERS
from glow.tools.profiling import TRACE, profiled, table, times_by_name, write_trace
from glow.tools.session import Session, add_arguments, laid_out, open_session

_PROFILES = (TRACE, *FORMATS)
"""The suffixes of files that `--profile` writes."""


def _parser() -> OneLineParser:
    parser = OneLineParser("glow-run", description="Run a model and show its outputs.")
    add_arguments(parser)
    add_cache_options(parser, by_default=True)
    add = parser.add_argument
    add_inputs(parser)
    text = (
        "fill inputs that --input does not name with random numbers of this seed, or 0"
    )
    add("--random-inputs", type=int, nargs="?", const=0, metavar="SEED", help=text)
    add("--signature", action="store_true", help="show inputs and outputs, run nothing")
    add("--save", metavar="FILE.glow", help="write the executable, run nothing")
    text = "write each output to NAME.npy"
    add("--output-dir", type=folder_argument, metavar="DIR", help=text)
    add("--vs", choices=sorted(PEERS), help="compare the outputs with this runtime's")
    add(
        "--profile",
        nargs="?",
        const="",
        metavar="FILE",
        help="show what time goes to; write a trace that Perfetto opens (.json), or a "
        "drawing of the layout level with the times of its ops (.html, .svg, .dot)",
    )
    return parser


def _arguments() -> argparse.Namespace:
    """
    Return the parsed command line; `--profile` has a value only if a file follows.

    Else it would take MODEL in `glow-run --profile MODEL` for that file.
    """
    words, after = sys.argv[1:], ""
    if "--profile" in words:
        place = words.index("--profile")
        after = next(iter(words[place + 1 :]), "")
        words[place] += "=" * (not after.endswith(_PROFILES))
    parser = _parser()
    args, others = parser.parse_known_args(words)
    if others and args.profile == "" and after and not after.startswith("-"):
        args.profile = after  # the model is given, too, so this is the file
    elif others:
        parser.error(f"unrecognized arguments: {' '.join(others)}")
    return args


def _run() -> None:
    args = _arguments()
    given = read_arrays(args.input)
    if args.save is not None and not args.save.endswith(EXECUTABLE):
        what = f"a file to save to whose name ends in {EXECUTABLE}"
        raise ValueError(f"expected {what}, got {args.save!r}")
    if args.profile and not args.profile.endswith(_PROFILES):
        known = f"{TRACE} to write a trace to, or in {', '.join(FORMATS)} to draw to"
        raise ValueError(f"expected a name in {known}, got {args.profile!r}")
    if _is_drawn(args) and kind_of_file(Path(args.model)) == EXECUTABLE:
        raise ValueError(f"{args.model}: expected a model to draw, got an executable")
    for file in filter(None, (args.save, args.profile)):  # before any long work
        check_parent(Path(file))
    others = "--vs and --output-dir"
    if args.profile is not None and (args.vs or args.output_dir):
        raise ValueError(f"expected --profile without {others}, got both")
    runs = args.vs or args.output_dir or args.profile is not None
    if args.save is not None and runs:
        raise ValueError(f"expected --save without --profile, {others}, got both")
    session = open_session(args, None if args.signature else given)
    if args.save is not None:
        session.net.save(args.save)
        print(f"wrote {args.save}")
    if args.signature:
        _show_signature(session.net.signature)
    if args.save is not None or args.signature:
        return
    shapes = session.by_shape()
    if len(shapes) > 1 and args.output_dir is not None:
        raise ValueError(f"expected --output-dir with one shape, got {len(shapes)}")
    if len(shapes) > 1 and args.profile:
        raise ValueError(f"expected one shape to write a profile of, got {len(shapes)}")
    for shape, net in shapes:
        if shape:
            print(f"for {shape}")
        _run_once(replace(session, net=net), args, given)


def _run_once(
    session: Session, args: argparse.Namespace, given: Mapping[str, Array]
) -> None:
    signature = session.net.signature
    inputs: dict[str, Array] = {}
    if args.random_inputs is not None:
        inputs = random_inputs(signature, args.random_inputs)
    inputs |= given
    if not inputs and signature.inputs:
        names = ", ".join(spec.name for spec in signature.inputs)
        raise ValueError(
            f"expected --random-inputs, or --input NAME=FILE.npy for {names}"
        )
    paths: dict[str, Path] = {}
    if args.output_dir is not None:  # before the run: it may take long
        names = (spec.name for spec in signature.results)
        paths = output_paths(names, args.output_dir)
    if args.profile is not None:
        _profile(session.net, args, inputs)
        return
    with progress(f"running {args.model}"):
        outputs = session.net.run(inputs)
    expected: Mapping[str, Array] | None = None
    if args.vs is not None:
        with progress(f"running {args.vs}"):
            threads = args.threads or allowed_threads()
            peer = PEERS[args.vs](args.model, threads, signature)
            feeds = feeds_of_peers(signature, inputs, session.bound)
            expected = signature.packed(peer(feeds))
    _show(signature, outputs, expected)
    for name, path in paths.items():
        np.save(path, outputs[name])
        print(f"wrote {path}")
    if expected is not None:
        _check(outputs, expected)


def _profile(
    net: Executable, args: argparse.Namespace, inputs: Mapping[str, Array]
) -> None:
    from glow.backends.cpu.peaks import measured_peaks  # which imports LLVM
    from glow.tools.roofline import limit_of

    with progress(f"profiling {args.model}"):
        records = profiled(net, inputs)
        limits = partial(limit_of, peaks=measured_peaks())
    print(table(records, lambda group: limits(group).ns), end="")
    if _is_drawn(args):
        from glow.tools.graph_drawing import dot_of
        from glow.tools.inspection import draw

        module = laid_out(args, inputs)
        draw(dot_of(module, times_by_name(records)), Path(args.profile))
    elif args.profile:
        write_trace(Path(args.profile), records)
    if args.profile:
        print(f"wrote {args.profile}")


def _is_drawn(args: argparse.Namespace) -> bool:
    return bool(args.profile) and args.profile.endswith(FORMATS)


def _show_signature(signature: Signature) -> None:
    for spec in signature.inputs:
        print(f"input {spec}")
    for spec in signature.results:
        print(f"output {spec}")
    for state in signature.states:
        print(f"state {state.spec}")


def _show(
    signature: Signature,
    outputs: Mapping[str, Array],
    expected: Mapping[str, Array] | None,
) -> None:
    for spec in signature.results:
        name, line = spec.name, str(spec)
        array = outputs[name]
        if array.size:
            wide = widened(array)
            line += f" values from {wide.min():.6g} to {wide.max():.6g}"
        if expected is not None:
            line += f", error {error_of(array, expected[name]):.2g}"
        print(line)


def _check(outputs: Mapping[str, Array], expected: Mapping[str, Array]) -> None:
    errors = {name: error_of(array, expected[name]) for name, array in outputs.items()}
    bounds = {name: tolerance_of(array.dtype) for name, array in outputs.items()}
    bad = [name for name, error in errors.items() if error > bounds[name]]
    if bad:
        fail(
            f"expected outputs within {bounds[bad[0]]:g} of the other runtime's, got "
            + ", ".join(f'"{name}" off by {errors[name]:.2g}' for name in bad)
        )


def main() -> None:
    run_tool(_run)
