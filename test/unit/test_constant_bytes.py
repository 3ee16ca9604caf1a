"""A constant of the graph or memory level holds bytes of its type."""

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import MemRefType, f32
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.placeholder import ResourceAttr
from glow.dialects.graph.storage import ConstantOp
from glow.dialects.memory.storage import ConstantOp as MemoryConstantOp
from glow.support.types import tensor

SHAPE = (2, 3)


def constants_of(array: NDArray[np.generic]) -> list[Operation]:
    return [
        ConstantOp("w", array, tensor(f32, SHAPE)),
        MemoryConstantOp("w", ResourceAttr.of(array), MemRefType(f32, SHAPE)),
    ]


def test_bytes_of_the_type_are_taken() -> None:
    for constant in constants_of(np.zeros(SHAPE, np.float32)):
        constant.verify()


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros(SHAPE), "expected float32 bytes, got float64"),
        (np.zeros((3, 2), np.float32), r"bytes of shape \(2, 3\), got \(3, 2\)"),
    ],
)
def test_other_bytes_are_refused(array: NDArray[np.generic], message: str) -> None:
    for constant in constants_of(array):
        with pytest.raises(VerifyException, match=message):
            constant.verify()
