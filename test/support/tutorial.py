"""
Run a page of docs/tutorials in the current folder: `python tutorial.py PAGE`.

Blocks of Python are cells of one session, as in a notebook; `%%writefile` writes one to
a file. Blocks of `text` are what the cell before shows; those of `console` are commands
and what they print. There `...` stands for any text.
"""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any


def blocks_of(page: Path) -> Iterator[tuple[str, str]]:
    """Yield the language and the text of each block of a page."""
    yield from re.findall(r"^```(\w+)\n(.*?)^```$", page.read_text(), re.M | re.S)


def run_page(page: Path) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = ""
    for language, text in blocks_of(page):
        file = re.match(r"%%writefile (\S+)\n", text)
        if language == "text":
            compare(text, shown, page.name)
        elif language == "console":
            run_commands(text)
        elif file is not None:
            Path(file[1]).write_text(text[file.end() :])
        else:
            shown = run_cell(text, f"{page.stem}.py", names)


def run_cell(text: str, name: str, names: dict[str, Any]) -> str:
    """Run a cell; return what it prints, and the value of its last expression."""
    body = ast.parse(text).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    out = StringIO()
    with redirect_stdout(out):
        exec(compile(ast.Module(body, []), name, "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), name, "eval"), names)
            if value is not None:
                out.write(f"{value!r}\n")
    return out.getvalue()


def run_commands(text: str) -> None:
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, _, expected = part.partition("\n")
        tool, *arguments = shlex.split(command)
        module = f"glow.tools.{tool.replace('-', '_')}"
        code = f"from {module} import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True
        )
        assert done.returncode == 0, f"{command}:\n{done.stderr}"
        compare(expected, done.stdout, command)


def compare(expected: str, found: str, what: str) -> None:
    parts = re.split(r"^ *\.\.\.\n", expected, flags=re.M)
    pattern = "(?:.*\n)*?".join(map(re.escape, parts)).replace(r"\.\.\.", ".*")
    found = re.sub(" +$", "", found, flags=re.M).rstrip()
    found += "\n" * bool(found)
    assert re.fullmatch(pattern, found), f"{what}:\n{found}"


if __name__ == "__main__":
    sys.path[0] = ""
    run_page(Path(sys.argv[1]))
