"""
Measure what a new processor is good at, in a minute, and print its `Target` numbers.

    python benchmarks/target_numbers.py

`_SHAPES` and `_MAKERS` of `backends/cpu/targets.py` have what is printed last: for an
instruction set where makers agree, else for a maker. Caches are what the system says.
"""

from __future__ import annotations

from reporting import processor

from glow.backends.cpu.peaks import measured_peaks, measured_tile
from glow.backends.cpu.processor import maker, missing_features
from glow.backends.cpu.targets import cpu_target
from glow.support.targets import Target

_GAIN = 1.03
"""How much faster a way must be than the usual one to be taken."""


def tile_rates(target: Target, in_pairs: bool = False) -> dict[tuple[int, int], float]:
    """Return GFLOP/s of the tiles whose sums fill three quarters of the registers."""
    vectors = [n for n in (1, 2, 3, 4) if n * 4 <= target.registers]
    shapes = [(target.registers * 3 // 4 // n, n * target.f32_lanes) for n in vectors]
    return {
        shape: measured_tile(target, *shape, in_pairs)
        for shape in ((min(rows, target.tile_rows), width) for rows, width in shapes)
    }


def main() -> None:
    target = cpu_target()
    print(f"{processor()} ({maker() or 'maker unknown'}), {target.isa}")
    print(measured_peaks())
    rates = tile_rates(target)
    for (rows, columns), rate in rates.items():
        print(f"tile of {rows} x {columns}: {rate:.0f} GFLOP/s")
    usual, wide = (
        max((rate for (_, width), rate in rates.items() if width == columns), default=0)
        for columns in (target.panel_width, 2 * target.panel_width)
    )
    is_better = wide > _GAIN * usual
    print(f"wide_panel={2 * target.panel_width if is_better else 0}")
    if target.isa == "avx512" and not missing_features(["avx512bf16"]):
        paired = max(tile_rates(target, in_pairs=True).values())
        print(f"multiplies_bf16={paired > _GAIN * usual}  # {paired:.0f} GFLOP/s")
    print(f"l1_ways={target.l1_ways}, l1_bytes={target.l1_bytes}", end=", ")
    print(f"l2_bytes={target.l2_bytes}")


if __name__ == "__main__":
    main()
