"""Tracing: a Python function that computes with NumPy is run once and written as IR."""
