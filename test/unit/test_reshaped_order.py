"""The order that the axes of a reshaped tensor take from those of its input."""

import pytest

from glow.dialects.graph.reordering import reshaped_order

Shape = tuple[int, ...]


@pytest.mark.parametrize(
    ("shape", "new", "order", "expected"),
    [
        ((2, 3, 4, 5), (2, 12, 5), (0, 3, 1, 2), (0, 2, 1)),  # merged ones together
        ((2, 3, 4, 5), (2, 12, 5), (0, 1, 3, 2), None),  # parted
        ((2, 3, 4, 5), (2, 12, 5), (0, 2, 1, 3), None),  # swapped
        ((2, 12, 5), (2, 3, 4, 5), (0, 2, 1), (0, 3, 1, 2)),  # split ones together
        ((6, 4), (3, 8), (1, 0), None),  # neither merged nor split
        ((2, 1, 3), (2, 3), (1, 2, 0), (1, 0)),  # what has one position is anywhere
        ((2, 3), (1, 2, 1, 3), (1, 0), (0, 3, 1, 2)),  # new ones follow
        ((2, 0), (0, 2), (1, 0), None),
    ],
)
def test_order_of_a_reshaped_tensor(
    shape: Shape, new: Shape, order: Shape, expected: Shape | None
) -> None:
    assert reshaped_order(shape, new, order) == expected
