"""all_reduce, all_gather, broadcast and the like, among one process.

Nothing is sent: what comes from the one process there is goes into the tensors that receive.
As in Paddle these writes are of the value alone: no version moves, and nothing is recorded.
"""

from __future__ import annotations

from collections.abc import Sequence

from jaxeager.distributed.communication.group import Group, check_tensors, used_group
from jaxeager.distributed.communication.task import Task
from jaxeager.errors import InvalidArgumentError
from jaxeager.graph.views import write_array
from jaxeager.tensor import Tensor


class ReduceOp:
    """How ``all_reduce`` and ``reduce`` put values of several processes together.

    Attributes:
        SUM: their sum.
        MAX: the largest.
        MIN: the smallest.
        PROD: their product.
        AVG: their mean.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.ReduceOp.MAX
        1
    """

    SUM, MAX, MIN, PROD, AVG = range(5)


def _check_op(op: int) -> None:
    if op not in range(5):
        raise InvalidArgumentError(f"Unknown reduce_op type for {op}.")


def received(name: str, tensor: Tensor, sent: Tensor) -> None:
    """Makes a sent tensor's value that of one that receives.

    Raises:
        InvalidOperandError: when one is no Tensor.
        InvalidArgumentError: when shape or dtype differ.
    """
    check_tensors(name, [tensor, sent])
    if tensor.dtype != sent.dtype or list(tensor.shape) != list(sent.shape):
        raise InvalidArgumentError(
            f"{name}(): a tensor that receives is like the one that is sent, but one is "
            f"{tensor.dtype} {list(tensor.shape)}, the other {sent.dtype} {list(sent.shape)}."
        )
    write_array(tensor, sent._array)


def _only(name: str, tensors: Sequence[Tensor], group: Group) -> Tensor:
    """Returns the one tensor of a list that has one for each process of a group.

    Raises:
        InvalidArgumentError: when the list has another length.
    """
    if len(tensors) != group.nranks:
        raise InvalidArgumentError(
            f"{name}(): the list has one tensor for each of the {group.nranks} processes, but "
            f"received {len(tensors)}."
        )
    return tensors[0]


def _get_reduce_op(reduce_op: int) -> int:
    """Returns what the processes' own calls take for a member of ReduceOp: the member."""
    return reduce_op


def all_reduce(
    tensor: Tensor, op: int = ReduceOp.SUM, group: Group | None = None, sync_op: bool = True
) -> Task:
    """Puts the values of all processes together, into the tensor of each: it keeps its value.

    Args:
        tensor: the tensor.
        op: a member of ReduceOp.
        group: the processes; all of them by default.
        sync_op: whether to wait for it.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.
        InvalidArgumentError: for an op that does not exist.
        InvalidOperandError: when it is no Tensor.

    Paddle: with one process it raises, as there is no global group.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> x = paddle.to_tensor([1.0, 2.0])
        >>> task = paddle.distributed.all_reduce(x)
        >>> x.tolist()
        [1.0, 2.0]
        >>> paddle.distributed.destroy_process_group()
    """
    used_group(group)
    _check_op(op)
    check_tensors("all_reduce", [tensor])
    return Task(sync_op)


def reduce(
    tensor: Tensor,
    dst: int,
    op: int = ReduceOp.SUM,
    group: Group | None = None,
    sync_op: bool = True,
) -> Task:
    """Puts the values of all processes together, into the tensor of one: it keeps its value.

    Args:
        tensor: the tensor.
        dst: the process that gets the result.
        op: a member of ReduceOp.
        group: the processes; all of them by default.
        sync_op: whether to wait for it.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.
        InvalidArgumentError: for an op or a process that does not exist.
        InvalidOperandError: when it is no Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> task = paddle.distributed.reduce(paddle.ones([2]), 0)
        >>> paddle.distributed.destroy_process_group()
    """
    used_group(group).get_group_rank(dst)
    _check_op(op)
    check_tensors("reduce", [tensor])
    return Task(sync_op)


