"""Options that command lines share, and the values that they have."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from errno import EACCES
from pathlib import Path

from glow.options import DEFAULTS, FOLD_BYTES, Options
from glow.support.files import user_cache_dir
from glow.support.layout import LayoutError, parse_layout
from glow.support.targets import ACCURACIES

AnyParser = argparse.ArgumentParser | argparse._ArgumentGroup  # pyright: ignore
"""An object that options can be added to."""

_REPEATABLE = (
    ("--dim", "NAME=VALUE", "the extent of a symbolic dimension"),
    ("--disable", "PASS", "leave out this rewrite; may be given again"),
    (
        "--relayout-io",
        "[NAME=]LAYOUT",
        "pass inputs and take outputs in this order, such as image=NHWC",
    ),
    (
        "--states",
        "OUTPUT=INPUT",
        "keep what runs give for an output, for the input of the next run; several"
        " with commas",
    ),
    (
        "--bind",
        "NAME=FILE.npy",
        "compile the value of an input in, as if it were a constant of the model",
    ),
)


def add_shared_options(parser: AnyParser) -> None:
    """Add the options that say how to read and compile a model."""
    add = parser.add_argument
    add("--cpu-features", help="what the target may use, such as avx2 or sse2")
    add("--accuracy", choices=ACCURACIES, help="how exact results are (default: fast)")
    add("--weights", metavar="FILE", help="the constants of textual IR")
    add("--stop-after-pass", type=int, metavar="N", help="leave out later rewrites")
    text = "the most that constant folding holds at once (default: 256 MiB)"
    add("--fold-bytes", type=int, metavar="BYTES", help=text)
    text = "what the values of a training step should fit in (docs/gradients.md)"
    add("--memory-bytes", type=int, metavar="BYTES", help=text)
    add("--trust", action="store_true", help="let code of a text call any function")
    for name, metavar, text in _REPEATABLE:
        add(name, action="append", default=[], metavar=metavar, help=text)


def add_inputs(parser: AnyParser) -> None:
    """Add the option that takes inputs from files."""
    text = "take an input from a file; may be given again"
    parser.add_argument(
        "--input", action="append", default=[], metavar="NAME=FILE.npy", help=text
    )


def compile_options(args: argparse.Namespace) -> Options:
    """Return what the shared options say of a compilation."""
    return Options(
        cpu_features=args.cpu_features,
        disable=tuple(args.disable),
        stop_after_pass=args.stop_after_pass,
        relayout=parse_relayout(args.relayout_io),
        states=parse_states(args.states),
        trust=args.trust,
        accuracy=args.accuracy or DEFAULTS.accuracy,
        fold_bytes=FOLD_BYTES if args.fold_bytes is None else args.fold_bytes,
        memory_bytes=args.memory_bytes or 0,
    )


def repeated(args: argparse.Namespace) -> list[str]:
    """Return the options in `args` that say how IR is compiled, to give them again."""
    given: list[str] = []
    if args.cpu_features is not None:
        given += ["--cpu-features", args.cpu_features]
    if args.accuracy is not None:
        given += ["--accuracy", args.accuracy]
    if args.fold_bytes is not None:
        given += ["--fold-bytes", str(args.fold_bytes)]
    if args.memory_bytes is not None:
        given += ["--memory-bytes", str(args.memory_bytes)]
    given += ["--trust"] if args.trust else []
    for option in ("disable", "relayout-io", "states"):
        for text in getattr(args, option.replace("-", "_")):
            given += [f"--{option}", text]
    return given


def named(
    texts: Sequence[str],
    expected: str,
    is_value: Callable[[str], bool] = bool,
    looks_right: Callable[[str], bool] = lambda value: False,
) -> dict[str, str]:
    """
    Return the values of `NAME=VALUE` options by name; say what is `expected`.

    Names and values may contain "=": the first one whose right side `looks_right`
    separates them, else the last one.
    """
    values: dict[str, str] = {}
    for text in texts:
        parts = text.split("=")
        splits = [("=".join(parts[:i]), "=".join(parts[i:])) for i in range(len(parts))]
        likely = (split for split in splits[1:] if looks_right(split[1]))
        name, value = next(likely, splits[-1])
        if not name or not is_value(value) or name in values:
            raise ValueError(f"expected {expected}, got {text!r}")
        values[name] = value
    return values


def parse_dims(texts: Sequence[str]) -> dict[str, int]:
    """Return the extents of `--dim NAME=VALUE` options by name."""
    expected = "--dim NAME=VALUE, at least 0, once per name"
    dims = named(texts, expected, str.isdecimal)
    return {name: int(value) for name, value in dims.items()}


def parse_relayout(texts: Sequence[str]) -> dict[str, str] | str | None:
    """Return the layouts of `--relayout-io` options by name, or one for all."""
    if len(texts) == 1 and ("=" not in texts[0] or _is_layout(texts[0])):
        return texts[0]
    expected = "--relayout-io NAME=LAYOUT once per name, or one LAYOUT"
    return named(texts, expected, looks_right=_is_layout) or None


def _is_layout(text: str) -> bool:
    try:
        parse_layout(text)
    except LayoutError:
        return False
    return True


def parse_states(texts: Sequence[str]) -> dict[str, str]:
    """Return the inputs of `--states OUTPUT=INPUT,...` options by output."""
    pairs = [pair for text in texts for pair in text.split(",")]
    return named(pairs, "--states OUTPUT=INPUT once per output")


def parse_shapes(texts: Sequence[str]) -> dict[str, list[int]]:
    """Return the extents of `--shapes NAME=VALUE,...` options by name."""
    shapes = named(
        texts,
        "--shapes NAME=VALUE,... once per name",
        lambda value: all(map(str.isdecimal, value.split(","))),
    )
    return {name: list(map(int, value.split(","))) for name, value in shapes.items()}


def file_argument(text: str) -> str:
    """Return the name of a file; an empty one would mean the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("expected a name, got ''")
    return text


def folder_argument(text: str) -> Path:
    """Return the folder that an option gives, as `file_argument` does."""
    return Path(file_argument(text))


USER_CACHE = "$GLOW_CACHE_DIR, or glow in $XDG_CACHE_HOME or ~/.cache"
"""Where this user's cache is, as help says it."""


def add_cache_options(parser: argparse.ArgumentParser, by_default: bool) -> None:
    """Add the options that say where compiled models are kept between runs."""
    default = USER_CACHE if by_default else "nowhere"
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--cache-dir",
        type=folder_argument,
        metavar="DIR",
        help=f"keep what is compiled here (default: {default})",
    )
    group.add_argument(
        "--no-cache",
        action="store_true",
        default=not by_default,
        help="neither read nor write a cache",
    )


def cache_dir_of(args: argparse.Namespace) -> Path | str:
    """
    Return where what is compiled is kept; empty: nowhere.

    Errors: OSError for a folder of `--cache-dir` that nothing can be written to.
    """
    if args.cache_dir is not None:
        check_folder(args.cache_dir)
        return args.cache_dir
    return "" if args.no_cache else user_cache_dir() or ""


def check_folder(folder: Path) -> None:
    """
    Make a folder if need be.

    Errors: ValueError for a file; OSError where nothing can be written to it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise ValueError(f"expected a folder, got {folder}") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(EACCES, os.strerror(EACCES), str(folder))
