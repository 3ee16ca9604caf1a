"""`layout.transform` on every target: any layout to any other, exact."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_movements import Program, programs
from xdsl.dialects.builtin import f32, f64, i1, i16, i64
from xdsl.ir import Attribute

import glow
from glow.dialects.layout.transform import TransformOp
from glow.support.layout import parse_layout
from glow.support.types import dtype_of, ui8

pytestmark = pytest.mark.slow

CASES = [
    *[("cpu", element) for element in (f32, f64, i16, ui8, i1)],
    *[("cpu:avx2", element) for element in (f32, i1)],
    *[("cpu:sse2", element) for element in (f64, i1)],
    *[("reference-checked", element) for element in (f32, i1)],
]
SHAPES: dict[int, list[tuple[int, ...]]] = {
    0: [()],
    1: [(7,), (0,)],
    2: [(33, 50), (5, 3), (0, 4)],
    3: [(2, 5, 7), (3, 98, 20)],
    4: [(2, 19, 5, 6), (33, 35, 3, 2), (1, 1, 1, 1), (1, 64, 1, 1), (2, 0, 3, 4)],
    5: [(1, 9, 2, 3, 4)],
}
LAYOUTS = {
    0: ["[]"],
    1: ["[0:?:4, 0:4]", "[0], halo = [2:3]"],
    2: ["[1, 0]", "[1:?:16, 0, 1:16]", "[0:?:4, 1:?:8, 0:4, 1:8]", "N[a=64]C"],
    3: ["NWC", "[0, 1:7, 2, 1:?:7]", "[1:?:16, 0, 2, 1:16]", "[2, 0, 1:?:4, 1:4]"],
    4: [
        "NHWC",
        "[2, 3, 0, 1]",
        "NCHW8c",
        "NCHW16c",
        "NCHW6c",
        "OHWI16o",
        "OIHW16i16o",
        "OIHW4o8i2o",
        "[0:?:2, 1, 2, 3, 0:2]",
        "N[a=64]HWC",
        "NCH[a=64]W",
        "N[a=64]H[a=32]WC",
        "NC[a=64]HW8c",
        "NHWC, halo = [0, 0, 1, 1]",
        "NCHW, halo = [0, 0, 1:2, 0:3]",
        "NCHW8c, halo = [0, 0, 1, 1]",
        "NHWC, halo = [1, 2:0, 0, 0]",
        "N[a=64]HWC, halo = [0, 0, 1, 1]",
    ],
    5: ["NDHWC", "NCDHW8c"],
}


def values(element: Attribute, *shape: int) -> np.ndarray[Any, Any]:
    numbers = np.arange(1, 1 + int(np.prod(shape))).reshape(shape)
    found = numbers % 2 if element == i1 else numbers
    return np.asarray(found, dtype_of(element))


@pytest.mark.parametrize(("target", "element"), CASES, ids=str)
def test_there_and_back(target: str, element: Attribute) -> None:
    """From each layout to the next and to row-major, for every shape."""
    for rank, shapes in SHAPES.items():
        for shape in shapes:
            program, x = Program(element), values(element, *shape)
            value = program.input("x", shape)
            for text in LAYOUTS[rank]:
                value = program.add(TransformOp(value, parse_layout(text)))
                program.save(value)
            found = glow.compile(program.finish(), target)(x)
            found = found if isinstance(found, tuple) else (found,)
            for text, y in zip(LAYOUTS[rank], found, strict=True):
                np.testing.assert_array_equal(y, x, err_msg=f"{text} {shape}")


@settings(max_examples=30)
@given(st.data())
@pytest.mark.parametrize("element", [f32, i64, i1], ids=str)
def test_random_programs_agree_with_the_reference(
    element: Attribute, data: st.DataObject
) -> None:
    module, x = data.draw(programs(element, steps=3))
    want = glow.compile(module, "reference").run({"x": x})
    for target in ("reference-checked", "cpu"):
        found = glow.compile(module, target).run({"x": x})
        for name, array in want.items():
            np.testing.assert_array_equal(found[name], array)
