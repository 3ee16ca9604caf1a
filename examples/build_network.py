"""
Write a small network in Python, compile it, and run it.

Weights start from a seed: each run, on any machine, prints the same classes.
"""

from __future__ import annotations

import numpy as np

import glow


def residual(b: glow.Builder, x: glow.Value, channels: int) -> glow.Value:
    """Return x plus what two convolutions make of it."""
    y = b.relu(b.batch_norm(b.conv(x, channels, kernel=3)))
    return b.relu(b.add(b.batch_norm(b.conv(y, channels, kernel=3)), x))


def network() -> glow.Model:
    b = glow.Builder("small")
    y = b.input("image", (4, 3, 32, 32))
    y = b.relu(b.conv(y, 16, kernel=5, stride=2, init=glow.initializers.he(seed=1)))
    for _ in range(2):
        y = residual(b, y, 16)
    y = b.reshape(b.global_avg_pool(y), shape=(4, 16))
    b.output("probabilities", b.softmax(b.linear(y, 10), axis=-1))
    return b.model()


def main() -> None:
    net = glow.compile(network())
    print(net.signature)
    images = np.random.default_rng(0).random((4, 3, 32, 32), np.float32)
    (probabilities,) = net.run({"image": images}).values()
    for number, row in enumerate(probabilities):
        print(f"image {number}: class {row.argmax()}, {row.max():.3f}")


if __name__ == "__main__":
    main()
