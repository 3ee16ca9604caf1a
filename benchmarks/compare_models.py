"""
Compare every model of the test suite with ONNX Runtime, and print a table.

    python benchmarks/compare_models.py --output benchmarks/RESULTS.md

Each model runs in a process of its own: there the model is written to a file, loaded,
compiled with nothing cached, checked against ONNX Runtime and timed beside it.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "support"))
import models

PEER = "onnxruntime"
COMMAND = "python benchmarks/compare_models.py --output benchmarks/RESULTS.md"


def measure(name: str, args: argparse.Namespace) -> dict[str, Any]:
    """Return what `glow-bench` says of model `name`, or what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.onnx"
        model = models.build(name)
        path.write_bytes(model.SerializeToString())
        command = ["glow-bench", str(path), "--vs", PEER]
        for number, (key, array) in enumerate(models.inputs_of(model).items()):
            file = path.with_name(f"input{number}.npy")
            np.save(file, array)
            command += ["--input", f"{key}={file}"]
        command += ["--target", args.target, "--threads", str(args.threads)]
        command += ["--seconds", str(args.seconds)]
        if args.cpu_features is not None:
            command += ["--cpu-features", args.cpu_features]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return {"name": name, "error": done.stderr.strip()}
    return {"name": name} | json.loads(done.stdout)


def row(found: dict[str, Any]) -> str:
    if "error" in found:
        return f"| {found['name']} | {found['error']} | | | | |"
    cells = (
        found["name"],
        f"{found['glow_ms']:.2f}",
        f"{found[f'{PEER}_ms']:.2f}",
        f"{found['ratio']:.2f}",
        f"{found['compile_s']:.2f}",
        f"{found['max_error']:.1e}",
    )
    return "| " + " | ".join(cells) + " |"


def processor() -> str:
    """Return the name of the processor, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2] for line in lines if line.startswith("model name")]
    return names[0].strip() if names else platform.processor()


def header(args: argparse.Namespace) -> str:
    day = datetime.now(UTC).date().isoformat()
    threads = f"{args.threads} thread{'s' * (args.threads != 1)}"
    features = f" ({args.cpu_features})" if args.cpu_features else ""
    return f"""# Models beside ONNX Runtime

Written by `{COMMAND}`
on {day}: {processor()}, {threads}, target {args.target}{features}, ONNX Runtime \
{version(PEER)}.

Latencies are medians of runs that take turns in one process. Speed is ONNX Runtime's
latency over ours: above 1 we are faster. Compile time runs from the file to the
executable with nothing cached. One thread is timed by the CPU time of the process.
The error is the largest difference from ONNX Runtime, as a fraction of the largest
value.

| model | glow ms | ONNX Runtime ms | speed | compile s | max error |
|---|---|---|---|---|---|
"""


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare models with ONNX Runtime.")
    parser.add_argument("names", nargs="*", help="models; all of them by default")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cpu-features")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--output", type=Path, help="write the table there too")
    args = parser.parse_args()
    text = header(args)
    print(text, end="")
    for name in args.names or models.MODELS:
        line = row(measure(name, args)) + "\n"
        print(line, end="", flush=True)
        text += line
    if args.output is not None:
        args.output.write_text(text)


if __name__ == "__main__":
    main()
