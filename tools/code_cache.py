"""The folder in which command lines keep compiled models between runs."""

from __future__ import annotations

import argparse
import os
from contextlib import suppress
from pathlib import Path

# Others must not be able to put code there that this user then runs.
_OTHERS_MAY_WRITE = 0o022


def add_arguments(parser: argparse.ArgumentParser, by_default: bool) -> None:
    """Add the options that say where it is kept, if not as `by_default`."""
    default = "glow in $XDG_CACHE_HOME or ~/.cache" if by_default else "nowhere"
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--cache-dir",
        type=Path,
        metavar="DIR",
        help=f"keep what is compiled here (default: {default})",
    )
    group.add_argument(
        "--no-cache",
        action="store_true",
        default=not by_default,
        help="keep nothing, and use nothing that is kept",
    )


def cache_dir_of(args: argparse.Namespace) -> Path | None:
    """Return where `args` has it kept; None: nowhere."""
    if args.cache_dir is not None:
        return args.cache_dir
    return None if args.no_cache else user_cache_dir()


def user_cache_dir() -> Path | None:
    """
    Return the folder for this user's machine code, made if need be.

    None where there is none that only this user can write to.
    Source: XDG Base Directory Specification 0.8, where relative paths do not count.
    """
    with suppress(OSError, RuntimeError):  # the latter: there is no home folder
        base = Path(os.environ.get("XDG_CACHE_HOME", ""))
        root = base if base.is_absolute() else Path.home() / ".cache"
        folder = root / "glow"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder if _is_ours(folder) else None
    return None


def _is_ours(folder: Path) -> bool:
    """Return whether only this user can put files into `folder`."""
    if not hasattr(os, "getuid"):
        return True  # folders of a user are private there
    status = folder.stat()
    return status.st_uid == os.getuid() and not status.st_mode & _OTHERS_MAY_WRITE
