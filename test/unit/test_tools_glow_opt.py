"""The command line of glow-opt: one line per error, and a report when we broke."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import xdsl.dialects.test as test_dialect
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.exceptions import PassFailedException

from glow.registry import universe
from glow.tools import glow_opt

NETWORK = """
graph.placeholder @x "in" : tensor<2xf32>
graph.placeholder @y "out" : tensor<2xf32>
func.func @main() {
  %0 = graph.load @x : tensor<2xf32>
  %1 = graph.relu %0 : (tensor<2xf32>) -> tensor<2xf32>
  graph.save @y, %1 : tensor<2xf32>
  func.return
}
"""

Opt = Callable[..., tuple[int, str, str]]


@dataclass(frozen=True)
class ExplodePass(ModulePass):
    """Raise what no pass should."""

    name = "explode"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise KeyError("lost")


@dataclass(frozen=True)
class RefusePass(ModulePass):
    """Refuse its input, as a pass may."""

    name = "refuse"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise PassFailedException("expected something else")


@dataclass(frozen=True)
class CorruptPass(ModulePass):
    """Leave a use before its definition."""

    name = "corrupt"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        value = test_dialect.TestPureOp(result_types=[op.body.block.first_op.type])  # type: ignore
        user = test_dialect.TestPureOp(operands=[value.results[0]])
        op.body.block.add_ops([user, value])


@pytest.fixture
def opt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Opt:
    """Run glow-opt in an empty folder; return exit code, output and messages."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.mlir").write_text(NETWORK)
    for each in (ExplodePass, RefusePass, CorruptPass):
        monkeypatch.setitem(universe().all_passes, each.name, lambda each=each: each)
    monkeypatch.setattr(Universe, "get_multiverse", staticmethod(universe))

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["glow-opt", *arguments])
        code = 0
        try:
            glow_opt.main()
        except SystemExit as ending:
            code = int(ending.code or 0)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def refusal(result: tuple[int, str, str]) -> str:
    """Return the one line that a failing run prints, without `error: `."""
    code, out, err = result
    assert (code, out) == (1, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    return err.removeprefix("error: ").strip()


def test_what_a_pass_refuses_is_one_line(opt: Opt) -> None:
    assert refusal(opt("net.mlir", "-p", "refuse")) == "expected something else"


def test_a_broken_pass_leaves_a_file_and_a_command(opt: Opt) -> None:
    message = refusal(opt("net.mlir", "-p", "cse,explode"))
    before, _, command = message.partition("; reproduce with: ")
    assert before == "pass explode broke: KeyError: 'lost'"
    tool, file, *arguments = shlex.split(command)
    assert (tool, arguments) == ("glow-opt", ["-p", "cse,explode"])
    assert Path(file).name.startswith("glow-crash-")
    assert "KeyError" in Path(file).read_text()
    assert refusal(opt(file, *arguments)).startswith(before)


def test_the_command_leaves_out_the_same_passes(opt: Opt) -> None:
    message = refusal(opt("net.mlir", "-p", "cse,explode", "--disable", "cse"))
    assert message.endswith("-p cse,explode --disable cse")


def test_a_saved_module_keeps_its_locations(opt: Opt) -> None:
    message = refusal(opt("net.mlir", "-p", "explode"))
    file = message.split()[-3]
    assert opt(file, "--print-debuginfo")[1].count("net.mlir") == 8


def test_an_invalid_result_is_the_fault_of_the_pass(opt: Opt) -> None:
    message = refusal(opt("net.mlir", "-p", "corrupt"))
    assert message.startswith("pass corrupt broke the module: test.pureop at ")


def test_verify_diagnostics_prints_what_a_pass_left_invalid(opt: Opt) -> None:
    code, out, err = opt("net.mlir", "-p", "corrupt", "--verify-diagnostics")
    assert (code, err) == (0, "")
    assert "operand 0 is used before it is defined" in out


def test_an_error_leaves_the_output_file_alone(opt: Opt, tmp_path: Path) -> None:
    (tmp_path / "old.mlir").write_text("kept")
    refusal(opt("net.mlir", "-p", "refuse", "-o", "old.mlir"))
    assert (tmp_path / "old.mlir").read_text() == "kept"


def test_ops_learn_their_place_in_the_text(opt: Opt) -> None:
    out = opt("net.mlir", "--print-debuginfo", "--split-input-file")[1]
    assert 'loc("net.mlir":6:3)' in out


def test_chunks_count_lines_from_the_start_of_the_file(
    opt: Opt, tmp_path: Path
) -> None:
    (tmp_path / "two.mlir").write_text(f"{NETWORK}// -----\n{NETWORK}")
    out = opt("two.mlir", "--print-debuginfo", "--split-input-file")[1]
    assert 'loc("two.mlir":16:3)' in out


def test_stages_and_passes_exclude_each_other(opt: Opt) -> None:
    message = refusal(opt("net.mlir", "-p", "cse", "--stop-after", "graph"))
    assert message == "expected --passes or --stop-after, got both"


def test_a_stage_that_lies_behind_is_refused(opt: Opt) -> None:
    message = refusal(opt("net.mlir", "--start-at", "llvm", "--stop-after", "graph"))
    assert message == "the input is past stage graph: it has loops IR"


def test_the_reference_target_has_no_machine_code(opt: Opt) -> None:
    message = refusal(opt("net.mlir", "--stop-after", "asm", "--target", "reference"))
    assert message == "target reference emits no machine code"
