"""
Check the links of a built site: `python tools/site_links.py FOLDER`.

Each link, picture and script of a page must be a file of the site, and each anchor an
element there. Links may lead to other servers, which are not asked; pictures and
scripts may not come from them.
"""

from __future__ import annotations

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """The links of a page, which of them a browser loads with it, and its anchors."""

    def __init__(self, text: str):
        super().__init__()
        self.links: list[str] = []
        self.loaded: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and name in ("href", "src"):
                self.links.append(value)
                if name == "src":
                    self.loaded.add(value)
            elif value and name in ("id", "name"):
                self.anchors.add(value)


@cache
def _page(path: Path) -> _Page:
    return _Page(path.read_text())


def broken_links(site: Path) -> list[str]:
    """Return the links of all pages that are not as they must be, with the page."""
    found: list[str] = []
    for path in sorted(site.rglob("*.html")):
        if path.name == "404.html":  # its links begin at the root of a server
            continue
        for link in dict.fromkeys(_page(path).links):
            if not _leads_somewhere(path, link):
                found.append(f"{path.relative_to(site)}: {link}")
    return found


def _leads_somewhere(path: Path, link: str) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return link not in _page(path).loaded
    there = path.parent / unquote(parts.path) if parts.path else path
    if there.is_dir():
        there /= "index.html"
    if not there.is_file():
        return False
    anchor = unquote(parts.fragment)
    return not anchor or there.suffix != ".html" or anchor in _page(there).anchors


if __name__ == "__main__":
    if broken := broken_links(Path(sys.argv[1])):
        sys.exit(
            "error: links that lead nowhere, or load from other servers:\n"
            + "\n".join(broken)
        )
