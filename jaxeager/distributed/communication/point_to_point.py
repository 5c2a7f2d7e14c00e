"""send, recv and the like.

A tensor that a process sends to itself is kept, unchanged, until it is received, in order.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence

from jaxeager.distributed.communication.arguments import received
from jaxeager.distributed.communication.group_call import (
    call,
    discard,
    is_outside,
    shape_of,
    writer_of,
)
from jaxeager.distributed.communication.groups import Group, check_tensors, used_group
from jaxeager.distributed.communication.task import Task
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, PreconditionNotMetError
from jaxeager.tensor import Tensor

_waiting: dict[int, deque[Tensor]] = {}  # sent and not yet received, by the group's number


def _check_peer(name: str, peer: int, group: Group) -> None:
    if peer not in group.ranks:
        raise InvalidArgumentError(
            f"{name}(): there is no process {peer}; the group has {group.ranks}."
        )


def _transfer(name: str, tensor: Tensor, src: int, dst: int, group: Group, sync_op: bool) -> Task:
    """Make this rank's half of a call between two ranks."""
    pair = (min(src, dst), max(src, dst))
    write = writer_of(tensor) if name == "recv" else discard
    return call(
        name, "transfer", group, [tensor], write, sync_op,
        operands=f"{shape_of([tensor])}, {src} to {dst}", ranks=pair, lane=("p2p", src, dst),
        src=int(src > dst),
    )  # fmt: skip


def send(
    tensor: Tensor, dst: int = 0, group: Group | None = None, sync_op: bool = True
) -> Task | None:
    """Send a tensor to a process.

    Args:
        tensor: the tensor; its current value is sent.
        dst: the process that receives.
        group: the processes; all of them by default.
        sync_op: whether to wait until it is received; ignored when a process sends to itself.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.
        InvalidArgumentError: for a process that does not exist.
        InvalidOperandError: when it is not a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> x = paddle.zeros([1])
        >>> sent = paddle.distributed.send(paddle.to_tensor([5.0]), 0)
        >>> task = paddle.distributed.recv(x, 0)
        >>> x.tolist()
        [5.0]
        >>> paddle.distributed.destroy_process_group()
    """
    used = used_group(group)
    check_tensors("send", [tensor])
    _check_peer("send", dst, used)
    if is_outside(used):
        return None
    own = used.ranks[used.rank]
    if dst != own:
        return _transfer("send", tensor, own, dst, used, sync_op)
    _waiting.setdefault(used.id, deque()).append(tensor.detach().clone())
    return Task(sync_op)


def recv(
    tensor: Tensor, src: int = 0, group: Group | None = None, sync_op: bool = True
) -> Task | None:
    """Receive a tensor that a process sends.

    Args:
        tensor: receives the value.
        src: the process that sends it.
        group: the processes; all of them by default.
        sync_op: whether to wait for the value.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``, and when a process
            receives from itself but has sent nothing, as no other code could send it while this
            process waits.
        InvalidArgumentError: for a process that does not exist, or when the tensors differ in shape
            or dtype.
        InvalidOperandError: when it is not a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> paddle.distributed.recv(paddle.zeros([1]), 0)
        Traceback (most recent call last):
            ...
        jaxeager.errors.PreconditionNotMetError: (PreconditionNotMet) recv(): nothing was sent...
        >>> paddle.distributed.destroy_process_group()
    """
    used = used_group(group)
    check_tensors("recv", [tensor])
    _check_peer("recv", src, used)
    if is_outside(used):
        return None
    own = used.ranks[used.rank]
    if src != own:
        return _transfer("recv", tensor, src, own, used, sync_op)
    waiting = _waiting.get(used.id)
    if not waiting:
        raise PreconditionNotMetError(
            "recv(): nothing was sent that could be received, and no other process could send it."
        )
    received("recv", tensor, waiting[0])
    waiting.popleft()
    return Task(sync_op)


def isend(tensor: Tensor, dst: int, group: Group | None = None) -> Task | None:
    """Send a tensor; see ``send``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> x = paddle.zeros([1])
        >>> sent = paddle.distributed.isend(paddle.to_tensor([5.0]), 0)
        >>> paddle.distributed.irecv(x, 0).wait()
        True
        >>> paddle.distributed.destroy_process_group()
    """
    return send(tensor, dst, group, sync_op=False)


