"""Files that tools write: whole or not at all."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from glow.loading import weights_beside
from glow.support.weights import resources_of, save_weights


class OutputFile(StringIO):
    """
    Text that reaches its file when it is closed.

    A tool that fails has written nothing, so the file stays as it was.
    """

    def __init__(self, path: Path):
        super().__init__()
        self._path = path

    def close(self) -> None:
        if not self.closed and self.getvalue():
            self._path.write_text(self.getvalue())
        super().close()


def save_weights_beside(module: ModuleOp, path: Path) -> None:
    """Write the constants of `module`, if it has some, beside `path`."""
    if any(True for _ in resources_of(module)):
        save_weights(module, weights_beside(path))
