"""Runs after the first one: no memory is allocated, and threads change nothing."""

import ctypes
import gc
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np
import pytest

import glow
from glow.runtime.native import NativeExecutable
from glow.support.arrays import address_of

pytestmark = pytest.mark.slow

Arrays = dict[str, np.ndarray[Any, Any]]
SHAPE = (1, 8, 32, 32)
PLANES = 24
# Far less than the arena, or than any of the arrays that a run reads and writes.
SLACK_BYTES = 8 << 10
RUNS = 1000
# Until Python's free lists of tuples are full.
WARM_UP = 5000


@pytest.fixture(scope="module")
def net() -> NativeExecutable:
    """Convolutions, a pool, a product and a softmax; one of the outputs is an image."""
    b = glow.Builder()
    y = b.relu(b.conv(b.input("x", SHAPE), PLANES, kernel=3, bias=False))
    image = b.conv(y, PLANES, kernel=3, bias=False)
    y = b.max_pool(image, kernel_shape=(4, 4), strides=(4, 4))
    y = b.linear(b.reshape(y, shape=(1, PLANES * 64)), 50, bias=False)
    b.output("y", b.softmax(y, axis=-1))
    b.output("z", b.sigmoid(image))
    found = glow.compile(b.model())
    assert isinstance(found, NativeExecutable)
    return found


def arrays_of(net: NativeExecutable, seed: int = 0) -> tuple[Arrays, Arrays]:
    """Return random inputs, and buffers for the outputs."""
    x = np.random.default_rng(seed).standard_normal(SHAPE).astype(np.float32)
    return {"x": x}, {s.name: np.empty(s.shape, s.dtype) for s in net.outputs}


def heap_bytes() -> int:
    """Return what is allocated by malloc, in blocks of any size."""
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "mallinfo2"):
        pytest.skip("the C library cannot say what is allocated")
    libc.mallinfo2.restype = MallocInfo
    found = libc.mallinfo2()
    return found.uordblks + found.hblkhd


class MallocInfo(ctypes.Structure):
    """`struct mallinfo2` of the C library."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    ]


def test_a_steady_run_allocates_nothing(net: NativeExecutable) -> None:
    """Neither arrays, not even for a moment, nor anything that stays on the heap."""
    inputs, out = arrays_of(net)
    gc.collect()  # it empties the free lists too
    for _ in range(WARM_UP):
        net.run(inputs, out=out)
    assert net._image.arena_bytes > 8 * SLACK_BYTES

    def growth() -> tuple[int, int, int]:
        """Return what runs take for a moment, what they keep, and what malloc does."""
        before = heap_bytes()
        tracemalloc.start()
        try:
            start, _ = tracemalloc.get_traced_memory()
            for _ in range(RUNS):
                net.run(inputs, out=out)
            end, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        return peak - start, end - start, heap_bytes() - before

    # Threads of the test runner allocate now and then; runs would each time.
    peak, kept, on_heap = map(min, *(growth() for _ in range(3)))
    assert peak < SLACK_BYTES
    assert kept < SLACK_BYTES
    assert on_heap < 8 * SLACK_BYTES


def test_runs_in_a_row_share_an_arena(net: NativeExecutable) -> None:
    inputs, out = arrays_of(net)
    net.run(inputs, out=out)
    (frame,) = net._frames
    arena = address_of(frame.arena)
    for _ in range(20):
        net.run(inputs, out=out)
        assert net._frames == [frame]
    assert address_of(frame.arena) == arena


def test_runs_that_tell_of_outputs_share_the_arena_of_others(
    net: NativeExecutable,
) -> None:
    inputs, out = arrays_of(net)
    net.run(inputs, out=out)
    frames = list(net._frames)
    received: list[str] = []

    def on_output(name: str, array: Any) -> None:
        received.append(name)
        if len(received) == 1:  # the frame is in use now: this run has another
            net.run(inputs)

    net.run(inputs, out, on_output)
    assert sorted(received) == ["y", "z"]
    assert len(net._frames) == len(frames) + 1
    net.run(inputs, None, on_output)
    assert len(net._frames) == len(frames) + 1
    del net._frames[1:]


def test_threads_get_the_bits_that_one_thread_gets(net: NativeExecutable) -> None:
    threads, runs = 8, 200
    expected = []
    for seed in range(threads):
        inputs, out = arrays_of(net, seed)
        expected.append(net.run(inputs, out=out))
    barrier = Barrier(threads)

    def work(seed: int) -> None:
        inputs, out = arrays_of(net, seed)
        barrier.wait()
        for _ in range(runs):
            for name, array in net.run(inputs, out=out).items():
                bits = array.view(np.int32), expected[seed][name].view(np.int32)
                np.testing.assert_array_equal(*bits)
                array.fill(np.nan)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(threads)))
    assert 1 <= len(net._frames) <= threads
    arenas = [frame.arena for frame in net._frames]
    assert len({address_of(arena) for arena in arenas}) == len(arenas)
    del net._frames[1:]
