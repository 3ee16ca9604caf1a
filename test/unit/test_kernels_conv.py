"""Convolution kernels against sums in f64, over shapes, layouts and targets."""

from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
import pytest
from accuracy import DRAWS, drawn
from convolutions import Case, Convolution, packing, reference
from grids import in_turns
from products import TARGETS, Array
from xdsl.dialects.builtin import f32

import glow
from glow.lowering.convolution.algorithm import ConvShape, choose_algorithm
from glow.lowering.convolution.winograd import (
    F2,
    F4,
    FORMS,
    Form,
    winograd_filter,
    winograd_scratch_elements,
)
from glow.support.targets import target_of

pytestmark = pytest.mark.slow

BASE = Case((1, 64, 9, 9), 64, (3, 3), pads=(1, 1, 1, 1))
FULL, CHANNELS, PIXELS = (1, 64, 9, 9), (64, 1, 1), (1, 1, 9, 9)
TURNS = replace(BASE, group=4, outputs=136, order="turns", result_halo=1)
DIRECT = {
    "3x3": BASE,
    "1x1": replace(BASE, kernel=(1, 1), pads=()),
    "stem": Case((1, 3, 21, 23), 40, (7, 7), strides=(2, 2), pads=(3, 3, 3, 3)),
    "one row": Case((1, 32, 1, 1), 70, (1, 1)),
    "batch": replace(BASE, input=(3, 17, 5, 7), outputs=33),
    "stride 2": replace(BASE, input=(2, 24, 11, 8), outputs=20, strides=(2, 2)),
    "dilation": replace(BASE, dilations=(2, 3), pads=(2, 3, 2, 3)),
    "asymmetric": replace(BASE, kernel=(2, 4), pads=(0, 1, 1, 2), outputs=48),
    "wide border": replace(BASE, halo=2, result_halo=3, channels_before=5),
    "groups": replace(BASE, group=4, outputs=36),
    "groups of a large image": Case((1, 512, 34, 34), 32, (3, 3), group=2),
    "many groups": replace(BASE, input=(2, 48, 6, 5), group=16, outputs=32),
    "1-D": Case((2, 12, 19), 21, (5,), strides=(2,), pads=(2, 1)),
    "3-D": Case((1, 8, 5, 6, 4), 16, (3, 2, 3), pads=(1, 0, 1, 1, 1, 1)),
    "one output": replace(BASE, outputs=1),
    "no bias": replace(BASE, has_bias=False, outputs=39),
    "relu": replace(BASE, epilogue="relu"),
    "residual": replace(BASE, epilogue="residual", extras=(FULL,), result_halo=1),
    "tail": replace(BASE, outputs=44, epilogue="residual", extras=((1, 44, 9, 9),)),
    "per channel": replace(BASE, epilogue="affine", extras=(CHANNELS, (1,))),
    "per pixel": replace(BASE, epilogue="affine", extras=(PIXELS, (1, 64, 1, 1))),
    "silu": replace(BASE, outputs=50, epilogue="silu", extras=((1, 50, 9, 9),)),
    "in place": replace(
        BASE, epilogue="residual", extras=(FULL,), in_place=True, result_halo=1
    ),
    "long in place": replace(BASE, epilogue="silu", extras=(FULL,), in_place=True),
    "bool operand": replace(
        BASE, epilogue="masked", extras=(FULL,), extra_element="i1", outputs=64
    ),
    "bool result": replace(
        BASE,
        input=(1, 64, 9, 7),
        outputs=43,
        epilogue="above",
        extras=((43, 1, 1),),
        result_element="i1",
    ),
    "select": replace(BASE, epilogue="positive", extras=(PIXELS,)),
    "functions": replace(BASE, epilogue="sine", extras=(FULL,)),
    "strided extra": replace(BASE, epilogue="residual", extras=((1, 64, 1, 9),)),
    "strided tail": replace(
        BASE, outputs=37, group=1, epilogue="residual", extras=((1, 37, 9, 1),)
    ),
    "grouped extras": replace(
        BASE, group=2, epilogue="affine", extras=(CHANNELS, FULL)
    ),
    "rows": replace(BASE, order="rows"),
    "rows of a batch": replace(
        BASE, input=(3, 17, 5, 7), outputs=41, order="rows", result_halo=1
    ),
    "rows, 1x1": Case((2, 24, 7, 9), 64, (1, 1), order="rows", epilogue="relu"),
    "rows, short": Case((2, 24, 3, 1), 40, (1, 1), order="rows", result_halo=2),
    "rows, residual": replace(
        BASE, order="rows", epilogue="residual", extras=(FULL,), channels_before=3
    ),
    "rows in place": replace(
        BASE, order="rows", epilogue="silu", extras=(FULL,), in_place=True
    ),
    "rows, per channel": replace(
        BASE, order="rows", epilogue="affine", extras=(CHANNELS, PIXELS)
    ),
    "rows, bool": replace(
        BASE, order="rows", epilogue="above", extras=(CHANNELS,), result_element="i1"
    ),
    "rows of groups": replace(BASE, order="rows", group=4, outputs=80),
    "rows, few columns": replace(
        BASE, outputs=3, order="rows", epilogue="residual", extras=((1, 3, 9, 9),)
    ),
    "rows, tail": replace(
        BASE,
        input=(2, 9, 5, 7),
        outputs=37,
        order="rows",
        epilogue="silu",
        extras=((2, 37, 5, 7),),
    ),
    "rows, tail of bools": replace(
        BASE,
        outputs=43,
        order="rows",
        epilogue="masked",
        extras=((1, 43, 9, 9),),
        extra_element="i1",
        result_halo=1,
    ),
    "rows of groups, residual": replace(
        BASE,
        group=4,
        outputs=80,
        order="rows",
        epilogue="residual",
        extras=((1, 80, 9, 9),),
    ),
    "channels first": replace(BASE, kernel=(1, 1), pads=(), input_first=True),
    "channels first, windows": replace(
        BASE, pads=(), strides=(2, 1), input_first=True, halo=1, order="rows"
    ),
    "channels first, groups": replace(
        BASE, input=(2, 36, 6, 7), pads=(), group=2, outputs=70, input_first=True
    ),
    "turns": TURNS,
    "2 turns": replace(TURNS, group=2, outputs=74, has_bias=False),
    "3 turns": replace(
        TURNS, input=(2, 18, 4, 7), group=3, outputs=48, epilogue="gelu"
    ),
    "8 turns": replace(TURNS, group=8, outputs=8 * 32),
    "16 turns": replace(TURNS, group=16, outputs=16 * 19, result_halo=0),
    "turns of one": replace(TURNS, outputs=4),
    "turns, residual": replace(
        TURNS, epilogue="residual", extras=((1, 136, 9, 9),), result_halo=0
    ),
    "turns in place": replace(
        TURNS,
        epilogue="residual",
        extras=((1, 136, 9, 9),),
        in_place=True,
        result_halo=0,
    ),
    "turns, long in place": replace(
        TURNS, epilogue="silu", extras=((1, 136, 9, 9),), in_place=True
    ),
    "turns, per channel": replace(
        TURNS, epilogue="affine", extras=((136, 1, 1), PIXELS)
    ),
    "turns, bool": replace(
        TURNS, epilogue="above", extras=((136, 1, 1),), result_element="i1"
    ),
}
DEPTHWISE = {
    "3x3": replace(BASE, group=64),
    "tail": replace(BASE, input=(2, 41, 7, 9), outputs=41, group=41, epilogue="relu"),
    "stride 2": replace(BASE, group=64, strides=(2, 2), result_halo=1),
    "dilation": replace(BASE, group=64, dilations=(2, 1), channels_before=8),
    "dilated lines": replace(BASE, group=64, dilations=(1, 2), pads=(1, 2, 1, 2)),
    "strided taps": replace(
        BASE, group=64, strides=(2, 2), dilations=(1, 2), pads=(1, 2, 1, 2)
    ),
    "5x5": replace(
        BASE, input=(2, 40, 7, 32), outputs=40, group=40, kernel=(5, 5), pads=(2,) * 4
    ),
    "apart": replace(BASE, group=64, kernel=(2, 2), strides=(2, 2), pads=(1, 0, 0, 1)),
    "few channels": Case((1, 3, 6, 6), 3, (5, 5), group=3, halo=1),
    "1-D": Case((2, 20, 19), 20, (4,), strides=(3,), pads=(2, 1), group=20),
    "residual": replace(BASE, group=64, epilogue="residual", extras=(FULL,)),
    "in place": replace(
        BASE, group=64, epilogue="residual", extras=(FULL,), in_place=True
    ),
    "per channel": replace(
        BASE, group=64, epilogue="affine", extras=(CHANNELS, PIXELS), has_bias=False
    ),
}
WINOGRAD = {
    "whole": Case((1, 32, 8, 8), 64, (3, 3), pads=(1, 1, 1, 1), halo=1),
    "parts": Case((2, 16, 9, 7), 48, (3, 3), pads=(1, 1, 1, 1), halo=3),
    "no pads": Case((1, 16, 21, 18), 16, (3, 3), halo=3, epilogue="relu"),
    "blocks": Case((1, 16, 61, 60), 16, (3, 3), pads=(0, 2, 1, 0), halo=3),
    "residual": replace(
        BASE, epilogue="residual", extras=(FULL,), halo=3, channels_before=3
    ),
    "extras": replace(
        BASE,
        epilogue="affine",
        extras=(CHANNELS, PIXELS),
        halo=3,
        has_bias=False,
        result_halo=1,
    ),
    "in place": Case(
        (1, 16, 61, 59),
        16,
        (3, 3),
        epilogue="residual",
        extras=((1, 16, 59, 57),),
        in_place=True,
        halo=3,
    ),
    "strided extra": replace(
        BASE, epilogue="residual", extras=((1, 64, 1, 9),), halo=3
    ),
}
GENERIC = {
    "f64": replace(BASE, element="f64", outputs=5),
    "i32": Case(
        (2, 6, 5, 7), 4, (3, 2), (2, 1), (1, 0, 2, 1), (1, 2), 2, element="i32"
    ),
    "i64": Case((1, 3, 9), 2, (4,), pads=(3, 3), has_bias=False, element="i64"),
    "f32": Case((2, 3, 4, 5, 3), 4, (2, 3, 2), (1, 2, 1), (1, 1, 0, 0, 2, 1)),
    "pads only": Case((1, 2, 1, 1), 3, (2, 2), (3, 3), (2, 3, 4, 3)),
    "residual": Case(
        (1, 4, 5, 5), 6, (3, 3), epilogue="residual", extras=((1, 6, 3, 3),)
    ),
    "division": Case(
        (1, 2, 4, 4),
        4,
        (3, 3),
        element="i32",
        group=2,
        epilogue="remainder",
        extras=((1, 4, 1, 1),),
    ),
}


