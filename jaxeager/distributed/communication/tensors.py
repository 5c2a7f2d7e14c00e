"""all_reduce, all_gather, broadcast and the like.

As in Paddle, they write values only: no version changes, and nothing is recorded. A group of one
process sends nothing: its values are copied to the receiving tensors.
"""

from __future__ import annotations

from collections.abc import Sequence

from jaxeager.distributed.communication import alltoall_sizes
from jaxeager.distributed.communication.arguments import (
    OPS,
    check_alike,
    check_complex,
    check_list,
    check_op,
    gathered,
    parts_of,
    received,
    sizes_of,
)
from jaxeager.distributed.communication.group_call import (
    call,
    discard,
    has_peers,
    is_outside,
    shape_of,
    writer_of,
)
from jaxeager.distributed.communication.groups import Group, check_tensors, used_group
from jaxeager.distributed.communication.task import Task
from jaxeager.errors import InvalidArgumentError, InvalidOperandError
from jaxeager.tensor import Tensor


class ReduceOp:
    """The reductions of ``all_reduce`` and ``reduce``.

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


def _get_reduce_op(reduce_op: int) -> int:
    """Return the argument of the processes' own calls for a member of ReduceOp: the member."""
    return reduce_op


def all_reduce(
    tensor: Tensor, op: int = ReduceOp.SUM, group: Group | None = None, sync_op: bool = True
) -> Task | None:
    """Reduce a tensor across all processes, in place on each.

    Args:
        tensor: the tensor.
        op: a member of ReduceOp.
        group: the processes; all of them by default.
        sync_op: whether to wait for the result.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.
        InvalidArgumentError: for an op that does not exist.
        InvalidOperandError: when it is not a Tensor.

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
    used = used_group(group)
    check_op(op)
    check_tensors("all_reduce", [tensor])
    if is_outside(used):
        return None
    if not has_peers(used):
        return Task(sync_op)
    check_complex("all_reduce", tensor, op)
    shown = f"{shape_of([tensor])}, {OPS[op]}"
    return call(
        "all_reduce",
        "all_reduce",
        used,
        [tensor],
        writer_of(tensor),
        sync_op,
        operands=shown,
        op=op,
    )


def reduce(
    tensor: Tensor,
    dst: int,
    op: int = ReduceOp.SUM,
    group: Group | None = None,
    sync_op: bool = True,
) -> Task | None:
    """Reduce a tensor across all processes, in place on one of them.

    Args:
        tensor: the tensor.
        dst: the process that gets the result.
        op: a member of ReduceOp.
        group: the processes; all of them by default.
        sync_op: whether to wait for the result.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.
        InvalidArgumentError: for an op or a process that does not exist.
        InvalidOperandError: when it is not a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> task = paddle.distributed.reduce(paddle.ones([2]), 0)
        >>> paddle.distributed.destroy_process_group()
    """
    used = used_group(group)
    place = used.get_group_rank(dst)
    check_op(op)
    check_tensors("reduce", [tensor])
    if is_outside(used):
        return None
    if not has_peers(used):
        return Task(sync_op)
    check_complex("reduce", tensor, op)
    shown = f"{shape_of([tensor])}, {OPS[op]}, dst={dst}"
    write = writer_of(tensor) if used.rank == place else discard
    return call("reduce", "all_reduce", used, [tensor], write, sync_op, operands=shown, op=op)


def broadcast(
    tensor: Tensor, src: int, group: Group | None = None, sync_op: bool = True
) -> Task | None:
    """Replace the value of a tensor on all processes by that of one, which keeps its value.

    Args:
        tensor: the tensor.
        src: the process that sends the value.
        group: the processes; all of them by default.
        sync_op: whether to wait for the result.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.
        InvalidArgumentError: for a process that does not exist.
        InvalidOperandError: when it is not a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> task = paddle.distributed.broadcast(paddle.ones([2]), 0)
        >>> paddle.distributed.destroy_process_group()
    """
    used = used_group(group)
    place = used.get_group_rank(src)
    check_tensors("broadcast", [tensor])
    if is_outside(used):
        return None
    if not has_peers(used):
        return Task(sync_op)
    write = discard if used.rank == place else writer_of(tensor)
    shown = f"{shape_of([tensor])}, src={src}"
    return call("broadcast", "broadcast", used, [tensor], write, sync_op, operands=shown, src=place)


def all_gather(
    tensor_list: list[Tensor] | Tensor,
    tensor: Tensor,
    group: Group | None = None,
    sync_op: bool = True,
) -> Task | None:
    """Send the tensor of every process to all processes.

    Args:
        tensor_list: an empty list, which gets a tensor per process; or a list of tensors, which
            receive the values; or one tensor, which receives them concatenated.
        tensor: this process's tensor.
        group: the processes; all of them by default.
        sync_op: whether to wait for the result.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.
        InvalidArgumentError: when the list has another length, or tensors differ in shape or dtype.
        InvalidOperandError: when an argument or item is not a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> found = []
        >>> task = paddle.distributed.all_gather(found, paddle.to_tensor([1.0]))
        >>> [each.tolist() for each in found]
        [[1.0]]
        >>> paddle.distributed.destroy_process_group()
    """
    used = used_group(group)
    check_tensors("all_gather", [tensor])
    if is_outside(used):
        return None
    write = gathered("all_gather", tensor_list, tensor, used)
    if not has_peers(used):
        write([tensor._array])
        return Task(sync_op)
    return call("all_gather", "all_gather", used, [tensor], write, sync_op)


def gather(
    tensor: Tensor,
    gather_list: list[Tensor] | None = None,
    dst: int = 0,
    group: Group | None = None,
    sync_op: bool = True,
) -> Task | None:
    """Send the tensor of every process to one process.

    Args:
        tensor: this process's tensor.
        gather_list: like the list of ``all_gather``; required on the receiving process.
        dst: the process that receives the tensors.
        group: the processes; all of them by default.
        sync_op: whether to wait for the result.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.
        InvalidArgumentError: without a list, for one of another length, for a process that does not
            exist, or when tensors differ in shape or dtype.
        InvalidOperandError: when an argument or item is not a Tensor.

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
    place = used.get_group_rank(dst)
    check_tensors("gather", [tensor])
    if is_outside(used):
        return None
    write = discard
    if used.rank == place:
        if gather_list is None:
            raise InvalidArgumentError("gather(): the receiving process must give a gather_list.")
        write = gathered("gather", gather_list, tensor, used)
    if not has_peers(used):
        write([tensor._array])
        return Task(sync_op)
    shown = f"{shape_of([tensor])}, dst={dst}"
    return call("gather", "gather", used, [tensor], write, sync_op, operands=shown, dst=place)


