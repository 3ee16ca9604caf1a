"""Object files linked into this process, by our own linker and by LLVM's."""

from __future__ import annotations

import ctypes
import gc
import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from glow.backends.cpu import perf_map, processor
from glow.backends.cpu.code_generation import JitCode, object_code
from glow.backends.cpu.elf import UnknownFormError, read_object
from glow.backends.cpu.elf_linker import link_elf
from glow.backends.cpu.linker import Code, link
from glow.backends.cpu.llvmlite_binding import llvm
from glow.backends.cpu.processor import missing_features, other_kind
from glow.support.errors import InternalError, TargetError
from glow.support.targets import target_of
from glow.targets import identity_of

HOST = target_of("cpu")

pytestmark = pytest.mark.skipif(
    "x86_64" not in HOST.triple or "linux" not in HOST.triple,
    reason="our own linker is for Linux on x86-64",
)

CALLER = """
declare double @twice(double)
declare double @cosh(double)
define double @main(double %x) {
  %a = call double @twice(double %x)
  %b = call double @cosh(double %a)
  %c = fadd double %b, 0.125
  ret double %c
}
"""
CALLEE = """
define internal double @add(double %x, double %y) noinline {
  %a = fadd double %x, %y
  ret double %a
}
define double @twice(double %x) {
  %a = call double @add(double %x, double %x)
  ret double %a
}
"""
# The table of where to go holds distances from itself.
SWITCH = """
define i64 @main(i64 %x) {
  switch i64 %x, label %other [i64 0, label %a  i64 1, label %b  i64 2, label %c
                               i64 3, label %d  i64 4, label %e]
a: ret i64 17
b: ret i64 4
c: ret i64 99
d: ret i64 5
e: ret i64 23
other: ret i64 -1
}
"""
# An address of a function elsewhere lies in a word beside the code.
POINTER = """
declare i64 @labs(i64)
declare i64 @next(i64)
define i64 @main(i64 %x) {
  %is = icmp slt i64 %x, 0
  %f = select i1 %is, ptr @labs, ptr @next
  %a = call i64 %f(i64 %x)
  ret i64 %a
}
"""
NEXT = "define i64 @next(i64 %x) { %a = add i64 %x, 1  ret i64 %a }"
# Constants with an alignment of their own, and one that holds an address.
TABLE = """
@wide = private constant [6 x i64] [i64 3, i64 1, i64 4, i64 1, i64 5, i64 9], align 64
define i64 @main(i64 %i) {
  %p = getelementptr i64, ptr @wide, i64 %i
  %a = load i64, ptr %p
  %start = ptrtoint ptr @wide to i64
  %low = and i64 %start, 63
  %b = add i64 %a, %low
  ret i64 %b
}
"""
VARIABLE = """
@count = internal global i64 40
define i64 @main(i64 %x) {
  %a = load i64, ptr @count
  %b = add i64 %a, %x
  store i64 %b, ptr @count
  ret i64 %b
}
"""


def objects(*texts: str) -> list[bytes]:
    return [object_code(text, HOST) for text in texts]


def main_of(code: Code, kind: Any) -> Callable[[Any], Any]:
    return ctypes.CFUNCTYPE(kind, kind)(code.address("main"))


def by_llvm(objects: list[bytes]) -> Code:
    return JitCode(objects, ["main"])


@pytest.mark.parametrize("linker", [link_elf, by_llvm])
def test_code_runs(linker: Callable[[list[bytes]], Code]) -> None:
    code = linker(objects(CALLER, CALLEE))
    assert main_of(code, ctypes.c_double)(0.75) == math.cosh(1.5) + 0.125
    code = linker(objects(SWITCH))
    found = [main_of(code, ctypes.c_int64)(x) for x in range(6)]
    assert found == [17, 4, 99, 5, 23, -1]
    code = linker(objects(POINTER, NEXT))
    assert [main_of(code, ctypes.c_int64)(x) for x in (-5, 7)] == [5, 8]
    code = linker(objects(TABLE))
    assert [main_of(code, ctypes.c_int64)(i) for i in (0, 5)] == [3, 9]


def test_private_functions_have_no_address() -> None:
    with pytest.raises(KeyError):
        link_elf(objects(CALLEE)).address("add")


def test_a_firm_definition_replaces_a_weak_one() -> None:
    weak = NEXT.replace("define", "define weak").replace("1 ", "100 ")
    for order in ((POINTER, weak, NEXT), (POINTER, NEXT, weak)):
        assert main_of(link_elf(objects(*order)), ctypes.c_int64)(7) == 8
    assert main_of(link_elf(objects(POINTER, weak, weak)), ctypes.c_int64)(7) == 107


def test_symbols_defined_twice_or_nowhere_are_named() -> None:
    with pytest.raises(InternalError, match="next is defined twice"):
        link_elf(objects(POINTER, NEXT, NEXT))
    with pytest.raises(InternalError, match="next is defined nowhere"):
        link_elf(objects(POINTER))


