"""Options of the form `--dim NAME=VALUE`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


def add_io_arguments(add: Callable[..., Any]) -> None:
    """Add the options that change the arrays a model takes and returns."""
    add(
        "--relayout-io",
        action="append",
        default=[],
        metavar="[NAME=]LAYOUT",
        help="pass inputs and take outputs in this order, such as image=NHWC",
    )
    add(
        "--states",
        action="append",
        default=[],
        metavar="OUTPUT=INPUT",
        help="keep what runs give for an output, for the input of the next run; several"
        " with commas",
    )
    add(
        "--bind",
        action="append",
        default=[],
        metavar="NAME=FILE.npy",
        help="compile the value of an input in, as if it were a constant of the model",
    )


def parse_dims(texts: Sequence[str]) -> dict[str, int]:
    """Return the extents of `--dim NAME=VALUE` options by name."""
    dims: dict[str, int] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if not name or not value.isdecimal():
            raise ValueError(f"expected --dim NAME=VALUE, got {text!r}")
        dims[name] = int(value)
    return dims


def parse_relayout(texts: Sequence[str]) -> dict[str, str] | str | None:
    """Return the layouts of `--relayout-io` options by name, or one for all."""
    if not texts:
        return None
    if len(texts) == 1 and "=" not in texts[0]:
        return texts[0]
    layouts: dict[str, str] = {}
    for text in texts:
        name, _, layout = text.rpartition("=")
        if not name or not layout or name in layouts:
            raise ValueError(
                "expected --relayout-io NAME=LAYOUT once per name, or one LAYOUT, "
                f"got {text!r}"
            )
        layouts[name] = layout
    return layouts


def parse_states(texts: Sequence[str]) -> dict[str, str]:
    """Return the inputs of `--states OUTPUT=INPUT,...` options by output."""
    states: dict[str, str] = {}
    for text in texts:
        for pair in text.split(","):
            output, _, input = pair.partition("=")
            if not output or not input or output in states:
                raise ValueError(
                    f"expected --states OUTPUT=INPUT once per output, got {text!r}"
                )
            states[output] = input
    return states


def parse_shapes(texts: Sequence[str]) -> dict[str, list[int]]:
    """Return the extents of `--shapes NAME=VALUE,...` options by name."""
    shapes: dict[str, list[int]] = {}
    for text in texts:
        name, _, values = text.rpartition("=")
        extents = values.split(",")
        if not name or name in shapes or not all(map(str.isdecimal, extents)):
            raise ValueError(
                f"expected --shapes NAME=VALUE,... once per name, got {text!r}"
            )
        shapes[name] = list(map(int, extents))
    return shapes
