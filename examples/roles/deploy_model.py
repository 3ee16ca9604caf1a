"""
Who deploys a model of PyTorch or ONNX: install, compile, compare, ship, serve.

`python examples/roles/deploy_model.py` does it from an empty environment. The steps
with PyTorch run where torch can be imported there, as by PYTHONPATH.
"""

from importlib.util import find_spec

from environment import Environment, empty_folder, sources

MODEL = """
import numpy as np, glow
b = glow.Builder("digits")
y = b.input("image", (1, 1, 28, 28))
for channels in (8, 16):
    y = b.relu(b.conv(y, channels, kernel=3, stride=2))
y = b.linear(b.reshape(y, shape=(1, 784)), 10)
b.output("scores", b.softmax(y, axis=-1))
b.model().export("digits.onnx")
net = glow.compile("digits.onnx")
print(net.signature, net(np.ones((1, 1, 28, 28), np.float32)).shape)
"""
SERVE = """
import sys, numpy as np, glow
image = np.ones((1, 1, 28, 28), np.float32)
session = glow.InferenceSession("digits.glow")
(scores,) = session.run(None, {"image": image})
assert abs(scores.sum() - 1) < 1e-5 and "xdsl" not in sys.modules
try:
    session.run(None, {"image": image[0]})
except glow.BindingError as error:
    print("a wrong call:", error)
"""


def main() -> None:
    with empty_folder() as folder:
        env = Environment(folder)
        env.install("pip install 'glow-xdsl[onnx]'", sources(folder, "[onnx]"))
        env.python("a first result", MODEL)
        env.install("pip install onnxruntime, to compare with", "onnxruntime")
        versus = ("--random-inputs", 0, "--vs", "onnxruntime")
        env.run("the same results as ONNX Runtime", "glow-run", "digits.onnx", *versus)
        bench = ("--threads", 1, "--seconds", 1, "--vs", "onnxruntime")
        print(" " * 11, env.run("speed", "glow-bench", "digits.onnx", *bench).strip())
        save = ("digits.onnx", "--save", "digits.glow")
        env.run("code and weights in one file", "glow-run", *save)
        if find_spec("torch"):
            env.tutorial("pytorch")
        else:
            print("--           skipped: PyTorch, which is not installed")
        wheels = folder / "wheels"
        build = (f"{sources(folder)}/tools/runtime_wheel.py", wheels)
        env.run("a wheel that only runs files", "python", *build)
        server = Environment(folder, "server")
        (wheel,) = wheels.glob("*.whl")
        server.install("a server with NumPy and that wheel", wheel)
        server.python("the file served there, without a compiler", SERVE)


if __name__ == "__main__":
    main()