def broadcast(tensor: Tensor, src: int, group: Group | None = None, sync_op: bool = True) -> Task:
    """Gives the tensor of one process to all: it keeps its value.

    Args:
        tensor: the tensor.
        src: the process that sends.
        group: the processes; all of them by default.
        sync_op: whether to wait for it.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.
        InvalidArgumentError: for a process that does not exist.
        InvalidOperandError: when it is no Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> task = paddle.distributed.broadcast(paddle.ones([2]), 0)
        >>> paddle.distributed.destroy_process_group()
    """
    used_group(group).get_group_rank(src)
    check_tensors("broadcast", [tensor])
    return Task(sync_op)


def all_gather(
    tensor_list: list[Tensor] | Tensor,
    tensor: Tensor,
    group: Group | None = None,
    sync_op: bool = True,
) -> Task:
    """Gives every process the tensors of all.

    Args:
        tensor_list: an empty list, which gets a tensor for each process; or a list of tensors,
            which get the values; or one tensor, which gets them one after the other.
        tensor: what this process gives.
        group: the processes; all of them by default.
        sync_op: whether to wait for it.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.
        InvalidArgumentError: when the list has another length, or tensors differ in shape or dtype.
        InvalidOperandError: when something is no Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> found = []
        >>> task = paddle.distributed.all_gather(found, paddle.to_tensor([1.0]))
        >>> [each.tolist() for each in found]
        [[1.0]]
        >>> paddle.distributed.destroy_process_group()
    """
    _gather("all_gather", tensor_list, tensor, used_group(group))
    return Task(sync_op)


def _gather(name: str, into: list[Tensor] | Tensor, tensor: Tensor, group: Group) -> None:
    """Puts a tensor into what receives those of all processes."""
    check_tensors(name, [tensor])
    if isinstance(into, Tensor):
        received(name, into, tensor)
    elif into:
        received(name, _only(name, into, group), tensor)
    else:
        into.append(tensor.detach().clone())


def gather(
    tensor: Tensor,
    gather_list: list[Tensor] | None = None,
    dst: int = 0,
    group: Group | None = None,
    sync_op: bool = True,
) -> Task:
    """Gives one process the tensors of all.

    Args:
        tensor: what this process gives.
        gather_list: as the list of ``all_gather``; needed by the process that receives.
        dst: the process that receives.
        group: the processes; all of them by default.
        sync_op: whether to wait for it.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.
        InvalidArgumentError: without a list, for one of another length, for a process that does not
            exist, or when tensors differ in shape or dtype.
        InvalidOperandError: when something is no Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> found = []
        >>> task = paddle.distributed.gather(paddle.to_tensor([1.0]), found)
        >>> [each.tolist() for each in found]
        [[1.0]]
        >>> paddle.distributed.destroy_process_group()
    """
    used = used_group(group)
    used.get_group_rank(dst)
    if gather_list is None:
        raise InvalidArgumentError("gather(): the process that receives gives a gather_list.")
    _gather("gather", gather_list, tensor, used)
    return Task(sync_op)


def scatter(
    tensor: Tensor,
    tensor_list: Sequence[Tensor] | None = None,
    src: int = 0,
    group: Group | None = None,
    sync_op: bool = True,
) -> Task:
    """Gives each process its tensor of a list that one has.

    Args:
        tensor: gets the value.
        tensor_list: a tensor for each process; needed by the one that sends.
        src: the process that sends.
        group: the processes; all of them by default.
        sync_op: whether to wait for it.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.
        InvalidArgumentError: without a list, for one of another length, for a process that does not
            exist, or when tensors differ in shape or dtype.
        InvalidOperandError: when something is no Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> x = paddle.zeros([1])
        >>> task = paddle.distributed.scatter(x, [paddle.to_tensor([5.0])])
        >>> x.tolist()
        [5.0]
        >>> paddle.distributed.destroy_process_group()
    """
    used = used_group(group)
    used.get_group_rank(src)
    if tensor_list is None:
        raise InvalidArgumentError("scatter(): the process that sends gives a tensor_list.")
    whole = isinstance(tensor_list, Tensor)
    received("scatter", tensor, tensor_list if whole else _only("scatter", tensor_list, used))
    return Task(sync_op)


