"""What README.md promises works as it stands there."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from shutil import which

import models
import onnx
import pytest

ROOT = Path(__file__).parents[2]
COMMENT = re.compile(r" # .*")
README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    found = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.M | re.S)
    return [text for name, text in found if name == language]


@pytest.mark.slow
def test_the_lines_of_python_run(tmp_path: Path) -> None:
    onnx.save(models.build("resnet50"), tmp_path / "resnet50.onnx")
    (tmp_path / "program.py").write_text("".join(blocks("python")))
    done = subprocess.run(
        [sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("(gpu_0/data_0: float32[1, 3, 224, 224]) -> ")


@pytest.mark.slow
def test_the_command_lines_run(tmp_path: Path) -> None:
    # The beginning of a network by the name, as more than ten processes read it.
    network = models.build("squeezenet")
    del network.graph.node[10:]
    network.graph.output[0].CopyFrom(onnx.helper.make_empty_tensor_value_info("r9"))
    onnx.save(network, tmp_path / "resnet50.onnx")
    (lines,) = (text for text in blocks("") if "glow-opt" in text)
    for line in lines.splitlines():
        command = COMMENT.sub("", line).strip()
        if not (find_spec("graphviz") and which("dot")):
            command = command.replace("net.html", "net.dot")
        done = subprocess.run(
            command, shell=True, cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{command}:\n{done.stderr}"


def test_the_map_names_every_folder() -> None:
    (text,) = (text for text in blocks("") if "what `import glow` offers" in text)
    named = {line.split("/")[0] for line in text.splitlines()}
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    folders = {line.split("/")[0] for line in tracked.splitlines() if "/" in line}
    assert named == {name for name in folders if not name.startswith(".")}


def test_links_lead_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
