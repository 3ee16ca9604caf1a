"""Printer of layouts: `NHWC`, `NC8c`, `N[a=64]HWC`, or a list of dims."""

from __future__ import annotations

from glow.support.layout.physical import Dim, Layout

ACTIVATIONS = {2: "NC", 3: "NCW", 4: "NCHW", 5: "NCDHW"}
"""The letters of axes where axis 0 is whole and outermost, or changed ends with 1."""
FILTERS = {2: "OI", 3: "OIW", 4: "OIHW", 5: "OIDHW"}
"""The letters of axes where axis 0 is split or further in, by rank."""
MATRICES = {2: "KN"}
"""The letters of a matrix whose axis 0 is whole and not outermost."""


def print_layout(layout: Layout) -> str:
    """
    Return the text of `layout`: letters if there are any for it, else a list.

    Letters need 2 to 5 axes, and the digits of each axis in descending order: the
    capital is what is left of the axis, `8c` a block of 8. In the list, a dim is
    `axis:extent:stride`, with `?` for what is left; `:1` and `:?` at the end are left
    out. `[a=64]` aligns a dim to 64 bytes; `halo` lists `before:after` of each axis.
    """
    text = _print_letters(layout) or _print_list(layout)
    if not layout.has_halo:
        return text
    pads = ", ".join(
        f"{before}" if before == after else f"{before}:{after}"
        for before, after in layout.halo
    )
    return f"{text}, halo = [{pads}]"


def _letters_of(layout: Layout) -> str | None:
    """Return the letter of each axis, chosen by where axis 0 lies."""
    rank, order = layout.rank, layout.order()
    if not rank or order.count(0) > 1:
        return FILTERS.get(rank)
    if order[0] == 0 or (rank > 3 and (order[0], order[-1]) == (1, 0)):
        return ACTIVATIONS.get(rank)
    return MATRICES.get(rank) or FILTERS.get(rank)


def _print_letters(layout: Layout) -> str | None:
    letters = _letters_of(layout)
    if letters is None:
        return None
    text = ""
    below: dict[int, int] = {}
    for dim in layout.dims:
        letter = letters[dim.axis]
        if dim.axis not in below and dim.extent is None:
            text += letter
        elif dim.stride * (dim.extent or 0) == below.get(dim.axis):
            text += f"{dim.extent}{letter.lower()}"
        else:
            return None
        below[dim.axis] = dim.stride
        text += _print_notes(dim)
    return text


def _print_list(layout: Layout) -> str:
    dims: list[str] = []
    for dim in layout.dims:
        text = f"{dim.axis}"
        if dim.stride != 1:
            text += f":{dim.extent or '?'}:{dim.stride}"
        elif dim.extent is not None:
            text += f":{dim.extent}"
        dims.append(text + _print_notes(dim))
    return f"[{', '.join(dims)}]"


def _print_notes(dim: Dim) -> str:
    alignment = f"[a={dim.alignment}]" if dim.alignment != 1 else ""
    return alignment + "".join(f"[{text}]" for text in dim.extensions)
