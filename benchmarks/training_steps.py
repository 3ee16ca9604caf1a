"""
Training steps of one network by one library; each input line gives a number of steps.

    python benchmarks/training_steps.py --library glow --network mlp

It prints the losses of the first three steps, then a line for each one that it reads:
the CPU seconds of each step, as JSON. `training.py` starts it, also by a Python that
has PyTorch and not Glow.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from training_networks import NETWORKS, Network

Step = Callable[[], float]
"""Runs a training step; returns the loss."""
RATE = 1e-4


def step_function(network: Network) -> tuple[Callable[..., Any], tuple[Any, Any]]:
    """Return a step as Glow traces it, with weights in place, and its batch."""
    import glow
    from glow import nn, optim

    def batch_norm(x: Any, scale: Any, bias: Any) -> Any:
        mean, variance = np.mean(x, (0, 2, 3)), np.var(x, (0, 2, 3))
        return nn.batch_norm(x, mean, variance, scale, bias)

    def conv(x: Any, filter: Any, bias: Any, stride: int, padding: int) -> Any:
        return nn.conv(x, filter, bias, stride=stride, padding=padding)

    def max_pool(x: Any, kernel: int, stride: int, padding: int) -> Any:
        return nn.max_pool(x, kernel, stride=stride, padding=padding)

    f = SimpleNamespace(
        attention=partial(nn.attention, causal=True),
        batch_norm=batch_norm,
        conv=conv,
        cross_entropy=nn.cross_entropy,
        embedding=nn.embedding,
        gelu=nn.gelu,
        layer_norm=nn.layer_norm,
        max_pool=max_pool,
        mean=np.mean,
        relu=nn.relu,
        transpose=np.transpose,
    )
    rng = np.random.default_rng(0)
    weights, optimizer = optim.variables(network.initial(rng)), optim.adamw(RATE)
    state, batch = optim.variables(optimizer.init(weights)), network.batch(rng)

    def step(x: Any, labels: Any) -> Any:
        def loss(weights: Any) -> Any:
            return network.loss(f, weights, x, labels)

        value, gradients = glow.value_and_grad(loss)(weights)
        optim.assign((weights, state), optimizer.update(weights, gradients, state))
        return value

    return step, batch


def glow_step(network: Network) -> Step:
    """Return a step that Glow compiles as one function."""
    import glow

    function, batch = step_function(network)
    step = glow.jit(function, threads=1)
    return lambda: float(step(*batch))


def torch_step(network: Network, *, compiled: bool) -> Step:
    """Return a step of PyTorch, whose loss and its gradient it may compile."""
    torch: Any = import_module("torch")
    functional: Any = import_module("torch.nn.functional")
    torch.set_num_threads(1)

    def batch_norm(x: Any, scale: Any, bias: Any) -> Any:
        return functional.batch_norm(x, None, None, scale, bias, training=True)

    def embedding(table: Any, codes: Any) -> Any:
        return functional.embedding(codes, table)

    def layer_norm(x: Any, scale: Any, bias: Any) -> Any:
        return functional.layer_norm(x, scale.shape, scale, bias)

    f = SimpleNamespace(
        attention=partial(functional.scaled_dot_product_attention, is_causal=True),
        batch_norm=batch_norm,
        conv=functional.conv2d,
        cross_entropy=functional.cross_entropy,
        embedding=embedding,
        gelu=functional.gelu,
        layer_norm=layer_norm,
        max_pool=functional.max_pool2d,
        mean=torch.mean,
        relu=torch.relu,
        transpose=torch.permute,
    )
    leaves: list[Any] = []

    def tensors(tree: Any) -> Any:
        if isinstance(tree, dict):
            items = cast(dict[str, Any], tree).items()
            return {key: tensors(each) for key, each in items}
        if isinstance(tree, list):
            return [tensors(each) for each in cast(list[Any], tree)]
        leaves.append(torch.tensor(tree, requires_grad=True))
        return leaves[-1]

    rng = np.random.default_rng(0)
    weights = tensors(network.initial(rng))
    batch = [torch.tensor(each) for each in network.batch(rng)]
    optimizer = torch.optim.AdamW(leaves, lr=RATE)

    def loss(x: Any, labels: Any) -> Any:
        return network.loss(f, weights, x, labels)

    run = torch.compile(loss) if compiled else loss
    update = torch.compile(optimizer.step) if compiled else optimizer.step

    def step() -> float:
        optimizer.zero_grad()
        value = run(*batch)
        value.backward()
        update()
        return value.item()

    return step


LIBRARIES: dict[str, Callable[[Network], Step]] = {
    "glow": glow_step,
    "torch": lambda network: torch_step(network, compiled=False),
    "torch.compile": lambda network: torch_step(network, compiled=True),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", choices=LIBRARIES, required=True)
    parser.add_argument("--network", choices=NETWORKS, required=True)
    args = parser.parse_args()
    step = LIBRARIES[args.library](NETWORKS[args.network])
    first = [step() for _ in range(3)]
    package = "glow-xdsl" if args.library == "glow" else "torch"
    found = {"losses": first, "version": version(package)}
    print(json.dumps(found), flush=True)
    for line in sys.stdin:
        seconds: list[float] = []
        for _ in range(int(line)):
            start = time.process_time()
            step()
            seconds.append(time.process_time() - start)
        print(json.dumps(seconds), flush=True)


if __name__ == "__main__":
    main()