def scatter(
    tensor: Tensor,
    tensor_list: Sequence[Tensor] | None = None,
    src: int = 0,
    group: Group | None = None,
    sync_op: bool = True,
) -> Task | None:
    """Send each process its tensor of a list that one process has.

    Args:
        tensor: receives the value.
        tensor_list: a tensor per process; required on the sending process.
        src: the process that sends the tensors.
        group: the processes; all of them by default.
        sync_op: whether to wait for the result.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.
        InvalidArgumentError: without a list, for one of another length, for a process that does not
            exist, or when tensors differ in shape or dtype.
        InvalidOperandError: when an argument or item is not a Tensor.

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
    place = used.get_group_rank(src)
    check_tensors("scatter", [tensor])
    if is_outside(used):
        return None
    parts = [tensor] * used.nranks  # ignored on a rank that only receives
    if used.rank == place:
        if tensor_list is None:
            raise InvalidArgumentError("scatter(): the sending process must give a tensor_list.")
        parts = parts_of("scatter", tensor_list, tensor, used)
    if not has_peers(used):
        received("scatter", tensor, parts[0])
        return Task(sync_op)
    shown = f"{shape_of([tensor])}, src={src}"
    inputs = [tensor, *parts]
    write = writer_of(tensor)
    return call("scatter", "scatter", used, inputs, write, sync_op, operands=shown, src=place)


def reduce_scatter(
    tensor: Tensor,
    tensor_list: Sequence[Tensor],
    op: int = ReduceOp.SUM,
    group: Group | None = None,
    sync_op: bool = True,
) -> Task | None:
    """Reduce the lists of all processes, and write each process's tensor of the result.

    Args:
        tensor: receives the value.
        tensor_list: a tensor per process.
        op: a member of ReduceOp.
        group: the processes; all of them by default.
        sync_op: whether to wait for the result.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.
        InvalidArgumentError: for an op that does not exist, a list of another length, or when
            tensors differ in shape or dtype.
        InvalidOperandError: when an argument or item is not a Tensor.

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
    check_op(op)
    check_tensors("reduce_scatter", [tensor])
    if is_outside(used):
        return None
    parts = parts_of("reduce_scatter", tensor_list, tensor, used)
    if not has_peers(used):
        received("reduce_scatter", tensor, parts[0])
        return Task(sync_op)
    check_complex("reduce_scatter", tensor, op)
    shown = f"{shape_of(parts)}, {OPS[op]}"
    return call(
        "reduce_scatter", "reduce_scatter", used, parts, writer_of(tensor), sync_op,
        operands=shown, op=op,
    )  # fmt: skip


