"""Layouts that a caller asks for, by the names of inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from glow.support.arrays import Extents
from glow.support.layout.parser import parse_layout
from glow.support.layout.physical import Layout, LayoutError
from glow.support.layout.text import print_layout


def requested_layouts(
    names: Sequence[str],
    layouts: Sequence[str],
    shapes: Mapping[str, Extents | None],
) -> dict[str, Layout]:
    """
    Return the requested layout of each tensor that gets one.

    `names` and `layouts` go together; without names there is one layout, of all tensors
    of its rank. `shapes` are those of all tensors, None where one is not known.

    Errors: a LayoutError that lists any text that is not a layout, unknown or repeated
    names, layouts that do not fit, or have padding that the caller would have to fill.
    """
    if len(names) != len(layouts) and (names or len(layouts) != 1):
        raise LayoutError(
            f"expected a layout for each name, got {len(names)} names and "
            f"{len(layouts)} layouts"
        )
    parsed = [_parsed(text) for text in layouts]
    problems = [each for each in parsed if isinstance(each, str)]
    known = [each for each in parsed if isinstance(each, Layout)]
    pairs = list(zip(names, parsed, strict=False))
    if not names:
        for layout in known:
            pairs += [(name, layout) for name in _of_rank(layout.rank, shapes)]
        problems += _unused(known, shapes)
    problems += _unknown(names, shapes)
    for name, layout in pairs:
        shape = shapes.get(name)
        if isinstance(layout, Layout) and shape is not None:
            problems += _misfits(name, layout, shape)
    if problems:
        raise LayoutError("; ".join(problems))
    return {name: layout for name, layout in pairs if isinstance(layout, Layout)}


def _parsed(text: str) -> Layout | str:
    """Return the layout, or a message about its text."""
    try:
        return parse_layout(text)
    except LayoutError as error:
        return f'layout "{text}", column {error.column}: {error}'


def _of_rank(rank: int, shapes: Mapping[str, Extents | None]) -> list[str]:
    return [
        n for n, shape in shapes.items() if shape is not None and len(shape) == rank
    ]


def _unused(
    layouts: Sequence[Layout], shapes: Mapping[str, Extents | None]
) -> Iterator[str]:
    if None in shapes.values():
        return  # one of unknown rank may fit
    for layout in layouts:
        if not _of_rank(layout.rank, shapes):
            yield (
                f"expected an input or output of rank {layout.rank} for layout "
                f"{print_layout(layout)}, got none"
            )


def _unknown(
    names: Sequence[str], shapes: Mapping[str, Extents | None]
) -> Iterator[str]:
    known = ", ".join(f'"{name}"' for name in shapes) or "none"
    for name in dict.fromkeys(names):
        if name not in shapes:
            yield (
                f'expected the name of an input or output out of {known}, got "{name}"'
            )
        elif names.count(name) > 1:
            yield f'expected each name once, got "{name}" {names.count(name)} times'


def _misfits(name: str, layout: Layout, shape: Extents) -> Iterator[str]:
    """Return why a caller cannot bind a tensor of `shape` in `layout`."""
    text = print_layout(layout)
    if layout.rank != len(shape):
        yield (
            f'expected a layout of rank {len(shape)} for "{name}", got {text} of rank '
            f"{layout.rank}"
        )
        return
    if layout.is_aligned or layout.has_halo:
        yield f'expected a layout without alignment and halo for "{name}", got {text}'
    for axis, extent in enumerate(shape):
        dims = [layout.dims[i] for i in layout.digits(axis)]
        block = prod(dim.extent for dim in dims if dim.extent is not None)
        if isinstance(extent, int) and extent % block:
            listed = ", ".join(map(str, shape))
            yield (
                f'expected blocks that divide the axes of "{name}", which is '
                f"[{listed}], got {text}"
            )
            return
