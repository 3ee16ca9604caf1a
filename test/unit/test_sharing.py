"""Work on large arrays that threads share."""

from __future__ import annotations

from threading import get_ident

import numpy as np
import pytest

from glow.lowering.convolution.winograd import FORMS, winograd_filter
from glow.support import sharing

MANY_BYTES = 1 << 30


@pytest.fixture(autouse=True)
def _three_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "allowed_threads", lambda: 3)


def test_each_item_is_done_once() -> None:
    done: list[int] = []
    sharing.for_each(done.append, range(100), MANY_BYTES)
    assert sorted(done) == list(range(100))


def test_small_arrays_are_done_by_the_caller_in_order() -> None:
    done: list[tuple[int, int]] = []
    sharing.for_each(lambda n: done.append((n, get_ident())), range(5), 100)
    assert done == [(n, get_ident()) for n in range(5)]


def test_errors_of_work_are_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        sharing.for_each(lambda n: 1 // n, range(3), MANY_BYTES)


def test_filters_that_threads_pack_have_the_same_bits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    array = np.random.default_rng(0).standard_normal((40, 8, 3, 3), np.float32)
    alone = winograd_filter(array, 16, FORMS[0])
    monkeypatch.setattr(sharing, "_LEAST_BYTES", 0)
    np.testing.assert_array_equal(winograd_filter(array, 16, FORMS[0]), alone)
