"""
Compile models of scikit-learn, LightGBM and XGBoost, and print a table.

    make classic-models CLASSIC=FOLDER LLEAVES=PYTHON

Needs scikit-learn, skl2onnx, onnxmltools, lightgbm, xgboost, treelite and protobuf
before 7, which refuses the bools that skl2onnx 1.20 writes for integers; FOLDER has the
packages where they are not installed here. PYTHON is an interpreter with lleaves
and llvmlite before 0.45, as it needs; without one its column is empty. Names
measure these models alone; with `--results FILE` what is measured is kept there, and
what is there is not measured again.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from reporting import Page, kept_json, processor, table_head, today

COMMAND = "make classic-models"
BATCHES = (1, 10_000)
SECONDS = 2.0
"""How long the engines take turns for each batch."""
LEAST_RUNS = 5
"""How often at least; treelite takes seconds for large forests."""
FEATURES, SAMPLES = 20, 4000

LLEAVES = """
import sys, time, lleaves, numpy as np
model, x = lleaves.Model(model_file=sys.argv[1]), np.load(sys.argv[2])
model.compile()
for rows in map(int, sys.argv[3:]):
    part, times = x[:rows], []
    for _ in range(300 if rows == 1 else 9):
        start = time.process_time()
        model.predict(part, n_jobs=1)
        times.append(time.process_time() - start)
    print(float(np.median(times)))
"""


def data() -> tuple[Any, Any, Any]:
    """Return rows, a number for each, and one of three classes."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((max(BATCHES), FEATURES)).astype(np.float32)
    y = x[:, 0] * x[:, 1] + np.sin(3 * x[:, 2]) + x[:, 3] ** 2
    y += 0.3 * rng.standard_normal(len(x))
    return x, y.astype(np.float32), np.digitize(y, [0.5, 1.5])


def scikit(make: Callable[[Any], Any], by_class: bool) -> Callable[[], Any]:
    """Return a maker of a fitted model of scikit-learn and of its ONNX form."""

    def fitted() -> Any:
        import sklearn.ensemble  # a folder of modules, which `make` picks from
        import sklearn.linear_model
        import sklearn.naive_bayes
        import sklearn.neural_network
        import sklearn.pipeline
        import sklearn.preprocessing
        import sklearn.svm
        from skl2onnx import to_onnx

        x, y, kinds = data()
        model = make(sklearn).fit(x[:SAMPLES], (kinds if by_class else y)[:SAMPLES])
        options = {id(model): {"zipmap": False}} if by_class else None
        return model, to_onnx(model, x[:1], options=options)

    return fitted


def lightgbm(by_class: bool) -> Callable[[], Any]:
    def fitted() -> Any:
        import lightgbm
        from onnxmltools import convert_lightgbm

        x, y, kinds = data()
        kind = lightgbm.LGBMClassifier if by_class else lightgbm.LGBMRegressor
        model = kind(n_estimators=500, max_depth=6, num_leaves=63, verbose=-1)
        model.fit(x, (kinds > 0).astype(int) if by_class else y)
        options = {"zipmap": False} if by_class else {}
        return model, convert_lightgbm(model, initial_types=_input(), **options)

    return fitted


def xgboost(by_class: bool) -> Callable[[], Any]:
    def fitted() -> Any:
        import xgboost
        from onnxmltools import convert_xgboost

        x, y, kinds = data()
        kind = xgboost.XGBClassifier if by_class else xgboost.XGBRegressor
        model = kind(n_estimators=500, max_depth=8)
        model.fit(x, (kinds > 0).astype(int) if by_class else y)
        return model, convert_xgboost(model, initial_types=_input())

    return fitted


def _input() -> list[Any]:
    from onnxmltools.convert.common.data_types import FloatTensorType

    return [("x", FloatTensorType([None, FEATURES]))]


MODELS: dict[str, Callable[[], Any]] = {
    "linear regression, scaled": scikit(
        lambda s: s.pipeline.make_pipeline(
            s.preprocessing.StandardScaler(), s.linear_model.LinearRegression()
        ),
        False,
    ),
    "logistic regression": scikit(
        lambda s: s.linear_model.LogisticRegression(max_iter=500), True
    ),
    "naive Bayes": scikit(lambda s: s.naive_bayes.GaussianNB(), True),
    "perceptron": scikit(
        lambda s: s.neural_network.MLPRegressor(
            hidden_layer_sizes=(64, 64), max_iter=30
        ),
        False,
    ),
    "support vectors": scikit(lambda s: s.svm.SVR(), False),
    "random forest, depth 12, 3 classes": scikit(
        lambda s: s.ensemble.RandomForestClassifier(500, max_depth=12, n_jobs=2), True
    ),
    "random forest, any depth": scikit(
        lambda s: s.ensemble.RandomForestRegressor(500, n_jobs=2), False
    ),
    "extra trees, any depth": scikit(
        lambda s: s.ensemble.ExtraTreesRegressor(500, n_jobs=2), False
    ),
    "gradient boosting, 3 classes": scikit(
        lambda s: s.ensemble.GradientBoostingClassifier(n_estimators=167), True
    ),
    "histogram boosting": scikit(
        lambda s: s.ensemble.HistGradientBoostingRegressor(max_iter=500), False
    ),
    "histogram boosting, 3 classes": scikit(
        lambda s: s.ensemble.HistGradientBoostingClassifier(
            max_iter=167, early_stopping=False
        ),
        True,
    ),
    "LightGBM regressor, depth 6": lightgbm(False),
    "LightGBM classifier, depth 6": lightgbm(True),
    "XGBoost regressor, depth 8": xgboost(False),
    "XGBoost classifier, depth 8": xgboost(True),
}


