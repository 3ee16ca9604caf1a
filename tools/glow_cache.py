"""`glow-cache`: list what is kept on disk between runs, or remove it."""

from __future__ import annotations

import os
import time

from glow.backends.cpu.object_cache import SUFFIX as OBJECT
from glow.runtime.saved import SUFFIX as EXECUTABLE
from glow.support.files import CACHE_BYTES, FileCache, check_private, user_cache_dir
from glow.tools.command_line import OneLineParser, fail, run_tool
from glow.tools.options import USER_CACHE, folder_argument

KINDS = {"machine code": OBJECT, "executables": EXECUTABLE}
"""The suffix of each kind of file."""

_UNITS = (("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1))


def _parser() -> OneLineParser:
    parser = OneLineParser(
        "glow-cache",
        description="List what is kept on disk between runs: the machine code of "
        "kernels, and executables. Both may be removed at any time; they are made "
        "again when they are needed.",
    )
    add = parser.add_argument
    text = f"a folder (default: {USER_CACHE})"
    add("--cache-dir", type=folder_argument, metavar="DIR", help=text)
    text = "remove these files; others in the folder stay"
    add("--clear", action="store_true", help=text)
    return parser


def _run() -> None:
    args = _parser().parse_args()
    folder = args.cache_dir or user_cache_dir()
    if folder is None:
        fail(
            "expected a folder that caches are kept in, got none: GLOW_CACHE_DIR is "
            "empty or cannot be made, or there is no home folder"
        )
    if not folder.is_dir():
        fail(f"expected a folder, got {folder}")
    check_private(folder, "cache folder")
    print(folder)
    for name, suffix in KINDS.items():
        cache = FileCache(folder, suffix, CACHE_BYTES)
        files = cache.files()
        size = sum(each.size_bytes for each in files)
        text = f"  {name:13}{len(files):6} files {_megabytes(size):>12}"
        if args.clear:
            text += f", {cache.clear()} removed"
        elif files:
            used = max(each.used for each in files)
            text += f"   last used {_ago(time.time() - used)}"
        print(text)
    if args.clear and (left := len(os.listdir(folder))):
        print(f"  {left} other file{'s' * (left > 1)} left")


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def _ago(seconds: float) -> str:
    """Return a time that has passed, in the largest unit of which it has one."""
    for unit, length in _UNITS:
        count = int(seconds // length)
        if count:
            return f"{count} {unit}{'s' * (count > 1)} ago"
    return "now"


def main() -> None:
    run_tool(_run)
