"""`torch.compile(model, backend="glow")`, where PyTorch is installed."""

import copy
import gc
import logging
import weakref
from typing import Any

import pytest

import glow

torch = pytest.importorskip("torch")
tensors = pytest.importorskip("glow.torch_tensors")

STRICT = {"fallback": False}


@pytest.fixture(autouse=True)
def _fresh() -> None:
    torch._dynamo.reset()
    torch.manual_seed(0)


def compiled(function: Any, **options: Any) -> Any:
    return torch.compile(function, backend="glow", options={**STRICT, **options})


def check(function: Any, *arguments: Any, **options: Any) -> None:
    """Compare what a compiled function returns with what it returns itself."""
    with torch.no_grad():
        found = compiled(function, **options)(*arguments)
        torch.testing.assert_close(found, function(*arguments), rtol=1e-4, atol=1e-5)


def convolutional() -> Any:
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 4, 3),
        torch.nn.BatchNorm2d(4),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Flatten(),
        torch.nn.Linear(36, 5),
    )


def test_a_network_computes_what_it_did() -> None:
    check(convolutional().eval(), torch.randn(2, 3, 8, 8))


def test_parameters_that_change_are_compiled_again_then_passed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    layer = torch.nn.Linear(4, 3)
    fast, x = compiled(layer), torch.randn(2, 4)
    caplog.set_level(logging.INFO, "glow")
    with torch.no_grad():
        for _ in range(5):
            layer.weight.mul_(2)
            torch.testing.assert_close(fast(x), layer(x))
    assert sum("have changed" in each.message for each in caplog.records) == 2


def test_tensors_of_inference_mode_are_parameters_too() -> None:
    with torch.inference_mode():
        layer, x = torch.nn.Linear(4, 3), torch.randn(2, 4)
        torch.testing.assert_close(compiled(layer)(x), layer(x))


def test_gradients_and_running_statistics_are_those_of_pytorch() -> None:
    own, x = convolutional(), torch.randn(2, 3, 8, 8)
    theirs = copy.deepcopy(own)
    for call in (compiled(own), theirs):
        call(x).square().sum().backward()
    for one, other in zip(own.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad, rtol=1e-4, atol=1e-3)
    torch.testing.assert_close(own.state_dict(), theirs.state_dict())


def test_attention_has_gradients() -> None:
    def attend(q: Any, k: Any) -> Any:
        function = torch.nn.functional.scaled_dot_product_attention
        return function(q, k, k, is_causal=True, enable_gqa=True)

    q, k = torch.randn(1, 4, 5, 8), torch.randn(1, 2, 5, 8)
    found = []
    for call in (attend, compiled(attend)):
        given = [each.clone().requires_grad_() for each in (q, k)]
        call(*given).square().sum().backward()
        found.append([each.grad for each in given])
    torch.testing.assert_close(*found, rtol=1e-4, atol=1e-5)


def test_sizes_that_change_are_compiled_for() -> None:
    def flat(x: Any, factor: int) -> Any:
        return x.reshape(x.shape[0], -1).softmax(-1) * factor + x.shape[1]

    fast = torch.compile(flat, backend="glow", dynamic=True, options=STRICT)
    for extent in (3, 5, 3):
        x = torch.randn(2, extent, 4)
        torch.testing.assert_close(fast(x, extent), flat(x, extent))


def test_graphs_break_where_python_needs_numbers() -> None:
    def branch(x: Any) -> Any:
        y = x.sin()
        return y + 1 if y.sum().item() > 0 else y - 1

    check(branch, torch.ones(3))


@pytest.mark.parametrize("mode", ["nearest", "bilinear"])
def test_sizes_of_resizes_may_be_those_of_other_tensors(mode: str) -> None:
    def resized(x: Any, other: Any) -> Any:
        size = (max(other.shape[0], 1), 3)
        return torch.nn.functional.interpolate(x, size, mode=mode)

    fast = torch.compile(resized, backend="glow", dynamic=True, options=STRICT)
    for extent in (5, 6, 9):
        arguments = torch.randn(1, 2, 4, 5), torch.ones(extent)
        torch.testing.assert_close(fast(*arguments), resized(*arguments))


def test_data_may_decide_the_size_of_a_resize() -> None:
    def resized(x: Any) -> Any:
        size = int(x.sum())
        return torch.nn.functional.interpolate(x, (size, size), mode="bilinear")

    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        x = torch.ones(1, 1, 2, 2)
        fast = torch.compile(resized, backend="glow")
        torch.testing.assert_close(fast(x), resized(x))


def test_what_is_unsupported_runs_in_pytorch_and_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def drop(x: Any) -> Any:
        return torch.nn.functional.dropout(x, 0.5) * 0

    x = torch.ones(4)
    assert torch.compile(drop, backend="glow")(x).tolist() == [0] * 4
    (record,) = [each for each in caplog.records if each.name == "glow"]
    assert "PyTorch runs it: no operator for aten." in record.message
    torch._dynamo.reset()
    with pytest.raises(Exception, match=r"no operator for aten\.") as caught:
        compiled(drop)(x)
    assert isinstance(caught.value.__cause__ or caught.value, Exception)


