"""The canonical form of a function: its ops in the order of what they compute."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Protocol

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import Commutative, is_side_effect_free

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.control_flow import CallingOp, IfOp, LoopOp
from glow.dialects.graph.movement import ReshapeOp
from glow.dialects.graph.storage import SaveOp


class WrittenModule(Protocol):
    """The parts of a module that the form of a function depends on."""

    places: dict[str, int]
    """The number of each placeholder."""
    digests: dict[str, bytes]
    """Digests of the functions whose form is written."""

    def callee(self, name: str) -> str:
        """Return the name of the first function that computes what `name` computes."""
        ...

    def key_of(self, symbol: str) -> str:
        """Return a key of what a symbol holds: which placeholder, or which bytes."""
        ...

    def order_inputs(self, op: IfOp | LoopOp, keys: Mapping[SSAValue, bytes]) -> None:
        """Pass only inputs that functions read, each value once, ordered by keys."""
        ...


class FunctionForm:
    """A function of one block, and a digest that identifies each of its values."""

    def __init__(self, function: FuncOp, module: WrittenModule):
        self._block = function.body.block
        self._module = module
        self._keys: dict[SSAValue, bytes] = {}
        for number, argument in enumerate(self._block.args):
            self._keys[argument] = digest_of("argument", number, argument.type)
            argument.name_hint = None

    def write(self) -> bytes:
        """Merge equal ops, order all, drop dead ones; return a digest of all."""
        roots: list[tuple[int, bytes, Operation]] = []
        first: dict[bytes, Operation] = {}
        for op in list(self._block.ops):
            op = _with_all_parameters(op)
            if isinstance(op, ReshapeOp) and op.input.type == op.result.type:
                op.result.replace_all_uses_with(op.input)
                Rewriter.erase_op(op)
                continue
            key = self._key_of(op)
            if not is_side_effect_free(op) or not op.results:
                roots.append((self._rank_of(op), key, op))
                continue
            same = first.setdefault(key, op)
            if same is not op:
                for old, result in zip(op.results, same.results, strict=True):
                    old.replace_all_uses_with(result)
                Rewriter.erase_op(op)
                continue
            for number, result in enumerate(op.results):
                self._keys[result] = digest_of(key, number)
        roots.sort(key=lambda root: root[0])  # stable: other ops keep their order
        self._reorder([op for *_, op in roots])
        return digest_of(*(key for _, key, _ in roots))

    def _rank_of(self, op: Operation) -> int:
        """Return where an op with effects goes: saves by placeholder, then the rest."""
        places = self._module.places
        if isinstance(op, SaveOp):
            return places[op.symbol.string_value()]
        return len(places) + (op is self._block.last_op)

    def _key_of(self, op: Operation) -> bytes:
        """Return a digest of an op and of what its operands are."""
        if isinstance(op, IfOp | LoopOp):
            self._module.order_inputs(op, self._keys)
        operands = [self._keys[operand] for operand in op.operands]
        if op.has_trait(Commutative):
            pairs = sorted(zip(operands, op.operands, strict=True), key=lambda p: p[0])
            op.operands = [operand for _, operand in pairs]
            operands = [key for key, _ in pairs]
        if isinstance(op, CallingOp):
            op.call_instead(*map(self._module.callee, op.callees))
        own: list[object] = [op.name, *(result.type for result in op.results)]
        for name, value in sorted({**op.properties, **op.attributes}.items()):
            own.append(name)
            symbol = value.string_value() if isinstance(value, SymbolRefAttr) else None
            if symbol is None:
                own.append(value)
            elif isinstance(op, CallingOp):
                own.append(self._module.digests[symbol])
            else:
                own.append(self._module.key_of(symbol))
        return digest_of(*own, *operands)

    def _reorder(self, roots: Sequence[Operation]) -> None:
        """Place each op right before the first that needs it, depth first."""
        ordered: dict[Operation, None] = {}
        stack = list(reversed(roots))
        while stack:
            op = stack[-1]
            owners = (operand.owner for operand in op.operands)
            needed = [
                o for o in owners if isinstance(o, Operation) and o not in ordered
            ]
            if needed and op not in ordered:
                stack += reversed(needed)
                continue
            stack.pop()
            ordered[op] = None
        for op in list(self._block.ops):
            op.detach()
            if op not in ordered:
                op.drop_all_references()
        self._block.add_ops(ordered)
        for result in (result for op in ordered for result in op.results):
            result.name_hint = None


def _with_all_parameters(op: Operation) -> Operation:
    """Return an op whose window says all of its parameters."""
    if not isinstance(op, GraphOp) or not hasattr(op, "window"):
        return op
    new = op.rebuilt(list(op.operands), op.parameters())
    replace_op(op, new)
    return new


def replace_op(op: Operation, new: Operation) -> None:
    """Put an op in the place of one with as many results."""
    new.location = op.location
    block = op.parent
    assert block is not None
    block.insert_op_before(new, op)
    for old, result in zip(op.results, new.results, strict=True):
        old.replace_all_uses_with(result)
    Rewriter.erase_op(op)


def digest_of(*parts: object) -> bytes:
    """Return a digest of some parts, in their order."""
    texts = (part if isinstance(part, bytes) else str(part).encode() for part in parts)
    return sha256(b"\0".join(sha256(text).digest() for text in texts)).digest()
