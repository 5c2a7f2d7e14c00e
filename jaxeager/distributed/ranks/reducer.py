"""Reducer: gradients averaged over processes while a backward still runs.

Note [Buckets]
    Many small calls cost more than few large ones. The parameters are grouped into buckets of some
    megabytes, the last ones first, since their gradients are computed first. A bucket is sent when
    the last of its gradients has been accumulated, and never before the preceding bucket: so the
    order of calls is the same on all ranks, whatever the order of their backward. All sent buckets
    are waited for when the backward ends.

    A parameter that the loss did not need has no gradient, so its bucket would never be sent. With
    ``find_unused_parameters`` it is sent at the end, with zeros for that gradient, and with a flag
    per parameter that states whether this rank had a gradient. A rank without one reads the sum of
    the flags: if no rank had one, ``grad`` stays None.

    All ranks must send the same tensors. So a table of ``embedding(sparse=True)`` always sends a
    gradient of some rows: of all rows if its gradient is dense, of none if it has no gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

import jaxeager as paddle
from jaxeager.distributed.communication.groups import Group
from jaxeager.distributed.communication.task import Task
from jaxeager.distributed.ranks.synchronize import AVG, reduce_together
from jaxeager.errors import PreconditionNotMetError
from jaxeager.graph.engine import add_final_hook
from jaxeager.graph.rows import Rows
from jaxeager.tensor.selected_rows import SelectedRows

if TYPE_CHECKING:
    from collections.abc import Callable


MEGABYTE = 1 << 20


class Reducer:
    """A reducer that averages the gradients of parameters over a group, bucket by bucket.

    Args:
        parameters: (name, parameter) pairs, in the order of the model.
        group: the processes.
        bucket_bytes: the bytes of gradients per bucket.
        first_bytes: the same for the first bucket.
        find_unused: whether some parameters may get no gradient.
        tables: those of the parameters whose gradients may be SelectedRows.

    Attributes:
        buckets: for each bucket, the indices of its parameters.
        is_on: whether backward averages; False within ``no_sync``.
    """

    def __init__(
        self,
        parameters: Sequence[tuple[str, Any]],
        group: Group,
        bucket_bytes: float = 25 * MEGABYTE,
        first_bytes: float = MEGABYTE,
        find_unused: bool = False,
        tables: Sequence[object] = (),
    ):
        self.names = [name for name, _ in parameters]
        self.parameters = [each for _, each in parameters]
        self.group = group
        self.find_unused = find_unused
        self.is_on = True
        tables_by_id = set(map(id, tables))
        self._tables = {n for n, each in enumerate(self.parameters) if id(each) in tables_by_id}
        self.buckets = in_buckets(self.parameters, bucket_bytes, first_bytes)
        self._bucket_of = {place: b for b, bucket in enumerate(self.buckets) for place in bucket}
        self._ready: set[int] = set()
        self._sent: list[tuple[Task, list[int], paddle.Tensor | None]] = []
        for place, parameter in enumerate(self.parameters):
            parameter._register_backward_hook(self._hook(place))

    def _hook(self, place: int) -> Callable[[], None]:
        def arrived() -> None:
            if not self.is_on:
                return
            if not self._ready:
                add_final_hook(self._finish, undo=self._forget)
            self._ready.add(place)
            while len(self._sent) < len(self.buckets):
                bucket = self.buckets[len(self._sent)]
                if not self._ready.issuperset(bucket):
                    return
                self._send(bucket)

        return arrived

    def _send(self, bucket: list[int]) -> None:
        """Send the gradients of a bucket."""
        for place in bucket:
            parameter, is_missing = self.parameters[place], False
            if place not in self._ready and parameter.grad is None:
                parameter.grad, is_missing = paddle.zeros_like(parameter).detach(), True
            if place in self._tables and parameter.grad._rows is None:
                present = jnp.full(parameter.shape[0], not is_missing)
                parameter.grad = SelectedRows.of(parameter.grad._array, Rows(present, None, None))
        grads = [self.parameters[place].grad for place in bucket]
        flags = None
        if self.find_unused:
            flags = paddle.to_tensor([float(place in self._ready) for place in bucket])
            grads.append(flags)
        task = reduce_together(grads, self.group, AVG, sync_op=False)
        self._sent.append((task, bucket, flags))

    def _finish(self) -> None:
        """Send the remaining buckets, and wait for all; run when the backward ends."""
        ready, sent = self._ready, self._sent
        try:
            missing = [n for place, n in enumerate(self.names) if place not in ready]
            if missing and not self.find_unused:
                raise PreconditionNotMetError(
                    f"DataParallel: the parameters {missing} got no gradient on rank "
                    f"{paddle.distributed.get_rank()}, so no rank could average their gradients. "
                    "Set find_unused_parameters=True, or make the loss depend on all parameters."
                )
            for bucket in self.buckets[len(sent) :]:
                self._send(bucket)
            for task, _, _ in sent:
                task.wait()
            for _, bucket, flags in sent:
                self._forget_unused(bucket, flags)
        finally:
            self._forget()

    def _forget(self) -> None:
        """Reset the state of a backward that has ended."""
        self._ready, self._sent = set(), []

    def _forget_unused(self, bucket: list[int], flags: Any) -> None:
        """Remove the gradients that no rank had."""
        absent = [place for place in bucket if place not in self._ready]
        if not absent:
            return
        used = dict(zip(bucket, flags.tolist(), strict=True))
        for place in absent:
            if not used[place]:
                self.parameters[place].grad = None


def in_buckets(
    parameters: Sequence[paddle.Tensor], bucket_bytes: float, first_bytes: float
) -> list[list[int]]:
    """Return the indices of parameters in buckets, the last ones first; one dtype per bucket."""
    buckets: list[list[int]] = []
    room, dtype = 0.0, None
    for place in reversed(range(len(parameters))):
        parameter = parameters[place]
        size = parameter.size * parameter.element_size()
        if not buckets or parameter.dtype != dtype or size > room:
            room = bucket_bytes if buckets else first_bytes
            buckets.append([])
            dtype = parameter.dtype
        buckets[-1].append(place)
        room -= size
    return buckets