def irecv(tensor: Tensor, src: int | None = None, group: Group | None = None) -> Task | None:
    """Receive a tensor; see ``recv``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> x = paddle.zeros([1])
        >>> sent = paddle.distributed.isend(paddle.to_tensor([5.0]), 0)
        >>> paddle.distributed.irecv(x, 0).wait()
        True
        >>> paddle.distributed.destroy_process_group()
    """
    return recv(tensor, 0 if src is None else src, group, sync_op=False)


class P2POp:
    """A call of ``isend`` or ``irecv`` for ``batch_isend_irecv``.

    Args:
        op: ``paddle.distributed.isend`` or ``irecv``.
        tensor: its tensor.
        peer: the other process.
        group: the processes; all of them by default.

    Raises:
        InvalidTypeError: for any other function.
        PreconditionNotMetError: for the world before ``init_parallel_env``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> op = paddle.distributed.P2POp(paddle.distributed.isend, paddle.ones([1]), 0)
        >>> op.peer
        0
        >>> paddle.distributed.destroy_process_group()
    """

    def __init__(self, op: Callable, tensor: Tensor, peer: int, group: Group | None = None):
        if op not in (isend, irecv):
            raise InvalidTypeError(
                "P2POp(): op must be paddle.distributed.isend or paddle.distributed.irecv, but "
                f"received {op!r}."
            )
        self.op = op
        self.tensor = tensor
        self.peer = peer
        self.group = used_group(group)


def batch_isend_irecv(p2p_op_list: Sequence[P2POp]) -> list[Task]:
    """Make several calls of ``isend`` and ``irecv``, in an order that is the same on all ranks.

    Two ranks that send to each other and then receive do not deadlock.

    Args:
        p2p_op_list: the calls.

    Raises:
        InvalidTypeError: when an item of the list is not a P2POp.

    Example:
        >>> import jaxeager as paddle
        >>> dist = paddle.distributed
        >>> dist.init_parallel_env()
        >>> x = paddle.zeros([1])
        >>> calls = [dist.P2POp(dist.irecv, x, 0), dist.P2POp(dist.isend, paddle.ones([1]), 0)]
        >>> [task.is_completed() for task in dist.batch_isend_irecv(calls)]
        [True, True]
        >>> dist.destroy_process_group()
    """
    for each in p2p_op_list:
        if not isinstance(each, P2POp):
            raise InvalidTypeError(
                f"Each item must be a P2POp, but received {type(each).__name__}."
            )
    tasks = {}
    for number, each in sorted(enumerate(p2p_op_list), key=_order):
        tasks[number] = each.op(each.tensor, each.peer, each.group)
    return [tasks[number] for number in range(len(p2p_op_list))]


@contextlib.contextmanager
def _coalescing_manager(
    group: Group | None = None, tasks: Sequence[Task] | None = None
) -> Iterator[None]:
    """Enclose calls of ``isend`` and ``irecv`` that Paddle starts together when the block ends.

    Here each starts when it is called: ranks that first send and then receive do not deadlock.

    Args:
        group: the processes; all of them by default.
        tasks: the tasks of the calls, to which the block may append; they are not changed.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.communication.point_to_point import _coalescing_manager
        >>> dist = paddle.distributed
        >>> dist.init_parallel_env()
        >>> x = paddle.zeros([1])
        >>> tasks = []
        >>> with _coalescing_manager(None, tasks):
        ...     tasks.append(dist.isend(paddle.ones([1]), 0))
        ...     tasks.append(dist.irecv(x, 0))
        >>> [task.wait() for task in tasks], x.item()
        ([True, True], 1.0)
        >>> dist.destroy_process_group()
    """
    used_group(group)
    yield


def _order(numbered: tuple[int, P2POp]) -> tuple:
    """Return the sort key of a call: sender, receiver; sends to itself before receives."""
    op = numbered[1]
    own = op.group.ranks[op.group.rank] if op.group.is_member() else -1
    receives = op.op is irecv
    return (op.peer, own, 1) if receives else (own, op.peer, 0)
