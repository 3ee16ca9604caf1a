"""Blocks of attention: how queries and keys are cut for a target."""

from dataclasses import dataclass

from glow.lowering.tile_heights import tile_rows
from glow.support.targets import Target


@dataclass(frozen=True)
class Blocks:
    """
    The sizes of blocks, and of the register tiles that compute them.

    Units: `query_panel` in queries, `key_rows` in keys, `query_rows` in queries.
    """

    joins_heads: bool
    """Whether the heads that share a key are in one block."""
    queries: int
    keys: int
    query_panel: int
    key_rows: int
    query_rows: int


def blocks_of(
    target: Target, group: int, length: int, total: int, is_windowed: bool
) -> Blocks:
    """
    Return the blocks for `group` heads of `length` queries and `total` keys.

    `is_windowed`: not all queries see the same keys.
    """
    costs = target.costs
    limit = costs.windowed_query_block if is_windowed else costs.query_block
    joined, own = (_queries(target, n, limit) for n in (group * length, length))
    padded, apart = (
        -(-n // block) * block
        for n, (block, _) in ((group * length, joined), (length, own))
    )
    joins = padded < group * apart
    block, panel = joined if joins else own
    keys = min(total, costs.key_block)
    return Blocks(
        joins,
        block,
        keys,
        panel,
        tile_rows(target, keys, panel),
        query_rows(target, panel),
    )


def _queries(target: Target, count: int, limit: int) -> tuple[int, int]:
    """Return how many of `count` queries a block has, and the width of its panels."""
    blocks = -(-count // limit)
    each = -(-count // blocks)
    panels = [n for n in panels_of(target) if n in target.panel_widths or each <= n]
    block, panel = min((-(-each // panel) * panel, -panel) for panel in panels)
    return block, -panel


def panels_of(target: Target) -> tuple[int, ...]:
    """Return how many queries panels may have, the widest first: less for few."""
    return (*target.panel_widths, min(target.panel_widths) // 2)


def query_rows(target: Target, panel: int) -> int:
    """Return the height of tiles of queries by values: it divides `panel`."""
    sums = target.registers // 2
    widest = max(target.panel_widths) // target.f32_lanes
    return 8 if panel > 8 and 8 * widest <= sums else 4
