"""The numbers of the `Target` of this processor."""

from __future__ import annotations

from glow.backends.cpu.cores import core_here
from glow.backends.cpu.peaks import measured_peaks, measured_tile
from glow.backends.cpu.processor import missing_features
from glow.backends.cpu.targets import cpu_target
from glow.support.targets import Target

_GAIN = 1.03
"""How much faster than the usual choice another one must be to be taken."""
_SAME = 1.015
"""How much faster a lower tile must be than a taller one to be taken."""
_NARROW = 0.8
"""The share of the rate of whole vectors above which narrower ones are taken."""


def target_numbers() -> list[str]:
    """Return lines: what was measured, then the fields of `Target` that it decides."""
    target = cpu_target()
    rates, usual = _tile_rates(target), target.panel_width
    core = core_here()
    lines = [f"{core.name if core else 'core unknown'}, {target.cpu}, {target.isa}"]
    lines += [str(measured_peaks())]
    lines += [
        f"tile of {r} x {c}: {rate:.0f} GFLOP/s" for (r, c), rate in rates.items()
    ]
    heights = [rows for rows, columns in rates if columns == usual]
    own = max(rates[rows, usual] for rows in heights)
    wider = [(rate, shape[1]) for shape, rate in rates.items() if shape[1] > usual]
    wide, panel = max(wider, default=(0.0, 0))
    fast = [rows for rows in heights if _SAME * rates[rows, usual] > own]
    lines.append(f"tile_rows={max(fast)}")
    lines.append(f"wide_panel={panel if wide > _GAIN * own else 0}")
    half = target.f32_lanes // 2
    narrow = measured_tile(target, 8, 3 * half, lanes=half)
    lines.append(
        f"narrow_lanes={half if narrow > _NARROW * own else 0}  # {narrow:.0f} GFLOP/s"
    )
    if target.isa == "avx512" and not missing_features(["avx512bf16"]):
        paired = max(_tile_rates(target, in_pairs=True).values())
        lines.append(f"multiplies_bf16={paired > _GAIN * own}  # {paired:.0f} GFLOP/s")
    lines.append(f"l1_ways={target.l1_ways}, l1_bytes={target.l1_bytes}")
    return [*lines, f"l2_bytes={target.l2_bytes}"]


def _tile_rates(target: Target, in_pairs: bool = False) -> dict[tuple[int, int], float]:
    """Return GFLOP/s of tiles whose sums fill up to three quarters of the registers."""
    sums, usual = target.registers * 3 // 4, target.panel_width
    most = sums * target.f32_lanes // usual
    shapes = [(rows, usual) for rows in range(most, most // 2 - 1, -2)]
    shapes += [
        (sums // vectors, vectors * target.f32_lanes)
        for vectors in (3, 4)
        if vectors * target.f32_lanes != usual
    ]
    return {shape: measured_tile(target, *shape, in_pairs) for shape in shapes}
