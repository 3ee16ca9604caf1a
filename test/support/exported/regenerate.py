"""
Export the networks anew: `python test/support/exported/regenerate.py [NAME...]`.

Needs packages that nothing else here does; made with torch 2.13.0, transformers 5.23.0
and onnxscript 0.7.2, in an environment of its own. Nothing is downloaded: networks are
made from configurations, and weights are left out of the text.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import onnx
import torch
from networks import NETWORKS
from text import written


def text_of(name: str) -> str:
    """Return the network called `name` as its exporter writes it."""
    make, options = NETWORKS[name]
    torch.manual_seed(0)
    network = make()
    if options["dynamo"]:
        axes: dict[str, Any] = {"dynamic_shapes": tuple(network.axes.values())}
    else:
        axes = {"dynamic_axes": network.axes}
    with TemporaryDirectory() as folder, torch.no_grad():
        path = str(Path(folder) / "network.onnx")
        torch.onnx.export(
            network.module.eval(),
            tuple(network.inputs.values()),
            path,
            input_names=list(network.inputs),
            output_names=network.outputs,
            external_data=False,
            **options,
            **axes,
        )
        return written(onnx.load(path))


def main() -> None:
    """Write the text of each network beside this file."""
    folder = Path(__file__).parent / "texts"
    for name in sys.argv[1:] or NETWORKS:
        (folder / f"{name}.txt").write_text(text_of(name))


if __name__ == "__main__":
    main()
