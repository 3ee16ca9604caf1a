"""What the memory level picks by integers, and writes where they say, in NumPy."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from xdsl.ir import SSAValue

from glow.dialects.graph import embedding, indexing, scattering

Array = np.ndarray[Any, Any]


class Picks(ABC):
    """Part of a machine that runs the memory level."""

    @abstractmethod
    def read(self, buffer: SSAValue) -> Array: ...

    @abstractmethod
    def write(self, buffer: SSAValue, array: Array) -> None: ...

    def run_gather(self, op: Any) -> None:
        found = indexing.GatherOp.compute(
            self.read(op.data), self.read(op.indices), axis=op.axis.value.data
        )
        self.write(op.result, found)

    def run_gather_nd(self, op: Any) -> None:
        found = indexing.GatherNdOp.compute(
            self.read(op.data),
            self.read(op.indices),
            batch_dims=op.batch_dims.value.data,
        )
        self.write(op.result, found)

    def run_embedding_bag(self, op: Any) -> None:
        padding_idx = op.padding_idx and op.padding_idx.value.data
        parameters = {"mode": op.kind.data, "padding_idx": padding_idx}
        values = [v and self.read(v) for v in (op.table, op.indices, op.weights)]
        if op.lengths is not None:
            values.insert(2, self.read(op.lengths))
            found = embedding.SparseLengthsSumOp.compute(*values, **parameters)
        else:
            values.insert(2, op.offsets and self.read(op.offsets))
            parameters["include_last_offset"] = op.include_last_offset is not None
            found = embedding.EmbeddingBagOp.compute(*values, **parameters)
        self.write(op.result, found)

    def run_scatter_nd(self, op: Any) -> None:
        found = self.read(op.result)
        indices, updates = self.read(op.indices), self.read(op.updates)
        batch = indices.shape[: op.batch_dims.value.data]
        for place in np.ndindex(batch):
            found[place] = scattering.ScatterNdOp.compute(
                found[place],
                indices[place],
                updates[place],
                reduction=op.kind.data,
            )
        self.write(op.result, found)

    def run_tensor_scatter(self, op: Any) -> None:
        found = scattering.TensorScatterOp.compute(
            self.read(op.result),
            self.read(op.updates),
            self.read(op.write_indices),
            axis=op.axis.value.data,
            mode="linear" if op.circular is None else "circular",
        )
        self.write(op.result, found)
