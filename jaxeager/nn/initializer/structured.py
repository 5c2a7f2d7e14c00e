"""Structured initializers: Orthogonal, Dirac, Bilinear."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.nn.initializer import draws
from jaxeager.nn.initializer.initializer import Initializer, check_floating


class Orthogonal(Initializer):
    """Initializer of a matrix with orthonormal rows (or columns, if fewer), times ``gain``.

    A parameter of more than two dimensions is treated as [shape[0], all others].

    Args:
        gain: a factor, see ``calculate_gain``.

    Raises:
        RefusedArgumentError: if the parameter has fewer than two dimensions.

    Example:
        >>> import jaxeager as paddle
        >>> w = paddle.nn.Linear(2, 3, weight_attr=paddle.nn.initializer.Orthogonal()).weight
        >>> bool(paddle.allclose(w @ w.T, paddle.eye(2), atol=1e-5))
        True
    """

    def __init__(self, gain: float = 1.0, name: str | None = None):
        super().__init__()
        if gain is None:
            raise RefusedArgumentError("gain of Orthogonal should not be None.")
        self._gain = gain

    def compute(self, shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
        check_floating(self, dtype)
        if len(shape) < 2:
            raise RefusedArgumentError(
                "Only Tensor with 2 or more dimensions can be initialized by Orthogonal, but "
                f"received the shape {list(shape)}."
            )
        rows, columns = shape[0], math.prod(shape[1:])
        tall = draws.normal((max(rows, columns), min(rows, columns)), np.dtype("float64"), 0.0, 1.0)
        q, r = np.linalg.qr(tall)
        # The signs of R's diagonal make the factorization, and so the distribution, unique.
        q = q * np.where(np.diagonal(r) < 0, -1.0, 1.0)
        return (self._gain * (q if rows >= columns else q.T)).reshape(shape)


class Dirac(Initializer):
    """Initializer of a convolution's weight that passes the input channels through unchanged.

    Args:
        groups: number of groups of output channels, each of which passes the inputs through.

    Raises:
        RefusedArgumentError: if groups is not a positive integer, the parameter does not have 3
            to 5 dimensions, or groups does not divide its first dimension.

    Example:
        >>> import jaxeager as paddle
        >>> attr = paddle.nn.initializer.Dirac()
        >>> paddle.nn.Conv1D(2, 2, 3, weight_attr=attr).weight.tolist()
        [[[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]
    """

    def __init__(self, groups: int = 1, name: str | None = None):
        super().__init__()
        if not isinstance(groups, int) or groups <= 0:
            raise RefusedArgumentError(f"'groups' must be a positive integer, received {groups!r}.")
        self._groups = groups

    def compute(self, shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
        if len(shape) not in (3, 4, 5):
            raise RefusedArgumentError(
                "Only Tensor with 3/4/5 dimensions can be initialized by Dirac, but received the "
                f"shape {list(shape)}."
            )
        if shape[0] % self._groups:
            raise RefusedArgumentError(
                f"Tensor 0-dimension must be divisible by groups, but received {shape[0]} and "
                f"groups={self._groups}."
            )
        values = np.zeros(shape, dtype)
        centre = tuple(dim // 2 for dim in shape[2:])
        per_group = shape[0] // self._groups
        for group in range(self._groups):
            for channel in range(min(per_group, shape[1])):
                values[(group * per_group + channel, channel, *centre)] = 1
        return values


class Bilinear(Initializer):
    """Initializer of a transposed convolution's weight that interpolates linearly.

    Raises:
        InvalidArgumentError: if the parameter is not of shape [out, in, k, k].

    Paddle:
        Paddle 3.3.1 uses true division where integer division is meant, so its kernel is neither
        symmetric nor non-negative. This one is the product of two triangles.

    Example:
        >>> import jaxeager as paddle
        >>> weight = paddle.create_parameter(
        ...     [1, 1, 3, 3], "float32", default_initializer=paddle.nn.initializer.Bilinear()
        ... )
        >>> weight[0, 0].tolist()
        [[0.0625, 0.1875, 0.1875], [0.1875, 0.5625, 0.5625], [0.1875, 0.5625, 0.5625]]
    """

    def compute(self, shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
        check_floating(self, dtype)
        if len(shape) != 4:
            raise InvalidArgumentError(
                f"the length of shape must be 4, but received the shape {list(shape)}."
            )
        if shape[2] != shape[3]:
            raise InvalidArgumentError(
                f"shape[2] must be equal to shape[3], but received the shape {list(shape)}."
            )
        factor = math.ceil(shape[3] / 2)
        centre = (2 * factor - 1 - factor % 2) / (2.0 * factor)
        triangle = 1 - np.abs(np.arange(shape[3]) / factor - centre)
        return np.broadcast_to(np.outer(triangle, triangle), shape)
