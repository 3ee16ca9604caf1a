"""What every executable offers, whichever backend made it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from glow.runtime.signature import Array, Signature


@dataclass(frozen=True)
class StageReport:
    """What a step of a compilation cost, and how many ops it left; None: no IR."""

    name: str
    seconds: float
    ops: int | None


class Executable(ABC):
    """
    A compiled model: call it with arrays, as often and from as many threads as needed.

    It is independent of the IR it was made from. Errors: a BindingError for arrays
    that do not fit the signature, an ExecutionError where the data makes a run fail.
    """

    def __init__(self, signature: Signature):
        self.signature = signature
        self.stages: tuple[StageReport, ...] = ()
        """How it was compiled, step by step."""

    def __call__(self, *arrays: object) -> Array | tuple[Array, ...]:
        """Run on the inputs in order; return the output, or a tuple of several."""
        results = self._run(self.signature.positional(arrays), None)
        return results[0] if len(results) == 1 else results

    def run(
        self, inputs: Mapping[str, object], out: Mapping[str, object] | None = None
    ) -> dict[str, Array]:
        """Run on named inputs; return the outputs by name, in `out` where given."""
        results = self._run(inputs, out)
        names = (spec.name for spec in self.signature.outputs)
        return dict(zip(names, results, strict=True))

    def _run(
        self, inputs: Mapping[str, object], out: Mapping[str, object] | None
    ) -> tuple[Array, ...]:
        bindings = self.signature.bind(inputs, out)
        self.execute(bindings.inputs, bindings.outputs)
        return bindings.results()

    @abstractmethod
    def execute(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        """Fill `outputs` from `inputs`; all fit the signature and are contiguous."""
