"""
Write the page of corners where ONNX Runtime, onnx.reference and we differ.

    python benchmarks/deviations.py --output docs/deviations.md

`test/support/deviations.py` has the cases, which `test/unit/test_deviations.py` runs.
"""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import version
from pathlib import Path

from reporting import Page, table_head

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "support"))
import deviations

COMMAND = "python benchmarks/deviations.py --output docs/deviations.md"


def header() -> str:
    columns = ("case", "Glow", "ONNX Runtime", "onnx.reference", "why")
    return f"""# Deviations

Written by `{COMMAND}`
with ONNX Runtime {version("onnxruntime")} and onnx {version("onnx")}.

Corners where results of ONNX Runtime, of ONNX's own reference and ours differ, and what
we decided. [Decision 0002](decisions/0002-mean-what-onnx-runtime-computes.md) has the
rule, and more of values that ONNX leaves open. Targets `reference` and `cpu` agree on
all of these.

{table_head(columns)}"""


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the page of deviations.")
    parser.add_argument("--output", type=Path, help="write the page there too")
    output = parser.parse_args().output
    page = Page(header())
    for row in deviations.rows():
        page.add_row(*row)
    page.add("""
Winograd's algorithms spread infinities and NaN further than a direct sum does, and a
transposed convolution on `cpu` multiplies zeros between pixels by weights, infinite
ones too: [accuracy.md](accuracy.md).
""")
    page.write(output)


if __name__ == "__main__":
    main()
