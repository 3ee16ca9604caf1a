"""
A data engineer: classic models, batches of any size, many processes.

`python examples/roles/data_engineer.py` does it from an empty environment.
"""

from environment import Environment, empty_folder, sources

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


def main() -> None:
    with empty_folder() as folder:
        env = Environment(folder)
        env.install("pip install 'glow-xdsl[onnx]'", sources(folder, "[onnx]"))
        env.install("scikit-learn and its converter", "scikit-learn", "skl2onnx")
        env.python("two models trained and converted", TRAIN)
        env.python("the predictions of scikit-learn, for any batch", PREDICT)
        env.python("a function of batches", BATCHES)
        (env.work / "workers.py").write_text(WORKERS)
        print(" " * 11, env.run("worker processes", "python", "workers.py").strip())


if __name__ == "__main__":
    main()
