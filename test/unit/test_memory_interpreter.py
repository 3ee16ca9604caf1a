"""The interpreter of the memory level against what every op computes."""

import numpy as np
import pytest
from random_ops import GENERATORS, calls
from random_ops.call import Call
from random_ops.programs import differences, program_of

from glow.backends.reference.memory import MemoryExecutable
from glow.dialects.graph.attention import AttentionOp
from glow.graph_modules import context
from glow.pass_manager import plan, run_part

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),  # NumPy's, of NaN
]


@pytest.mark.parametrize("name", GENERATORS)
def test_memory_level_of_every_op_is_what_it_computes(name: str) -> None:
    chosen = calls(name, 4, seed=3)
    module, arrays = program_of(chosen)
    for part in plan("import", "memory", "cpu"):
        run_part(part, context(), module)
    wrong = differences(chosen, MemoryExecutable(module)(*arrays))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("length", [1, 5, 7])
def test_more_keys_may_be_valid_than_there_are(length: int) -> None:
    """The last query is then beyond all keys, where a window counts from."""
    rng = np.random.default_rng(0)
    query, key = (rng.standard_normal((1, 2, n, 4), np.float32) for n in (3, 5))
    slots = (query, key, key, None, None, None, None, np.array([length]))
    call = Call(AttentionOp, slots, {"right_window_size": 0})
    module, arrays = program_of([call])
    for part in plan("import", "memory", "cpu"):
        run_part(part, context(), module)
    assert not differences([call], MemoryExecutable(module)(*arrays))
