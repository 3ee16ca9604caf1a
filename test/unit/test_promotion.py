"""Inputs that are bound when a model is compiled, and constants that no longer are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

import glow
from glow.analysis.symbols import promotion_of
from glow.dialects.graph.storage import ConstantOp
from glow.graph_modules import context
from glow.model import parse_text
from glow.pass_manager import parse_passes, pipeline_text, run_passes
from glow.pipeline import STAGES
from glow.support.errors import BindingError
from glow.support.weights import save_weights

Array = np.ndarray[Any, Any]
TARGETS = ("cpu", "reference")
SHAPES = {"image": (1, 4, 6, 6), "filter": (8, 4, 3, 3), "matrix": (288, 20)}


def draw(name: str) -> Array:
    """Return whole numbers: sums of them are exact in any order."""
    rng = np.random.default_rng(len(name))
    return rng.integers(-3, 4, SHAPES[name]).astype(np.float32)


def network(*constants: str) -> glow.Model:
    """Return a model whose weights are inputs, but for `constants`."""
    b = glow.Builder("net")

    def value(name: str) -> glow.Value:
        if name in constants:
            return b.constant(draw(name), name)
        return b.input(name, SHAPES[name])

    y = b.op("conv", value("image"), value("filter"), pads=(1, 1, 1, 1))
    y = b.reshape(b.relu(y), shape=(1, 288))
    b.output("y", b.matmul(y, b.neg(value("matrix"))))
    return b.model()


WEIGHTS = {name: draw(name) for name in ("filter", "matrix")}


def passed(module: ModuleOp, passes: str) -> ModuleOp:
    clone = module.clone()
    run_passes(parse_passes(passes), context(), clone)
    clone.verify()
    return clone


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_numbers_do_not_depend_on_who_gives_the_weights(target: str) -> None:
    image = draw("image")
    expected = glow.compile(network("filter", "matrix"), target)(image)
    assert np.any(expected)
    open_ = glow.compile(network(), target)
    assert np.array_equal(open_(image, WEIGHTS["filter"], WEIGHTS["matrix"]), expected)
    bound = network().bind(WEIGHTS)
    for disable in ((), ("promote-placeholders",)):
        net = glow.compile(bound, target, disable=disable)
        assert [spec.name for spec in net.inputs] == ["image"]
        assert np.array_equal(net(image), expected)


def test_only_what_is_promoted_is_folded() -> None:
    graph = pipeline_text(STAGES[:1], "cpu")
    assert "graph.neg" not in str(passed(network().bind(WEIGHTS).module, graph))
    unpromoted = graph.replace("promote-placeholders,", "")
    assert unpromoted != graph
    text = str(passed(network().bind(WEIGHTS).module, unpromoted))
    assert "graph.neg" in text
    assert text.count('"in" "bound" initial') == 2


def test_code_is_that_for_constants() -> None:
    stages = pipeline_text(STAGES[:3], "cpu")
    bound, constant = network().bind(WEIGHTS), network("filter", "matrix")
    texts = [str(passed(model.module, stages)) for model in (bound, constant)]
    assert texts[0] == texts[1]


@pytest.mark.slow
@given(st.sets(st.sampled_from(["image", "filter", "matrix"]), min_size=1))
def test_there_and_back(names: set[str]) -> None:
    listed = ",".join(sorted(names))
    module = network(*SHAPES).module
    down = passed(module, f"demote-constants{{names={listed}}}")
    assert set(promotion_of(down).promoted) == names
    for back in (f"promote-placeholders{{names={listed}}}", "promote-placeholders"):
        assert passed(down, back).is_structurally_equivalent(module)
        assert str(passed(down, back)) == str(module)
    bound = network().bind({name: draw(name) for name in names}).module
    up = passed(bound, f"promote-placeholders{{names={listed}}}")
    constants = {op.sym_name.data for op in up.ops if isinstance(op, ConstantOp)}
    assert constants == names
    assert str(passed(up, "demote-constants")) == str(bound)


def test_the_model_stays_open_and_arrays_are_copied() -> None:
    model = network()
    arrays = {name: array.copy() for name, array in WEIGHTS.items()}
    bound = model.bind(arrays)
    for array in arrays.values():
        array[...] = 100
    image = draw("image")
    expected = glow.compile(network("filter", "matrix"), "reference")(image)
    assert np.array_equal(glow.compile(bound, "reference")(image), expected)
    assert len(glow.compile(model, "reference").inputs) == 3
    again = bound.bind({"matrix": 2 * WEIGHTS["matrix"]})
    assert np.array_equal(glow.compile(again, "reference")(image), 2 * expected)
    assert bound.name == again.name == "net"


def test_a_function_with_arguments_is_bound_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "sum.mlir").write_text(
        "func.func @main(%x: tensor<2xf32>, %w: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  %0 = graph.add %x, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>\n"
        "  func.return %0 : tensor<2xf32>\n"
        "}\n"
    )
    model = glow.load(tmp_path / "sum.mlir").bind({"w": np.float32([1, 2])})
    assert glow.compile(model)(np.float32([10, 20])).tolist() == [11, 22]


def test_what_does_not_fit_is_listed_at_once() -> None:
    arrays = {
        "filter": WEIGHTS["filter"].astype(np.float64),
        "matrix": WEIGHTS["matrix"].T,
        "image": [1.0],
        "weights": WEIGHTS["filter"],
        "y": np.zeros((1, 20), np.float32),
    }
    with pytest.raises(BindingError) as caught:
        network().bind(arrays)
    known = 'expected "image", "filter", "matrix"'
    assert str(caught.value).split("; ") == [
        'input "filter": expected float32[8, 4, 3, 3], got float64[8, 4, 3, 3]',
        'input "matrix": expected float32[288, 20], got float32[20, 288]',
        'input "image": expected float32[1, 4, 6, 6], got a list',
        f'no input is called "weights", {known}',
        f'cannot bind "y", which the model writes, {known}',
    ]


def test_a_constant_is_no_input() -> None:
    with pytest.raises(BindingError, match='no input is called "filter", expected "im'):
        network("filter").bind({"filter": WEIGHTS["filter"]})


def test_a_model_below_the_graph_has_nothing_to_bind() -> None:
    module = passed(network().module, pipeline_text(STAGES[:3], "cpu"))
    with pytest.raises(ValueError, match="expected a model at the graph level to bind"):
        glow.Model("net", module).bind(WEIGHTS)


@pytest.mark.parametrize("target", TARGETS)
def test_weights_are_exchanged_without_compiling_anew(target: str) -> None:
    constant = network("filter", "matrix")
    image = draw("image")
    expected = glow.compile(constant, target)(image)
    resident = passed(
        constant.module, "demote-constants{names=matrix residency=resident}"
    )
    net = glow.compile(resident, target)
    assert np.array_equal(net(image), expected)
    bound = net.bind({"image": image, "matrix": 2 * WEIGHTS["matrix"]})
    assert np.array_equal(bound.run()["y"], 2 * expected)
    kept = passed(resident, "promote-placeholders{names=matrix}")
    assert str(kept) == str(constant.module)


def test_bound_values_are_kept_with_the_text(tmp_path: Path) -> None:
    bound = network().bind(WEIGHTS)
    image = draw("image")
    expected = glow.compile(bound, "reference")(image)
    save_weights(bound.module, tmp_path / "net.weights.safetensors")
    (tmp_path / "net.mlir").write_text(str(bound))
    del bound
    found = glow.compile(glow.load(tmp_path / "net.mlir"), "reference")(image)
    assert np.array_equal(found, expected)


def test_a_function_that_writes_keeps_a_placeholder_for_all() -> None:
    text = str(network().bind(WEIGHTS)).rstrip("}\n")
    module = parse_text(
        context(),
        f"""{text}}}
  func.func @training() {{
    %0 = graph.load @matrix : tensor<288x20xf32>
    graph.save @matrix, %0 : tensor<288x20xf32>
    func.return
  }}
}}""",
        "net",
    )
    found = promotion_of(module)
    assert found.promoted == ("filter",)
    assert found.kept["matrix"].startswith("it is written, at net:")
    assert found.kept["image"] == "the caller passes it at each run"
