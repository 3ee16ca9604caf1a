"""
A data engineer: classic models, batches of any size, many processes, data frameworks.

`python examples/roles/data_engineer.py` does it from an empty environment.
"""

import shutil

from environment import ROOT, Environment, empty_folder, sources

TRAIN = """
import numpy as np
from skl2onnx import to_onnx
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
x, labels = load_breast_cancer(return_X_y=True)
x = x.astype(np.float32)
np.save("x.npy", x)
for name, model in (
    ("forest", RandomForestClassifier(100, random_state=0)),
    ("scaled", make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000))),
):
    model.fit(x, labels)
    proto = to_onnx(model, x[:1], options={"zipmap": False})
    open(f"{name}.onnx", "wb").write(proto.SerializeToString())
    np.save(f"{name}.npy", model.predict(x))
"""
PREDICT = """
import numpy as np, glow
x = np.load("x.npy")
for name in ("forest", "scaled"):
    net = glow.compile(f"{name}.onnx")
    for batch in (1, 7, len(x)):
        found = net.run({"X": x[:batch]})["label"]
        assert np.array_equal(found, np.load(f"{name}.npy")[:batch])
    print(name, net.signature)
"""
BATCHES = """
import numpy as np, glow
x = np.load("x.npy")
predict = glow.udf("forest.onnx")
whole = predict({"X": x})
parts = [predict({"X": part}) for part in np.array_split(x, 9)]
for name, expected in whole.items():
    found = np.concatenate([part[name] for part in parts])
    assert np.array_equal(found, expected), name
print("the same bits however rows are split:", sorted(whole))
"""
WORKERS = """
import glow, numpy as np
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

def main():
    x = np.load("x.npy")
    predict = glow.udf("forest.onnx")
    batches = [{"X": part} for part in np.array_split(x, 8)]
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        found = list(pool.map(predict, batches))
    labels = np.concatenate([each["label"] for each in found])
    assert np.array_equal(labels, np.load("forest.npy"))
    print("two processes, eight batches")

if __name__ == "__main__":
    main()
"""


BOOST = """
import lightgbm, numpy as np, glow
from onnxmltools import convert_lightgbm
from onnxmltools.convert.common.data_types import FloatTensorType
from sklearn.datasets import load_breast_cancer
x, labels = load_breast_cancer(return_X_y=True)
x = x.astype(np.float32)
model = lightgbm.LGBMClassifier(n_estimators=100, verbose=-1).fit(x, labels)
kind = [("X", FloatTensorType([None, x.shape[1]]))]
proto = convert_lightgbm(model, initial_types=kind, zipmap=False)
open("boosted.onnx", "wb").write(proto.SerializeToString())
label, scores = glow.compile("boosted.onnx")(x)
assert np.array_equal(label, model.predict(x))
np.testing.assert_allclose(scores, model.predict_proba(x), atol=1e-5)
print("100 trees, the same labels for", len(x), "rows")
"""
FRAMEWORK = """
import sys, numpy as np, glow
sys.path.insert(0, {examples!r})
from {name}_batches import score

if __name__ == "__main__":
    rows = score("forest.onnx", 200)
    found = rows["label"] if {is_frame} else [row["label"] for row in rows]
    x = np.random.default_rng(0).random((200, 30), np.float32)
    expected = glow.udf("forest.onnx")({{"X": x}})["label"]
    assert np.array_equal(found, expected)
    print("200 rows, the same bits as in one process")
"""


def score_with(env: Environment, name: str) -> None:
    """Run the example of a framework on the forest."""
    given = {"examples": str(ROOT / "examples"), "name": name}
    code = FRAMEWORK.format(**given, is_frame=name != "ray")
    (env.work / f"with_{name}.py").write_text(code)
    env.show(f"examples/{name}_batches.py", "python", f"with_{name}.py")


def main() -> None:
    with empty_folder() as folder:
        env = Environment(folder)
        env.install("pip install 'glow-xdsl[onnx]'", sources(folder, "[onnx]"))
        env.install("scikit-learn and its converter", "scikit-learn", "skl2onnx")
        env.python("two models trained and converted", TRAIN)
        env.python("the predictions of scikit-learn, for any batch", PREDICT)
        if env.install(
            "LightGBM and its converter", "lightgbm", "onnxmltools", "packaging"
        ):
            env.python("the predictions of LightGBM", BOOST)
        env.python("a function of batches", BATCHES)
        (env.work / "workers.py").write_text(WORKERS)
        env.show("worker processes", "python", "workers.py")
        if env.install("Ray Data", "ray[data]"):
            score_with(env, "ray")
        if env.install("Dask", "dask[dataframe]"):
            score_with(env, "dask")
        if not shutil.which("java"):
            print("--           skipped: Spark, which needs Java")
        elif env.install("Spark", "pyspark", "pandas", "pyarrow"):
            score_with(env, "spark")


if __name__ == "__main__":
    main()
