"""Which models are too large to be in every test of the default suite."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

LARGEST = frozenset({"densenet121", "encoder_b4", "vgg19", "zfnet512"})


def but_for_the_largest(names: Iterable[str]) -> list[Any]:
    """Return `names` as parameters of a test, the largest for `make test-full`."""
    return [
        pytest.param(name, marks=pytest.mark.full) if name in LARGEST else name
        for name in names
    ]
