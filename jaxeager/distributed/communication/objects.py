"""all_gather_object, broadcast_object_list and the like.

Objects are sent as pickles in tensors of bytes. The object that a process receives from itself is a
copy, made as if it were sent. A pickle can run any code: ranks trust each other, as they run one
program. The transport authenticates no peer (Note [Where ranks listen] of world.py), so each pickle
has a digest under the key of the job, and one without it is not unpickled. Ranks of several
machines without a key (JAXEAGER_JOB_KEY) trust their network.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import pickle
import struct
from collections import deque
from typing import Any

import numpy as np

from jaxeager.distributed.communication import tensors, world
from jaxeager.distributed.communication.group_call import has_peers, is_outside
from jaxeager.distributed.communication.groups import Group, used_group
from jaxeager.distributed.communication.point_to_point import recv, send
from jaxeager.distributed.ranks.job_key import VARIABLE, is_of_this_machine, job_key
from jaxeager.errors import (
    InvalidArgumentError,
    PermissionDeniedError,
    PreconditionNotMetError,
)
from jaxeager.tensor import Tensor, to_tensor

_LENGTH = struct.Struct("<Q")


def _arrived(value: object) -> Any:
    return pickle.loads(pickle.dumps(value))


def _packed(value: object) -> np.ndarray:
    body = pickle.dumps(value)
    return np.frombuffer(_LENGTH.pack(len(body)) + _digest(body) + body, np.uint8)


def _digest(body: bytes) -> bytes:
    """Return the digest of a pickle under the key of the job."""
    host = world.master().rpartition(":")[0]
    has_key = is_of_this_machine(host) or VARIABLE in os.environ
    return hashlib.blake2b(body, key=job_key(host) if has_key else b"", digest_size=32).digest()


def _bytes(packed: np.ndarray, size: int) -> Tensor:
    """Return a pickle as a tensor, padded with zeros to a size."""
    return to_tensor(np.pad(packed, (0, size - len(packed))))


def _size(value: int) -> Tensor:
    return to_tensor(np.array([value], np.int64))


def _unpacked(found: Tensor) -> Any:
    content = found.numpy().tobytes()
    start = _LENGTH.size + 32
    body = content[start : start + _LENGTH.unpack_from(content)[0]]
    if not hmac.compare_digest(content[_LENGTH.size : start], _digest(body)):
        raise PermissionDeniedError(
            "An object received from another process was not sent by a process that knows the key "
            f"of this job ({VARIABLE}, equal on all ranks): it is not unpickled."
        )
    return pickle.loads(body)


def all_gather_object(object_list: list, obj: object, group: Group | None = None) -> None:
    """Send the object of every process to all processes.

    Args:
        object_list: gets one object per process, appended to its content.
        obj: this process's object; any object that can be pickled.
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
    used = used_group(group)
    if is_outside(used):
        return
    if not has_peers(used):
        object_list.append(_arrived(obj))
        return
    packed = _packed(obj)
    sizes: list[Tensor] = []
    tensors.all_gather(sizes, _size(len(packed)), used)
    found: list[Tensor] = []
    size = max(int(each.item()) for each in sizes)
    tensors.all_gather(found, _bytes(packed, size), used)
    object_list.extend(_unpacked(each) for each in found)


def broadcast_object_list(object_list: list, src: int, group: Group | None = None) -> None:
    """Replace the objects of all processes by those of one; the list keeps equal ones.

    Args:
        object_list: the objects.
        src: the process that sends the objects.
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
    used = used_group(group)
    place = used.get_group_rank(src)
    if not has_peers(used) or is_outside(used):
        return
    is_source = used.rank == place
    packed = _packed(object_list) if is_source else np.zeros(0, np.uint8)
    size = _size(len(packed))
    tensors.broadcast(size, src, used)
    found = _bytes(packed, int(size.item()))
    tensors.broadcast(found, src, used)
    if not is_source:
        object_list[:] = _unpacked(found)


def scatter_object_list(
    out_object_list: list,
    in_object_list: list | None = None,
    src: int = 0,
    group: Group | None = None,
) -> None:
    """Send each process its object of a list that one process has.

    Args:
        out_object_list: is cleared, and gets the object.
        in_object_list: an object per process; required on the sending process.
        src: the process that sends the objects.
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
    place = used.get_group_rank(src)
    if is_outside(used):
        return
    if used.rank != place:
        out_object_list[:] = [_scattered([], src, used)]
        return
    if in_object_list is None or len(in_object_list) != used.nranks:
        count = None if in_object_list is None else len(in_object_list)
        raise InvalidArgumentError(
            f"scatter_object_list(): in_object_list must have one object for each of the "
            f"{used.nranks} processes, but received {count}."
        )
    if not has_peers(used):
        out_object_list[:] = [_arrived(in_object_list[0])]
        return
    out_object_list[:] = [_scattered([_packed(each) for each in in_object_list], src, used)]


