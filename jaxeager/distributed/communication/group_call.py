"""A call of a group: from the tensors of this rank, across the ranks, into its tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jaxeager.core import user_lines
from jaxeager.distributed.communication import agreement, mesh_programs, pending_calls, world
from jaxeager.distributed.communication.groups import Group
from jaxeager.distributed.communication.task import Task
from jaxeager.graph import events
from jaxeager.graph.views.shared_writes import write_array
from jaxeager.tensor import Tensor

_ALL = ("all",)  # the lane of calls that all ranks of a group make


def has_peers(group: Group) -> bool:
    """Return whether a call of a group involves another rank."""
    return group.nranks > 1


def is_outside(group: Group) -> bool:
    """Return whether this rank is not in a group, and warn that its call does nothing."""
    if group.is_member():
        return False
    user_lines.warn(f"Current global rank {world.rank()} is not in group {group.name}")
    return True


def shape_of(tensors: Sequence[Tensor]) -> str:
    """Return dtypes and shapes as errors show them; equal ones are counted."""
    shown = [f"{t.dtype.name}{list(t.shape)}" for t in tensors]
    first = shown[0] if shown else ""
    return (
        f"{len(shown)} x {first}" if len(shown) > 1 and set(shown) == {first} else ", ".join(shown)
    )


def call(
    name: str, kernel: str, group: Group, inputs: Sequence[Tensor],
    write: Callable[[list], None], sync_op: bool, *, operands: str | None = None,
    ranks: tuple[int, ...] | None = None, lane: tuple = _ALL,
    work: Callable[[], list] | None = None, **settings: Any,
) -> Task:  # fmt: skip
    """Run a kernel among the ranks of a group.

    Args:
        name: the function that the user called.
        kernel: a name of ``kernels.KERNELS``.
        group: the group.
        inputs: this rank's tensors.
        write: receives the resulting arrays; it runs in another thread on a CPU.
        sync_op: whether to wait for it, on a CPU; see Note [Lanes] of pending_calls.py.
        operands: the operands that every rank must use; dtypes and shapes of the inputs by default.
        ranks: the participants, unless it is the whole group.
        lane: the sequence of calls in which it is ordered.
        work: makes the call instead of the kernel, and returns this rank's arrays.
        **settings: the settings of the kernel.
    """
    ranks = tuple(group.ranks) if ranks is None else ranks
    arrays = [each._array for each in inputs]
    shown = shape_of(inputs) if operands is None else operands
    # The data that a rank itself sends may differ in size; the operands must agree.
    kinds = () if work else tuple((each.shape, each.dtype) for each in arrays)
    details = f"group {group.id}, {kernel} {settings or ''} {agreement.text_of(kinds)}"
    made = pending_calls.Call(name, shown, details, group.id, ranks, lane, group.timeout)
    if events.rank_call_began is not None:
        made.nbytes = sum([each.nbytes for each in arrays])
    run = work or (lambda: mesh_programs.run(ranks, kernel, arrays, **settings))
    pending_calls.submit(made, run, write)
    task = Task(sync_op, made)
    if sync_op:
        task.wait()
    return task


def writer_of(*tensors: Tensor) -> Callable[[list], None]:
    """Return a function that writes the resulting arrays into tensors, values only."""

    def write(arrays: list) -> None:
        for tensor, array in zip(tensors, arrays, strict=True):
            write_array(tensor, array)

    return write


def discard(arrays: list) -> None:
    """Ignore the results on a rank that only sends."""


def like(tensor: Tensor, count: int) -> list[Tensor]:
    """Return tensors for later results; they have no separate memory yet."""
    return [Tensor.from_array(tensor._array) for _ in range(count)]
