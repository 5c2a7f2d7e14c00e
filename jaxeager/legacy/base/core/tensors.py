"""Levels of mixed precision, tensors of the host by hand, and tensors in groups."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from jaxeager.arrays.random import Generator, default_generator
from jaxeager.device.kinds import is_compiled_with_cuda
from jaxeager.errors import NotFoundError, PermissionDeniedError, PreconditionNotMetError
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    import numpy.typing as npt

    from jaxeager.core.dtypes import DType
    from jaxeager.core.types import DTypeLike


class AmpLevel(enum.IntEnum):
    """The levels of mixed precision, by Paddle's numbers."""

    O0, O1, O2, O3, OD = range(5)


class DenseTensor:
    """An array of the host that is set after it is made, as programs of static graphs do.

    Example:
        >>> import numpy as np
        >>> from jaxeager.legacy.base.core import DenseTensor
        >>> made = DenseTensor()
        >>> made.set(np.ones([2, 3], "float32"), None)
        >>> made.shape(), float(np.asarray(made).sum())
        ([2, 3], 6.0)
    """

    def __init__(self) -> None:
        self._array = np.zeros([0], "float32")

    def set(self, array: npt.ArrayLike, place: object = None) -> None:
        """Set its value to a copy of an array.

        Args:
            array: the array.
            place: accepted for compatibility: the copy is on the host.
        """
        self._array = np.array(array)

    def shape(self) -> list[int]:
        """Return its shape."""
        return list(self._array.shape)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self._array, dtype) if copy else np.asarray(self._array, dtype)

    def __repr__(self) -> str:
        return f"DenseTensor(shape={self.shape()}, dtype={self._array.dtype}, {self._array})"


LoDTensor = DenseTensor


def get_custom_device_count(device_type: str) -> int:
    """Raise NotFoundError: there are no plug-ins for devices of other kinds.

    Args:
        device_type: the kind.
    """
    raise NotFoundError(f"{device_type} interface not found.")


def default_cuda_generator(device_id: int = 0) -> Generator:
    """Return the generator that random ops draw from, which serves every device.

    Args:
        device_id: accepted for compatibility.

    Raises:
        PermissionDeniedError: on a machine without a GPU.
    """
    if not is_compiled_with_cuda():
        raise PermissionDeniedError("getDefaultCUDAGenerator only support in CUDA place")
    return default_generator


def eager_assign_group_by_size(
    tensors: Sequence[Tensor],
    is_sparse_gradient: Sequence[bool],
    group_size_limits: Sequence[int] = (25 * 2**20,),
    tensor_indices: Sequence[int] = (),
) -> list[list[int]]:
    """Return groups of tensors of one dtype, each closed by the tensor that fills it.

    Args:
        tensors: the tensors.
        is_sparse_gradient: whether the gradient of each has rows only; it is a group by itself.
        group_size_limits: the bytes that fill the first group of a dtype, the second one, ...; the
            last number counts for all later ones.
        tensor_indices: the numbers of the tensors; their positions when empty, and the groups are
            then sorted by their first number.

    Raises:
        PreconditionNotMetError: when the lengths differ.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.legacy.base.core import eager_assign_group_by_size
        >>> tensors = [paddle.ones([4]), paddle.ones([4], "float64"), paddle.ones([4])]
        >>> eager_assign_group_by_size(tensors, [False] * 3, [32])
        [[0, 2], [1]]
    """
    if len(tensors) != len(is_sparse_gradient):
        raise PreconditionNotMetError(
            "tensors len must be equal to is_sparse_gradient len, but "
            f"[{len(tensors)}] != [{len(is_sparse_gradient)}]"
        )
    full: list[list[int]] = []
    opened: dict[DType, tuple[list[int], int]] = {}
    closed: dict[DType, int] = {}  # the number of full groups of each dtype
    for position, (tensor, is_sparse) in enumerate(zip(tensors, is_sparse_gradient, strict=True)):
        number = tensor_indices[position] if tensor_indices else position
        if is_sparse:
            full.append([number])
            continue
        group, size = opened.pop(tensor.dtype, ([], 0))
        group, size = [*group, number], size + tensor.size * tensor.element_size()
        count = closed.get(tensor.dtype, 0)
        if size >= group_size_limits[min(count, len(group_size_limits) - 1)]:
            closed[tensor.dtype] = count + 1
            full.append(group)
        else:
            opened[tensor.dtype] = group, size
    groups = [*full, *(group for group, _ in opened.values())]
    return groups if tensor_indices else sorted(groups)
