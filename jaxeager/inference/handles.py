"""Tensor: an input or output of a Predictor, by name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import jaxeager as paddle
from jaxeager.errors import (
    InvalidTypeError,
    PreconditionNotMetError,
    UnimplementedError,
)
from jaxeager.inference.kinds import DataType, data_type_of


class Tensor:
    """An input or output of a Predictor, from ``get_input_handle`` or ``get_output_handle``.

    Args:
        name: its name.
        dtype: the type of its elements before it has a value.

    Example:
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> handle = paddle.inference.Tensor("x", np.dtype("float32"))
        >>> handle.copy_from_cpu(np.ones([2, 3], "float32"))
        >>> handle.shape(), handle.type().name
        ([2, 3], 'FLOAT32')
    """

    def __init__(self, name: str, dtype: np.dtype):
        self._name = name
        self._dtype = dtype
        self._shape = [0]
        self._lod: list[list[int]] = []
        self._value: paddle.Tensor | None = None

    def name(self) -> str:
        """Return the name."""
        return self._name

    def shape(self) -> list[int]:
        """Return the shape of its value, or the one passed to ``reshape``."""
        return list(self._shape if self._value is None else self._value.shape)

    def type(self) -> DataType:
        """Return the type of its elements."""
        return data_type_of(self._dtype if self._value is None else self._value._array.dtype)

    def reshape(self, shape: Sequence[int]) -> None:
        """Set the shape of the next value; a copied array has its own.

        Args:
            shape: sizes.
        """
        self._shape, self._value = [int(size) for size in shape], None

    def copy_from_cpu(self, data: np.ndarray) -> None:
        """Copy the values of an array.

        Args:
            data: the array, which may be changed afterwards.

        Raises:
            InvalidTypeError: for anything else.
            UnimplementedError: for strings.
        """
        if isinstance(data, list) and data and isinstance(data[0], str):
            raise UnimplementedError("Strings are not tensors here: a program takes numbers.")
        if not isinstance(data, np.ndarray):
            raise InvalidTypeError(
                "In copy_from_cpu, we only support numpy ndarray and list[str] data type."
            )
        self._value = paddle.to_tensor(data)

    def share_external_data(self, data: paddle.Tensor) -> None:
        """Use a tensor without a copy.

        Args:
            data: a ``paddle.Tensor``.

        Raises:
            InvalidTypeError: for anything else.
        """
        if not isinstance(data, paddle.Tensor):
            raise InvalidTypeError(
                "In share_external_data, we only support Tensor and DenseTensor, but received "
                f"{type(data).__name__}."
            )
        self._value = data.detach()

    def copy_to_cpu(self) -> np.ndarray:
        """Return its values after waiting for the device.

        Raises:
            PreconditionNotMetError: before it has a value.
        """
        return self.value().numpy()

    def value(self) -> paddle.Tensor:
        """Return its value, a ``paddle.Tensor``.

        Raises:
            PreconditionNotMetError: before it has a value.
        """
        if self._value is None:
            raise PreconditionNotMetError(
                f"{self._name} has no value yet: copy_from_cpu() sets an input, and "
                "Predictor.run() an output."
            )
        return self._value

    def put(self, value: paddle.Tensor) -> None:
        """Store an output of a run."""
        self._value = value

    def lod(self) -> list[list[int]]:
        """Return the levels passed to ``set_lod``; programs do not use them."""
        return self._lod

    def set_lod(self, lod: list[list[int]]) -> None:
        """Store levels of detail, which programs do not use.

        Args:
            lod: the levels.
        """
        self._lod = lod