def measure(name: str, lleaves: str) -> dict[str, Any]:
    """Compile a model and let the engines take turns for each batch."""
    import onnxruntime

    import glow
    from glow.tools.timing import interleaved_medians

    model, proto = MODELS[name]()
    x = data()[0]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(proto.SerializeToString(), options)
    input_name = session.get_inputs()[0].name
    treelite = _treelite(model)
    found: dict[str, Any] = {"error": 0.0}
    for rows in BATCHES:
        part, dims = x[:rows], dict.fromkeys(glow.load(proto).dims, rows)
        net = glow.compile(glow.load(proto, dims=dims), threads=1)
        feeds = {input_name: part}
        programs = {
            "glow": lambda net=net, feeds=feeds: net.run(feeds),
            "onnxruntime": lambda feeds=feeds: session.run(None, feeds),
        }
        if treelite is not None:
            programs["treelite"] = lambda part=part: treelite(part)
        results = zip(
            programs["glow"]().values(), programs["onnxruntime"](), strict=True
        )
        for mine, its in results:
            its = np.asarray(its, np.float64).reshape(mine.shape)
            most = np.abs(mine - its).max() / max(1e-30, np.abs(its).max())
            found["error"] = max(found["error"], float(most))
        medians = interleaved_medians(list(programs.values()), 1, SECONDS, LEAST_RUNS)
        for engine, seconds in zip(programs, medians, strict=True):
            found[f"{engine} {rows}"] = seconds
    if lleaves and hasattr(model, "booster_"):
        found |= _lleaves(model, x, lleaves)
    return found


def _treelite(model: Any) -> Callable[[Any], Any] | None:
    """Return treelite's interpreter of a model of trees, None of others."""
    import treelite

    try:
        if hasattr(model, "booster_"):
            trees = treelite.frontend.from_lightgbm(model.booster_)
        elif hasattr(model, "get_booster"):
            trees = treelite.frontend.from_xgboost(model.get_booster())
        else:
            trees = treelite.sklearn.import_model(model)
    except (treelite.TreeliteError, NotImplementedError, AttributeError):
        return None
    return lambda x: treelite.gtil.predict(trees, x, nthread=1)


def _lleaves(model: Any, x: Any, python: str) -> dict[str, float]:
    """Return the medians of lleaves, which needs another llvmlite."""
    with TemporaryDirectory() as folder:
        paths = [f"{folder}/model.txt", f"{folder}/x.npy"]
        model.booster_.save_model(paths[0])
        np.save(paths[1], x)
        command = [python, "-c", LLEAVES, *paths, *map(str, BATCHES)]
        done = subprocess.run(
            command, stdout=subprocess.PIPE, text=True, check=True, env={}
        )
    times = map(float, done.stdout.split())
    return {f"lleaves {rows}": t for rows, t in zip(BATCHES, times, strict=True)}


def row(name: str, found: dict[str, Any]) -> list[str]:
    cells = [name, f"{found['error']:.0e}"]
    for rows in BATCHES:
        scale = 1e6 if rows == 1 else 1e3
        for engine in ("glow", "onnxruntime", "treelite", "lleaves"):
            seconds = found.get(f"{engine} {rows}")
            cells.append("-" if seconds is None else f"{seconds * scale:.1f}")
        speed = found[f"onnxruntime {rows}"] / found[f"glow {rows}"]
        cells.append(f"{speed:.2f}")
    return cells


def head() -> str:
    packages = ("scikit-learn", "skl2onnx", "lightgbm", "xgboost", "treelite")
    packages += ("onnxruntime",)
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    titles = ["model", "error"]
    for rows, unit in zip(BATCHES, ("us", "ms"), strict=True):
        engines = ("glow", "ONNX Runtime", "treelite", "lleaves")
        titles += [f"{rows:,}: {engine} {unit}" for engine in engines]
        titles.append("/ ONNX Runtime")
    return f"""# Classic models

Written by `{COMMAND}` on {today()}: {platform.machine()}
({processor()}), 1 thread, {versions}.

Models of scikit-learn, LightGBM and XGBoost through their converters to ONNX, for one
row and for 10,000 rows of {FEATURES} features. Ensembles have 500 trees (501 with three
classes), fitted to {SAMPLES:,} or 10,000 rows. The error is the largest difference from
ONNX Runtime over the largest number. Latencies are medians of processor time, of runs
that take turns in one process; `/ ONNX Runtime` is how many times as fast glow is.
treelite is its interpreter, GTIL; lleaves compiles models of LightGBM, and is timed in
a process of its own, where nothing else takes the caches between runs. A `-` is an
engine that does not take the model, or was not installed.

{table_head(titles)}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*MODELS, []])
    parser.add_argument("--child", choices=MODELS, help=argparse.SUPPRESS)
    parser.add_argument("--lleaves", default="")
    parser.add_argument("--results", type=Path)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(measure(arguments.child, arguments.lleaves)))
        return
    page = Page(head())
    for name in arguments.names or MODELS:
        given = "--child", name, "--lleaves", arguments.lleaves
        measured = kept_json(arguments.results, name, __file__, *given)
        page.add_row(*row(name, measured))
    page.write(arguments.output)


if __name__ == "__main__":
    sys.exit(main())
