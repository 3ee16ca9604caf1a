"""Compiled models as plain data: what executables are made of, and files hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from glow.runtime.profile import Profile
from glow.runtime.signature import Signature
from glow.runtime.tensor_spec import State, TensorSpec
from glow.support.arrays import Array

ENTRY = "main"
"""The function of the code that runs the model."""


@dataclass(frozen=True)
class Parameter:
    """A tensor of the caller, and whether code reads it, writes it, or both."""

    spec: TensorSpec
    direction: str
    """in, out or inout."""
    residency: str = "run"
    """run: passed or taken at each run; resident: it stays from run to run."""
    initial: int | None = None
    """The number of the constant that a resident tensor starts as, or repeats."""

    def entry(self) -> dict[str, Any]:
        """Return the parameter as a file has it; `of` reads that."""
        return {
            "direction": self.direction,
            "residency": self.residency,
            "initial": self.initial,
            **self.spec.entry(),
        }

    @staticmethod
    def of(entry: Mapping[str, Any]) -> Parameter:
        """Return the parameter that an entry of a file describes."""
        spec = TensorSpec.of(entry)
        return Parameter(spec, entry["direction"], entry["residency"], entry["initial"])


def signature_of(
    parameters: Sequence[Parameter], constants: Sequence[Array]
) -> Signature:
    """Return the signature: inputs, outputs and states."""
    passed = [b for b in parameters if b.residency == "run"]
    return Signature(
        tuple(b.spec for b in passed if b.direction != "out"),
        tuple(b.spec for b in passed if b.direction != "in"),
        tuple(
            State(
                b.spec,
                b.direction,
                None
                if b.initial is None
                else np.broadcast_to(constants[b.initial], b.spec.shape),
            )
            for b in parameters
            if b.residency == "resident"
        ),
    )


@dataclass(frozen=True)
class Machine:
    """The backend that made code, and LLVM's triple and features of its processors."""

    backend: str
    triple: str
    features: tuple[str, ...]
    """The features that a processor must have, such as `avx2`."""
    accuracy: str = "fast"
    """How exact results are: one of `glow.support.targets.ACCURACIES`."""


@dataclass(frozen=True)
class TeamSizes:
    """Needs of threads that share a run. Units: worker_bytes of scratch per worker."""

    strands: int
    sections: int
    worker_bytes: int


@dataclass(frozen=True)
class Image:
    """A compiled model. Units: arena_bytes per concurrent run."""

    machine: Machine
    objects: tuple[bytes, ...]
    """Object files that define `main` between them."""
    parameters: tuple[Parameter, ...]
    arena_bytes: int
    constants: tuple[Array, ...]
    messages: tuple[str, ...]
    """The messages of the fault codes 1, 2 and so on."""
    profile: Profile | None = None
    """Records of the code's profile; None: it is not profiled."""
    team: TeamSizes | None = None
    """Sizes for runs by several threads; None: code for one thread."""
    check: Callable[[], None] | None = None
    """To be called before constants are used; raises where they are damaged."""


@dataclass(frozen=True)
class SavedFile:
    """A file of a compiled model, and the digest of what is in it."""

    path: str
    content: str
