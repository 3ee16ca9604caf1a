"""Glow on xDSL: compile machine-learning models to fast machine code."""
