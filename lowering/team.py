"""
The functions by which threads share a run: those that `main` calls, and their callers.

No caller waits for a worker to come: a worker claims pieces, and a section is over when
all of its pieces are done, whoever did them. A worker reports how many it did when it
has no more of its own, not after each: the count's line goes from cache to cache.
Cursors hold the number of the run, so that they need no reset, and a late worker finds
everything claimed; pieces that are done are counted through all runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Literal, TypeVar, get_type_hints

from xdsl.dialects import func
from xdsl.dialects.builtin import i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from glow.codegen.atomics import atomic_load, atomic_store, exchange_if, fetch_add
from glow.codegen.conditions import select
from glow.codegen.functions import maximum, minimum
from glow.codegen.loops import Var, branches, loop, repeated, value_if, when
from glow.codegen.memory import Memory
from glow.codegen.values import INDEX, Value, constant, index
from glow.codegen.writer import Writer, perform, writing_to
from glow.dialects.llvm_ext.memory import CallPointerOp
from glow.lowering._run_records import (
    ALL,
    SLEEP,
    SLEEP_WITH_BITS,
    WAKE,
    WAKE_BITS,
    WORDS,
    address_in,
    call_function,
    futex,
    now,
    pointer_in,
    words_of,
)
from glow.lowering.memory_to_loops.kernels.library_function import (
    PRIVATE,
    LibraryFunction,
)
from glow.support import team_words as words

WAIT_SPIN_NS = 50_000
"""How long a worker that waits for a section polls for its end before it sleeps."""

STEAL_AFTER_NS = 200
"""
How long a worker waits for the others before it looks for pieces that they left:
looking at a cursor takes its line from the core that goes on with it.
"""

_CHECKS = 16
"""How often a worker checks whether a section is over before it reads the clock."""

_SELDOM = 16
"""The factor by which workers poll for runs more briefly where these are rare."""

_BODIES: dict[str, Callable[..., Value | None]] = {}

AnyWriter = TypeVar("AnyWriter", bound=Callable[..., Value | None])


def _function(body: AnyWriter) -> AnyWriter:
    """Make a function that writes code a function of the library, under its name."""
    _BODIES[body.__name__] = body
    return body


@dataclass(frozen=True)
class TeamFunction(LibraryFunction):
    """A function of this module as one of the library, with its name as symbol."""

    symbol: str  # pyright: ignore[reportIncompatibleVariableOverride]

    def build(self) -> FuncOp:
        types, outputs = _types_of(self.symbol)
        op = FuncOp(self.symbol, (list(types.values()), outputs), visibility=PRIVATE)
        block = op.body.block
        for arg, name in zip(block.args, types, strict=True):
            arg.name_hint = name
        with writing_to(Writer(block, block)) as writer:
            result = _BODIES[self.symbol](*map(_argument, block.args))
            writer.add(func.ReturnOp(*[] if result is None else [result.ssa]))
        return op

    def declaration(self) -> FuncOp:
        """Return the function without a body."""
        types, outputs = _types_of(self.symbol)
        return self.declare(list(types.values()), outputs)


@cache
def _types_of(symbol: str) -> tuple[Mapping[str, Attribute], Sequence[Attribute]]:
    """Return the types of the arguments of a function, by name, and of its result."""
    kinds = {Memory: WORDS, Value: INDEX}
    hints = get_type_hints(_BODIES[symbol])
    types = {name: kinds[kind] for name, kind in hints.items() if kind in kinds}
    outputs = [types.pop("return")] if "return" in types else []
    return types, outputs


def team_functions(kernels: Literal["defined", "declared"]) -> list[FuncOp]:
    """Return the functions that `main` calls, with bodies if they are `defined`."""
    functions = map(TeamFunction, ("team_claim", "team_wait"))
    if kernels == "declared":
        return [function.declaration() for function in functions]
    return [function.build() for function in functions]


def _argument(value: SSAValue) -> Value | Memory:
    return Value.of(value) if value.type == INDEX else words_of(value)


@_function
def team_claim(team: Memory, strand: Value, order: Value, pieces: Value) -> Value:
    """
    Return the first of the next pieces of a strand for this worker, -1 if none is left.

    They end before `END`. It takes those of its own share, or of others' once it has
    none in all of a section. `order` is the number of the strand in its section.
    """
    with when(team[words.STRAND] != strand):
        low, high = _share(team, team[words.WORKER], order, pieces)
        team[words.LOW], team[words.HIGH] = low, high
        team[words.STRAND] = strand
    own = partial(
        _taken, team, team[words.WORKER], strand, team[words.LOW], team[words.HIGH]
    )
    others = partial(_stolen, team, strand, order, pieces)
    piece = value_if(team[words.STEALS] == 0, own, others)
    for hook in _given(team, words.DELAY, piece >= 0):
        perform(CallPointerOp(hook, [team[words.WORKER].ssa, strand.ssa]))
    return piece


def _share(
    team: Memory, who: Value, order: Value, pieces: Value
) -> tuple[Value, Value]:
    """
    Return the first piece of a worker's share and the one after its last, plus epoch.

    Where there are fewer pieces than workers, each strand begins with another worker.
    """
    workers, epoch = team[words.WORKERS], team[words.EPOCH]
    shift = select(pieces < workers, order % workers, workers - 1)
    low, high = ((pieces * each + shift) // workers for each in (who, who + 1))
    return epoch + low, epoch + high


def _stolen(team: Memory, strand: Value, order: Value, pieces: Value) -> Value:
    """Return the next pieces of other workers' shares, -1 if none is left."""
    worker, workers = team[words.WORKER], team[words.WORKERS]
    tried, piece = Var(index(1)), Var(index(-1))
    for repetition in repeated(tried, piece):
        who = worker + tried.value
        who = select(who < workers, who, who - workers)
        low, high = _share(team, who, order, pieces)
        piece.value = _taken(team, who, strand, low, high)
        tried.value = tried.value + 1
        repetition.again = (piece.value < 0) & (tried.value < workers)
    return piece.value


