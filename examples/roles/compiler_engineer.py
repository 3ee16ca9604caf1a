"""
A compiler engineer: read every level, write a pass, an op and a target, find a fault.

`python examples/roles/compiler_engineer.py` does it from an empty environment.
"""

from environment import Environment, empty_folder, sources

MODEL = """
import glow
b = glow.Builder("block")
y = b.relu(b.batch_norm(b.conv(b.input("x", (1, 3, 16, 16)), 32, kernel=3)))
b.output("y", b.global_avg_pool(b.relu(b.conv(y, 32, kernel=1))))
b.model().export("block.onnx")
"""
LEVELS = ("graph", "layout", "memory", "loops", "llvm")


def main() -> None:
    with empty_folder() as folder:
        env = Environment(folder)
        env.install("pip install 'glow-xdsl[onnx]'", sources(folder, "[onnx]"))
        env.python("a model to look at", MODEL)
        before = "block.onnx"
        for level in LEVELS:
            file = f"{level}.mlir"
            stop = ("--stop-after", level, "-o", file)
            env.run(f"level {level}, from the text before", "glow-opt", before, *stop)
            before = file
        stop = ("--stop-after", "object", "-o", "block.o")
        env.run("an object file of the last text", "glow-opt", before, *stop)
        env.run("what each pass does", "glow-opt", "--list-passes")
        for options in (
            ("-p", "fold-batch-norm,canonical-form"),
            ("--stop-after", "layout", "--layout-report"),
            ("--stop-after", "layout", "--emit-graph", "block.dot"),
            ("--stop-after", "memory", "--time-passes", "-o", "/dev/null"),
        ):
            env.run(" ".join(options), "glow-opt", "block.onnx", *options)
        env.run("the pass that changes results: none", "glow-bisect", "block.onnx")
        for page in ("levels", "write_pass", "write_op", "write_target"):
            env.tutorial(page)


if __name__ == "__main__":
    main()
