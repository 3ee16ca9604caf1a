"""Machines that take some optional operands, or some composites, only."""

from collections.abc import Callable
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from glow.backends.reference import checking, reference_target
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.control_flow import composite_of
from glow.dialects.graph.presence import optional_slots, presence_of
from glow.support.targets import Backend, Target

FACTORS = frozenset({"scale", "bias", "weights"})


def _needs_bias(op: Operation, presence: frozenset[str], target: Target) -> bool:
    """Take no op without its bias."""
    assert isinstance(op, GraphOp)
    return "bias" not in optional_slots(type(op)).operands or "bias" in presence


def _takes_bare(op: Operation, presence: frozenset[str], target: Target) -> bool:
    """Take no op with a scale, bias or weights that can as well be applied apart."""
    assert isinstance(op, GraphOp)
    neutrals = type(op).neutrals()
    found = [neutrals[name] for name in presence & FACTORS]
    return not any(neutral.outside or neutral.inside for neutral in found)


def _takes_unbounded(op: Operation, presence: frozenset[str], target: Target) -> bool:
    """Take no op with a bound, and none without all of its results."""
    assert isinstance(op, GraphOp)
    results = optional_slots(type(op)).results
    return not presence & {"min", "max"} and presence.issuperset(results)


def _checked(name: str, takes: Callable[..., bool]) -> Callable[..., Any]:
    """Return a `Backend.compile` that refuses what the machine cannot run."""

    def compile(module: ModuleOp, target: Target, **options: Any) -> Any:
        for op in module.walk():
            if isinstance(op, GraphOp):
                assert takes(op, presence_of(op), target), f"{op.name} on {name}"
        return checking(name)(module, target, **options)

    return compile


def _backend(name: str, takes: Callable[..., bool]) -> Backend:
    return Backend(
        name, reference_target(name), "layout", _checked(name, takes), takes=takes
    )


BIASED = _backend("biased", _needs_bias)
BARE = _backend("bare", _takes_bare)
UNBOUNDED = _backend("unbounded", _takes_unbounded)


def _keeps(op: Operation, target: Target) -> bool:
    """Keep a composite that it has a unit for."""
    return isinstance(op, FuncOp) and composite_of(op) == "outside.squash"


SQUASHING = Backend(
    "squashing",
    reference_target("squashing"),
    "layout",
    checking("squashing"),
    keeps=_keeps,
)