def reduce_scatter(
    tensor: Tensor,
    tensor_list: Sequence[Tensor],
    op: int = ReduceOp.SUM,
    group: Group | None = None,
    sync_op: bool = True,
) -> Task:
    """Puts the lists of all processes together, and gives each process its tensor of the result.

    Args:
        tensor: gets the value.
        tensor_list: a tensor for each process.
        op: a member of ReduceOp.
        group: the processes; all of them by default.
        sync_op: whether to wait for it.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.
        InvalidArgumentError: for an op that does not exist, a list of another length, or when
            tensors differ in shape or dtype.
        InvalidOperandError: when something is no Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> x = paddle.zeros([1])
        >>> task = paddle.distributed.reduce_scatter(x, [paddle.to_tensor([5.0])])
        >>> x.tolist()
        [5.0]
        >>> paddle.distributed.destroy_process_group()
    """
    used = used_group(group)
    _check_op(op)
    whole = isinstance(tensor_list, Tensor)
    sent = tensor_list if whole else _only("reduce_scatter", tensor_list, used)
    received("reduce_scatter", tensor, sent)
    return Task(sync_op)


def alltoall(
    out_tensor_list: list[Tensor],
    in_tensor_list: Sequence[Tensor],
    group: Group | None = None,
    sync_op: bool = True,
) -> Task:
    """Gives each process its tensor of the lists of all.

    Args:
        out_tensor_list: as the list of ``all_gather``.
        in_tensor_list: a tensor for each process.
        group: the processes; all of them by default.
        sync_op: whether to wait for it.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.
        InvalidArgumentError: for a list of another length, or when tensors differ in shape or
            dtype.
        InvalidOperandError: when something is no Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> found = []
        >>> task = paddle.distributed.alltoall(found, [paddle.to_tensor([5.0])])
        >>> [each.tolist() for each in found]
        [[5.0]]
        >>> paddle.distributed.destroy_process_group()
    """
    used = used_group(group)
    whole = isinstance(in_tensor_list, Tensor)
    sent = in_tensor_list if whole else _only("alltoall", in_tensor_list, used)
    _gather("alltoall", out_tensor_list, sent, used)
    return Task(sync_op)


def alltoall_single(
    out_tensor: Tensor,
    in_tensor: Tensor,
    in_split_sizes: Sequence[int] | None = None,
    out_split_sizes: Sequence[int] | None = None,
    group: Group | None = None,
    sync_op: bool = True,
) -> Task:
    """Gives each process its rows of the tensors of all.

    Args:
        out_tensor: gets the value.
        in_tensor: rows for each process, one process after the other.
        in_split_sizes: how many rows each process gets; all of them go to the one there is.
        out_split_sizes: how many rows come from each process.
        group: the processes; all of them by default.
        sync_op: whether to wait for it.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.
        InvalidArgumentError: when tensors differ in shape or dtype, or sizes do not add up.
        InvalidOperandError: when something is no Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> x = paddle.zeros([2])
        >>> task = paddle.distributed.alltoall_single(x, paddle.to_tensor([5.0, 6.0]))
        >>> x.tolist()
        [5.0, 6.0]
        >>> paddle.distributed.destroy_process_group()
    """
    used_group(group)
    for sizes, tensor in ((in_split_sizes, in_tensor), (out_split_sizes, out_tensor)):
        if sizes and sum(sizes) != tensor.shape[0]:
            raise InvalidArgumentError(
                f"alltoall_single(): sizes {list(sizes)} do not add up to {tensor.shape[0]} rows."
            )
    received("alltoall_single", out_tensor, in_tensor)
    return Task(sync_op)
