"""Names that ops of this dialect had before `memory.apply`."""

_SEVERAL = {
    "arg_reduce": ("arg_max", "arg_min"),
    "gather_nd": ("gather_nd", "gather_elements"),
    "layer_norm": ("layer_norm", "instance_norm", "group_norm"),
    "pool": ("max_pool", "avg_pool", "lp_pool"),
    "reduce": ("reduce_sum", "reduce_mean", "reduce_max"),
    "scatter_nd": ("scatter_nd", "scatter_elements"),
    "softmax": ("softmax", "log_softmax"),
}
_ALIKE = (
    *("cumsum", "embedding_bag", "gather", "lrn", "resize", "rms_norm"),
    *("tensor_scatter", "top_k", "trilu"),
)


def describe_replaced(name: str) -> str | None:
    """Return by what op `name` was replaced, None if it was not."""
    dialect, _, op = name.partition(".")
    ops = _SEVERAL.get(op, (op,) if op in _ALIKE else ())
    if dialect != "memory" or not ops:
        return None
    now = " or ".join(f'"graph.{each}"' for each in ops)
    return f"{name} was written by glow 0.1; since 0.2 it is memory.apply {now}"
