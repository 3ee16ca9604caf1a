"""Dialects and passes are found by where they lie, under the name of their file."""

from collections import Counter
from importlib.metadata import entry_points

from xdsl.universe import XDSL_UNIVERSE, Universe

from glow.registry import UNIVERSE


def test_pass_names_follow_their_files() -> None:
    for name, load in UNIVERSE.all_passes.items():
        assert load().name == name


def test_pass_classes_follow_their_names() -> None:
    for name, load in UNIVERSE.all_passes.items():
        expected = "".join(word.title() for word in name.split("-")) + "Pass"
        assert load().__name__.lower() == expected.lower()


def test_ops_and_attributes_carry_the_name_of_their_dialect() -> None:
    for name, load in UNIVERSE.all_dialects.items():
        dialect = load()
        assert dialect.name == name
        members = [*dialect.operations, *dialect.attributes]
        assert all(member.name.split(".")[0] == name for member in members)


def test_no_name_is_taken_twice() -> None:
    for name, load in UNIVERSE.all_dialects.items():
        dialect = load()
        members = [*dialect.operations, *dialect.attributes]
        counts = Counter(member.name for member in members)
        repeated = [member for member, count in counts.items() if count > 1]
        assert not repeated, f"dialect {name} defines {repeated} twice"
    assert not set(UNIVERSE.all_passes) & set(XDSL_UNIVERSE.all_passes)
    assert not set(UNIVERSE.all_dialects) & set(XDSL_UNIVERSE.all_dialects)


def test_xdsl_finds_everything_through_the_entry_point() -> None:
    assert "glow" in {point.name for point in entry_points(group="xdsl.universe")}
    found = Universe.get_multiverse()
    assert set(UNIVERSE.all_dialects) <= set(found.all_dialects)
    assert set(UNIVERSE.all_passes) <= set(found.all_passes)
