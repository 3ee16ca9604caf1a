"""The page of the Python array API standard: which functions traced arrays have."""

from __future__ import annotations

from collections.abc import Sequence

from glow.tracing import namespace
from glow.tracing.functions.indexing import UNKNOWN_SIZES
from glow.tracing.registry import FUNCTIONS

STANDARD: dict[str, str] = {
    "Elementwise": """abs acos acosh add asin asinh atan atan2 atanh bitwise_and
        bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor
        ceil clip conj copysign cos cosh divide equal exp expm1 floor floor_divide
        greater greater_equal hypot imag isfinite isinf isnan less less_equal log log10
        log1p log2 logaddexp logical_and logical_not logical_or logical_xor maximum
        minimum multiply negative nextafter not_equal positive pow real reciprocal
        remainder round sign signbit sin sinh sqrt square subtract tan tanh trunc""",
    "Creation": """arange asarray empty empty_like eye from_dlpack full full_like
        linspace meshgrid ones ones_like tril triu zeros zeros_like""",
    "Types": "astype broadcast_arrays broadcast_shapes broadcast_to can_cast finfo "
    "iinfo isdtype result_type",
    "Statistics": """cumulative_prod cumulative_sum max mean min prod std sum var all
        any count_nonzero diff""",
    "Movement": """concat expand_dims flip moveaxis permute_dims repeat reshape roll
        squeeze stack tile unstack matrix_transpose""",
    "Searching and sorting": """argmax argmin nonzero searchsorted where argsort sort
        take take_along_axis isin unique_all unique_counts unique_inverse
        unique_values""",
    "Products": "matmul tensordot vecdot",
    "Linear algebra": """linalg.cholesky linalg.cross linalg.det linalg.diagonal
        linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.inv linalg.matmul
        linalg.matrix_norm linalg.matrix_power linalg.matrix_rank
        linalg.matrix_transpose linalg.outer linalg.pinv linalg.qr linalg.slogdet
        linalg.solve linalg.svd linalg.svdvals linalg.tensordot linalg.trace
        linalg.vecdot linalg.vector_norm""",
    "Fourier transforms": """fft.fft fft.ifft fft.fftn fft.ifftn fft.rfft fft.irfft
        fft.rfftn fft.irfftn fft.hfft fft.ihfft fft.fftfreq fft.rfftfreq fft.fftshift
        fft.ifftshift""",
}
"""The functions of edition 2025.12, by its chapters."""

_REASONS = dict.fromkeys(("linalg.eig", "fft."), "its numbers are complex")
_ALIASES = ("reduce", "__")


def state_of(name: str) -> str:
    """Return "yes", or why traced arrays do not have a function of the standard."""
    if name in UNKNOWN_SIZES:
        return "refused: the size of the result is known only at run time"
    if name in FUNCTIONS or hasattr(namespace, name):
        return "yes"
    reasons = (why for start, why in _REASONS.items() if name.startswith(start))
    return f"no: {next(reasons, 'not written yet')}"


def array_api_page(note: str) -> str:
    """Return the page: the standard's functions by chapter, then all of NumPy's."""
    every = [name for text in STANDARD.values() for name in text.split()]
    count = sum(state_of(name) == "yes" for name in every)
    parts = [
        "# The Python array API standard",
        note,
        f"Traced arrays have {count} of the {len(every)} functions of edition 2025.12 "
        "of the [standard](https://data-apis.org/array-api), under these names in "
        "`x.__array_namespace__()` and under NumPy's as `np.` functions. "
        "[tracing.md](tracing.md) says how functions are traced. Each `yes` is tested "
        "against NumPy.",
    ]
    for chapter, text in STANDARD.items():
        rows = [f"| `{name}` | {state_of(name)} |" for name in text.split()]
        table = ["| function | traced |", "|---|---|", *rows]
        parts += [f"## {chapter}", "\n".join(table)]
    others = sorted(
        name
        for name in set(FUNCTIONS) - set(every) - set(UNKNOWN_SIZES)
        if not any(word in name for word in _ALIASES)
    )
    parts += ["## Other functions of NumPy", _listed(others)]
    parts += [
        "## Refused",
        "The size of the results of these is known only at run time: "
        + _listed(UNKNOWN_SIZES),
    ]
    return "\n\n".join(parts) + "\n"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names)) + "."
