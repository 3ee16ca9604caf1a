"""Read ONNX models into the graph dialect."""

from glow.support.errors import GlowError

try:
    from glow.importers.onnx.model import import_model
except ModuleNotFoundError as error:
    if error.name is None or error.name.split(".")[0] not in ("onnx", "google"):
        raise
    raise GlowError(
        "reading ONNX models needs a package: pip install 'glow-xdsl[onnx]'"
    ) from None

__all__ = ["import_model"]
