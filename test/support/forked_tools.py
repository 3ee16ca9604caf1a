"""Command-line tools as forks of a process that has imported them."""

import gc
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import filecheck.main

from glow.registry import universe
from glow.tools import glow_opt, glow_run

TOOLS: dict[str, Callable[[], None]] = {
    "glow-opt": glow_opt.main,
    "glow-run": glow_run.main,
    "filecheck": filecheck.main.main,
}


def import_all() -> None:
    """Import dialects and passes, which tools import when they need them."""
    for make in (*universe().all_dialects.values(), *universe().all_passes.values()):
        make()
    gc.freeze()  # else collections in each fork write to the pages of all objects


def _exit_code(main: Callable[[], None]) -> int:
    """Run a tool, and return what its process would end with."""
    try:
        main()
    except SystemExit as ending:
        if isinstance(ending.code, int | None):
            return ending.code or 0
        sys.stderr.write(f"{ending.code}\n")
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _run(main: Callable[[], None], args: Sequence[str], env: Mapping[str, str]) -> None:
    """Run a tool in a forked process, in place of its program."""
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # the parent waits for one of them
    os.environ.clear()
    os.environ.update(env)
    sys.argv = list(args)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode, 1) for number, mode in enumerate("rww")
    )
    code = _exit_code(main)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


class Popen(subprocess.Popen[Any]):
    """A process that is a fork of this one if its program is one of `TOOLS`."""

    def __init__(self, args: Sequence[str], *, env: Mapping[str, str], **options: Any):
        if main := TOOLS.get(Path(args[0]).name):
            options["preexec_fn"] = partial(_run, main, args, env)
        super().__init__(args, env=env, **options)
