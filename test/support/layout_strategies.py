"""Layouts and shapes for property tests, every feature of them."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from glow.support.layout import Dim, Layout

ASCII = st.characters(codec="ascii")
ALIGNMENTS = (1, 1, 1, 4, 8, 12, 64)

extensions = st.builds(
    "{}:{}".format,
    st.from_regex(r"[ ]?[A-Za-z_][\w.-]{0,3}[ ]?", fullmatch=True, alphabet=ASCII),
    st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="]\r\n"), max_size=4
    ),
)


@st.composite
def digits(draw: st.DrawFn, axis: int) -> list[Dim]:
    """The dims of one axis: up to two blocks and what is left."""
    found: list[Dim] = []
    stride = 1
    for extent in draw(st.lists(st.integers(1, 4), max_size=2)):
        found.append(Dim(axis, extent, stride))
        stride *= extent
    return [*found, Dim(axis, None, stride)]


@st.composite
def layouts(
    draw: st.DrawFn,
    rank: int | None = None,
    padded: bool = True,
    aligned: bool = True,
    extended: bool = False,
) -> Layout:
    rank = draw(st.integers(0, 4)) if rank is None else rank
    dims = draw(
        st.permutations([d for axis in range(rank) for d in draw(digits(axis))])
    )
    if aligned:
        dims = [replace(d, alignment=draw(st.sampled_from(ALIGNMENTS))) for d in dims]
        inner = max((i for i, d in enumerate(dims) if d.extent != 1), default=0)
        dims[inner:] = [replace(d, alignment=1) for d in dims[inner:]]
    if extended:
        notes = st.lists(extensions, max_size=2).map(tuple)
        dims = [
            d if d.extent == 1 else replace(d, extensions=draw(notes)) for d in dims
        ]
    pads = st.tuples(st.integers(0, 2), st.integers(0, 2))
    halo = [draw(pads) if padded else (0, 0) for _ in range(rank)]
    return Layout(dims, halo)


@st.composite
def laid_out(draw: st.DrawFn, **options: bool) -> tuple[Layout, tuple[int, ...]]:
    layout = draw(layouts(**options))
    shape = draw(st.lists(st.integers(1, 6), min_size=4, max_size=4))
    return layout, tuple(shape[: layout.rank])


@st.composite
def factored(draw: st.DrawFn, size: int) -> tuple[int, ...]:
    shape: list[int] = []
    while size > 1:
        extent = draw(st.sampled_from([d for d in range(1, size + 1) if size % d == 0]))
        shape.append(extent)
        size //= extent
    return tuple(shape)
