"""Tables in plain text."""

from collections.abc import Container, Sequence


def aligned(rows: Sequence[Sequence[str]], numbers: Container[int]) -> list[str]:
    """Return the lines of a table; columns of `numbers` are aligned to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if k in numbers else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
