"""The wheel carries every package: editable installs do not show a missing one."""

import platform
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import numpy as np
import pytest
from repository import ROOT, copy_repository
from small_onnx import model, node

import glow

# Runs in the empty environment, in another folder: parse, rewrite, print, execute.
PROGRAM = """
import sys
from pathlib import Path
import numpy as np
import glow

assert "xdsl" not in sys.modules
assert not Path(glow.__file__).is_relative_to(sys.argv[1]), glow.__file__
model = glow.load("net.mlir")
net = glow.compile(model, target="reference")
print(net(np.array([-1.0, 2.0], np.float32)).tolist())
"""

NETWORK = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.relu %x : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
"""


def _settings() -> dict[str, dict[str, str]]:
    text = (ROOT / "pyproject.toml").read_text()
    return tomllib.loads(text)["tool"]["setuptools"]


def _run(*command: object, folder: Path = ROOT) -> str:
    done = subprocess.run(
        [str(word) for word in command], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{command}:\n{done.stdout}{done.stderr}"
    return done.stdout


def test_pyproject_lists_every_package() -> None:
    settings = _settings()
    found = {
        ".".join((package, *init.parent.relative_to(ROOT / folder).parts))
        for package, folder in settings["package-dir"].items()
        for init in (ROOT / folder).rglob("__init__.py")
    }
    assert found == set(settings["packages"])


def test_every_folder_of_modules_is_a_package() -> None:
    for folder in _settings()["package-dir"].values():
        for path in (ROOT / folder).rglob("*.py"):
            assert (path.parent / "__init__.py").exists(), path.relative_to(ROOT)


@pytest.mark.slow
def test_wheel_runs_alone_in_another_folder(tmp_path: Path) -> None:
    # Building leaves files behind, so it gets a copy.
    copy_repository(tmp_path / "source")
    _run(
        sys.executable,
        *("-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path),
        tmp_path / "source",
    )
    (wheel,) = tmp_path.glob("*.whl")
    environment = tmp_path / "environment"
    venv.create(environment)
    binaries = environment / "bin"
    pip = (sys.executable, "-m", "pip", "--python", binaries / "python")
    _run(*pip, "install", "--quiet", wheel)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "net.mlir").write_text(NETWORK)
    printed = _run(binaries / "glow-opt", "net.mlir", folder=elsewhere)
    assert "graph.relu" in printed
    (elsewhere / "program.py").write_text(PROGRAM)
    printed = _run(binaries / "python", "program.py", ROOT, folder=elsewhere)
    assert printed == "[0.0, 2.0]\n"


RUN_ALONE = """
import pickle, sys
sys.path[:0] = sys.argv[1:3]
for name in ("xdsl", "llvmlite", "onnx", "ml_dtypes"):
    sys.modules[name] = None
import numpy as np
import glow

assert glow.__file__.startswith(sys.argv[1]), glow.__file__
for path in sys.argv[3:]:
    net = glow.load_executable(path)
    x = np.array([[-1.0, 2.0]], np.float32)
    assert net(x).tolist() == [[0.0, 2.0]]
    assert net.bind({"x": x}).run()["y"].tolist() == [[0.0, 2.0]]
    assert pickle.loads(pickle.dumps(net))(x).tolist() == [[0.0, 2.0]]
    assert glow.udf(net, rows=1)({"x": x})["y"].tolist() == [[0.0, 2.0]]
    assert glow.InferenceSession(path).run(None, {"x": x})[0].tolist() == [[0.0, 2.0]]
print(glow.__version__)
try:
    glow.compile("net.onnx")
except ImportError as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"), reason="needs LLVM"
)
def test_the_runtime_wheel_runs_saved_executables(tmp_path: Path) -> None:
    nodes = [node("Relu", "x", "y")]
    paths = tmp_path / "fixed.glow", tmp_path / "open.glow"
    for path, rows in zip(paths, (1, "n"), strict=True):
        shapes = {"n": 1} if rows == "n" else ()
        net = glow.compile(model(nodes, {"x": (rows, 2)}, ["y"]), shapes=shapes)
        net.save(path)
    _run(sys.executable, ROOT / "tools" / "runtime_wheel.py", tmp_path)
    (wheel,) = tmp_path.glob("glow_xdsl_runtime-*.whl")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(tmp_path / "site")
    numpy = Path(np.__file__).parents[1]
    command = sys.executable, "-I", "-S", "-c", RUN_ALONE, tmp_path / "site", numpy
    version, refusal = _run(*command, *paths).splitlines()
    assert version == glow.__version__
    assert refusal.startswith("glow-xdsl-runtime only runs saved executables; pip")
