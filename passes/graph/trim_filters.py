"""Cut from filters the taps that read nothing but padding."""

from dataclasses import replace

import numpy as np

from glow.dialects.graph.convolution import ConvOp
from glow.passes.patterns import Replacement, Results, RewritePass
from glow.support.types import has_layout, shape_of


def trim_filter(op: ConvOp, new: Replacement) -> Results:
    """
    conv(x, w) -> conv(x, w[:, :, first:end]), with less padding and so for each axis

    where all windows read padding alone by the first and the last taps, and the filter
    is finite: infinity times the zero of padding is NaN.
    """
    if has_layout(op.input) or has_layout(op.filter):
        return None
    window, kept = op.window, list[slice]()
    begins, ends, dilations = map(list, (window.begins, window.ends, window.dilations))
    counts = window.taps_inside(shape_of(op.input)[2:])
    for axis, (taps, dilation) in enumerate(zip(counts, window.dilations, strict=True)):
        read = np.flatnonzero(taps)
        if not read.size:
            return None
        first = min(int(read[0]), begins[axis] // dilation)
        last = min(len(taps) - 1 - int(read[-1]), ends[axis] // dilation)
        kept.append(slice(first, len(taps) - last))
        begins[axis] -= first * dilation
        ends[axis] -= last * dilation
        if len(taps) - first - last == 1:
            dilations[axis] = 1  # kernels for windows without gaps fit
    kernel = tuple(part.stop - part.start for part in kept)
    if kernel == window.kernel:
        return None
    filter = new.constants.array_of(op.filter)
    if filter is None or not np.isfinite(filter).all():
        return None
    parameters = replace(
        window, kernel=kernel, pads=(*begins, *ends), dilations=tuple(dilations)
    ).parameters()
    trimmed = np.ascontiguousarray(filter[:, :, *kept])
    weight = new.folded(trimmed, op.filter)
    parameters = op.parameters() | parameters
    return new.emit(ConvOp, op.input, weight, op.bias, **parameters)


class TrimFiltersPass(RewritePass):
    """
    Cut from filters of convolutions the taps that read nothing but padding.

    A 3x3 filter with a dilation of 24 over 14x14 elements reads the image by its middle
    tap alone, and becomes a 1x1 filter without padding. Filters of unknown elements,
    and such that have infinities or NaN, stay.

    Level: graph -> graph. Needs: nothing; `remove-dead-constants` afterwards.
    """

    name = "trim-filters"
    patterns = (trim_filter,)