def test_what_is_not_known_is_left_to_llvm() -> None:
    with pytest.raises(UnknownFormError, match="variables"):
        link_elf(objects(VARIABLE))
    code = link(objects(VARIABLE), ["main"])
    assert [main_of(code, ctypes.c_int64)(x) for x in (1, 1)] == [41, 42]
    with pytest.raises(UnknownFormError, match="x86-64"):
        link_elf([object_code(NEXT, target_of("cpu:neon"))])
    with pytest.raises(UnknownFormError, match="ELF"):
        link_elf([b"\xcf\xfa\xed\xfe" + bytes(60)])
    with pytest.raises(InternalError, match="cannot link compiled code"):
        link([b"no object"], ["main"])


def test_code_is_shared_unless_it_has_variables() -> None:
    code = link(objects(TABLE), ["main"])
    assert link(objects(TABLE), ["main"]) is code
    assert link(objects(SWITCH), ["main"]) is not code
    one, other = (link(objects(VARIABLE), ["main"]) for _ in range(2))
    found = [main_of(each, ctypes.c_int64)(1) for each in (one, other, one)]
    assert found == [41, 41, 42]


def test_forms_that_are_not_read_are_refused() -> None:
    data = objects(NEXT)[0]
    assert read_object(data).machine == 62
    executable = data[:16] + b"\2" + data[17:]
    with pytest.raises(UnknownFormError, match="relocatable file, got type 2"):
        read_object(executable)
    shared = "@x = common global i64 0\n" + NEXT
    with pytest.raises(UnknownFormError, match="expected x in a section"):
        read_object(objects(shared)[0])
    data_elsewhere = """
    @far = external hidden constant i64
    define i64 @main(i64 %x) { %a = load i64, ptr @far  ret i64 %a }
    """
    with pytest.raises(UnknownFormError, match="data of far"):
        link_elf(objects(data_elsewhere))


def maps_at(address: int) -> str | None:
    """Return the protection of the memory at `address`; None where there is none."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        place, protection, *_ = line.split()
        start, _, end = place.partition("-")
        if int(start, 16) <= address < int(end, 16):
            return protection
    return None


def test_code_is_not_written_once_it_can_run() -> None:
    code = link_elf(objects(TABLE))
    address = code.address("main")
    assert maps_at(address) == "r-xp"
    assert maps_at(address + 4096) == "r--p"  # the constants
    del code
    gc.collect()
    assert maps_at(address) is None


def test_the_processor_is_known_without_llvm() -> None:
    has = llvm.get_host_cpu_features()
    lacking = [name for name in has if not has[name]]
    assert missing_features(has) == lacking
    assert missing_features(["avx2", "tomorrow"])[-1] == "tomorrow"
    assert other_kind(HOST.triple) is None
    assert other_kind("x86_64-alpine-linux-musl") is None
    assert other_kind("aarch64-unknown-linux-gnu") == HOST.triple
    assert other_kind("x86_64-pc-windows-msvc") == HOST.triple


def test_targets_of_other_machines_are_told_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = identity_of("cpu")
    assert identity_of("cpu:avx2") != here
    assert identity_of("reference") != here
    facts = {**processor._linux_facts(), "model": "1234"}  # pyright: ignore
    monkeypatch.setattr(processor, "_linux_facts", lambda: facts)
    assert identity_of("cpu") != here
    # Where the system says nothing, LLVM is asked.
    monkeypatch.setattr(processor, "_linux_facts", dict)
    assert identity_of("cpu") == f"cpu fast {target_of('cpu')!r}"
    assert missing_features(["avx2", "tomorrow"])[-1] == "tomorrow"
    with pytest.raises(TargetError, match="got 'avx9'"):
        identity_of("cpu:avx9")


@pytest.mark.parametrize("value", ["", "0", "1"])
def test_perf_gets_names_on_request(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each function is where it is called, and ends before the next one begins."""
    path = tmp_path / "perf.map"
    monkeypatch.setattr(perf_map, "perf_map_path", lambda: path)
    monkeypatch.setenv(perf_map.VARIABLE, value)
    code = link_elf(objects(CALLER, CALLEE))
    if value != "1":
        assert not path.exists()
        return
    lines = [line.split(" ", 2) for line in path.read_text().splitlines()]
    places = sorted(
        (int(start, 16), int(size, 16), name) for start, size, name in lines
    )
    starts = {name: start for start, _, name in places}
    assert starts.keys() == {"main", "add", "twice"}
    assert all(starts[name] == code.address(name) for name in ("main", "twice"))
    for (start, size, _), (following, _, _) in pairwise(places):
        assert 0 < size <= following - start
    path.unlink()
    path.symlink_to(tmp_path / "other")
    with pytest.raises(OSError, match="symbolic links"):
        link_elf(objects(CALLER, CALLEE))
    assert not (tmp_path / "other").exists()
