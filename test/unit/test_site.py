"""The documentation site has every page, and every link in it leads somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from repository import ROOT

from glow.tools.site_links import broken_links

SCRIPT = ROOT / "tools" / "site_pages.py"
FENCE = re.compile(r"^```.*?^```$", re.M | re.S)
ANCHORED = re.compile(r"\]\(([^)#:\s]*)#([^)\s]+)\)")
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")


@pytest.mark.slow
def test_the_navigation_lists_all_pages_and_links_lead_to_files(tmp_path: Path) -> None:
    subprocess.run([sys.executable, SCRIPT, tmp_path], check=True)
    pages = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.md")}
    _, navigation = (ROOT / "mkdocs.yml").read_text().split("\nnav:\n")
    named = re.findall(r"[\w/.-]+\.md", navigation)
    assert sorted(named) == sorted(set(named))
    lists = {page for page in pages if page.endswith("/index.md")}
    assert pages - lists - set(named) == {
        page for page in pages - lists if page.startswith("docs/decisions/")
    }
    assert not set(named) - pages
    for page in pages:
        for target in LINK.findall((tmp_path / page).read_text()):
            path = tmp_path / Path(page).parent / target
            assert path.is_file(), f"{page} links to {target}"


def anchors_of(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)", FENCE.sub("", page.read_text()), re.M)
    words = (re.sub(r"[^\w\s-]", "", text).strip().lower() for text in headings)
    return {re.sub(r"\s", "-", each) for each in words}


@pytest.mark.slow
def test_links_to_places_in_pages_lead_to_headings() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    checked = 0
    for page in pages:
        for target, anchor in ANCHORED.findall(FENCE.sub("", page.read_text())):
            there = page.parent / target if target else page
            assert anchor in anchors_of(there), f"{page.name}: {target}#{anchor}"
            checked += 1
    assert checked > 100


@pytest.mark.parametrize(
    ("link", "broken"),
    [
        ('<a href="other.html#there">', ""),
        ('<a href="#here">', ""),
        ('<a href="https://xdsl.dev">', ""),
        ('<img src="other.html">', ""),
        ('<script src="https://unpkg.com/mermaid">', "https://unpkg.com/mermaid"),
        ('<a href="gone.html">', "gone.html"),
        ('<img src="gone.svg">', "gone.svg"),
        ('<a href="other.html#here">', "other.html#here"),
        ('<a href="#there">', "#there"),
    ],
)
def test_broken_links_of_a_site_are_found(
    tmp_path: Path, link: str, broken: str
) -> None:
    (tmp_path / "page.html").write_text(f'<h1 id="here">{link}</h1>')
    (tmp_path / "other.html").write_text('<h1 id="there"></h1>')
    assert broken_links(tmp_path) == ([f"page.html: {broken}"] if broken else [])
