"""What recurrent cells of the memory level do to NumPy arrays."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from xdsl.ir import SSAValue

Array = np.ndarray[Any, Any]


class Recurrences(ABC):
    """Part of a machine that runs the memory level."""

    @abstractmethod
    def read(self, buffer: SSAValue) -> Array: ...

    @abstractmethod
    def write(self, buffer: SSAValue, array: Array) -> None: ...

    def run_lstm(self, op: Any) -> None:
        peepholes = self._optional(op.peepholes)
        p = np.zeros((3, 1)) if peepholes is None else peepholes.reshape(3, -1)

        def step(gates: list[Array], state: list[Array], _: Any) -> list[Array]:
            (_, c), (i, o, f, new) = state, gates
            i = self._call(op, 0, i + p[0][: c.shape[1]] * c)
            if op.input_forget is not None:
                f = 1 - i
            else:
                f = self._call(op, 0, f + p[2][: c.shape[1]] * c)
            c = f * c + i * self._call(op, 1, new)
            o = self._call(op, 0, o + p[1][: c.shape[1]] * c)
            return [o * self._call(op, 2, c, clips=False), c]

        self._walk(op, step, ("initial_h", "initial_c"))

    def run_gru(self, op: Any) -> None:
        late = self._optional(op.bias)

        def step(gates: list[Array], state: list[Array], sums: Any) -> list[Array]:
            (h,), (z, r, new) = state, gates
            z, r = self._call(op, 0, z), self._call(op, 0, r)
            if op.renewal is None:
                extra = 0 if late is None else late.reshape(-1)[: h.shape[1]]
                new = new + r * (sums(op.recurrence, h)[2] + extra)
            else:
                new = new + sums(op.renewal, r * h)[0]
            new = self._call(op, 1, new)
            return [(1 - z) * new + z * h]

        self._walk(op, step, ("initial_h",))

    def run_rnn(self, op: Any) -> None:
        self._walk(
            op, lambda gates, state, _: [self._call(op, 0, gates[0])], ("initial_h",)
        )

    def _optional(self, value: SSAValue | None) -> Array | None:
        return None if value is None else self.read(value)

    def _call(self, op: Any, number: int, x: Array, clips: bool = True) -> Array:
        from memory_interpreter import run_region

        if op.clip is not None and clips:
            x = np.clip(x, -op.clip.value.data, op.clip.value.data)
        return run_region(op.activations[number], [x])[0]

    def _walk(self, op: Any, step: Any, initial: tuple[str, ...]) -> None:
        """Step through the sequences one by one, each as long as it is."""
        rows = self.read(op.rows)
        steps, batch, _, gates, _ = rows.shape
        units = self.read(op.recurrence).shape[1]

        def per_gate(blocks: Array) -> list[Array]:
            """Return [1, H] for each gate of [U, G, p]."""
            flat = np.moveaxis(blocks, 1, 0).reshape(blocks.shape[1], -1)
            return [line[None, :units] for line in flat]

        def sums(weights: SSAValue, state: Array) -> list[Array]:
            return per_gate(np.tensordot(self.read(weights), state[0], (1, 0)))

        given = [self._optional(getattr(op, name)) for name in initial]
        zero = np.zeros((batch, units), rows.dtype)
        lens = self._optional(op.sequence_lens)
        y = np.zeros((steps, batch, units), rows.dtype)
        finals = [zero.copy() for _ in given]
        for b in range(batch):
            count = steps if lens is None else int(lens[b])
            state = [(zero if s is None else s)[b : b + 1] for s in given]
            for t in range(count)[:: 1 if op.reverse is None else -1]:
                found = per_gate(rows[t, b])
                added = sums(op.recurrence, state[0])
                if gates == 3:
                    added = added[:2]  # the last one is reset first
                for k, part in enumerate(added):
                    found[k] = found[k] + part
                state = step(found, state, sums)
                y[t, b] = state[0]
            for final, last in zip(finals, state, strict=True):
                final[b] = last if count else 0
        for name, array in zip(("y", "y_h", "y_c"), (y, *finals), strict=False):
            if getattr(op, name) is not None:
                self.write(getattr(op, name), array)
