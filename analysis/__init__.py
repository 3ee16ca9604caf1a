"""Facts about IR; nothing here changes it."""

import glow.support.op_definition as _before_dialects_of_xdsl  # noqa: F401  # pyright: ignore[reportUnusedImport]
