"""Functions of neural networks, as `glow.nn`: each is one op, or one composite."""
