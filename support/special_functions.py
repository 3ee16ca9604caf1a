"""Mathematical functions that NumPy lacks."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


def erf(x: NDArray[Any]) -> NDArray[Any]:
    """Return the error function of `x` in its own type, computed in f64."""
    values = np.fromiter(map(math.erf, x.ravel().tolist()), np.float64, x.size)
    return values.reshape(x.shape).astype(x.dtype)
