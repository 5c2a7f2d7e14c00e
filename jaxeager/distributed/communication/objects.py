"""all_gather_object, broadcast_object_list and the like, among one process.

What arrives is a copy, made as it would be sent: by pickle.
"""

from __future__ import annotations

import pickle
from collections import deque
from typing import Any

from jaxeager.distributed.communication.group import Group, used_group
from jaxeager.errors import InvalidArgumentError, PreconditionNotMetError


def _arrived(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def all_gather_object(object_list: list, obj: Any, group: Group | None = None) -> None:
    """Gives every process the objects of all.

    Args:
        object_list: gets one object for each process, after what is in it.
        obj: what this process gives; anything that can be pickled.
        group: the processes; all of them by default.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> found = []
        >>> paddle.distributed.all_gather_object(found, {"loss": 0.5})
        >>> found
        [{'loss': 0.5}]
        >>> paddle.distributed.destroy_process_group()
    """
    used_group(group)
    object_list.append(_arrived(obj))


def broadcast_object_list(object_list: list, src: int, group: Group | None = None) -> None:
    """Gives the objects of one process to all: the list keeps equal ones.

    Args:
        object_list: the objects.
        src: the process that sends.
        group: the processes; all of them by default.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.
        InvalidArgumentError: for a process that does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> values = [{"loss": 0.5}]
        >>> paddle.distributed.broadcast_object_list(values, 0)
        >>> values
        [{'loss': 0.5}]
        >>> paddle.distributed.destroy_process_group()
    """
    used_group(group).get_group_rank(src)


def scatter_object_list(
    out_object_list: list,
    in_object_list: list | None = None,
    src: int = 0,
    group: Group | None = None,
) -> None:
    """Gives each process its object of a list that one has.

    Args:
        out_object_list: is emptied, and gets the object.
        in_object_list: an object for each process; needed by the one that sends.
        src: the process that sends.
        group: the processes; all of them by default.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.
        InvalidArgumentError: without a list, for one of another length, or for a process that does
            not exist.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> found = []
        >>> paddle.distributed.scatter_object_list(found, [{"part": 0}])
        >>> found
        [{'part': 0}]
        >>> paddle.distributed.destroy_process_group()
    """
    used = used_group(group)
    used.get_group_rank(src)
    if in_object_list is None or len(in_object_list) != used.nranks:
        count = None if in_object_list is None else len(in_object_list)
        raise InvalidArgumentError(
            f"scatter_object_list(): in_object_list has one object for each of the {used.nranks} "
            f"processes, but received {count}."
        )
    out_object_list[:] = [_arrived(in_object_list[0])]


_waiting: dict[int, deque[bytes]] = {}  # what was sent and not received, by the group's number


def _peer(name: str, peer: int | None, in_group: int | None, group: Group | None) -> Group:
    """Returns the group, after a look whether it has the process that is named.

    Raises:
        InvalidArgumentError: for two numbers, and a process that does not exist.
    """
    used = used_group(group)
    if peer is not None and in_group is not None:
        raise InvalidArgumentError(f"{name}(): give the process's rank, or that in the group.")
    if (peer or 0) not in used.ranks or (in_group or 0) not in range(len(used.ranks)):
        raise InvalidArgumentError(
            f"{name}(): there is no process {peer or in_group}; the group has {used.ranks}."
        )
    return used


def send_object_list(
    object_list: list[Any],
    dst: int | None = None,
    group: Group | None = None,
    dst_in_group: int | None = None,
) -> None:
    """Sends objects to a process: to this one.

    Args:
        object_list: the objects; anything that can be pickled.
        dst: the process that receives; 0.
        group: the processes; all of them by default.
        dst_in_group: its number in the group, instead of ``dst``.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.
        InvalidArgumentError: for an empty list, and a process that does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> paddle.distributed.send_object_list([{"loss": 0.5}], 0)
        >>> found = [None]
        >>> paddle.distributed.recv_object_list(found, 0)
        >>> found
        [{'loss': 0.5}]
        >>> paddle.distributed.destroy_process_group()
    """
    used = _peer("send_object_list", dst, dst_in_group, group)
    if not object_list:
        raise InvalidArgumentError("object_list cannot be None or empty")
    _waiting.setdefault(used.id, deque()).append(pickle.dumps(object_list))


def recv_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: Group | None = None,
    src_in_group: int | None = None,
) -> None:
    """Receives objects that a process, this one, has sent.

    Args:
        object_list: gets the objects, as many as it has places.
        src: the process that has sent them; 0.
        group: the processes; all of them by default.
        src_in_group: its number in the group, instead of ``src``.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``, and when nothing was
            sent.
        InvalidArgumentError: for an empty list, one of another length than what was sent, and a
            process that does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> paddle.distributed.send_object_list([1, "two"], 0)
        >>> found = [None, None]
        >>> paddle.distributed.recv_object_list(found, 0)
        >>> found
        [1, 'two']
        >>> paddle.distributed.destroy_process_group()
    """
    used = _peer("recv_object_list", src, src_in_group, group)
    if not object_list:
        raise InvalidArgumentError("object_list cannot be None or empty")
    if not _waiting.get(used.id):
        raise PreconditionNotMetError(
            "recv_object_list(): nothing was sent, and nobody else could send it while this "
            "process waits."
        )
    found = pickle.loads(_waiting[used.id].popleft())
    if len(found) != len(object_list):
        raise InvalidArgumentError(
            f"recv_object_list(): {len(found)} objects were sent, and there are "
            f"{len(object_list)} places."
        )
    object_list[:] = found
