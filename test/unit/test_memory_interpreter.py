"""The interpreter of the memory level against what every op computes."""

import pytest
from random_ops import GENERATORS, calls
from random_ops.programs import differences, program_of

from glow.backends.reference.memory import MemoryExecutable
from glow.model import context
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
