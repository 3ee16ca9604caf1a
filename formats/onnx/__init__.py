"""Read ONNX models into the graph dialect, and write it as ONNX models."""

from glow.support.errors import GlowError

try:
    from glow.formats.onnx.declaration import declaration_of, open_dimensions
    from glow.formats.onnx.export import export_model
    from glow.formats.onnx.files import save_model, text_of_model
    from glow.formats.onnx.model import import_model
    from glow.formats.onnx.open_export import export_open_model
    from glow.formats.onnx.source import OnnxSource, read
except ModuleNotFoundError as error:
    if error.name is None or error.name.split(".")[0] not in ("onnx", "google"):
        raise
    raise GlowError(
        "reading and writing ONNX models needs a package: pip install 'glow-xdsl[onnx]'"
    ) from None

__all__ = [
    "OnnxSource",
    "declaration_of",
    "export_model",
    "export_open_model",
    "import_model",
    "open_dimensions",
    "read",
    "save_model",
    "text_of_model",
]
