"""Modules and exported programs of PyTorch as models, where that is installed."""

from typing import Any

import numpy as np
import pytest

import glow

torch = pytest.importorskip("torch")


class Counter(torch.nn.Module):
    """A layer that adds up what it has seen, and returns nested tensors."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
        self.register_buffer("seen", torch.zeros(4))

    def forward(self, x: Any, scale: Any = None) -> Any:
        self.seen.add_(x.mean(0))
        return {"sum": self.layer(x) + self.seen, "more": (x.sum(), x * scale)}


X = torch.ones(2, 4)
GIVEN = {"x": X, "scale": torch.full((4,), 2.0)}


def test_a_module_is_a_model_with_names_and_states() -> None:
    module = Counter()
    model = glow.load(module, GIVEN)
    assert "@layer.weight" in str(model)
    net = glow.compile(model, "reference")
    assert str(net.signature) == (
        "(x: float32[2, 4], scale: float32[4]) -> (sum: float32[2, 4], "
        "more.0: float32[], more.1: float32[2, 4]) with (seen: float32[4])"
    )
    bindings = net.bind(GIVEN)
    for _ in range(2):
        expected = module(**GIVEN)
        found = bindings.run()
        np.testing.assert_allclose(
            found["sum"], expected["sum"].detach().numpy(), rtol=1e-5
        )
    assert found["more.1"].tolist() == [[2] * 4] * 2


def test_an_exported_program_keeps_its_dimensions_open() -> None:
    layer = torch.nn.Linear(4, 3)
    batch = torch.export.Dim("batch")
    program = torch.export.export(layer, (X,), dynamic_shapes=({0: batch},))
    net = glow.compile(program, "reference")
    for count in (1, 3):
        x = torch.randn(count, 4)
        np.testing.assert_allclose(net(x), layer(x).detach().numpy(), rtol=1e-5)
    (name,) = net.signature.dims
    fixed = glow.load(program, dims={name: 5})
    assert "tensor<5x4xf32>" in str(fixed)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_results_are_tensors_if_the_caller_says_so(dtype: Any) -> None:
    layer = torch.nn.Linear(4, 3).to(dtype)
    x = torch.randn(2, 4).to(dtype)
    net = glow.compile(layer, "reference", example_inputs=(x,))
    (found,) = net.run([x], like=x).values()
    torch.testing.assert_close(found, layer(x).detach(), rtol=1e-2, atol=1e-2)


def test_wrong_uses_are_refused() -> None:
    program = torch.export.export(torch.nn.Linear(4, 3), (X,))
    with pytest.raises(
        ValueError, match="example_inputs with a module of PyTorch, got"
    ):
        glow.load(torch.nn.Linear(4, 3))
    with pytest.raises(
        ValueError, match="example_inputs with a module of PyTorch only"
    ):
        glow.load(program, (X,))
    with pytest.raises(ValueError, match="expected dims for no dimensions, got n"):
        glow.load(program, dims={"n": 2})


@pytest.mark.parametrize("example", [X, X.numpy(), (X.numpy(),), {"input": X.numpy()}])
def test_one_tensor_and_arrays_are_examples(example: Any) -> None:
    layer = torch.nn.Linear(4, 3)
    net = glow.compile(layer, "reference", example_inputs=example)
    np.testing.assert_allclose(net(X), layer(X).detach().numpy(), rtol=1e-5)


@pytest.mark.parametrize(
    ("example", "reason"),
    [((X, X, X), "too many"), ({"foo": X}, "missing"), ((X.T,), "must have same")],
)
def test_what_export_refuses_is_an_error_of_the_model(
    example: Any, reason: str
) -> None:
    message = f"^Linear: torch.export refuses it for these example_inputs: .*{reason}"
    with pytest.raises(glow.UnsupportedModelError, match=message):
        glow.load(torch.nn.Linear(4, 3), example)


@pytest.mark.parametrize("x", [X.clone().requires_grad_(), X.to("meta")])
def test_tensors_that_cannot_be_arrays_are_refused_with_a_reason(x: Any) -> None:
    net = glow.compile(torch.nn.Linear(4, 3), "reference", example_inputs=X)
    with pytest.raises(glow.BindingError, match=r"got a Tensor: .* Use [Tt]ensor"):
        net(x)


def test_constants_of_inputs_are_bound() -> None:
    model = glow.load(Counter(), GIVEN, constants={"scale": np.ones(4, np.float32)})
    assert "@scale" in str(model)
    assert [each.name for each in glow.compile(model, "reference").inputs] == ["x"]


def test_numbers_among_example_inputs_are_part_of_the_code() -> None:
    net = glow.compile(Counter(), "reference", example_inputs={"x": X, "scale": 2.0})
    assert [each.name for each in net.inputs] == ["x"]
    assert net.run({"x": X})["more.1"].tolist() == [[2] * 4] * 2
