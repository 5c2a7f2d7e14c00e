"""InputSpec: shape and dtype of a network's input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from jaxeager.core import dtypes
from jaxeager.errors import InvalidArgumentError, InvalidTypeError

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike, ShapeLike
    from jaxeager.tensor.tensor import Tensor


class InputSpec:
    """The description of a future tensor, for ``paddle.Model`` and ``paddle.summary``.

    Args:
        shape: list or tuple of ints; None, or anything below -1, means an unknown size.
        dtype: in any of its spellings, or None.
        name: a name.
        stop_gradient: whether no gradient is computed for it.

    Attributes:
        shape: a tuple, in which unknown sizes are -1.
        dtype: a ``paddle.dtype``, or None.
        name: as given.
        stop_gradient: as given.

    Raises:
        InvalidTypeError: when the shape is not a list or tuple, or the dtype is invalid.
        InvalidArgumentError: when a size is not an int.

    Paddle: None in a tuple raises; only a list may contain it, and is then modified.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.static.InputSpec([None, 784], "float32", "x")
        InputSpec(shape=(-1, 784), dtype=paddle.float32, name=x, stop_gradient=False)
    """

    def __init__(
        self,
        shape: ShapeLike,
        dtype: DTypeLike | None = "float32",
        name: str | None = None,
        stop_gradient: bool = False,
    ):
        self.shape = _checked_shape(shape)
        self.dtype = None if dtype is None else dtypes.as_dtype(dtype)
        self.name = name
        self.stop_gradient = stop_gradient

    @classmethod
    def from_tensor(cls, tensor: Tensor, name: str | None = None) -> InputSpec:
        """Return the description of a tensor.

        Args:
            tensor: the tensor.
            name: the name; the tensor's own by default.

        Raises:
            InvalidArgumentError: when it is not a tensor.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.static.InputSpec.from_tensor(paddle.ones([2, 3]), "x").shape
            (2, 3)
        """
        if not hasattr(tensor, "_storage"):
            raise InvalidArgumentError(
                f"Input `tensor` should be a Tensor, but received {type(tensor).__name__}."
            )
        return cls(tensor.shape, tensor.dtype, name or tensor.name)

    @classmethod
    def from_numpy(cls, ndarray: np.ndarray, name: str | None = None) -> InputSpec:
        """Return the description of an array.

        Args:
            ndarray: the array.
            name: the name.

        Raises:
            InvalidTypeError: when it is not an array.

        Example:
            >>> import numpy as np
            >>> import jaxeager as paddle
            >>> paddle.static.InputSpec.from_numpy(np.ones([2, 3], "int64")).dtype
            paddle.int64
        """
        if not isinstance(ndarray, (np.ndarray, np.generic)):
            raise InvalidTypeError(
                f"from_numpy takes a NumPy array, but received {type(ndarray).__name__}."
            )
        return cls(ndarray.shape, ndarray.dtype, name)

    def batch(self, batch_size: int | Sequence[int]) -> InputSpec:
        """Prepend a batch size to the shape, and return self.

        Args:
            batch_size: an int, or a list of one.

        Raises:
            InvalidTypeError: when it is not an int.
            InvalidArgumentError: when the list does not hold exactly one.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.static.InputSpec([64]).batch(4).shape
            (4, 64)
        """
        if isinstance(batch_size, (list, tuple)):
            if len(batch_size) != 1:
                raise InvalidArgumentError(
                    f"Length of batch_size: {batch_size} shall be 1, but received "
                    f"{len(batch_size)}."
                )
            batch_size = batch_size[0]
        if not isinstance(batch_size, int):
            raise InvalidTypeError(
                f"type(batch_size) shall be `int`, but received {type(batch_size).__name__}."
            )
        self.shape = _checked_shape((batch_size, *self.shape))
        return self

    def unbatch(self) -> InputSpec:
        """Remove the first size from the shape, and return self.

        Raises:
            InvalidArgumentError: when the shape is empty.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.static.InputSpec([4, 64]).unbatch().shape
            (64,)
        """
        if not self.shape:
            raise InvalidArgumentError("Not support to unbatch a InputSpec when len(shape) == 0.")
        self.shape = self.shape[1:]
        return self

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(shape={self.shape}, dtype={self.dtype}, name={self.name}, "
            f"stop_gradient={self.stop_gradient})"
        )

    def __eq__(self, other) -> bool:
        return type(self) is type(other) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype, self.stop_gradient))

    def _fields(self) -> tuple:
        return (self.shape, self.dtype, self.name, self.stop_gradient)


def _checked_shape(shape) -> tuple[int, ...]:
    """Return a shape as a tuple, with -1 for unknown sizes."""
    if not isinstance(shape, (list, tuple)):
        raise InvalidTypeError(
            "Type of `shape` in InputSpec should be one of (tuple, list), but received "
            f"{type(shape).__name__}."
        )
    for place, size in enumerate(shape):
        if size is not None and not isinstance(size, int):
            raise InvalidArgumentError(
                f"shape[{place}] should be an `int`, but received `{type(size).__name__}`:{size}."
            )
    return tuple(-1 if size is None or size < -1 else size for size in shape)
