"""
Measure what a new processor is good at, and print the numbers of its `Target`.

    python -m glow.tools.target_numbers

It takes some seconds. `_SHAPES` and `_MAKERS` of `backends/cpu/targets.py` have what is
printed last: for an instruction set where makers agree, else for a maker.
"""

from glow.backends.cpu.target_numbers import target_numbers


def main() -> None:
    print("\n".join(target_numbers()))


if __name__ == "__main__":
    main()
