"""Oracles, and what else several test files share, as fixtures."""

import gc
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from time import process_time
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from numpy.typing import NDArray

Array = NDArray[Any]
# A slow machine is not a failure, and the same code passes or fails every time. `make
# test-full` looks for new examples, and for more, `make test-fast` takes few of them.
settings.register_profile(
    "glow",
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    print_blob=True,
    database=None,
    derandomize=True,
)
settings.register_profile("fast", settings.get_profile("glow"), max_examples=15)
settings.register_profile(
    "search", settings.get_profile("glow"), max_examples=100, derandomize=False
)
settings.load_profile("glow")

TOLERANCES = {"float32": 2e-5, "float64": 1e-12}


def _model(
    op_type: str,
    inputs: Sequence[Array | None],
    attributes: Mapping[str, Any],
    outputs: int,
    opset: int,
) -> Any:
    from onnx import helper

    names = ["" if array is None else f"i{k}" for k, array in enumerate(inputs)]
    results = [f"o{k}" for k in range(outputs)]
    node = helper.make_node(op_type, names, results, **attributes)
    graph = helper.make_graph(
        [node],
        op_type,
        [
            helper.make_tensor_value_info(
                name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
            )
            for name, array in zip(names, inputs, strict=True)
            if array is not None
        ],
        [helper.make_empty_tensor_value_info(name) for name in results],
    )
    imports = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, opset_imports=imports, ir_version=10)


@pytest.fixture(scope="session")
def run_onnx() -> Callable[..., list[Array]]:
    """Run one ONNX node in ONNX Runtime, or in `onnx.reference` where asked."""

    def run(
        op_type: str,
        *inputs: Array | None,
        outputs: int = 1,
        opset: int = 21,
        reference: bool = False,
        **attributes: Any,
    ) -> list[Array]:
        model = _model(op_type, inputs, attributes, outputs, opset)
        feeds = {f"i{k}": array for k, array in enumerate(inputs) if array is not None}
        if reference:
            from onnx.reference import ReferenceEvaluator

            return list(ReferenceEvaluator(model).run(None, feeds))
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        return list(session.run(None, feeds))

    return run


@pytest.fixture(scope="session")
def evaluate() -> Callable[..., tuple[Array, ...]]:
    """Build a graph op on arrays, verify it, and return what it computes."""
    from xdsl.utils.test_value import create_ssa_value

    from glow.support.types import element_type_of, tensor

    def value(array: Any) -> Any:
        if array is None:
            return None
        if isinstance(array, list):
            return [value(item) for item in array]
        return create_ssa_value(tensor(element_type_of(array.dtype), array.shape))

    def run(op_class: Any, *slots: Any, **parameters: Any) -> tuple[Array, ...]:
        op = op_class(*[value(slot) for slot in slots], **parameters)
        op.verify()
        present: list[Array] = []
        for slot in slots:
            present += slot if isinstance(slot, list) else []
            if slot is not None and not isinstance(slot, list):
                present.append(slot)
        found = op.evaluate(present)
        for result, array in zip(op.results, found, strict=True):
            assert result.type == tensor(element_type_of(array.dtype), array.shape)
        return found

    return run


@pytest.fixture(scope="session")
def assert_close() -> Callable[[Array, Array], None]:
    """Compare shape, type and values, with the tolerance of the element type."""

    def check(found: Array, expected: Array) -> None:
        assert found.dtype == expected.dtype
        assert found.shape == expected.shape
        tolerance = TOLERANCES.get(str(found.dtype), 0)
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)

    return check


@pytest.fixture(scope="session", autouse=True)
def own_caches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep caches of the user out of the tests, whose processes share their own."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # one for all workers of a run
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("GLOW_CACHE_DIR", raising=False)
        patch.setenv("XDG_CACHE_HOME", str(folder / "caches"))
        yield


@pytest.fixture(scope="session", autouse=True)
def verified_kernels(pytestconfig: pytest.Config) -> Iterator[None]:
    """
    Verify each kernel that is compiled.

    `make test-full` also verifies each again after it is lowered. LLVM's own verifier,
    which always runs, has seen the text of that by the end.
    """
    from glow.analysis.validity import verify_module
    from glow.backends.cpu import library

    again = pytestconfig.getoption("--hypothesis-profile") == "search"

    def lower(module: Any, target: Any) -> None:
        verify_module(module)
        plain(module, target)
        if again:
            verify_module(module)

    plain = library.lower
    library.lower = lower
    yield
    library.lower = plain


# Tests and modules stay until the end; to look for garbage among them takes half of the
# time in which they are collected.
gc.disable()


def pytest_collection_finish() -> None:
    gc.enable()
    gc.freeze()


FAST_SECONDS = 0.5
"""How much time of a processor a test may take that is not marked `slow`."""


def _seconds() -> float:
    """Return the processor time of this process and of those it waited for."""
    used = os.times()
    return process_time() + used.children_user + used.children_system


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    start = _seconds()
    try:
        return (yield)
    finally:
        item.user_properties.append(("seconds", _seconds() - start))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Name the tests that keep `make test-fast` from being fast."""
    found = sorted(
        (dict(report.user_properties).get("seconds", 0.0), report.nodeid)
        for report in terminalreporter.stats.get("passed", ())
        if not {"slow", "full"} & set(report.keywords)
    )
    found = [each for each in found if each[0] > FAST_SECONDS]
    if not found:
        return
    terminalreporter.section("long, and not marked slow")
    for seconds, test in reversed(found):
        terminalreporter.write_line(f"{seconds:6.1f} s  {test}")