def _given(record: Memory, word: int, condition: Value) -> Iterator[SSAValue]:
    """Write code that runs if a record has an address and a condition holds."""
    with when((record[word] != 0) & condition):
        yield pointer_in(record, word)


def _taken(team: Memory, who: Value, strand: Value, low: Value, high: Value) -> Value:
    """
    Return the first of the next pieces of a worker's share, -1 if none is left.

    It claims half of those left, or all if it is alone, so that claims are few: before
    one, a core waits until others see all that it wrote.
    """
    cursors = words_of(pointer_in(team, words.CURSORS, WORDS))
    at = who * team[words.STRIDE] + strand
    first, count = Var(index(-1)), Var(index(0))
    no = constant(0, i1)
    for repetition in repeated(first, count):
        seen = atomic_load(cursors, at)
        following = maximum(seen, low)
        left = high - following
        count.value = select(team[words.WORKERS] == 1, left, (left + 1) // 2)
        take = partial(exchange_if, cursors, at, seen, following + count.value)
        taken = value_if(left > 0, take, no)
        first.value = select(taken, following - team[words.EPOCH], index(-1))
        repetition.again = (left > 0) & ~taken
    with when(first.value >= 0):
        team[words.END] = first.value + count.value
        team[words.TAKEN] = team[words.TAKEN] + count.value
    return first.value


@_function
def team_wait(team: Memory, pieces: Value) -> Value:
    """
    Say what this worker did of a section of so many pieces, and wait for its end.

    Return 0 when all pieces are done, and it sees what they wrote. Return 1 when others
    take longer: the worker is to claim pieces of their shares, then to wait again.
    """
    done = words_of(pointer_in(team, words.DONE, WORDS))
    is_first = team[words.STEALS] == 0
    goal = team[words.GOAL] + select(is_first, pieces, index(0))
    team[words.GOAL] = goal
    team[words.STEALS] = index(0)
    _report_done(team, done)
    looks = Var(index(0))
    for turn in repeated(looks):
        looks.value = looks.value + 1
        turn.again = (atomic_load(done, _COUNT) < goal) & (looks.value < _CHECKS)
    with when(atomic_load(done, _COUNT) < goal):
        patience = select(is_first, index(STEAL_AFTER_NS), index(WAIT_SPIN_NS))
        end = now(team) + patience
        for repetition in repeated():
            repetition.again = (atomic_load(done, _COUNT) < goal) & (now(team) < end)
        for is_second in branches(~is_first):
            if is_second:
                _sleep_until(team, done, goal)
            else:
                is_late = atomic_load(done, _COUNT) < goal
                team[words.STEALS] = select(is_late, index(1), index(0))
    return team[words.STEALS]


_SLEEPERS, _COUNT = 0, words.LINE
"""Where `DONE` has its words."""


def _report_done(team: Memory, done: Memory) -> None:
    """Count the pieces that this worker has done, and wake workers that sleep."""
    with when(team[words.TAKEN] > 0):
        fetch_add(done, _COUNT, team[words.TAKEN])
        team[words.TAKEN] = index(0)
        with when(atomic_load(done, _SLEEPERS) > 0):
            futex(team, address_in(done, _COUNT), WAKE, ALL)


def _sleep_until(team: Memory, done: Memory, goal: Value) -> None:
    """Sleep until so many pieces are counted."""
    for repetition in repeated():
        with when(atomic_load(done, _COUNT) < goal):
            # Either a worker that counts sees this sleeper, or this sees the count.
            fetch_add(done, _SLEEPERS, 1)
            seen = atomic_load(done, _COUNT)
            with when(seen < goal):
                futex(team, address_in(done, _COUNT), SLEEP, seen)
            fetch_add(done, _SLEEPERS, -1)
        repetition.again = atomic_load(done, _COUNT) < goal


@_function
def team_run(job: Memory, pool: Memory) -> None:
    """
    Run a model for a caller: with the workers of a pool, or alone if they are busy.

    `job` is a run record; this fills in the words that differ from run to run.
    """
    job[words.EPOCH] = job[words.EPOCH] + words.EPOCH_UNIT
    job[words.GOAL] = atomic_load(words_of(pointer_in(job, words.DONE, WORDS)), _COUNT)
    job[words.STRAND] = index(-1)
    take = partial(exchange_if, pool, words.BUSY, 0, 1)
    workers = minimum(job[words.LIMIT], pool[words.THREADS] + 1)
    has_workers = value_if(workers > 1, take, constant(0, i1))
    for is_team in branches(has_workers):
        if is_team:
            job[words.WORKERS] = workers
            slot = _publish(job, pool)
            _run_main(job, pointer_in(job, words.OWN_SCRATCH))
            fetch_add(pool, slot + words.GATE, -1)
            atomic_store(pool, words.BUSY, 0)
        else:
            job[words.WORKERS] = 1
            _run_main(job, pointer_in(job, words.OWN_SCRATCH))


def _publish(job: Memory, pool: Memory) -> Value:
    """Open a slot that no worker is in; return where it is."""
    number = Var(pool[words.CURRENT])
    for repetition in repeated(number):
        gate = _slot(number.value) + words.GATE
        is_free = atomic_load(pool, gate) == 0
        other = number.value + 1
        other = select(other < pool[words.SLOTS], other, index(0))
        number.value = select(is_free, number.value, other)
        repetition.again = ~is_free
    slot = _slot(number.value)
    for word in loop(1, words.RECORD):
        pool[slot + word] = job[word]
    fetch_add(pool, slot + words.GATE, 1)  # workers that are late count themselves out
    atomic_store(pool, words.CURRENT, number.value)
    fetch_add(pool, words.CALLS, 1)
    _wake_two(job, pool)
    return slot


def _slot(number: Value) -> Value:
    return number * words.RECORD + words.FIRST_SLOT


def _wake_two(record: Memory, pool: Memory) -> None:
    """Wake two of the workers of a run; each of them wakes two more."""
    with when(atomic_load(pool, words.PARKED) > 0):
        workers = record[words.WORKERS]
        bits = select(workers < 32, (index(1) << workers) - 2, index(-1))
        futex(record, address_in(pool, words.CALLS), WAKE_BITS, 2, bits)


def _run_main(record: Memory, scratch: Value | SSAValue) -> None:
    given = words.ARENA, words.IO, words.CONSTANTS, words.FAULT
    arguments = [pointer_in(record, word) for word in given]
    call_function(record, words.MAIN, *arguments, record.base, scratch)


@_function
def team_work(record: Memory, pool: Memory) -> None:
    """
    Work for all runs that a pool's callers publish, until it is stopped.

    `record` is where this worker has its run record. Where there is no run, it polls
    for the next one for a while, then sleeps; it polls more briefly where the last two
    runs lay far apart.
    """
    long = pool[words.SPIN]
    seen, spin = Var(index(0)), Var(long)
    for repetition in repeated(seen, spin):
        start = now(record)
        calls = _call_after(seen.value, start + spin.value, record, pool)
        was_soon = now(record) - start < long
        spin.value = select(was_soon, long, long // _SELDOM)
        with when(calls != seen.value):
            _join(record, pool)
        seen.value = calls
        repetition.again = atomic_load(pool, words.STOPPED) == 0


def _call_after(seen: Value, end: Value, record: Memory, pool: Memory) -> Value:
    """
    Wait for another run to be published; return how many were so far.

    It polls until time `end`, then sleeps.
    """
    for repetition in repeated():
        time, calls = now(record), atomic_load(pool, words.CALLS)
        repetition.again = (calls == seen) & (time < end)
    with when(atomic_load(pool, words.CALLS) == seen):
        bit = index(1) << (record[words.WORKER] & 31)
        fetch_add(pool, words.PARKED, 1)
        place = address_in(pool, words.CALLS)
        futex(record, place, SLEEP_WITH_BITS, seen, bit)
        fetch_add(pool, words.PARKED, -1)
    return atomic_load(pool, words.CALLS)


def _join(record: Memory, pool: Memory) -> None:
    """Take part in the run published last, if it goes on."""
    slot = _slot(atomic_load(pool, words.CURRENT))
    # It counts itself in before it looks: that takes the cache line once, not twice.
    is_open = fetch_add(pool, slot + words.GATE, 2) & 1
    worker = record[words.WORKER]
    with when((is_open == 1) & (worker < pool[slot + words.WORKERS])):
        for word in loop(1, words.RECORD):
            record[word] = pool[slot + word]
        _wake_two(record, pool)
        room = record[words.SCRATCH_BYTES]
        scratch = record[words.SCRATCH] + (worker - 1) * room
        _run_main(record, scratch)
    fetch_add(pool, slot + words.GATE, -2)


RUNTIME = TeamFunction("team_run"), TeamFunction("team_work")
"""What the runtime calls; every executable with teams has them."""
