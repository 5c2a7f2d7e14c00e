"""alltoall_single with sizes: each pair of processes exchanges as many rows as they agree on."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import jax
import jax.numpy as jnp

from jaxeager.distributed.communication import mesh_programs
from jaxeager.distributed.communication.group_call import call
from jaxeager.distributed.communication.groups import Group
from jaxeager.distributed.communication.task import Task
from jaxeager.graph.views.shared_writes import write_array
from jaxeager.tensor import Tensor


def exchange_rows(
    out: Tensor, given: Tensor, gives: Sequence[int], gets: Sequence[int], group: Group,
    sync_op: bool,
) -> Task:  # fmt: skip
    """Send rows to each process of a group and receive from each, pair by pair.

    A single program for all would need the width of the widest piece, which no process knows
    without asking the others. Two processes know what they exchange; all use the same order of
    pairs.

    Args:
        out: receives the rows, in the order of the processes.
        given: the rows, in the order of the receiving processes.
        gives: the number of rows to each process.
        gets: the number of rows from each process.
        group: the processes.
        sync_op: whether to wait for the result.
    """
    sent = jnp.split(given._array, list(itertools.accumulate(gives))[:-1])
    found: dict[int, jax.Array] = {group.rank: sent[group.rank]}

    def exchange_all() -> list[jax.Array]:
        for low, high in itertools.combinations(range(group.nranks), 2):
            if group.rank not in (low, high):
                continue
            other = high if group.rank == low else low
            for src in (low, high):
                is_mine = src == group.rank
                count = gives[other] if is_mine else gets[other]
                if not count:
                    continue
                shape = (count, *given._array.shape[1:])
                block = sent[other] if is_mine else jnp.zeros(shape, given._array.dtype)
                pair = (group.ranks[low], group.ranks[high])
                (received,) = mesh_programs.run(pair, "transfer", [block], src=int(src == high))
                if not is_mine:
                    found[other] = received
        return [found[i] for i in range(group.nranks) if i in found]

    def write(arrays: list) -> None:
        write_array(out, jnp.concatenate(arrays))

    return call(
        "alltoall_single", "", group, [given], write, sync_op, work=exchange_all,
        operands=f"{given.dtype.name}[?, {', '.join(map(str, given.shape[1:]))}] with sizes",
    )  # fmt: skip
