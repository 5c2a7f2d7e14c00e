"""Checks and conversions of the arguments of calls between processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import jax.numpy as jnp

from jaxeager.distributed.communication.group_call import like, writer_of
from jaxeager.distributed.communication.groups import Group, check_tensors
from jaxeager.errors import InvalidArgumentError
from jaxeager.graph.views.shared_writes import write_array
from jaxeager.tensor import Tensor

OPS = ("SUM", "MAX", "MIN", "PROD", "AVG")  # the members of ReduceOp


def check_op(op: int) -> None:
    if op not in range(5):
        raise InvalidArgumentError(f"Unknown reduce_op type for {op}.")


def check_alike(name: str, tensor: Tensor, sent: Tensor) -> None:
    """Check that a tensor can receive the value of another one.

    Raises:
        InvalidOperandError: when one is not a Tensor.
        InvalidArgumentError: when shape or dtype differ.
    """
    check_tensors(name, [tensor, sent])
    if tensor.dtype != sent.dtype or list(tensor.shape) != list(sent.shape):
        raise InvalidArgumentError(
            f"{name}(): the receiving tensor must be like the one that is sent, but one is "
            f"{tensor.dtype} {list(tensor.shape)}, the other {sent.dtype} {list(sent.shape)}."
        )


def received(name: str, tensor: Tensor, sent: Tensor) -> None:
    """Write the value of a sent tensor into the receiving one.

    Raises:
        InvalidOperandError: when one is not a Tensor.
        InvalidArgumentError: when shape or dtype differ.
    """
    check_alike(name, tensor, sent)
    write_array(tensor, sent._array)


def check_list(
    name: str, tensors: Sequence[Tensor], group: Group, like: Tensor, receives: bool = False
) -> None:
    """Check that a list of receiving tensors has one per process, all like the sent one.

    Raises:
        InvalidOperandError: when an item is not a Tensor.
        InvalidArgumentError: when the list has another length, or a shape or dtype differs.
    """
    if len(tensors) != group.nranks:
        raise InvalidArgumentError(
            f"{name}(): the list must have one tensor for each of the {group.nranks} processes, "
            f"but received {len(tensors)}."
        )
    for each in tensors:
        check_alike(name, *((each, like) if receives else (like, each)))


def check_rows(name: str, whole: Tensor, part: Tensor, group: Group) -> None:
    """Check that a tensor consists of such a part for each process of a group, concatenated.

    Raises:
        InvalidOperandError: when one is not a Tensor.
        InvalidArgumentError: when a shape or dtype does not match.
    """
    check_tensors(name, [whole, part])
    rows = list(part.shape) or [1]
    wanted = [rows[0] * group.nranks, *rows[1:]]
    stacked = [group.nranks, *part.shape]
    if whole.dtype != part.dtype or list(whole.shape) not in (wanted, stacked):
        raise InvalidArgumentError(
            f"{name}(): the tensor of all {group.nranks} processes must be {part.dtype} {wanted}, "
            f"but received {whole.dtype} {list(whole.shape)}."
        )


def _pieces(whole: Tensor, part: Tensor, group: Group) -> list[Tensor]:
    """Return the pieces of a tensor for each process of a group, in the shape of ``part``."""
    flat = whole.detach().reshape([group.nranks, *part.shape])
    return [flat[i] for i in range(group.nranks)]


def _written_whole(whole: Tensor) -> Callable[[list], None]:
    """Return a function that writes the arrays of all processes into one tensor."""

    def write(arrays: list) -> None:
        write_array(whole, jnp.stack(arrays).reshape(tuple(whole.shape)))

    return write


def check_complex(name: str, tensor: Tensor, op: int) -> None:
    """Raise InvalidArgumentError for the maximum or minimum of complex numbers."""
    if tensor.is_complex() and op in (OPS.index("MAX"), OPS.index("MIN")):
        raise InvalidArgumentError(f"{name}(): complex numbers have no {OPS[op]}.")


def gathered(
    name: str, found: list[Tensor] | Tensor, tensor: Tensor, group: Group
) -> Callable[[list], None]:
    """Return a function that writes the arrays of all processes to their targets."""
    if isinstance(found, Tensor):
        check_rows(name, found, tensor, group)
        return _written_whole(found)
    if not found:
        found.extend(like(tensor, group.nranks))
    check_list(name, found, group, tensor, receives=True)
    return writer_of(*found)


def parts_of(
    name: str, given: Sequence[Tensor] | Tensor, part: Tensor, group: Group
) -> list[Tensor]:
    """Return a tensor for each process, from a list of them or from one concatenated tensor."""
    if isinstance(given, Tensor):
        check_rows(name, given, part, group)
        return _pieces(given, part, group)
    check_list(name, given, group, part)
    return list(given)


def sizes_of(given: Sequence[int] | None, tensor: Tensor, group: Group) -> list[int]:
    """Return how many rows belong to each process.

    Raises:
        InvalidArgumentError: unless there is one size per process; without sizes, unless the rows
            divide evenly.
    """
    rows, count = tensor.shape[0], group.nranks
    if (given and len(given) != count) or (not given and rows % count):
        raise InvalidArgumentError(
            f"alltoall_single(): {rows} rows are cut into one piece for each of the {count} "
            f"processes, but received sizes {given and list(given)}."
        )
    return [int(each) for each in given] if given else [rows // count] * count
