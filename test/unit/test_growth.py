"""The work of a compilation grows with the model, and not with its square."""

from collections.abc import Callable
from typing import Any

import growing
import pytest
from counted_calls import count_calls, is_linear

import glow
from glow.lowering.memory_to_loops import product_calls

LIMITS = {"products": 9500, "convolutions": 11100, "outputs": 9300}
"""How many function calls a layer may take on one thread: a tenth more than it does."""


def content_of(name: str, count: int) -> bytes:
    return growing.SHAPES[name](count).SerializeToString()


def calls(name: str, count: int, threads: int = 2) -> int:
    """Return how many functions are called to compile a model."""
    content = content_of(name, count)
    return count_calls(lambda: glow.compile(glow.load(content), threads=threads))


@pytest.mark.parametrize("power", [0, 1, 2])
def test_quadratic_work_is_seen(power: int) -> None:
    def prepare(size: int) -> Callable[[], object]:
        return lambda: [abs(number) for number in range(size**power)]

    assert is_linear(prepare, 20) == (power < 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", growing.SHAPES)
def test_work_is_linear(name: str) -> None:
    def prepare(count: int) -> Callable[[], object]:
        content = content_of(name, count)
        return lambda: glow.compile(glow.load(content), threads=2)

    assert is_linear(prepare, 32)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "limit"), LIMITS.items())
def test_a_layer_takes_few_calls(name: str, limit: int) -> None:
    glow.compile(content_of(name, 34), threads=1)
    few, many = (calls(name, count, threads=1) for count in (32, 64))
    assert many - few < limit * 32


@pytest.mark.parametrize("name", ["products", "convolutions"])
def test_layers_alike_are_planned_once(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned: list[object] = []
    plan = product_calls.plan_product

    def count(*arguments: Any, **options: Any) -> Any:
        planned.append(arguments)
        return plan(*arguments, **options)

    monkeypatch.setattr(product_calls, "plan_product", count)
    glow.compile(content_of(name, 12), threads=1)
    assert len(planned) <= 3  # the first and the last have other layouts


@pytest.mark.slow
def test_code_of_main_has_each_kind_of_layer_once() -> None:
    few, many = (
        glow.compile(content_of("residual", count), threads=1).image().objects
        for count in (12, 96)
    )
    larger_numbers = 16
    assert sum(map(len, many)) <= sum(map(len, few)) + larger_numbers
