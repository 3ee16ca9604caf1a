"""Arrays are checked against the signature: one error names everything wrong."""

from typing import Any

import numpy as np
import pytest

from glow.runtime.interface import Executable
from glow.runtime.signature import Signature, TensorSpec
from glow.support.arrays import Array
from glow.support.errors import BindingError

F32 = np.dtype(np.float32)
X, Y = TensorSpec("x", (2, 3), F32), TensorSpec("y", (2, 3), F32)


class Doubled(Executable):
    """y = 2 * x, written in two steps so that overlapping buffers would show."""

    def __init__(self) -> None:
        super().__init__(Signature((X,), (Y,)))

    def execute(self, inputs: list[Array], outputs: list[Array], *_: object) -> None:
        outputs[0][...] = 0
        outputs[0][...] = 2 * inputs[0]


@pytest.fixture
def net() -> Doubled:
    return Doubled()


@pytest.fixture
def x() -> Array:
    return np.arange(6, dtype=F32).reshape(2, 3)


def refusal(net: Executable, inputs: object, out: object = None) -> str:
    with pytest.raises(BindingError) as caught:
        net.run(inputs, out)  # type: ignore[arg-type]
    return str(caught.value)


def test_one_output_is_returned_bare(net: Doubled, x: Array) -> None:
    assert np.array_equal(net(x), 2 * x)


def test_names_give_a_dict(net: Doubled, x: Array) -> None:
    assert np.array_equal(net.run({"x": x})["y"], 2 * x)


def test_results_are_fresh_arrays(net: Doubled, x: Array) -> None:
    assert net(x) is not net(x)


def test_out_is_filled_and_returned(net: Doubled, x: Array) -> None:
    buffer = np.empty((2, 3), F32)
    assert net.run({"x": x}, out={"y": buffer})["y"] is buffer
    assert np.array_equal(buffer, 2 * x)


def test_strided_arrays_work_both_ways(net: Doubled, x: Array) -> None:
    wide, target = np.repeat(x, 2, axis=1), np.zeros((3, 2), F32).T
    net.run({"x": wide[:, ::2]}, out={"y": target})
    assert np.array_equal(target, 2 * x)


def test_misaligned_arrays_work_both_ways(net: Doubled, x: Array) -> None:
    def shifted() -> Array:
        return np.zeros(25, np.uint8)[1:].view(F32).reshape(2, 3)

    source, target = shifted(), shifted()
    source[...] = x
    assert not source.flags.aligned
    net.run({"x": source}, out={"y": target})
    assert np.array_equal(target, 2 * x)


def test_output_may_be_the_input(net: Doubled, x: Array) -> None:
    expected = 2 * x
    net.run({"x": x}, out={"y": x})
    assert np.array_equal(x, expected)


def test_scalars_have_no_extents() -> None:
    assert str(TensorSpec("s", (), F32)) == "s: float32[]"


def test_everything_wrong_is_named_at_once(net: Doubled) -> None:
    message = refusal(net, {"z": 1}, {"y": [1], "q": 2})
    assert message == (
        'input "x": missing, expected float32[2, 3]; '
        'no input is called "z", expected x; '
        'output "y": expected float32[2, 3], got a list; '
        'no output is called "q", expected y'
    )


def test_wrong_type_is_refused(net: Doubled, x: Array) -> None:
    message = refusal(net, {"x": x.astype(np.float64)})
    assert message == 'input "x": expected float32[2, 3], got float64[2, 3]'


def test_wrong_byte_order_is_refused(net: Doubled, x: Array) -> None:
    assert "got >f4[2, 3]" in refusal(net, {"x": x.astype(">f4")})


def test_wrong_shape_is_refused(net: Doubled, x: Array) -> None:
    assert refusal(net, {"x": x.T}) == 'input "x": expected float32[2, 3], got ' + (
        "float32[3, 2]"
    )


def test_wrong_number_is_refused(net: Doubled, x: Array) -> None:
    with pytest.raises(
        BindingError, match=r"expected 1 array \(x: float32\[2, 3\]\), got 2"
    ):
        net(x, x)


def test_read_only_output_is_refused(net: Doubled, x: Array) -> None:
    buffer = np.empty((2, 3), F32)
    buffer.flags.writeable = False
    assert refusal(net, {"x": x}, {"y": buffer}) == (
        'output "y": expected a writeable array'
    )


def test_overlapping_outputs_are_refused(x: Array) -> None:
    signature = Signature((X,), (Y, TensorSpec("z", (2, 3), F32)))
    buffer = np.empty((4, 3), F32)
    with pytest.raises(BindingError, match='outputs "y" and "z" share memory'):
        signature.bind({"x": x}, {"y": buffer[:2], "z": buffer[1:3]})


def test_arrays_that_fit_take_the_short_way(
    net: Doubled, x: Array, monkeypatch: pytest.MonkeyPatch
) -> None:
    def bind(*_: object) -> None:
        raise AssertionError("bound")

    monkeypatch.setattr(Signature, "bind", bind)
    buffer = np.empty((2, 3), F32)
    assert net.run({"x": x}, out={"y": buffer})["y"] is buffer
    assert np.array_equal(buffer, 2 * x)
    assert np.array_equal(net.run({"x": x})["y"], 2 * x)


TWO = Signature((X,), (Y, TensorSpec("z", (2, 3), F32)))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda y, z: (y.astype(np.float64), z),
        lambda y, z: (y.T, z),
        lambda y, z: (np.asfortranarray(y), z),
        lambda y, z: (y, np.broadcast_to(np.zeros(3, F32), (2, 3))),
        lambda y, z: (y, y),
        lambda y, z: (y, None),
        lambda y, z: (y,),
        lambda y, z: (y, z.view(np.matrix)),
    ],
    ids=["dtype", "shape", "order", "stride", "same", "none", "few", "class"],
)
def test_buffers_that_do_not_fit_are_reported(spoil: Any, x: Array) -> None:
    buffers = np.empty((2, 3), F32), np.empty((2, 3), F32)
    assert TWO.fit_outputs(buffers, (x,))
    assert not TWO.fit_outputs(spoil(*buffers), (x,))


def test_buffers_apart_from_each_other_and_the_inputs_are_reported(x: Array) -> None:
    wide, buffer = np.empty((4, 3), F32), np.empty((2, 3), F32)
    assert TWO.fit_outputs((wide[:2], wide[2:]), (x,))
    assert not TWO.fit_outputs((wide[:2], wide[1:3]), (x,))
    assert not TWO.fit_outputs((buffer, x), (x,))
    buffer.flags.writeable = False
    assert not TWO.fit_outputs((wide[:2], buffer), (x,))


def test_a_run_without_some_buffers_returns_fresh_arrays(x: Array) -> None:
    class Twice(Executable):
        def execute(
            self, inputs: list[Array], outputs: list[Array], *_: object
        ) -> None:
            for output in outputs:
                output[...] = 2 * inputs[0]

    buffer = np.empty((2, 3), F32)
    found = Twice(TWO).run({"x": x}, out={"z": buffer})
    assert found["z"] is buffer
    assert np.array_equal(found["y"], 2 * x)
