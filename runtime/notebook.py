"""Tables in HTML, as notebooks show objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def html_table(
    caption: str, titles: Sequence[str], rows: Iterable[Sequence[object]]
) -> str:
    """Return a table; captions, titles and cells are text, whatever is in them."""
    from html import escape  # which workers never need

    def line(cells: Sequence[object], tag: str) -> str:
        return "".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in cells)

    body = "".join(f"<tr>{line(row, 'td')}</tr>" for row in rows)
    head = f"<caption>{escape(caption)}</caption><tr>{line(titles, 'th')}</tr>"
    return f"<table>{head}{body}</table>"
