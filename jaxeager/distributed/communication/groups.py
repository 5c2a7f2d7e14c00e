"""Groups of processes that communicate.

Without a launcher the world is this process alone, as JAX drives all devices of a machine from one
process. A call between processes is then simple: a sum over one process is the value itself.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from jaxeager.core import places
from jaxeager.distributed.communication import world
from jaxeager.distributed.ranks.each_device import runs_for_each_device
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidOperandError,
    PreconditionNotMetError,
    UnimplementedError,
)
from jaxeager.tensor import Tensor

_WORLD, _FIRST_OF_OWN = 0, 10  # the numbers of groups, as in Paddle
_groups: dict[int, Group] = {}


class Group:
    """A group of processes that communicate.

    Args:
        rank_in_group: the number of this process within the group, -1 when it is not in it.
        id: the number of the group; 0 is the world.
        ranks: the numbers of its processes.
        pg: Paddle's implementation of the calls; stored, and otherwise ignored.
        name: a name.
        timeout: seconds that a call may take; by default the value of PADDLE_PG_TIMEOUT in
            milliseconds, else half an hour.

    Attributes:
        rank: the number of this process within the group, -1 when it is not in it.
        ranks: the numbers of all its processes.
        nranks: the number of processes.
        world_size: the same, -1 for a process that is not in it.
        id: the number of the group.
        name: its name.
        process_group: the argument ``pg``.
        backend: "XLA".
        timeout: seconds that a call may take.

    Paddle: a group of one process has rank -1 and no members, so that its calls do nothing.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.new_group([0])
        Group(rank: 0, nranks: 1, id: ..., ranks: 0; name: _default_pg...)
        >>> paddle.distributed.destroy_process_group()
    """

    def __init__(
        self,
        rank_in_group: int,
        id: int,
        ranks: Sequence[int],
        pg: object = None,
        name: str | None = None,
        timeout: float | None = None,
    ):
        self.timeout = world.number_in("PADDLE_PG_TIMEOUT", 1_800_000) / 1000
        if timeout is not None:
            self.timeout = timeout
        self.rank = rank_in_group
        self.id = id
        self.ranks = list(ranks)
        self.process_group = pg
        self.name = name
        self.backend = "XLA"

    @property
    def nranks(self) -> int:
        """Return the number of processes."""
        return len(self.ranks)

    @property
    def world_size(self) -> int:
        """Return the number of processes, -1 for a process that is not in the group."""
        return self.nranks if self.is_member() else -1

    def is_member(self) -> bool:
        """Return whether this process is in the group."""
        return self.rank >= 0

    def get_group_rank(self, rank: int) -> int:
        """Return the number within the group of a process of the world; -1 for an outsider.

        Raises:
            InvalidArgumentError: for a process that is not in it.
        """
        if not self.is_member():
            return -1
        if rank not in self.ranks:
            raise InvalidArgumentError(f"Process {rank} is not in the group of {self.ranks}.")
        return self.ranks.index(rank)

    def get_global_rank(self, rank: int) -> int:
        """Return the number in the world of a process of the group; -1 for an outsider.

        Raises:
            InvalidArgumentError: for a number that the group does not have.
        """
        if not self.is_member():
            return -1
        if not 0 <= rank < self.nranks:
            raise InvalidArgumentError(f"The group of {self.ranks} has no process number {rank}.")
        return self.ranks[rank]

    def __repr__(self) -> str:
        ranks = ", ".join(map(str, self.ranks))
        return (
            f"Group(rank: {self.rank}, nranks: {self.nranks}, id: {self.id}, ranks: {ranks}; "
            f"name: {self.name})"
        )


def make_world() -> None:
    """Create the group of all processes, unless it exists."""
    ranks = range(world.size())
    _groups.setdefault(_WORLD, Group(world.rank(), _WORLD, ranks, name="_default_pg"))


def add_group(ranks: Sequence[int], timeout: float | None = None) -> Group:
    """Return a new group; this process is in it when its number is among the ranks."""
    number = max([*_groups, _FIRST_OF_OWN - 1]) + 1
    rank = list(ranks).index(world.rank()) if world.rank() in ranks else -1
    name = f"_default_pg{number}"
    _groups[number] = Group(rank, number, ranks, name=name, timeout=timeout)
    return _groups[number]


def seconds_of(timeout: object) -> float | None:
    """Return the seconds of a number or a timedelta."""
    if isinstance(timeout, datetime.timedelta):
        return timeout.total_seconds()
    return timeout if isinstance(timeout, (int, float)) else None


def _get_global_group() -> Group:
    """Return the group of all processes.

    Raises:
        PreconditionNotMetError: before ``init_parallel_env``.
    """
    return used_group(None)


def used_group(group: Group | None) -> Group:
    """Return the group of a call: the world when None.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.
        UnimplementedError: in code that this process runs once for each of several devices.
    """
    if runs_for_each_device():
        raise UnimplementedError(
            "Within local_map and LocalLayer, which run once for each device of this process, no "
            "call between processes is implemented. Return the part with the placement Partial(), "
            "or Shard(), and reshard the result."
        )
    if group is not None:
        return group
    if _WORLD not in _groups:
        raise PreconditionNotMetError(
            "The global group is not initialized. Call paddle.distributed.init_parallel_env() "
            "first."
        )
    return _groups[_WORLD]


def check_tensors(name: str, tensors: Sequence) -> None:
    """Check that all are Tensors.

    Raises:
        InvalidOperandError: when one is not.
    """
    for each in tensors:
        if not isinstance(each, Tensor):
            raise InvalidOperandError(f"{name}(): must be Tensor, but got {type(each).__name__}.")


def is_initialized() -> bool:
    """Return whether ``init_parallel_env`` was called and not undone.

    Paddle: with one process it stays False, as ``init_parallel_env`` does nothing.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.is_initialized()
        False
    """
    return _WORLD in _groups


def get_group(id: int = 0) -> Group | None:
    """Return the group with a number, None if there is none.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.get_group(99) is None
        True
    """
    return _groups.get(id)


def get_backend(group: Group | None = None) -> str:
    """Return the backend of calls between processes: "XLA".

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> paddle.distributed.get_backend()
        'XLA'
        >>> paddle.distributed.destroy_process_group()
    """
    return used_group(group).backend


def destroy_process_group(group: Group | None = None) -> None:
    """Destroy a group, or all groups if None.

    Raises:
        PreconditionNotMetError: without a group, when ``init_parallel_env`` was not called and no
            group was created.
        InvalidArgumentError: for a group that does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> paddle.distributed.destroy_process_group()
        >>> paddle.distributed.is_initialized()
        False
    """
    if group is None:
        if not _groups:
            used_group(None)
        _groups.clear()
        return
    if group.id not in _groups:
        raise InvalidArgumentError(f"There is no group number {group.id}.")
    del _groups[group.id]


def device_number() -> int:
    """Return the number of the device of new tensors."""
    return places.place_of(places.current_device()).index
