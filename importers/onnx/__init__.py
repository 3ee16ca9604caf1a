"""Read ONNX models into the graph dialect."""

from glow.importers.onnx.model import import_model

__all__ = ["import_model"]
