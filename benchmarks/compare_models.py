"""
Compare every model of the test suite with other runtimes, and print a table.

    python benchmarks/compare_models.py --output benchmarks/RESULTS.md

Each model runs in a process of its own: there the model is written to a file, loaded,
compiled with nothing cached, checked against ONNX Runtime and OpenVINO and timed beside
them. OpenVINO may be absent: `pip install 'glow-xdsl[bench]'`. Models that
`export_models.py` wrote to a folder are added with `--exported FOLDER`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import numpy as np
from reporting import Page, chosen_models, processor, today

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "support"))
import models

PEERS = {"onnxruntime": "ONNX Runtime", "openvino": "OpenVINO"}
"""The runtimes to compare with, as `glow-bench --vs` and people call them."""
COMMAND = "python benchmarks/compare_models.py --output benchmarks/RESULTS.md"


def version_of(peer: str) -> str | None:
    """Return the version of a runtime; None where it is not installed."""
    try:
        return version(peer)
    except PackageNotFoundError:
        return None


def measure(name: str, args: argparse.Namespace) -> dict[str, Any]:
    """
    Return what `glow-bench` says of model `name`, or what went wrong.

    `strict_ratio` is its ratio with `--accuracy strict`.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = bench_command(name, Path(folder), args)
        fast = {"name": name} | _timed(name, command)
        strict = _timed(name, [*command, "--accuracy", "strict"])
    return fast | {"strict_ratio": strict.get("ratio")}


def _timed(name: str, command: list[str]) -> dict[str, Any]:
    """Return figures; a peer that refuses the model is left out: the last first."""
    peers = [peer for peer in PEERS if version_of(peer) is not None]
    while True:
        asked = [word for peer in peers for word in ("--vs", peer)]
        done = subprocess.run(
            [*command, *asked], capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            return json.loads(done.stdout)
        print(f"{name}: {done.stderr.strip()}", file=sys.stderr)
        if not peers:
            return {"error": done.stderr.strip()}
        peers.pop()


def bench_command(name: str, folder: Path, args: argparse.Namespace) -> list[str]:
    """Write model `name` and its inputs; return the command that times it alone."""
    path, inputs = written(name, folder) if name in models.MODELS else found(name, args)
    command = [str(Path(sys.executable).with_name("glow-bench")), str(path)]
    for number, (key, array) in enumerate(inputs.items()):
        file = folder / f"input{number}.npy"
        np.save(file, array)
        command += ["--input", f"{key}={file}"]
    command += ["--target", args.target, "--threads", str(args.threads)]
    command += ["--seconds", str(args.seconds)]
    if args.cpu_features is not None:
        command += ["--cpu-features", args.cpu_features]
    return command


def written(name: str, folder: Path) -> tuple[Path, Mapping[str, Any]]:
    """Write a model of the test suite; return its file and inputs."""
    path, model = folder / f"{name}.onnx", models.build(name)
    path.write_bytes(model.SerializeToString())
    return path, models.inputs_of(model)


def found(name: str, args: argparse.Namespace) -> tuple[Path, Mapping[str, Any]]:
    """Return the file and the inputs of an exported model."""
    path = Path(args.exported or ".", f"{name}.onnx")
    return path, np.load(path.with_suffix(".npz"))


def row(figures: dict[str, Any]) -> str:
    name = figures["name"]
    if "error" in figures:
        return f"| {name} | {figures['error']} |" + " |" * (2 * len(PEERS) + 3)
    cells = [name, milliseconds(figures["glow_ms"])]
    for peer in PEERS:
        theirs = figures.get(f"{peer}_ms")
        if theirs is None:
            cells += ["-", "-"]
        else:
            cells += [milliseconds(theirs), f"{theirs / figures['glow_ms']:.2f}"]
    strict = figures["strict_ratio"]
    cells.append("-" if strict is None else f"{strict:.2f}")
    error = f"{figures['max_error']:.1e}" if "max_error" in figures else "-"
    cells += [f"{figures['compile_s']:.2f}", error]
    return "| " + " | ".join(cells) + " |"


def means(measured: list[dict[str, Any]]) -> str:
    """Return the geometric means of speeds beside the faster peer."""
    cells = {
        accuracy: [figures[key] for figures in measured if figures.get(key)]
        for accuracy, key in (("fast", "ratio"), ("strict", "strict_ratio"))
    }
    texts = [
        f"{geometric_mean(each):.2f} {name}" for name, each in cells.items() if each
    ]
    if not texts:
        return ""
    return f"\nGeometric means of speeds beside the faster one: {', '.join(texts)}.\n"


def milliseconds(value: float) -> str:
    return f"{value:.2f}" if value >= 1 else f"{value:.3f}"


def header(args: argparse.Namespace) -> str:
    threads = f"{args.threads} thread{'s' * (args.threads != 1)}"
    features = f" ({args.cpu_features})" if args.cpu_features else ""
    columns = "".join(f" {title} ms | speed |" for title in PEERS.values())
    return f"""# Models beside {" and ".join(PEERS.values())}

Written by `{COMMAND}`
on {today()}: {processor()}, {threads}, target {args.target}{features}.
{versions()}

Latencies are medians of runs that take turns in one process. Speed is the latency of
the runtime on its left over ours: above 1 we are faster; a dash stands where a runtime
refuses the model. All compute in f32. Compile time runs from the file to the executable
with nothing cached. One thread is timed by the CPU time of the process. The error is
the largest difference from any of them, as a fraction of the largest value; those of
each against f64 are in [ACCURACY.md](ACCURACY.md). Strict speed is that with
`accuracy="strict"`, beside the faster of the others.

| model | glow ms |{columns} strict speed | compile s | max error |
|---|---|{"---|" * (2 * len(PEERS) + 3)}
"""


def versions() -> str:
    """Return which runtimes there are, and what to do about those that are not."""
    found = {title: version_of(peer) for peer, title in PEERS.items()}
    here = [f"{title} {number}" for title, number in found.items() if number]
    absent = [
        f"{title} is not installed (`pip install 'glow-xdsl[bench]'`): its columns are "
        "dashes."
        for title, number in found.items()
        if not number
    ]
    return "\n".join([f"Beside {', '.join(here) or 'nothing'}.", *absent])


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare models with others.")
    parser.add_argument("names", nargs="*", help="models; all of them by default")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cpu-features")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--exported", type=Path, metavar="FOLDER")
    parser.add_argument("--output", type=Path, help="write the table there too")
    args = parser.parse_args()
    names = chosen_models(parser, args, models.MODELS)
    page, measured = Page(header(args)), list[dict[str, Any]]()
    for name in names:
        measured.append(measure(name, args))
        page.add(row(measured[-1]) + "\n")
    page.add(means(measured))
    page.write(args.output)


if __name__ == "__main__":
    main()
