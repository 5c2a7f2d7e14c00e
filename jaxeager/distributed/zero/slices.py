"""Slices: parameters, each of which is split over the processes of a group."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

import jaxeager as paddle
from jaxeager.distributed.communication.group_call import call
from jaxeager.distributed.communication.groups import Group
from jaxeager.graph.views.shared_writes import write_array

if TYPE_CHECKING:
    import numpy as np


class Slices:
    """Parameters that can be cut into flat pieces, and joined again.

    A parameter stays the same object, and its array is the whole one or this process's piece. The
    last piece is padded with zeros.

    Args:
        parameters: the parameters, whole.
        group: the processes.

    Attributes:
        is_whole: whether the arrays are whole.
    """

    def __init__(self, parameters: Sequence[Any], group: Group):
        self.parameters, self.group = list(parameters), group
        self._shapes = [tuple(each.shape) for each in self.parameters]
        self.is_whole = True

    def _by_dtype(self) -> list[list[int]]:
        found: dict[np.dtype, list[int]] = {}
        for place, each in enumerate(self.parameters):
            found.setdefault(each._array.dtype, []).append(place)
        return list(found.values())

    def _rows(self, array: jax.Array) -> jax.Array:
        """Return a whole array as [processes, length of a piece]."""
        flat = array.ravel()
        length = -(-flat.size // self.group.nranks)
        return jnp.pad(flat, (0, length * self.group.nranks - flat.size)).reshape(-1, length)

    def cut(self) -> None:
        """Replace the array of each parameter by its piece."""
        if self.is_whole:
            for each in self.parameters:
                write_array(each, self._rows(each._array)[self.group.rank])
            self.is_whole = False

    def join(self) -> None:
        """Make parameters whole, in one call per dtype."""
        if self.is_whole:
            return
        for places in self._by_dtype():
            pieces = [self.parameters[place]._array for place in places]
            own = paddle.Tensor.from_array(jnp.concatenate(pieces))
            found: list = []
            call("all_gather", "all_gather", self.group, [own], found.extend, sync_op=True)
            start = 0
            for place, piece in zip(places, pieces, strict=True):
                end = start + piece.size
                whole = jnp.concatenate([each[start:end] for each in found])
                shape = self._shapes[place]
                write_array(self.parameters[place], whole[: math.prod(shape)].reshape(shape))
                start = end
        self.is_whole = True

    def reduce_gradients(self) -> None:
        """Average whole gradients over the processes; each process keeps its piece."""
        for places in self._by_dtype():
            rows = [
                self._rows(
                    jnp.zeros(self._shapes[place], self.parameters[place]._array.dtype)
                    if self.parameters[place].grad is None
                    else self.parameters[place].grad._array
                )
                for place in places
            ]
            sent = [
                paddle.Tensor.from_array(jnp.concatenate([each[rank] for each in rows]))
                for rank in range(self.group.nranks)
            ]
            found: list = []
            call(
                "reduce_scatter", "reduce_scatter", self.group, sent, found.extend, sync_op=True,
                op=4,
            )  # fmt: skip
            start = 0
            for place, each in zip(places, rows, strict=True):
                end = start + each.shape[1]
                piece = found[0][start:end]
                if self.parameters[place].grad is not None or bool(piece.any()):
                    self.parameters[place].grad = paddle.Tensor.from_array(piece)
                start = end
