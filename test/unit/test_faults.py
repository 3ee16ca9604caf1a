"""Planted faults have a place in the sources, and tests that catch them."""

import plant
import pytest


def test_every_fault_can_be_planted() -> None:
    problems = [plant.problem_of(fault) for fault in plant.FAULTS]
    assert not [problem for problem in problems if problem]
    assert len(plant.FAULTS) >= 30


@pytest.mark.full
def test_every_fault_is_caught() -> None:
    assert plant.main([]) == 0
