"""Targets: resolution by name, what the host gets, refused names."""

import warnings
from dataclasses import replace
from unittest.mock import patch

import pytest

from glow.backends.cpu import target_numbers, targets
from glow.backends.cpu.cores import CORES, Core, core_of
from glow.support.targets import resolve, target_of
from glow.targets import known_targets


def test_known_targets_are_entry_points():
    assert {"cpu", "reference"} <= set(known_targets())


def test_resolve_ignores_features():
    assert resolve("cpu:avx2") is resolve("cpu")


@pytest.mark.parametrize("name", known_targets())
def test_any_target_has_an_accuracy(name: str):
    assert target_of(name).accuracy == target_of(f"{name}:fast").accuracy == "fast"
    assert target_of(f"{name}:strict") == replace(target_of(name), accuracy="strict")


def test_accuracy_stands_among_features():
    strict = replace(target_of("cpu:avx2"), accuracy="strict")
    assert target_of("cpu:avx2,strict") == target_of("cpu:strict,avx2") == strict


def test_unknown_target_names_the_known():
    with pytest.raises(ValueError, match=r"a target out of cpu, .*, got 'tpu'"):
        resolve("tpu")


def test_unknown_features_name_the_known():
    with pytest.raises(ValueError, match="out of sse2, avx2, avx512, neon, aarch64"):
        target_of("cpu:mmx")


@pytest.mark.parametrize(
    ("isa", "lanes", "rows"),
    [("sse2", 4, 6), ("avx2", 8, 6), ("avx512", 16, 12), ("neon", 4, 6)],
)
def test_numbers_follow_the_instruction_set(isa: str, lanes: int, rows: int):
    with patch.object(targets, "core_here", lambda: None):
        target = targets.cpu_target(isa)
    assert (target.isa, target.f32_lanes, target.tile_rows) == (isa, lanes, rows)
    assert list(target.panel_widths) == sorted(target.panel_widths, reverse=True)


@pytest.mark.parametrize(
    ("isa", "sizes"), [("sse2", ()), ("avx2", (4, 8)), ("avx512", (1, 2, 4, 8))]
)
def test_masks_follow_the_instruction_set(isa: str, sizes: tuple[int, ...]):
    target = target_of(f"cpu:{isa}")
    assert [size for size in (1, 2, 4, 8) if target.masks(size)] == list(sizes)
    assert target.masks(4, 1) == (isa == "avx512")


def test_aarch64_is_neon_for_another_machine():
    target = target_of("cpu:aarch64")
    assert target.isa == "neon"
    assert target.triple.startswith(("aarch64", "arm64"))


def test_default_is_the_best_of_the_host():
    target = target_of("cpu")
    assert target.runs_here
    assert target == target_of(f"cpu:{target.isa}")


@pytest.mark.parametrize(
    ("maker", "family", "model", "features", "name"),
    [
        ("AuthenticAMD", 0x19, 0x01, (), "Zen 3"),
        ("AuthenticAMD", 0x19, 0x50, (), "Zen 3"),
        ("AuthenticAMD", 0x19, 0x11, (), "Zen 4"),
        ("AuthenticAMD", 0x19, 0x61, (), "Zen 4"),
        ("AuthenticAMD", 0x19, 0xA0, (), "Zen 4"),
        ("AuthenticAMD", 0x1A, 0x02, (), "Zen 5"),
        ("AuthenticAMD", 0x17, 0x31, (), None),
        ("GenuineIntel", 6, 0x6A, (), "Ice Lake"),
        ("GenuineIntel", 6, 0x8F, (), "Sapphire Rapids"),
        ("GenuineIntel", 6, 0xA7, ("amx-tile",), "Sapphire Rapids"),
        ("GenuineIntel", 6, 0xA7, (), "Intel"),
        ("", -1, -1, ("amx-tile",), None),
    ],
)
def test_cores_follow_family_and_model(
    maker: str, family: int, model: int, features: tuple[str, ...], name: str | None
):
    """A virtual machine may say a model that is none of its processor."""
    core = core_of(maker, family, model, features.__contains__)
    assert (core and core.name) == name


@pytest.mark.parametrize("core", CORES, ids=lambda core: core.name)
def test_cores_have_numbers_of_targets(core: Core):
    for isa, numbers in core.numbers.items():
        target = replace(target_of(f"cpu:{isa}"), **numbers)
        assert target.sums_in_flight in (4, 8)
        assert target.tile_rows in (6, 8, 12)
        assert target.wide_panel in (0, 24, 64)
        assert 2 * target.narrow_lanes in (0, target.f32_lanes)


def test_native_targets_have_the_numbers_of_the_core():
    slow = Core("slow", "", 0, (), {"avx2": {"sums_in_flight": 5}})
    with patch.object(targets, "core_here", lambda: slow):
        assert targets._native("avx2") == {"sums_in_flight": 5}
        assert targets._native("sse2") == {}
    with patch.object(targets, "core_here", lambda: None):
        assert targets._native("avx2") == {}


def test_host_without_avx512_gets_avx2():
    has = ("avx2", "fma", "f16c", "sse2", "avx512f")
    features = dict.fromkeys(has, True)
    targets._host_isa.cache_clear()
    with patch.object(targets.llvm, "get_host_cpu_features", lambda: features):
        assert targets._host_isa() == "avx2"
    targets._host_isa.cache_clear()


def test_untested_host_is_reported_once():
    targets._warn_untested_host.cache_clear()
    with pytest.warns(UserWarning, match="untested on arm64-apple-darwin hosts"):
        targets._warn_untested_host("arm64-apple-darwin")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        targets._warn_untested_host("arm64-apple-darwin")
        targets._warn_untested_host("x86_64-unknown-linux-gnu")


def test_numbers_of_a_processor_try_the_tallest_tiles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def rate(_: object, rows: int, columns: int, *__: object, **___: object) -> int:
        return rows if columns == cpu.panel_width else 0

    cpu = target_of("cpu")
    monkeypatch.setattr(target_numbers, "measured_tile", rate)
    monkeypatch.setattr(target_numbers, "measured_peaks", lambda: "")
    most = cpu.registers * 3 // 4 * cpu.f32_lanes // cpu.panel_width
    assert f"tile_rows={most}" in target_numbers.target_numbers()


@pytest.mark.parametrize(
    ("name", "gain", "panel"),
    [
        ("cpu:avx2", 1.1, 24),
        ("cpu:avx2", 1.0, 0),
        ("cpu:avx512", 1.1, 64),
        ("cpu:neon", 1.1, 0),  # four vectors are the usual width
    ],
)
def test_numbers_of_a_processor_have_the_fastest_wide_panel(
    name: str, gain: float, panel: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rate(_: object, __: int, columns: int, *___: object, **____: object) -> float:
        return gain if columns == panel else 1.0

    target = replace(target_of(name), isa="")
    monkeypatch.setattr(target_numbers, "cpu_target", lambda: target)
    monkeypatch.setattr(target_numbers, "measured_tile", rate)
    monkeypatch.setattr(target_numbers, "measured_peaks", lambda: "")
    assert f"wide_panel={panel}" in target_numbers.target_numbers()
