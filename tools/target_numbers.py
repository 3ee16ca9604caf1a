"""
Measure what a new processor is good at, and print the numbers of its `Target`.

    python -m glow.tools.target_numbers

It takes some seconds. The numbers printed last belong in `_SHAPES` of
`backends/cpu/targets.py` if processors of all makers have them, else in `CORES` of
`backends/cpu/cores.py` (docs/processors.md).
"""

from glow.backends.cpu.cores import core_here


def core_name() -> str | None:
    """Return what the cores of this processor are called, if they are known."""
    core = core_here()
    return None if core is None else core.name


def main() -> None:
    from glow.backends.cpu.target_numbers import target_numbers  # which loads LLVM

    print("\n".join(target_numbers()))


if __name__ == "__main__":
    main()
