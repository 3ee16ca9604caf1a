"""
Who deploys a model: install, compile, compare, ship, serve; link it with a C program.

`python examples/roles/deploy_model.py` does it from an empty environment.
"""

import shutil

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
PROGRAM = r"""
#include <stdio.h>
#include "digits.h"

static _Alignas(DIGITS_ARENA_ALIGNMENT) unsigned char arena[DIGITS_ARENA_BYTES];
static float image[DIGITS_IMAGE_COUNT], scores[DIGITS_SCORES_COUNT];

int main(void) {
  for (int i = 0; i < DIGITS_IMAGE_COUNT; i++) image[i] = 1;
  int code = digits_run(image, scores, digits_weights, arena);
  for (int i = 0; i < DIGITS_SCORES_COUNT; i++) printf("%.9g\n", scores[i]);
  return code;
}
"""
COMPARE = """
import numpy as np, glow
net = glow.load_executable("digits.glow", threads=1)
expected = net(np.ones((1, 1, 28, 28), np.float32))
found = np.array(open("scores.txt").read().split(), np.float32)
assert np.array_equal(found, expected.reshape(-1)), (found, expected)
print("the same bits as from Python")
"""


def link_with_c(env: Environment, compiler: str) -> None:
    """Make object files of the model, and a C program that runs it."""
    env.run(
        "object files and a header", "glow-opt", "digits.onnx", "--emit-c", "digits.h"
    )
    (env.work / "serve.c").write_text(PROGRAM)
    files = ("serve.c", "digits.o", "digits.weights.o")
    env.run("a C program linked with them", compiler, *files, "-o", "serve")
    scores = env.run("the C program", str(env.work / "serve"))
    (env.work / "scores.txt").write_text(scores)
    env.python("its results", COMPARE)


def main() -> None:
    with empty_folder() as folder:
        env = Environment(folder)
        env.install("pip install 'glow-xdsl[onnx]'", sources(folder, "[onnx]"))
        env.first_result("a first result", MODEL, seconds=45, mb=330)
        env.install("pip install onnxruntime, to compare with", "onnxruntime")
        versus = ("--random-inputs", 0, "--vs", "onnxruntime")
        env.run("the same results as ONNX Runtime", "glow-run", "digits.onnx", *versus)
        bench = ("--threads", 1, "--seconds", 1, "--vs", "onnxruntime")
        env.show("speed", "glow-bench", "digits.onnx", *bench)
        save = ("digits.onnx", "--save", "digits.glow")
        env.run("code and weights in one file", "glow-run", *save)
        compiler = shutil.which("cc")
        if compiler is None:
            print("--           skipped: a C program, as there is no C compiler")
        else:
            link_with_c(env, compiler)
        wheels = folder / "wheels"
        build = (f"{sources(folder)}/tools/runtime_wheel.py", wheels)
        env.run("a wheel that only runs files", "python", *build)
        server = Environment(folder, "server")
        (wheel,) = wheels.glob("*.whl")
        given = ("--no-compile", wheel)
        server.install("pip install --no-compile glow_xdsl_runtime-*.whl", *given)
        name = "the file served there, without a compiler"
        server.first_result(name, SERVE, seconds=10, mb=70)


if __name__ == "__main__":
    main()
