"""Owners: which process of a group updates which parameter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import jax.numpy as jnp

import jaxeager as paddle
from jaxeager.distributed.communication.group_call import call
from jaxeager.distributed.communication.groups import Group
from jaxeager.graph.views.shared_writes import write_array

if TYPE_CHECKING:
    import jax
    import numpy as np


class Owners:
    """An assignment of parameters to processes, with about as many elements each.

    Args:
        parameters: all of them, the same in all processes.
        group: the processes.

    Attributes:
        of_rank: for each process of the group, its parameters, in the order of ``parameters``.
        own: the parameters of this process.
    """

    def __init__(self, parameters: Sequence[paddle.Tensor], group: Group):
        self.group = group
        self.of_rank: list[list[paddle.Tensor]] = [[] for _ in range(group.nranks)]
        sizes = [0] * group.nranks
        owner: dict[int, int] = {}
        for each in sorted(parameters, key=lambda p: -p.size):
            place = sizes.index(min(sizes))
            owner[id(each)] = place
            sizes[place] += each.size
        for each in parameters:
            self.of_rank[owner[id(each)]].append(each)
        self.own = self.of_rank[group.rank]
        self._is_own = {id(each) for each in self.own}

    def is_own(self, parameter: paddle.Tensor) -> bool:
        """Return whether a parameter belongs to this process."""
        return id(parameter) in self._is_own

    def _packs(self, arrays: dict[int, jax.Array], dtype: np.dtype) -> list[jax.Array]:
        """Return, for each process, its parameters' arrays as one, padded to equal lengths."""
        flat = []
        for parameters in self.of_rank:
            found = [
                (jnp.zeros(each._array.shape, dtype) if (a := arrays.get(id(each))) is None else a)
                for each in parameters
                if each._array.dtype == dtype
            ]
            flat.append(jnp.concatenate([a.ravel() for a in found] or [jnp.zeros(0, dtype)]))
        longest = max(each.size for each in flat)
        return [jnp.pad(each, (0, longest - each.size)) for each in flat]

    def _dtypes(self) -> list[np.dtype]:
        every = [each for parameters in self.of_rank for each in parameters]
        return list(dict.fromkeys(each._array.dtype for each in every))

    def reduce_gradients(self) -> None:
        """Average each gradient on the process that owns its parameter; drop it on the others."""
        every = [each for parameters in self.of_rank for each in parameters]
        grads = {id(p): p.grad._array for p in every if p.grad is not None}
        for dtype in self._dtypes():
            sent = [paddle.Tensor.from_array(each) for each in self._packs(grads, dtype)]
            found: list = []
            call(
                "reduce_scatter", "reduce_scatter", self.group, sent, found.extend, sync_op=True,
                op=4,
            )  # fmt: skip
            for parameter, array in self._cut(self.own, found[0], dtype):
                # Without a gradient on any process, it stays None.
                if id(parameter) in grads or bool(array.any()):
                    parameter.grad = paddle.Tensor.from_array(array)
        for each in every:
            if not self.is_own(each):
                each.grad = None

    def share_parameters(self) -> None:
        """Send each process's parameters to all."""
        for dtype in self._dtypes():
            arrays = {id(each): each._array for each in self.own}
            own = paddle.Tensor.from_array(self._packs(arrays, dtype)[self.group.rank])
            found: list = []
            call("all_gather", "all_gather", self.group, [own], found.extend, sync_op=True)
            for place, parameters in enumerate(self.of_rank):
                if place != self.group.rank:
                    for parameter, array in self._cut(parameters, found[place], dtype):
                        write_array(parameter, array)

    @staticmethod
    def _cut(
        parameters: Sequence[paddle.Tensor], flat: jax.Array, dtype: np.dtype
    ) -> list[tuple[paddle.Tensor, jax.Array]]:
        """Return pairs of (parameter, its array) from one flat array."""
        found, start = [], 0
        for each in parameters:
            if each._array.dtype == dtype:
                end = start + each.size
                found.append((each, flat[start:end].reshape(each._array.shape)))
                start = end
        return found
