"""all_gather_object, broadcast_object_list and the like, among one process.

What arrives is a copy, made as it would be sent: by pickle.
"""

from __future__ import annotations

import pickle
from typing import Any

from jaxeager.distributed.communication.group import Group, used_group
from jaxeager.errors import InvalidArgumentError


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
