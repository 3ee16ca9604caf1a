"""Measured costs of a processor, which decide between ways to compute the same."""

from __future__ import annotations

from typing import NamedTuple


class Costs(NamedTuple):
    """
    The costs of work on one core, each kind in the unit that its choices compare.

    Units: in a register tile, multiply-adds of one row of vectors; of layouts, bytes
    of memory traffic that take as long, per byte of the value, where a movement takes
    about 2; of rates, in a nanosecond. Rates say how large pieces of work are, and how
    long calls take; roughly is enough.
    Source: the defaults are measured on Zen 4 and Zen 5 with AVX2 and AVX-512.
    """

    tile: float = 0.5
    """A register tile, beside its multiply-adds."""
    crowding: float = 0.35
    """Rows of a tile that evict each other from L1, by the square of their number."""

    winograd_transform: float = 17
    """A transform of Winograd's, in multiplications per channel and point."""
    winograd_weight: float = 32
    """A weight read from no cache, in multiplications."""
    winograd_large_filter: int = 16 << 20
    """The bytes of a transformed filter from which smaller tiles are preferred."""
    winograd_wide_filter: int = 4 << 20
    """The bytes up to which the transform of one in 16 bits is kept in f32."""
    winograd_wide_tiles: int = 32
    """The tiles of an image from which panels of a filter are wide."""
    winograd_patience: float = 1.3
    """How many times longer smaller tiles may take to be preferred."""
    second_form: float = 2.0
    """How many times longer a filter packed for other batches may take."""
    panel_near: float = 6.0
    """A line of a filter's panel read again from a cache."""
    panel_far: float = 24.0
    """A line of a filter's panel read again from memory."""
    winograd_tile: float = 0.5
    """The transforms of a tile that stay in L2."""
    winograd_room: float = 0.5
    """The part of L2 that transforms of a block may fill and stay there."""
    winograd_exchange: float = 22
    """
    The time lost where threads share the parts of a block, and transforms change cores.

    As a part of the time, times 1 / channels of the input + 1 / those of the result.
    Measured with two threads of an Emerald Rapids.
    """
    winograd_caches: int = 4
    """The second-level caches that hold a block whose parts threads share."""
    winograd_spill: float = 25.0
    """
    The transforms of a tile that do not, divided by the channels that share them.

    On Zen 3 a VGG-19 takes as long with 28 as with 25, and works in 27 MB, not in 42.
    """

    strided_lines: float = 0.15
    """
    A right factor that is not in panels, for each row of the left one.

    To put 1024 x 1024 into panels takes as long for 12 rows, with AVX-512.
    """
    transposed_result: float = 0.75
    """
    A product whose rows are neighbors in memory, not its columns.

    0.03 to 0.15 ns an element, where a movement takes 0.1 to 0.4 ns.
    """
    channels_first: float = 0.3
    """An image with channels first, each time a panel reads it: 0.01 to 0.06 ns."""
    sum_part: int = 768
    """
    The k of a part of long sums, which tiles add one after another.

    So much of a panel of 64 columns, and what tiles read beside it, stays near a core:
    a product of 128 x 3072 x 768 takes 0.95 of the time (Sapphire Rapids).
    """
    parted_tiles: int = 8
    """Tiles of a panel below which parts of sums do not pay."""
    product_unroll: int = 2
    """
    The k of an iteration of the innermost loop of products, where the k is a multiple.

    A tile of 12 x 32 takes 0.85 of the time of one k (Sapphire Rapids), and four are
    no better there. On Zen 3 four take 0.91 to 0.99 of the time of two, eight as long.
    """
    near_factor: int = 1 << 18
    """The bytes of a right factor that a core keeps while it goes on to other rows."""
    interleaved_groups: float = 1.4
    """A result that interleaves groups: at 28 x 28 pixels, 4 groups of 34 channels."""
    resized_gather: float = 2.5
    """A neighbor picked along a resized axis that is innermost: 0.4 ns an element."""
    resized_sum: float = 6.0
    """Two neighbors summed along each resized axis, one of them innermost: 1 ns."""
    joined_elements: float = 6.0
    """A part of one element joined with others along the innermost axis: 1 ns."""
    shortest_run: int = 16
    """Channels below which a window's runs take longer to begin than to multiply."""
    tiles_of_image: int = 16
    """Tiles below which the first tile of each image in a batch costs too much."""

    single_queries: int = 2
    """Queries of a head of keys up to which attention computes them one by one."""
    plain_scores: int = 1024
    """Scores of a head up to which products and a softmax are as fast as one kernel."""
    plain_windowed_scores: int = 4096
    """The same where queries see different keys."""
    query_block: int = 64
    """The most queries of a block of attention."""
    windowed_query_block: int = 32
    """The same where queries see different keys: keys that none sees are skipped."""
    key_block: int = 128
    """The most keys of a block, so that its scores stay in the caches near a core."""
    near_keys: int = 1 << 17
    """Elements of keys that stay in the caches: a product may have them transposed."""

    scalars_per_ns: float = 1
    """Scalars computed, and units of work of kernels without a rate of their own."""
    elements_per_ns: float = 8
    """Elements of lines computed in vectors."""
    normalized_per_ns: float = 4
    """Elements of lines that are normalized, in vectors."""
    copied_per_ns: float = 4
    """Elements copied."""
    resized_per_ns: float = 4
    """Terms of resized elements, in vectors."""
    nodes_per_ns: float = 2
    """Nodes of trees visited."""
    transformed_per_ns: float = 6
    """Elements transformed for Winograd's convolution."""
    vectors_per_ns: float = 1
    """Vectors added up, of windows and bags."""
    products_per_ns: float = 4
    """Vectors multiplied and added in register tiles."""
    streamed_products_per_ns: float = 1.5
    """Vectors multiplied and added by factors that are read once, as of depthwise."""
    row_products_per_ns: float = 0.5
    """
    Vectors multiplied and added where a right factor is read for one row.

    The 2.1 MB of an MLP take 57 to 70 us where L2 has 2 MB (Sapphire Rapids).
    """
    recurrent_products_per_ns: float = 2
    """Vectors multiplied and added in a step of a recurrent op."""
    awaited_bytes_per_ns: float = 8
    """
    Bytes per nanosecond of a call above which it would wait for memory.

    A core gets 10 to 30 from the third level, and does not wait while it multiplies.
    """
    strand_bytes: int = 256 << 10
    """Bytes that calls of a strand touch in turn: half of a small L2."""
    rows_ahead: int = 16
    """Rows of a table from the one that is summed to the one that is prefetched."""
    piece_ns: int = 2_500
    """
    The least nanoseconds of a piece of work that threads share.

    Ten barriers between two cores take as long.
    """
    delayed_bytes: int = 2 << 20
    """Bytes of a buffer beyond which waiting for other threads is negligible."""


MEASURED = Costs()
"""The defaults; a target replaces those in which it differs."""
