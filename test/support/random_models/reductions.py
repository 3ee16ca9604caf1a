"""Products and what goes along whole axes: reductions, softmax, normalization."""

from __future__ import annotations

from hypothesis import strategies as st

from random_models.network import I64, Network, Shape, Value

KINDS = ("Mean", "Max", "Min", "L1", "L2", "SumSquare", "LogSumExp")


def _reduced(shape: Shape, axes: list[int], keepdims: bool) -> Shape:
    if keepdims:
        return tuple(1 if i in axes else e for i, e in enumerate(shape))
    return tuple(e for i, e in enumerate(shape) if i not in axes)


def reduce(net: Network) -> None:
    x = net.pick(lambda v: v.is_float and v.rank > 0)
    if x is None:
        return
    axes = sorted(net.draw(st.sets(st.integers(0, x.rank - 1), min_size=1)))
    keepdims = net.flip()
    shape = _reduced(x.shape, axes, keepdims)
    kind = net.choose(KINDS)
    net.emit(
        f"Reduce{kind}",
        [x.name],
        shape,
        dtype=x.dtype,
        exact=x.exact and kind in ("Max", "Min"),
        axes=axes,
        keepdims=int(keepdims),
    )


def sum_(net: Network) -> None:
    x = net.pick(lambda v: v.rank > 0 and (v.is_float or v.dtype == I64))
    if x is None:
        return
    axes = sorted(net.draw(st.sets(st.integers(0, x.rank - 1), min_size=1)))
    keepdims = net.flip()
    net.emit(
        "ReduceSum",
        [x.name, net.ints(*axes)],
        _reduced(x.shape, axes, keepdims),
        dtype=x.dtype,
        exact=x.dtype == I64,
        keepdims=int(keepdims),
    )


def arg_reduce(net: Network) -> None:
    x = net.pick(lambda v: v.exact and v.rank > 0 and v.dtype.kind in "fi")
    if x is None:
        return
    axis, keepdims = net.integer(0, x.rank - 1), net.flip()
    net.emit(
        net.choose(["ArgMax", "ArgMin"]),
        [x.name],
        _reduced(x.shape, [axis], keepdims),
        dtype=I64,
        exact=True,
        axis=axis,
        keepdims=int(keepdims),
        select_last_index=int(net.flip()),
    )


def softmax(net: Network) -> None:
    x = net.pick(lambda v: v.is_float and v.rank > 0)
    if x is None:
        return
    axis = net.integer(-x.rank, x.rank - 1)
    kind = net.choose(["Softmax", "Softmax", "LogSoftmax"])
    net.emit(kind, [x.name], x.shape, dtype=x.dtype, axis=axis)


def layer_norm(net: Network) -> None:
    x = net.pick(lambda v: v.is_image or (v.is_float and v.rank == 2))
    if x is None:
        return
    axis = net.integer(0, x.rank - 1)
    tail = x.shape[axis:]
    inputs = [x.name, net.weight(*tail, dtype=x.dtype)]
    if net.flip():
        inputs.append(net.weight(*tail, dtype=x.dtype))
    attributes = {"axis": axis, "epsilon": 0.5}
    net.emit("LayerNormalization", inputs, x.shape, dtype=x.dtype, **attributes)


def matmul(net: Network) -> None:
    x = net.pick(lambda v: v.is_float and v.rank > 1)
    if x is None:
        return
    *batch, rows, depth = x.shape
    columns = net.integer(1, 20)
    weight = net.weight(depth, columns, dtype=x.dtype)
    net.emit("MatMul", [x.name, weight], (*batch, rows, columns), dtype=x.dtype)


def product(net: Network) -> None:
    """Two values of a run, the second perhaps with fewer batch axes."""

    x = net.pick(lambda v: v.is_float and v.rank > 1)
    if x is None:
        return
    *batch, rows, depth = x.shape

    def fits(v: Value) -> bool:
        if v.dtype != x.dtype or not 2 <= v.rank <= x.rank or v.shape[-2] != depth:
            return False
        own = v.shape[:-2]
        return all(
            a in (1, b)
            for a, b in zip(own, batch[len(batch) - len(own) :], strict=True)
        )

    y = net.pick(fits)
    if y is not None:
        shape = (*batch, rows, y.shape[-1])
        net.emit("MatMul", [x.name, y.name], shape, dtype=x.dtype)


def gemm(net: Network) -> None:
    x = net.pick(lambda v: v.is_float and v.rank == 2)
    if x is None:
        return
    a, b, columns = net.flip(), net.flip(), net.integer(1, 20)
    rows, depth = x.shape[::-1] if a else x.shape
    right = (columns, depth) if b else (depth, columns)
    inputs = [x.name, net.weight(*right, dtype=x.dtype)]
    if net.flip():
        bias = net.choose([(columns,), (1, columns), (rows, 1), (rows, columns)])
        inputs.append(net.weight(*bias, dtype=x.dtype))
    flags = {"transA": int(a), "transB": int(b), "alpha": 0.5, "beta": 2.0}
    net.emit("Gemm", inputs, (rows, columns), dtype=x.dtype, **flags)
