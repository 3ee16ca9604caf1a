"""Targets (facts and costs of machines) and backends (makers of code for them)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from glow.support.costs import MEASURED, Costs
from glow.support.finders import FINDERS

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute, Operation

    from glow.support.layout import Layout

ACCURACIES = ("fast", "strict")
"""How exact results are: as fast code makes them, or direct sums (docs/accuracy.md)."""

FORMS = ("llvm-ir", "asm", "object")
"""The forms of machine code that a backend may emit."""

LINE_BYTES, PAGE_BYTES = 64, 4096
"""A line of the caches and a page, on x86 and Arm."""
SEGMENT_BYTES = 16
"""The bytes that wide registers shuffle within at no extra cost, on x86 and Arm."""


@dataclass(frozen=True)
class Target:
    """
    A machine as passes and kernels see it: what it has, and what work costs there.

    Units: vector_bits in bits; l1_bytes, l2_bytes and l1_way_bytes in bytes per core;
    panel_widths and wide_panel in f32 columns; tile_rows in rows of a register tile,
    at most, which three quarters of the registers hold.
    """

    name: str
    """The backend that compiles for it, as in `target=NAME`."""
    isa: str
    """The instruction set, as its backend calls it; nothing else decides by it."""
    triple: str
    cpu: str
    """The processor name that LLVM schedules for."""
    features: str
    """LLVM's feature string, such as `+avx2,+fma`; empty where `cpu` says it all."""
    vector_bits: int
    registers: int
    fma: bool
    l1_bytes: int
    l2_bytes: int
    tile_rows: int
    panel_widths: tuple[int, ...]
    """The widths of packed panels, widest first."""
    wide_panel: int = 0
    """
    The width of panels where enough columns fill them; 0 where that brings nothing.

    Tiles are wide and low then: they load less for each multiply-add.
    """
    runs_here: bool = True
    """Whether this process can execute the code."""
    masked_sizes: tuple[int, ...] = ()
    """The sizes in bytes of elements that masked loads and stores take."""
    converts_f16: bool = False
    """Whether it has instructions that convert f16 to f32 and back."""
    adds_f16: bool = False
    """Whether it adds and multiplies f16 without converting them."""
    multiplies_bf16: bool = False
    """Whether one instruction adds the products of pairs of bf16 to vectors of f32."""
    sums_in_flight: int = 8
    """Multiply-adds that must be under way to keep the arithmetic units busy."""
    narrow_lanes: int = 0
    """The f32 lanes of narrower vectors that take half as long; 0 if none do."""
    tile_lanes: int = 16
    """The most f32 lanes of a vector in a register tile; LLVM splits wide ones."""
    l1_ways: int = 8
    """The lines that one place of L1 holds."""
    l1_way_bytes: int = 4096
    """The bytes after which lines compete for the same place of L1."""
    costs: Costs = MEASURED
    accuracy: str = "fast"
    """How exact results are to be: one of `ACCURACIES`."""

    def __hash__(self) -> int:
        # Much is cached by target and by something small, which takes less to hash.
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(getattr(self, each.name) for each in fields(self)))

    @property
    def f32_lanes(self) -> int:
        return self.vector_bits // 32

    def lanes_for(self, columns: int) -> int:
        """Return the f32 lanes of the vectors that make up rows of so many columns."""
        narrow = self.narrow_lanes
        return (
            narrow if narrow and -columns % self.f32_lanes >= narrow else self.f32_lanes
        )

    @property
    def vector_bytes(self) -> int:
        return self.vector_bits // 8

    @property
    def panel_width(self) -> int:
        """The columns of a packed panel; the last has registers for what is left."""
        return self.panel_widths[0]

    def sum_blocks(self, *, is_magnified: bool = False) -> tuple[int, int]:
        """
        Return how many products are added up before their sum is added to others.

        The second number is the least to add up in blocks: for fewer, blocks cost too
        much. `is_magnified`: the ops that read the sums make their errors larger.
        """
        if self.accuracy == "strict":
            return 128, 192
        return (80, 128) if is_magnified else (256, 768)

    def masks(self, *sizes: int) -> bool:
        """Return whether it accesses parts of vectors of all these element sizes."""
        return all(size in self.masked_sizes for size in sizes)


@dataclass(frozen=True)
class AnyOrder:
    """
    Any order of whole axes that has one of `innermost` innermost; None: any order.

    An axis of extent 1 is innermost wherever it lies.
    """

    innermost: tuple[int, ...] | None = None

    def accepts(self, layout: Layout, shape: tuple[int, ...], itemsize: int) -> bool:
        """Return whether a tensor of `shape` in `layout` is in such an order."""
        from glow.support.layout import strides_of

        addressing = strides_of(layout, shape, itemsize)
        if addressing is None:
            return False
        if self.innermost is None:
            return True
        strides, _ = addressing
        return any(strides[axis] == 1 or shape[axis] == 1 for axis in self.innermost)

    def default(self, rank: int) -> Layout:
        """Return the accepted layout of this rank that is most like row-major."""
        from glow.support.layout import permuted, row_major

        if not self.innermost or rank - 1 in self.innermost:
            return row_major(rank)
        last = self.innermost[-1]
        return permuted([*(axis for axis in range(rank) if axis != last), last])


Asked: TypeAlias = "Attribute | AnyOrder | None"
"""A request for a value: one layout, one of several, or row-major (None)."""


