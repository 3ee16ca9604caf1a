"""Fresh names: numbered, never twice, and cheap to find."""

from glow.support.names import Names


def test_a_free_name_stays() -> None:
    names = Names(["a"])
    assert names.fresh("b") == "b"
    assert "b" in names
    assert "c" not in names


def test_a_taken_name_is_numbered() -> None:
    names = Names(["a", "a_2"], separator="_")
    assert [names.fresh("a") for _ in range(3)] == ["a_1", "a_3", "a_4"]


def test_numbered_names_are_taken_too() -> None:
    names = Names()
    assert [names.fresh(n) for n in ("a", "a", "a.1")] == ["a", "a.1", "a.1.1"]


def test_many_names_are_found_in_few_steps() -> None:
    names = Names()
    assert len({names.fresh("a") for _ in range(100_000)}) == 100_000
