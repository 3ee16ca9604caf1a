"""
A student, or a teacher before a class: tutorials, notebooks, drawings, mistakes.

`python examples/roles/student.py` does it from an empty environment.
"""

from environment import Environment, empty_folder, sources

MISTAKES = """
import numpy as np, glow
b = glow.Builder("net")
x = b.input("x", (2, 3))
for wrong in (
    lambda: b.rellu(x),
    lambda: b.matmul(x, x),
    lambda: glow.compile("none.onnx"),
    lambda: glow.jit(lambda v: v if v.sum() > 0 else -v)(np.ones(2, np.float32)),
):
    try:
        wrong()
    except Exception as error:
        print(str(error).splitlines()[0])
    else:
        raise SystemExit("expected an error")
"""
OBJECTS = """
import glow
b = glow.Builder("net")
b.output("y", b.relu(b.input("x", (2, 3))))
model = b.model()
net = glow.compile(model)
for each in (b, model, net, net.bind({})):
    print(repr(each))
    assert b is each or "<table" in each._repr_html_()
print(len(dir(glow)), "names in dir(glow);", b.relu.__doc__.splitlines()[0])
model.export("net.onnx")
"""


def main() -> None:
    with empty_folder() as folder:
        env = Environment(folder)
        env.install("pip install 'glow-xdsl[onnx]'", sources(folder, "[onnx]"))
        env.python("objects say what they are", OBJECTS)
        env.python("a mistake is one line", MISTAKES)
        drawing = ("net.onnx", "--stop-after", "layout", "--emit-graph", "net.dot")
        env.run("a drawing", "glow-opt", *drawing)
        env.install("onnxruntime and nbformat", "onnxruntime", "nbformat")
        for page in ("first_model", "levels", "training", "kv_cache"):
            env.tutorial(page)
        tool = f"{sources(folder)}/tools/notebooks.py"
        env.run("the tutorials as notebooks", "python", tool, env.work / "notebooks")


if __name__ == "__main__":
    main()