@dataclass(frozen=True)
class LayoutChoice:
    """
    A way in which a target can run an op: the layouts of its operands and results.

    `cost` is the excess over the cheapest way, in bytes of traffic that take as long.
    """

    operands: tuple[Asked, ...]
    results: tuple[Asked, ...]
    cost: float = 0.0


Offers: TypeAlias = "Callable[[int], Sequence[Layout]]"
"""The layouts in which an operand may arrive without being moved, by its index."""

Pieces: TypeAlias = Iterable[bytes | memoryview]
"""The contents of a file, one after another."""

Layouts: TypeAlias = "Sequence[Layout]"
"""A layout per operand, or per result."""


@dataclass(frozen=True)
class Backend:
    """
    The interface between the compiler and a target; an entry point names the value.

    Functions import what they need when called, so that resolving a name is cheap.
    """

    name: str
    make_target: Callable[[str], Target]
    """Return the target for a feature name; "" means the best for this host."""
    level: str
    """The level that `compile` takes: the name of a stage of the pipeline."""
    compile: Callable[..., Any]
    """`compile(module, target, *, cache_dir=None)` returns a runtime `Executable`."""
    links_kernels: bool = False
    """Whether `compile` has the code of kernels that the module only declares."""
    emit: Callable[[ModuleOp, Target, str], str | bytes] | None = None
    """`emit(module, target, form)` returns machine code in one of `FORMS`."""
    c_files: Callable[[ModuleOp, Target, str], Mapping[str, Pieces]] | None = None
    """`c_files(module, target, name)` returns files to link with C, by their suffix."""
    identity: Callable[[str], str] | None = None
    """`identity(features)` returns text for a target, by default its `repr`, faster."""
    load: Callable[..., Any] | None = None
    """`load(image)` returns a saved executable; None: there is no format to save."""
    layout_choices: Callable[[Operation, Target, Offers], Sequence[LayoutChoice]] = (
        lambda op, target, offers: ()
    )
    """
    Return the layouts in which an op can run. An op without any carries the layouts of
    its operands if it has axis maps, and is row-major otherwise.
    """
    carry_cost: Callable[[Operation, Layouts, Layouts, Target], float | None] = (
        lambda op, operands, results, target: 0.0
    )
    """
    Return the cost, as of a `LayoutChoice`, of running an op that carries layouts, or a
    reshape, with these of its operands and results; None if it cannot run so.
    """
    takes: Callable[[Operation, frozenset[str], Target], bool] | None = None
    """
    `takes(op, presence, target)` returns whether the target runs an op like `op` whose
    optional operands and results are exactly those in `presence`; None: any.
    """
    keeps: Callable[[Operation, Target], bool] = lambda op, target: False
    """
    `keeps(op, target)` returns whether the target has a kernel for an op that passes
    would otherwise decompose, such as an attention, or runs a composite, a function
    whose `composite_of` is its name, by itself. Calls of those stay `graph.call`, which
    is lowered no further than to the level layout.
    """


def imported(module: str, name: str) -> Callable[..., Any]:
    """Return function `name` of `module`, which is imported when it is called."""

    @cache
    def function() -> Callable[..., Any]:
        return getattr(import_module(module), name)

    def call(*arguments: Any, **options: Any) -> Any:
        return function()(*arguments, **options)

    return call


def resolve(spec: str) -> Backend:
    """Return the backend of target `spec`; a TargetError where none has the name."""
    (find,) = FINDERS
    backend = find(parts_of(spec)[0])
    assert isinstance(backend, Backend), f"{spec} is not a Backend"
    return backend


def parts_of(spec: str) -> tuple[str, str, str]:
    """
    Return the name, the features and the accuracy that target `spec` has.

    An accuracy stands among the features, but no backend is asked to know it.
    """
    name, _, given = spec.partition(":")
    words = given.split(",")
    accuracy = next((word for word in words if word in ACCURACIES), ACCURACIES[0])
    return name, ",".join(w for w in words if w not in ACCURACIES), accuracy


@cache
def target_of(spec: str) -> Target:
    """
    Return the target that `spec` names: `cpu`, `cpu:avx2`, or `cpu:avx2,strict`.

    Errors: a TargetError for a name or features that no installed package provides.
    """
    _, features, accuracy = parts_of(spec)
    return replace(resolve(spec).make_target(features), accuracy=accuracy)


@dataclass(frozen=True)
class TargetQueries:
    """The questions that passes ask of the target that they name."""

    backend: Backend
    target: Target

    @staticmethod
    def of(spec: str) -> TargetQueries:
        """Return the queries to target `spec`. Errors: as `target_of`."""
        return TargetQueries(resolve(spec), target_of(spec))

    def layout_choices(self, op: Operation, offers: Offers) -> tuple[LayoutChoice, ...]:
        return tuple(self.backend.layout_choices(op, self.target, offers))

    def carry_cost(
        self, op: Operation, operands: Layouts, results: Layouts
    ) -> float | None:
        return self.backend.carry_cost(op, operands, results, self.target)

    def takes(self, op: Operation, presence: frozenset[str]) -> bool:
        takes = self.backend.takes
        return takes is None or takes(op, presence, self.target)

    def keeps(self, op: Operation) -> bool:
        return self.backend.keeps(op, self.target)
