"""
Measure the errors of elementwise functions and of convolutions.

    python benchmarks/accuracy.py --output benchmarks/ACCURACY.md

`test/support/accuracy.py` has the exact functions, in long doubles, and the bounds that
the test suite holds them to.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from reporting import Page, processor, table_head, today

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "support"))
import accuracy

COMMAND = "python benchmarks/accuracy.py --output benchmarks/ACCURACY.md"


def functions_header() -> str:
    return f"""# Accuracy

Written by `{COMMAND}`
on {today()}: {processor()}.

## Elementwise functions

The largest errors on target cpu over numbers of all exponents and both signs, and where
they are, in units in the last place of the result, or of another number where that is
larger. In brackets: the bounds that `test/unit/test_accuracy.py` checks. Infinities,
NaN and zeros are those of NumPy. All other functions of one float are exact.

{table_head(("function", "units of", "f32", "at", "f64", "at"))}"""


def add_functions(page: Page) -> None:
    page.add(functions_header())
    cells: dict[str, list[str]] = {name: [] for name in accuracy.FUNCTIONS}
    for dtype in (np.float32, np.float64):
        x = accuracy.inputs(dtype)
        for name, y in accuracy.computed(accuracy.FUNCTIONS, x).items():
            error = accuracy.errors(name, x, y)
            worst = int(np.argmax(error))
            bound = accuracy.FUNCTIONS[name].bound(dtype)
            cells[name] += [f"{error[worst]:.2f} ({bound})", f"{x[worst]:.9g}"]
    for name, errors in cells.items():
        page.add_row(name, accuracy.FUNCTIONS[name].scale_text, *errors)


def convolutions_header() -> str:
    return f"""
## 3x3 convolutions

The largest error against f64, as a fraction of the largest result: of ONNX Runtime, and
of each algorithm of target cpu ([docs/accuracy.md](../docs/accuracy.md)).

{table_head(("images and filters", "channels", "ONNX Runtime", *accuracy.FORMS))}"""


def add_convolutions(page: Page) -> None:
    page.add(convolutions_header())
    for data in accuracy.DRAWS:
        for channels, side in ((64, 28), (128, 28), (256, 14), (512, 14)):
            errors = accuracy.errors_of_convolution(data, channels, side)
            page.add_row(data, channels, *(f"{error:.1e}" for error in errors))


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure errors of results.")
    parser.add_argument("--output", type=Path, help="write the tables there too")
    page = Page("")
    args = parser.parse_args()
    add_functions(page)
    add_convolutions(page)
    page.write(args.output)


if __name__ == "__main__":
    main()
