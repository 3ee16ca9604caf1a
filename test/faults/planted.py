"""Faults of passes and kernels, each with the tests that must catch it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """One place of a source file that is to be wrong; `tests` lie below `test/`."""

    file: str
    right: str
    wrong: str
    tests: tuple[str, ...]


FAULTS = (
    Fault(
        "passes/graph/fold_movement.py",
        "picked(inner.permutation, op.permutation)",
        "picked(op.permutation, inner.permutation)",
        ("passes/graph/fold_movement.mlir",),
    ),
    Fault(
        "passes/graph/fold_movement.py",
        "flags[name] = not flags[name]",
        "flags[name] = True",
        ("passes/graph/fold_movement.mlir",),
    ),
    Fault(
        "passes/graph/fold_movement.py",
        "and other.permutation == op.permutation\n",
        "",
        ("unit/test_rewrites_proved.py",),
    ),
    Fault(
        "passes/graph/fold_movement.py",
        "keeps_order = _without_ones(op.input) == _without_ones(op.result)",
        "keeps_order = True",
        ("passes/graph/fold_movement.mlir",),
    ),
    Fault(
        "passes/graph/fold_gathers.py",
        "(places >= extent).any()",
        "(places > extent).any()",
        ("unit/test_rewrites_proved.py",),
    ),
    Fault(
        "passes/graph/fold_gathers.py",
        "start += distances[axis] * line.start",
        "start += line.start",
        ("unit/test_fold_gathers.py",),
    ),
    Fault(
        "passes/graph/fold_scatters.py",
        "int(i == axis and n > 1)",
        "int(i == axis)",
        ("passes/graph/fold_scatters.mlir", "unit/test_fold_scatters.py"),
    ),
    Fault(
        "passes/graph/fold_batch_norm.py",
        "(bias * scale + shift)",
        "(bias + shift)",
        ("unit/test_fold_batch_norm.py",),
    ),
    Fault(
        "passes/graph/fold_batch_norm.py",
        "scale[:, None] if product.transpose_rhs else scale",
        "scale if product.transpose_rhs else scale",
        ("unit/test_fold_batch_norm.py", "passes/graph/fold_batch_norm.mlir"),
    ),
    Fault(
        "passes/graph/fold_bias.py",
        "not isinstance(product, LinearOp) or product.bias is not None",
        "not isinstance(product, LinearOp)",
        ("passes/graph/fold_bias.mlir",),
    ),
    Fault(
        "passes/graph/fold_bias.py",
        "if (bits == bits[0]).all() else None",
        "",
        ("passes/graph/fold_bias.mlir",),
    ),
    Fault(
        "passes/graph/remove_identities.py",
        "(array == neutral) & (np.signbit(array) == np.signbit(neutral))",
        "array == neutral",
        ("passes/graph/remove_identities.mlir",),
    ),
    Fault(
        "passes/graph/remove_identities.py",
        "step == 1 or size <= 1",
        "step == 1 or size <= 2",
        ("unit/test_rewrites_proved.py",),
    ),
    Fault(
        "passes/memory/share_buffers.py",
        "dying.last == at == births[result]",
        "at == births[result]",
        ("passes/memory/share_buffers.mlir",),
    ),
    Fault(
        "passes/memory/share_buffers.py",
        "source.type == result.type and not has_views",
        "source.type == result.type",
        ("passes/memory/share_buffers.mlir",),
    ),
    Fault(
        "passes/memory/coalesce_copies.py",
        "if wanted[other] or any(",
        "if any(",
        ("passes/memory/coalesce_copies.mlir",),
    ),
    Fault(
        "passes/memory/insert_deallocs.py",
        "uses.ops[lifetime.last]",
        "uses.ops[lifetime.first]",
        ("passes/memory/insert_deallocs.mlir",),
    ),
    Fault(
        "passes/memory/plan_memory.py",
        "(first[:n] <= lifetime.last)",
        "(first[:n] < lifetime.last)",
        ("unit/test_plan_memory.py", "passes/memory/plan_memory.mlir"),
    ),
    Fault(
        "analysis/buffers.py",
        "if high < other_low or other_high < low:",
        "if high <= other_low or other_high <= low:",
        ("unit/test_buffers.py", "passes/memory"),
    ),
    Fault(
        "support/layout/address.py",
        "position = [i + before for i, (before, _)",
        "position = [i + 0 * before for i, (before, _)",
        ("unit/test_layout.py",),
    ),
    Fault(
        "support/layout/address.py",
        "if digits and digits[-1][2] == strides[i] * extent:",
        "if digits:",
        ("unit/test_layout.py", "unit/test_layouts_proved.py"),
    ),
    Fault(
        "support/layout/physical.py",
        "[self.halo[axis] for axis in permutation]",
        "self.halo",
        ("unit/test_layout.py", "unit/test_layouts_proved.py"),
    ),
    Fault(
        "passes/layout/fold_layout_transforms.py",
        "return new.insert(TransformOp.to(inner.input, tensor_type(op.result)))",
        "return new.insert(TransformOp.to(inner.input, tensor_type(inner.result)))",
        ("unit/test_fold_layout_transforms.py",),
    ),
    Fault(
        "dialects/memory/address.py",
        "if merged and merged[-1][1] == stride * extent:",
        "if merged and merged[-1][1] >= stride * extent:",
        ("unit/test_memory_level.py", "unit/test_layouts_proved.py"),
    ),
    Fault(
        "lowering/memory_to_loops/pool.py",
        "tuple(dilation * stride for stride in own)",
        "tuple(stride for stride in own)",
        ("unit/test_kernels_pool.py",),
    ),
    Fault(
        "lowering/memory_to_loops/pool.py",
        "unit = all(",
        "unit = any(",
        ("unit/test_kernels_pool.py",),
    ),
    Fault(
        "lowering/memory_to_loops/pool.py",
        "Extra.FULL if stride else Extra.ROWS",
        "Extra.FULL",
        ("unit/test_kernels_pool.py",),
    ),
    Fault(
        "lowering/memory_to_loops/pool.py",
        "_row(window, [source], [*extras, result])",
        "_row(window, [source], [result, *extras])",
        ("unit/test_kernels_pool.py",),
    ),
    Fault(
        "lowering/memory_to_loops/pool.py",
        "is_better = (where.value < 0) | _is_greater(value, greatest.value)",
        "is_better = _is_greater(value, greatest.value)",
        ("unit/test_kernels_pool.py",),
    ),
    Fault(
        "lowering/memory_to_loops/reduce.py",
        "absent = lowest(self.compute) if peak is not None else neutral",
        "absent = neutral",
        ("unit/test_kernels_reduce.py",),
    ),
    Fault(
        "lowering/memory_to_loops/scanning.py",
        "return [start - i + (1 - count) for start in starts]",
        "return [start - i for start in starts]",
        ("unit/test_kernels_scanning.py",),
    ),
    Fault(
        "lowering/memory_to_loops/scanning.py",
        "maximum(k, 0 - line.numbers",
        "maximum(k, 1 - line.numbers",
        ("unit/test_kernels_scanning.py",),
    ),
    Fault(
        "lowering/memory_to_loops/picks.py",
        "x + picked * pick.stride, place + pick.step",
        "x + picked * pick.stride, place + 1",
        ("unit/test_kernels_picks.py",),
    ),
    Fault(
        "lowering/memory_to_loops/resize.py",
        "if positions.size % times:",
        "if False:",
        ("unit/test_kernels_resize.py",),
    ),
    Fault(
        "lowering/memory_to_loops/matmul.py",
        "if shape[-1] != 1 and addressing.strides[-1] != 1:",
        "if shape[-1] == 0:",
        ("unit/test_kernels_matmul.py",),
    ),
    Fault(
        "dialects/memory/products.py",
        "tile * tiles + 2 - extent - before",
        "tile * tiles + 1 - extent - before",
        ("passes/memory/verify_memory.mlir",),
    ),
)