@pytest.mark.parametrize(("name", "target"), in_turns(DIRECT, TARGETS))
def test_direct(name: str, target: str) -> None:
    case, panel = DIRECT[name], target_of(target).panel_widths[0]
    pack, strict = packing("direct", case.group, panel), f"{target},strict"
    Convolution(case, strict, "direct", pack).check()


@pytest.mark.parametrize(("name", "target"), in_turns(DEPTHWISE, TARGETS))
def test_depthwise(name: str, target: str) -> None:
    case = DEPTHWISE[name]
    Convolution(case, target, "depthwise", packing("depthwise", case.group)).check()


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"F{form.tile}")
@pytest.mark.parametrize(("name", "target"), in_turns(WINOGRAD, TARGETS))
def test_winograd(name: str, form: Form, target: str) -> None:
    case, machine = WINOGRAD[name], target_of(target)
    Convolution(
        case,
        target,
        "winograd",
        lambda w: winograd_filter(w, machine.panel_widths[0], form),
        winograd_scratch_elements(machine, form, case.input, case.result),
    ).check(tolerance=2e-5)


def computed(case: Case, x: Array, w: Array, form: Form | None) -> Array:
    """Return the convolution of `x` with `w` by a form, or by the direct sum."""
    target = target_of("cpu:avx2")
    panel = target.panel_widths[0]
    conv = Convolution(case, target.name, "direct", packing("direct", 1, panel))
    if form is not None:
        scratch = winograd_scratch_elements(target, form, case.input, case.result)
        pack = partial(winograd_filter, panel=panel, form=form)
        conv = Convolution(case, target.name, "winograd", pack, scratch)
    conv.x[:], conv.w = x, w
    return conv.run().copy()


