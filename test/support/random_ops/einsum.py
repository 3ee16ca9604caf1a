"""Random equations of Einstein sums."""

from __future__ import annotations

import numpy as np

from glow.dialects.graph.linear import EinsumOp
from random_ops.call import WIDE, Call, Source

LETTERS = "aBcDeF"


def _einsum(s: Source) -> Call:
    dtype = s.choose(WIDE)
    extents = {letter: s.choose((1, 2, 3, 5, 8)) for letter in LETTERS}
    if s.flip(0.05):
        extents["a"] = 0
    spread = s.shape(0, 2, empty=0)
    terms: list[str] = []
    arrays: list[np.ndarray] = []
    for _ in range(s.choose((1, 2, 2, 2, 3, 4))):
        letters = [s.choose(LETTERS) for _ in range(s.integer(0, 4))]
        one = s.choose(LETTERS) if s.flip(0.2) else None  # it broadcasts
        shape = [1 if letter == one else extents[letter] for letter in letters]
        if s.flip(0.3):
            at = s.integer(0, len(letters))
            letters.insert(at, "...")
            shape[at:at] = s.broadcast(spread)
        terms.append("".join(letters))
        arrays.append(s.finite(shape, dtype))
    return Call(EinsumOp, (arrays,), {"equation": _equation(s, terms)}, sums=True)


def _equation(s: Source, terms: list[str]) -> str:
    """Return the equation of `terms`, half of the time with a result of its own."""
    left = s.choose((",", ", ")).join(terms)
    if s.flip():
        return left
    present = [letter for letter in LETTERS if letter in left]
    kept = [letter for letter in s.rng.permutation(present).tolist() if s.flip()]
    if "..." in left:
        kept.insert(s.integer(0, len(kept)), "...")
    return f"{left}->{''.join(kept)}"


GENERATORS = {"graph.einsum": _einsum}
