"""
Measure errors: of elementwise functions, convolutions, matrix products and models.

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
import models

import glow

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
    titles = ("images and filters", "channels", "ONNX Runtime", "strict")
    return f"""
## 3x3 convolutions

The largest error against f64, as a fraction of the largest result: of ONNX Runtime, of
target cpu with `accuracy="strict"`, and of each algorithm that it has otherwise
([docs/accuracy.md](../docs/accuracy.md)).

{table_head((*titles, *accuracy.FORMS))}"""


PRODUCTS = f"""
## Matrix products

The same, of products of 32 rows and 256 columns.

{table_head(("factors", "depth", "ONNX Runtime", "strict", "fast"))}"""


def add_convolutions(page: Page) -> None:
    page.add(convolutions_header())
    for data in accuracy.DRAWS:
        for channels, side in ((64, 28), (128, 28), (256, 14), (512, 14)):
            errors = accuracy.errors_of_convolution(data, channels, side)
            page.add_row(data, channels, *(f"{error:.1e}" for error in errors))


def add_products(page: Page) -> None:
    page.add(PRODUCTS)
    for data in accuracy.DRAWS:
        for depth in (256, 1024, 4096, 16384):
            errors = accuracy.errors_of_product(data, depth)
            page.add_row(data, depth, *(f"{error:.1e}" for error in errors))


MODELS = f"""
## Models

The same, of whole models on random inputs; in brackets, how many times that of ONNX
Runtime. They are computed in f64 by target reference, but for those with operators that
ONNX defines for f32 alone.

{table_head(("model", "ONNX Runtime", "strict", "fast"))}"""


def add_models(page: Page) -> None:
    page.add(MODELS)
    for name in models.MODELS:
        try:
            theirs, *ours = accuracy.errors_of_model(name)
        except glow.GlowError:
            page.add_row(name, "-", "-", "-")
            continue
        cells = (f"{error:.1e} ({error / theirs:.1f})" for error in ours)
        page.add_row(name, f"{theirs:.1e}", *cells)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure errors of results.")
    parser.add_argument("--output", type=Path, help="write the tables there too")
    page = Page("")
    args = parser.parse_args()
    add_functions(page)
    add_convolutions(page)
    add_products(page)
    add_models(page)
    page.write(args.output)


if __name__ == "__main__":
    main()
