"""Models of domain ai.onnx.ml with random parameters."""
