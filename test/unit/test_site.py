"""The documentation site has every page, and every link in it leads to a file."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from repository import ROOT

SCRIPT = ROOT / "tools" / "site_pages.py"
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")


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