def test_a_shape_that_fails_leaves_others_compiled(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from glow import torch_backend

    compile_source, seen = torch_backend.compile_source, list[int]()

    def fail_for_five(source: Any, **options: Any) -> Any:
        net = compile_source(source, **options)
        seen.append(net.signature.inputs[0].shape[0])
        if seen[-1] == 5:
            raise glow.UnsupportedModelError("five")
        return net

    monkeypatch.setattr(torch_backend, "compile_source", fail_for_five)
    fast = torch.compile(torch.sin, backend="glow", dynamic=True)
    for extent in (5, 6, 5, 6):
        x = torch.randn(extent, 2)
        torch.testing.assert_close(fast(x), torch.sin(x))
    assert seen == [5, 6]
    (record,) = [each for each in caplog.records if each.name == "glow"]
    assert record.message.endswith("PyTorch runs it: five")


def test_a_graph_that_no_shape_compiles_is_not_tried_for_ever(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from glow import torch_backend

    seen = list[int]()

    def fail(source: Any, **options: Any) -> Any:
        seen.append(1)
        raise glow.UnsupportedModelError("never")

    monkeypatch.setattr(torch_backend, "compile_source", fail)
    fast = torch.compile(torch.sin, backend="glow", dynamic=True)
    for x in map(torch.randn, range(5, 12)):
        torch.testing.assert_close(fast(x), torch.sin(x))
    assert len(seen) == torch_backend._FAULTS
    (record,) = [each for each in caplog.records if each.name == "glow"]
    assert record.message.endswith("PyTorch runs it: never")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"speed": 3}, "options of torch.compile: expected .* freeze, .* got speed"),
        ({"freeze": 0}, "expected True or False as freeze, got an int"),
        ({"fallback": "no"}, "expected True or False as fallback, got a str"),
        ({"target": "gpu"}, "gpu"),
        ({"cpu_features": "foo", "fallback": True}, "cpu-features .* got 'foo'"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(Exception, match=message):
        compiled(torch.sin, **options)(torch.ones(2))


def test_a_mode_of_inductor_is_said_to_have_no_effect(
    caplog: pytest.LogCaptureFixture,
) -> None:
    x = torch.ones(2)
    fast = torch.compile(torch.sin, backend="glow", mode="max-autotune")
    torch.testing.assert_close(fast(x), torch.sin(x))
    (record,) = [each for each in caplog.records if each.name == "glow"]
    assert "'max-autotune' of torch.compile is inductor's" in record.message


def test_results_lie_in_memory_as_pytorchs_do() -> None:
    def turned(x: Any) -> Any:
        return (x + 1).transpose(0, 1), None, 3

    found, none, number = compiled(turned)(torch.ones(2, 3))
    assert (found.stride(), none, number) == ((1, 3), None, 3)


def test_bfloat16_goes_in_and_out() -> None:
    check(lambda x: x * 2 + 1, torch.randn(3, 4).bfloat16())


def test_writes_in_place_reach_the_caller() -> None:
    def write(x: Any) -> Any:
        x[0] = 7
        return x.sum()

    x = torch.zeros(3)
    assert compiled(write)(x) == 7
    assert x.tolist() == [7, 0, 0]


def test_tensors_and_arrays_share_memory() -> None:
    for dtype in (torch.float32, torch.bfloat16, torch.bool):
        tensor = torch.zeros(2, 3, dtype=dtype)
        array = tensors.array_of(tensor)
        assert tensors.tensor_of_array(array).data_ptr() == tensor.data_ptr()
    with pytest.raises(glow.UnsupportedModelError, match=r"dense tensors .* on meta"):
        tensors.array_of(torch.empty(2, device="meta"))


def test_pytorch_runs_a_graph_while_a_thread_compiles_it(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from glow.runtime.background import BackgroundWork

    tasks: dict[Any, Any] = {}
    monkeypatch.setattr(BackgroundWork, "add", lambda _, *task: tasks.update([task]))
    caplog.set_level(logging.INFO, "glow")
    layer, x = torch.nn.Linear(4, 3), torch.randn(2, 4)
    fast = compiled(layer, shapes="background")
    with torch.no_grad():
        torch.testing.assert_close(fast(x), layer(x))
        assert "compiled in" not in caplog.text
        (task,) = tasks.values()
        task()
        assert "compiled in" in caplog.text
        tasks.clear()
        torch.testing.assert_close(fast(x), layer(x))
    assert not tasks


CHANGES = {
    "scaled": lambda weight: weight.data.mul_(3),
    "clipped": lambda weight: weight.data.clamp_(-0.1, 0.1),
    "another tensor's": lambda weight: setattr(weight, "data", weight.data + 1),
    "written by NumPy": lambda weight: tensors.array_of(weight).fill(2.0),
    "one element": lambda weight: weight[0, 0].add_(1),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_changed_parameters_are_seen(change: Any, dtype: Any) -> None:
    layer, x = torch.nn.Linear(4, 3).to(dtype), torch.randn(2, 4).to(dtype)
    fast = compiled(layer)
    with torch.no_grad():
        fast(x)
        change(layer.weight)
        torch.testing.assert_close(fast(x), layer(x))


def test_parameters_at_the_address_of_old_ones_are_seen() -> None:
    layer, x = torch.nn.Linear(256, 256, bias=False), torch.randn(2, 256)
    fast = compiled(layer)
    with torch.no_grad():
        for _ in range(4):
            layer.weight = None
            layer.weight = torch.nn.Parameter(torch.randn(256, 256))
            torch.testing.assert_close(fast(x), layer(x), rtol=1e-4, atol=1e-4)


def test_a_model_that_is_deleted_leaves_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = list[Any]()

    def compile_source(*arguments: Any, **named: Any) -> Any:
        net = glow.compilation.compile_source(*arguments, **named)
        made.append(weakref.ref(net))
        return net

    monkeypatch.setattr("glow.torch_backend.compile_source", compile_source)
    layer, x = torch.nn.Linear(4, 3), torch.randn(2, 4)
    fast = compiled(layer)
    with torch.no_grad():
        fast(x)
    made.append(weakref.ref(layer.weight))
    assert all(each() is not None for each in made)
    del layer, fast
    gc.collect()
    assert all(each() is None for each in made)


def test_resizes_stay_operators(monkeypatch: pytest.MonkeyPatch) -> None:
    def double(x: Any) -> Any:
        own, names = torch.nn.functional.interpolate, ("nearest", "bilinear", "bicubic")
        return sum(own(x, scale_factor=2, mode=name) for name in names)

    ops = list[str]()

    def compile_source(source: Any, **named: Any) -> Any:
        ops.append(str(source.model))
        return glow.compilation.compile_source(source, **named)

    monkeypatch.setattr("glow.torch_backend.compile_source", compile_source)
    rules = dict(torch.ops.aten.upsample_bilinear2d.vec.py_kernels)
    x = torch.randn(1, 2, 3, 3)
    check(double, x)
    assert ops[0].count("graph.resize") == 3
    assert "graph.gather" not in ops[0]
    assert torch.ops.aten.upsample_bilinear2d.vec.py_kernels == rules
    found = list[Any]()
    for call in (compiled(double), double):
        given = x.clone().requires_grad_()
        call(given).square().sum().backward()
        found.append(given.grad)
    torch.testing.assert_close(*found, rtol=1e-4, atol=1e-4)


def test_parameters_that_are_not_frozen_may_be_written_in_any_way() -> None:
    layer, x = torch.nn.Linear(4, 3), torch.randn(2, 4)
    fast = compiled(layer, freeze=False)
    with torch.no_grad():
        fast(x)
        middle = layer.weight.flatten().argsort()[5]
        layer.weight.data.view(-1)[middle] += 1e-3
        torch.testing.assert_close(fast(x), layer(x), rtol=1e-6, atol=1e-6)


def test_results_that_share_memory_do_so() -> None:
    def split(x: Any, extent: int) -> Any:
        y = x + 1
        return y[0], y.reshape(-1), y[:, 1:extent].T, x * 2

    for call in (compiled(split), torch.compile(split, backend="glow", dynamic=True)):
        for x in (torch.randn(2, 3), torch.randn(3, 5)):
            row, flat, part, twice = call(x, 3)
            torch.testing.assert_close((row, flat, part, twice), split(x, 3))
            assert part.stride() == split(x, 3)[2].stride()
            flat.fill_(7)
            assert row.unique().item() == part.unique().item() == 7
            torch.testing.assert_close(twice, x * 2)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: torch.as_strided(x, (2, 3, 4), (12, 4, 1)),
        lambda x: torch.as_strided(x, (4, 3, 2), (1, 4, 12)),
        lambda x: torch.as_strided(x.permute(2, 0, 1), (4, 2, 3), (6, 3, 1)),
        lambda x: torch.as_strided(x, (2, 3, 4, 1), (12, 4, 1, 7)),
        lambda x: torch.as_strided(x, (5, 4), (3, 2), 1),
        lambda x: torch.as_strided(x, (3, 4), (0, 1)),
        lambda x: torch.as_strided(x, (), ()),
    ],
    ids=["same", "turned", "permuted", "loose", "windows", "repeated", "element"],
)
def test_strides_reach_what_they_do_in_memory(view: Any) -> None:
    check(lambda x: view(x + 1), torch.randn(2, 3, 4))


def test_strides_of_a_part_are_refused() -> None:
    with pytest.raises(Exception, match="as_strided of a tensor that has gaps"):
        check(lambda x: torch.as_strided((x + 1)[1], (3,), (1,)), torch.randn(2, 3))


def test_a_pool_of_channels_last_is_supported() -> None:
    """PyTorch writes its result with `as_strided`."""
    permuted = torch.nn.AdaptiveAvgPool2d(1)
    check(lambda x: permuted((x + 1).permute(0, 3, 1, 2)), torch.randn(1, 5, 5, 6))