def _scattered(packed: list[np.ndarray], src: int, group: Group) -> Any:
    """Return this process's object of those that one process has packed."""
    size = _size(max(map(len, packed), default=0))
    tensors.broadcast(size, src, group)
    longest = int(size.item())
    found = _bytes(np.zeros(0, np.uint8), longest)
    tensors.scatter(found, [_bytes(each, longest) for each in packed] or None, src, group)
    return _unpacked(found)


_waiting: dict[int, deque[bytes]] = {}  # sent and not yet received, by the group's number


def _peer(
    name: str, peer: int | None, in_group: int | None, group: Group | None
) -> tuple[Group, int]:
    """Return the group and the named process, by default the group's first.

    Raises:
        InvalidArgumentError: for two process numbers, or a process that does not exist.
    """
    used = used_group(group)
    if peer is not None and in_group is not None:
        raise InvalidArgumentError(
            f"{name}(): give either the rank of the process or its rank in the group, not both."
        )
    if (peer or 0) not in used.ranks or (in_group or 0) not in range(len(used.ranks)):
        raise InvalidArgumentError(
            f"{name}(): there is no process {peer or in_group}; the group has {used.ranks}."
        )
    return used, used.ranks[in_group or 0] if peer is None else peer


def send_object_list(
    object_list: list[Any],
    dst: int | None = None,
    group: Group | None = None,
    dst_in_group: int | None = None,
) -> None:
    """Send objects to a process.

    Args:
        object_list: the objects, which can be pickled.
        dst: the process that receives; the group's first by default.
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
    used, place = _peer("send_object_list", dst, dst_in_group, group)
    if not object_list:
        raise InvalidArgumentError("object_list cannot be None or empty")
    if is_outside(used):
        return
    if place != used.ranks[used.rank]:
        packed = _packed(object_list)
        send(_size(len(packed)), place, used)
        send(_bytes(packed, len(packed)), place, used)
        return
    _waiting.setdefault(used.id, deque()).append(pickle.dumps(object_list))


def recv_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: Group | None = None,
    src_in_group: int | None = None,
) -> None:
    """Receive objects that a process sends.

    Args:
        object_list: the list to fill with objects; its length is their number.
        src: the process that sends them; the group's first by default.
        group: the processes; all of them by default.
        src_in_group: its number in the group, instead of ``src``.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``, and when a process
            receives from itself but has sent nothing.
        InvalidArgumentError: for an empty list, a length other than that sent, and a process that
            does not exist.

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
    used, place = _peer("recv_object_list", src, src_in_group, group)
    if not object_list:
        raise InvalidArgumentError("object_list cannot be None or empty")
    if is_outside(used):
        return
    if place != used.ranks[used.rank]:
        size = _size(0)
        recv(size, place, used)
        received = _bytes(np.zeros(0, np.uint8), int(size.item()))
        recv(received, place, used)
        _put(_unpacked(received), object_list)
        return
    if not _waiting.get(used.id):
        raise PreconditionNotMetError(
            "recv_object_list(): nothing was sent, and no other process could send it while this "
            "process waits."
        )
    _put(pickle.loads(_waiting[used.id].popleft()), object_list)


def _put(found: list, object_list: list) -> None:
    """Store objects in a list of the same length."""
    if len(found) != len(object_list):
        raise InvalidArgumentError(
            f"recv_object_list(): {len(found)} objects were sent, but object_list has "
            f"{len(object_list)} places."
        )
    object_list[:] = found