@pytest.mark.parametrize("channels", [64, 256, 512])
@pytest.mark.parametrize("data", DRAWS)
def test_transforms_lose_little(data: str, channels: int) -> None:
    """Errors against f64, as fractions of the largest result."""
    case = Case((1, channels, 16, 16), 32, (3, 3), (), (1,) * 4, has_bias=False, halo=3)
    x, w = drawn(data, case)
    exact = reference(case, x, w)
    scale = np.abs(exact).max()
    direct, small, large = (
        np.abs(computed(case, x, w, form) - exact).max() / scale
        for form in (None, F2, F4)
    )
    assert direct < 1.5e-6
    assert small < 1.5e-6
    assert large < min(3.2e-6, 8 * direct)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"F{form.tile}")
def test_what_is_not_finite_stays_in_its_tiles(form: Form) -> None:
    """An infinity reaches all pixels of the tiles that read it, and no other."""
    case = Case((1, 16, 16, 16), 16, (3, 3), (), (1,) * 4, has_bias=False, halo=3)
    random = np.random.default_rng(0)
    x, w = random.standard_normal(case.input), random.standard_normal(case.filter)
    x, w = x.astype(np.float32), w.astype(np.float32)
    before = computed(case, x, w, form)
    for value in (np.inf, -np.inf, np.nan):
        x[0, 3, 9, 6] = value
        after = computed(case, x, w, form)
        reached = np.zeros((16, 16), np.bool_)
        for y, column in product(range(8, 11), range(5, 8)):
            tile = (slice(n // form.tile * form.tile, None) for n in (y, column))
            down, across = (slice(s.start, s.start + form.tile) for s in tile)
            reached[down, across] = True
        assert not np.isfinite(after[0][:, 8:11, 5:8]).any()
        np.testing.assert_array_equal(after[0][:, ~reached], before[0][:, ~reached])


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"F{form.tile}")
def test_large_numbers_overflow_no_sooner_than_said(form: Form) -> None:
    """Channels times the largest input and weight may be 1/620 of what f32 holds."""
    case = Case((1, 16, 8, 8), 16, (3, 3), (), (1,) * 4, has_bias=False, halo=3)
    random = np.random.default_rng(0)
    x = random.choice([-1, 1], case.input) * (np.finfo(np.float32).max / 620 / 16)
    x, w = x.astype(np.float32), random.choice([-1, 1], case.filter).astype(np.float32)
    exact = reference(case, x, w)
    y = computed(case, x, w, form)
    assert np.abs(y - exact).max() < 3e-6 * np.abs(exact).max()


@pytest.mark.parametrize(
    ("channels", "kernel", "side", "expected"),
    [
        (64, 3, 28, F4),
        (256, 3, 14, F4),
        (256, 3, 7, F2),  # reading the filter counts
        (512, 3, 28, F4),
        (512, 3, 14, F2),  # that of large tiles takes much memory for little time
        (512, 3, 3, None),
        (512, 5, 28, None),
        (24, 3, 28, None),
    ],
)
def test_tiles_follow_from_shapes(
    channels: int, kernel: int, side: int, expected: Form | None
) -> None:
    filter, image, ones = (
        (channels, channels, kernel, kernel),
        (1, channels, side, side),
        (1, 1),
    )
    conv = ConvShape(
        f32, image, filter, image, ones, (kernel // 2,) * 4, ones, 1, is_constant=True
    )
    assert choose_algorithm(conv, target_of("cpu")).form is expected
    strict = choose_algorithm(conv, target_of("cpu:strict"))
    assert (strict.name, strict.form) == ("direct", None)


@pytest.mark.parametrize("name", GENERIC)
def test_generic(name: str) -> None:
    Convolution(GENERIC[name], "cpu", "generic").check()


@pytest.mark.parametrize("groups", [1, 8])
@pytest.mark.parametrize(
    ("shape", "expanded", "kernel"),
    [
        ((1, 8, 1), (1, 8, 12), 3),
        ((2, 8, 6, 1), (2, 8, 6, 9), (3, 3)),
        ((1, 8, 1, 6), (1, 8, 9, 6), (3, 3)),
    ],
)
def test_places_of_a_window_may_be_one_element(
    shape: tuple[int, ...],
    expanded: tuple[int, ...],
    kernel: int | tuple[int, int],
    groups: int,
) -> None:
    b = glow.Builder()
    x = b.expand(b.input("x", shape), shape=expanded)
    b.output("y", b.conv(x, 8, kernel, padding="valid", groups=groups))
    model = b.model()
    given = np.random.default_rng(0).standard_normal(shape, np.float32)
    expected = glow.compile(model, target="reference")(given)
    np.testing.assert_allclose(glow.compile(model)(given), expected, 1e-5, 1e-6)
