"""A small program for several threads, written by hand at the loops level."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache

import numpy as np
from numpy.typing import NDArray
from xdsl.parser import Parser

from glow.backends.cpu.code_generation import object_code
from glow.backends.cpu.library import function_objects, lower
from glow.backends.cpu.linker import link, link_image
from glow.backends.cpu.llvm_ir import units
from glow.backends.cpu.object_cache import ObjectCache
from glow.backends.cpu.targets import cpu_target
from glow.graph_modules import context
from glow.lowering.team import RUNTIME, TeamFunction
from glow.runtime import team
from glow.runtime.image import Image, Machine, Parameter, TeamSizes
from glow.runtime.native import NativeExecutable
from glow.runtime.team import ThreadPool, zeros
from glow.runtime.tensor_spec import TensorSpec
from glow.support.arrays import address_of
from glow.support.team_words import END, LINE

SECTIONS, PIECES = 20, 7
_TURNS, _FACTOR = 50, 6364136223846793005

# Section s computes each element of one array from two of the other, which two pieces
# of the section before wrote, its own and the one `NEXT` further on; each is on a line
# of its own. Input `faults` is how many
# pieces, from the last one back, report a fault: piece p the code p + 1.
_TEXT = f"""
func.func private @team_claim(memref<?xi64>, index, index, index) -> index
func.func private @team_wait(memref<?xi64>, index) -> index

func.func private @piece(%a: memref<?xi64>, %b: memref<?xi64>, %p: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %turns = arith.constant {_TURNS} : index
  %pieces = arith.constant {PIECES} : index
  %factor = arith.constant {_FACTOR} : i64
  %line = arith.constant {LINE} : index
  %next_piece = arith.constant NEXT : index
  %q = arith.addi %p, %next_piece : index
  %r = arith.remui %q, %pieces : index
  %own = arith.muli %p, %line : index
  %next = arith.muli %r, %line : index
  %x = memref.load %a[%own] : memref<?xi64>
  %y = memref.load %a[%next] : memref<?xi64>
  %z = scf.for %i = %c0 to %turns step %c1 iter_args(%t = %x) -> (i64) {{
    %u = arith.muli %t, %factor : i64
    %v = arith.addi %u, %y : i64
    scf.yield %v : i64
  }}
  memref.store %z, %b[%own] : memref<?xi64>
  func.return
}}

func.func private @note(%fault: memref<?xi32>, %faults: index, %p: index) {{
  %c0 = arith.constant 0 : index
  %pieces = arith.constant {PIECES} : index
  %left = arith.subi %pieces, %p : index
  %fails = arith.cmpi sle, %left, %faults : index
  scf.if %fails {{
    %code = arith.subi %c0, %p : index
    %minus = arith.index_cast %code : index to i32
    %one = arith.constant 1 : i32
    %opposite = arith.subi %minus, %one : i32
    %old = llvm_ext.atomic_rmw %fault[%c0], %opposite {{kind = "umax"}}
      : memref<?xi32>, i32
  }}
  func.return
}}

func.func private @section(%team: memref<?xi64>, %a: memref<?xi64>, %b: memref<?xi64>,
                           %fault: memref<?xi32>, %faults: index, %s: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c_end = arith.constant {END} : index
  %pieces = arith.constant {PIECES} : index
  scf.while () : () -> () {{
    scf.while () : () -> () {{
      %p = func.call @team_claim(%team, %s, %c0, %pieces)
        : (memref<?xi64>, index, index, index) -> index
      %has = arith.cmpi sge, %p, %c0 : index
      scf.if %has {{
        %word = memref.load %team[%c_end] : memref<?xi64>
        %end = arith.index_cast %word : i64 to index
        scf.for %n = %p to %end step %c1 {{
          func.call @piece(%a, %b, %n) : (memref<?xi64>, memref<?xi64>, index) -> ()
          func.call @note(%fault, %faults, %n) : (memref<?xi32>, index, index) -> ()
        }}
      }}
      scf.condition(%has)
    }} do {{
      scf.yield
    }}
    %again = func.call @team_wait(%team, %pieces) : (memref<?xi64>, index) -> index
    %goes_on = arith.cmpi sgt, %again, %c0 : index
    scf.condition(%goes_on)
  }} do {{
    scf.yield
  }}
  func.return
}}

