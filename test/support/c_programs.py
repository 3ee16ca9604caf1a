"""Programs of C around models that were written for it, built with what is here."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

COMPILER = next(filter(None, map(shutil.which, (os.environ.get("CC", ""), "cc"))), None)
"""The compiler of C that tests use, if there is one."""

_PROGRAM = """
#include <stdio.h>
#include "net.h"
#define ROOM(n) ((n) ? (n) : 1)
_Alignas(NET_ARENA_ALIGNMENT) static unsigned char arena[ROOM(NET_ARENA_BYTES)];
{arrays}
static int fill(const char *name, void *data, size_t size)
{{
    FILE *file = fopen(name, "rb");
    return !file || fread(data, 1, size, file) != size || fclose(file);
}}

static int write(const char *name, const void *data, size_t size)
{{
    FILE *file = fopen(name, "wb");
    return !file || fwrite(data, 1, size, file) != size || fclose(file);
}}

int main(void)
{{
    {before}
    for (int run = 0; run < {runs}; run++) {{
        int code = net_run({passed} net_weights, arena);
        if (code) {{
            printf("%s", net_fault(code));
            return 1;
        }}
    }}
    return {after};
}}
"""
_STRICT = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror")


def compile_c(folder: Path, source: str, *arguments: str) -> Path:
    """Return the program that a text of C and `arguments` make in `folder`."""
    assert COMPILER is not None
    (folder / "program.c").write_text(source)
    command = [COMPILER, *_STRICT, "program.c", *arguments, "-o", "program"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "program"


def run_c(
    folder: Path,
    given: Mapping[str, NDArray[Any]],
    wanted: Mapping[str, NDArray[Any]],
    order: Sequence[str],
    starts: Sequence[str] = (),
    runs: int = 1,
) -> dict[str, NDArray[Any]] | str:
    """
    Run `net.h` of `folder` in a program of C; return `wanted` arrays, or the fault.

    `order` are all parameters as the header calls them. `starts` are states that start
    as the model says. Arrays of `wanted` say types and shapes.
    """
    _, _, declared = (folder / "net.h").read_text().partition("int net_run(")
    declared = declared.partition(");")[0].replace("const ", "")
    types = {name: type_ for type_, name in re.findall(r"(\w+) \*(\w+)", declared)}
    assert list(types) == [*order, "weights", "arena"], declared
    size = "NET_{}_BYTES"
    arrays = [f"static {types[n]} {n}[ROOM(NET_{n.upper()}_COUNT)];" for n in order]
    before = [f"net_start_{n}({n}, net_weights);" for n in starts]
    for name, array in given.items():
        array.tofile(folder / f"{name}.in")
        count = size.format(name.upper())
        before.append(f'if (fill("{name}.in", {name}, {count})) return 2;')
    after = [f'write("{n}.out", {n}, {size.format(n.upper())})' for n in wanted]
    source = _PROGRAM.format(
        arrays="\n".join(arrays),
        before="\n    ".join(before),
        runs=runs,
        passed="".join(f"{name}, " for name in order),
        after=" || ".join(after),
    )
    program = compile_c(folder, source, "net.o", "net.weights.o")
    done = subprocess.run([program], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        assert done.returncode == 1, done
        return done.stdout
    return {
        name: np.fromfile(folder / f"{name}.out", like.dtype).reshape(like.shape)
        for name, like in wanted.items()
    }
