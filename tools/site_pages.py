"""
Collect the pages of the documentation site: `python tools/site_pages.py FOLDER`.

Pages keep their places below the repository, so that the links between them hold. A
link whose text is the name of a page shows the title of the page instead. Programs and
other files that pages link to are copied beside them; a link to a folder leads to a
page that lists it. Tutorials have a link to their notebook if nbformat is installed.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = ("*.md", "docs/**/*.md", "benchmarks/*.md")
TUTORIALS = Path("docs/tutorials")
STYLE = Path("docs/site.css")
_NAMED = re.compile(
    r"\[(?:[\w/.]+\.md)\]\((?P<target>[^)#:\s]+\.md)(?P<anchor>#[^)]*)?\)"
)
_LINK = re.compile(r"\]\(([^)#:\s]+)(#[^)]*)?\)")


def pages() -> list[Path]:
    """Return the paths of all pages, relative to the repository."""
    found = {path for pattern in PAGES for path in ROOT.glob(pattern)}
    return sorted(path.relative_to(ROOT) for path in found)


def links_of(page: Path) -> Iterator[tuple[str, Path]]:
    """Yield the relative links of a page, and the paths in the repository they name."""
    for target, _ in _LINK.findall((ROOT / page).read_text()):
        yield target, (ROOT / page.parent / target).resolve().relative_to(ROOT)


def collect_pages(folder: Path) -> None:
    """Write the pages, and all that they link to, into `folder`, anew."""
    shutil.rmtree(folder, ignore_errors=True)
    listed: set[Path] = set()
    notebooks = find_spec("nbformat") is not None
    for page in pages():
        text = (ROOT / page).read_text()
        for target, path in links_of(page):
            if (ROOT / path).is_dir():
                text = text.replace(f"]({target})", f"]({target.rstrip('/')}/index.md)")
                listed.add(path)
            elif path.suffix != ".md":
                _write(folder / path, (ROOT / path).read_text())
        if notebooks and page.parent == TUTORIALS:
            text += f"\n[This page as a notebook]({page.stem}.ipynb)\n"
        _write(folder / page, with_titles(page, text))
    if notebooks:
        from glow.tools.notebooks import write_notebooks

        write_notebooks(folder / TUTORIALS)
    _write(folder / STYLE, (ROOT / STYLE).read_text())
    for path in sorted(listed):
        _write(folder / path / "index.md", _listing(path, folder))


def with_titles(page: Path, text: str) -> str:
    """Return the text of `page`, whose links show titles for names of pages."""

    def named(link: re.Match[str]) -> str:
        path = ROOT / page.parent / link["target"]
        return f"[{title_of(path)}]({link['target']}{link['anchor'] or ''})"

    return _NAMED.sub(named, text)


def title_of(path: Path) -> str:
    """Return the first heading of a page, or the first line about a program."""
    return path.read_text().lstrip('#"\n ').partition("\n")[0].strip('". ')


def _listing(path: Path, folder: Path) -> str:
    """Return a page of what is in a folder of the repository."""
    lines = [f"# {path.name.capitalize()}", ""]
    for file in sorted((ROOT / path).iterdir()):
        if file.suffix not in (".md", ".py"):
            continue
        text = file.read_text()
        if file.suffix == ".py":
            _write(folder / path / file.name, text)
        lines.append(f"- [{title_of(file)}]({file.name})")
    return "\n".join([*lines, ""])


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


if __name__ == "__main__":
    collect_pages(Path(sys.argv[1]))