func.func @main(%arena: memref<?xi8>, %io: memref<?xmemref<?xi8>>,
                %constants: memref<?xmemref<?xi8>>, %fault: memref<?xi32>,
                %team: memref<?xi64>, %scratch: memref<?xi8>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %sections = arith.constant COUNT : index
  %faults = llvm_ext.base %io {{entry = 0 : i64}}
    : memref<?xmemref<?xi8>> to memref<?xi64>
  %n = memref.load %faults[%c0] : memref<?xi64>
  %count = arith.index_cast %n : i64 to index
  %a = llvm_ext.base %io {{entry = 1 : i64}} : memref<?xmemref<?xi8>> to memref<?xi64>
  %b = llvm_ext.base %io {{entry = 2 : i64}} : memref<?xmemref<?xi8>> to memref<?xi64>
  scf.for %s = %c0 to %sections step %c2 {{
    func.call @section(%team, %a, %b, %fault, %count, %s)
      : (memref<?xi64>, memref<?xi64>, memref<?xi64>, memref<?xi32>, index, index) -> ()
    %t = arith.addi %s, %c1 : index
    func.call @section(%team, %b, %a, %fault, %count, %t)
      : (memref<?xi64>, memref<?xi64>, memref<?xi64>, memref<?xi32>, index, index) -> ()
  }}
  func.return
}}
"""


@cache
def _image(further: int, sections: int) -> Image:
    target, cache = cpu_target(), ObjectCache(None)
    text = _TEXT.replace("NEXT", str(further)).replace("COUNT", str(sections))
    module = Parser(context(), text).parse_module()
    lower(module, target)
    called = map(TeamFunction, ("team_claim", "team_wait"))
    objects = [object_code(text, target) for text in units(module).values()]
    objects += function_objects([*called, *RUNTIME], target, cache)
    kind = np.dtype(np.int64)
    return Image(
        Machine("cpu", target.triple, ()),
        tuple(objects),
        (
            Parameter(TensorSpec("faults", (1,), kind), "in"),
            Parameter(TensorSpec("x", (PIECES, LINE), kind), "inout"),
            Parameter(TensorSpec("y", (PIECES, LINE), kind), "out"),
        ),
        arena_bytes=64,
        constants=(),
        messages=tuple(f"piece {piece} fails" for piece in range(PIECES)),
        team=TeamSizes(sections, sections, 64),
    )


def program(further: int = 1, sections: int = SECTIONS) -> NativeExecutable:
    """
    Return the program, linked anew; it takes `faults` and `x`.

    With `further=0` pieces read what they wrote in the section before, no others. The
    number of sections is even.
    """
    return link_image(_image(further, sections))


def expected(x: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return what the program makes of `x`, of `PIECES` by `LINE` integers."""
    with np.errstate(over="ignore"):
        for _ in range(SECTIONS):
            start, other = x, np.roll(x, -1, 0)
            for _ in range(_TURNS):
                start = start * np.int64(_FACTOR) + other
            x = start
    return x


def inputs(seed: int, faults: int = 0) -> dict[str, NDArray[np.int64]]:
    """Return random numbers for the program, of which some pieces report faults."""
    x = np.zeros((PIECES, LINE), np.int64)
    x[:, 0] = np.random.default_rng(seed).integers(-99, 99, PIECES)
    return {"faults": np.array([faults]), "x": x}


def computes_right(net: NativeExecutable, seed: int) -> bool:
    """Return whether one run on random numbers gives what it should."""
    given = inputs(seed)
    right = expected(given["x"])
    return bool(np.array_equal(net.run(given)["x"], right))


@contextmanager
def pool_of(threads: int, **options: object) -> Iterator[ThreadPool]:
    """Let the pool of this process have so many threads in a `with` block."""
    before, pool = team.SHARED.pool, ThreadPool(threads, **options)  # pyright: ignore
    team.SHARED.pool = pool
    try:
        yield pool
    finally:
        pool.stop()
        team.SHARED.pool = before


# A player waits until the word is `first`, adds one, waits for the other to do so.
_BOUNCE = """
func.func @bounce(%word: memref<?xi64>, %first: index, %turns: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %turn = %c0 to %turns step %c1 {
    %passed = arith.muli %turn, %c2 : index
    %wanted = arith.addi %passed, %first : index
    scf.while () : () -> () {
      %seen = llvm_ext.atomic_load %word[%c0] : memref<?xi64> -> i64
      %number = arith.index_cast %seen : i64 to index
      %early = arith.cmpi slt, %number, %wanted : index
      scf.condition(%early)
    } do {
      scf.yield
    }
    %next = arith.addi %wanted, %c1 : index
    %stored = arith.index_cast %next : index to i64
    llvm_ext.atomic_store %word[%c0], %stored : memref<?xi64>, i64
  }
  func.return
}
"""


@contextmanager
def bouncing(turns: int) -> Iterator[Callable[[], None]]:
    """Give a function that sends a line of the caches to and fro so many times."""
    target = cpu_target()
    module = Parser(context(), _BOUNCE).parse_module()
    lower(module, target)
    objects = [object_code(text, target) for text in units(module).values()]
    code = link(objects, ["bounce"])
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    bounce, word = kind(code.address("bounce")), zeros(1)
    with ThreadPoolExecutor(1) as other:

        def play() -> None:
            word[0] = 0
            answer = other.submit(bounce, address_of(word), 1, turns)
            bounce(address_of(word), 0, turns)
            answer.result()

        yield play
