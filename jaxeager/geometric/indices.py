"""Node numbers on the host: read, checked, and returned as tensors."""

import numpy as np

import jaxeager as paddle
from jaxeager.errors import InvalidTypeError, OutOfRangeError


def host_integers(tensor, name: str) -> np.ndarray:
    """Return an integer tensor's values as a vector; wait for the device.

    Raises:
        InvalidTypeError: for anything but a tensor of integers.
    """
    array = tensor.numpy()
    if array.dtype.kind not in "iu":
        raise InvalidTypeError(
            f"{name} must be a tensor of int32 or int64, but received {tensor.dtype}."
        )
    return array.reshape(-1)


def check_nodes(nodes: np.ndarray, count: int, name: str) -> None:
    """Check that node numbers are in [0, count).

    Raises:
        OutOfRangeError: when a number is not.
    """
    bad = nodes[(nodes < 0) | (nodes >= count)]
    if bad.size:
        raise no_such_node(count, name, bad[0])


def no_such_node(count: int, name: str, node: int) -> OutOfRangeError:
    """Return the error for a node number outside [0, count)."""
    return OutOfRangeError(f"{name} must be in [0, {count}), but contains {node}.")


def node_tensor(array: np.ndarray, like) -> "paddle.Tensor":
    """Return an array as a tensor with the dtype of ``like``."""
    return paddle.to_tensor(array.astype(like._array.dtype))