def alltoall(
    out_tensor_list: list[Tensor] | Tensor,
    in_tensor_list: Sequence[Tensor] | Tensor,
    group: Group | None = None,
    sync_op: bool = True,
) -> Task | None:
    """Send each process its tensor of the list of every process.

    Args:
        out_tensor_list: like the list of ``all_gather``.
        in_tensor_list: a tensor per process.
        group: the processes; all of them by default.
        sync_op: whether to wait for the result.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.
        InvalidArgumentError: for a list of another length, or when tensors differ in shape or
            dtype.
        InvalidOperandError: when an item is not a Tensor, or only one argument is a list.

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
    if is_outside(used):
        return None
    if isinstance(in_tensor_list, Tensor) or isinstance(out_tensor_list, Tensor):
        if isinstance(in_tensor_list, Tensor) and isinstance(out_tensor_list, Tensor):
            return alltoall_single(out_tensor_list, in_tensor_list, None, None, used, sync_op)
        raise InvalidOperandError(
            "alltoall(): both arguments must be lists, or both must be Tensors."
        )
    check_tensors("alltoall", in_tensor_list)
    check_list("alltoall", in_tensor_list, used, in_tensor_list[0])
    write = gathered("alltoall", out_tensor_list, in_tensor_list[0], used)
    if not has_peers(used):
        write([in_tensor_list[0]._array])
        return Task(sync_op)
    return call("alltoall", "alltoall", used, in_tensor_list, write, sync_op)


def alltoall_single(
    out_tensor: Tensor,
    in_tensor: Tensor,
    in_split_sizes: Sequence[int] | None = None,
    out_split_sizes: Sequence[int] | None = None,
    group: Group | None = None,
    sync_op: bool = True,
) -> Task | None:
    """Send each process its rows of the tensor of every process.

    Args:
        out_tensor: receives the value.
        in_tensor: rows for each process, concatenated.
        in_split_sizes: the number of rows for each process; equal when None.
        out_split_sizes: the number of rows from each process.
        group: the processes; all of them by default.
        sync_op: whether to wait for the result.

    Raises:
        PreconditionNotMetError: for the world before ``init_parallel_env``.
        InvalidArgumentError: when tensors differ in shape or dtype, or sizes do not add up.
        InvalidOperandError: when an argument is not a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.distributed.init_parallel_env()
        >>> x = paddle.zeros([2])
        >>> task = paddle.distributed.alltoall_single(x, paddle.to_tensor([5.0, 6.0]))
        >>> x.tolist()
        [5.0, 6.0]
        >>> paddle.distributed.destroy_process_group()
    """
    used = used_group(group)
    check_tensors("alltoall_single", [in_tensor, out_tensor])
    for sizes, tensor in ((in_split_sizes, in_tensor), (out_split_sizes, out_tensor)):
        if sizes and sum(sizes) != tensor.shape[0]:
            raise InvalidArgumentError(
                f"alltoall_single(): sizes {list(sizes)} do not add up to {tensor.shape[0]} rows."
            )
    if not has_peers(used):
        received("alltoall_single", out_tensor, in_tensor)
        return Task(sync_op)
    if is_outside(used):
        return None
    if in_split_sizes or out_split_sizes:
        return alltoall_sizes.exchange_rows(
            out_tensor, in_tensor, sizes_of(in_split_sizes, in_tensor, used),
            sizes_of(out_split_sizes, out_tensor, used), used, sync_op,
        )  # fmt: skip
    sizes_of(None, in_tensor, used)
    check_alike("alltoall_single", out_tensor, in_tensor)
    write = writer_of(out_tensor)
    return call("alltoall_single", "alltoall_single", used, [in_tensor], write, sync_op)
