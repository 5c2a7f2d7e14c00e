"""KaimingNormal and KaimingUniform: variance gain^2 / fan."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from jaxeager.arrays.random import drawing_from_seed
from jaxeager.errors import InvalidArgumentError
from jaxeager.nn.initializer import draws
from jaxeager.nn.initializer.initializer import (
    Initializer,
    calculate_gain,
    check_floating,
    compute_fans,
)


class _Kaiming(Initializer):
    """Base of both distributions."""

    def __init__(
        self,
        fan_in: float | None = None,
        negative_slope: float = 0.0,
        nonlinearity: str = "relu",
        mode: str = "fan_in",
    ):
        super().__init__()
        if mode not in ("fan_in", "fan_out"):
            raise InvalidArgumentError(
                "The mode of KaimingNormal/KaimingUniform should be 'fan_in' or 'fan_out', but "
                f"received {mode}."
            )
        self._gain = calculate_gain(nonlinearity, negative_slope)
        self._fan_in, self._mode = fan_in, mode

    def _std(self, shape) -> float:
        fan_in, fan_out = compute_fans(shape)
        if self._mode == "fan_out":
            fan = fan_out
        else:
            fan = fan_in if self._fan_in is None else self._fan_in
        return self._gain / math.sqrt(fan) if fan else 0.0


class KaimingNormal(_Kaiming):
    """Initializer that draws from a normal distribution of standard deviation gain / sqrt(fan).

    Args:
        fan_in: number of inputs of one output unit; computed from the shape if None.
        negative_slope: slope of leaky_relu below zero.
        nonlinearity: the activation function that follows, see ``calculate_gain``.
        mode: "fan_in" keeps the scale of forward signals, "fan_out" that of gradients.

    Raises:
        InvalidArgumentError: for a nonlinearity or mode that does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> attr = paddle.nn.initializer.KaimingNormal()
        >>> paddle.nn.Conv2D(1, 2, 3, weight_attr=attr).weight.shape
        paddle.Size([2, 1, 3, 3])
    """

    _op_name = "gaussian"

    def compute(self, shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
        check_floating(self, dtype)
        return draws.normal(shape, dtype, 0.0, self._std(shape))


class KaimingUniform(_Kaiming):
    """Initializer that draws uniformly from [-limit, limit), limit = gain * sqrt(3 / fan).

    Args:
        fan_in: number of inputs of one output unit; computed from the shape if None.
        negative_slope: slope of leaky_relu below zero.
        nonlinearity: the activation function that follows, see ``calculate_gain``.
        mode: "fan_in" keeps the scale of forward signals, "fan_out" that of gradients.

    Raises:
        InvalidArgumentError: for a nonlinearity or mode that does not exist.

    Example:
        >>> import jaxeager as paddle
        >>> attr = paddle.nn.initializer.KaimingUniform(nonlinearity="linear")
        >>> bool((paddle.nn.Linear(3, 3, weight_attr=attr).weight.abs() <= 1).all())
        True
    """

    _op_name = "uniform"

    def compute(self, shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
        check_floating(self, dtype)
        limit = math.sqrt(3.0) * self._std(shape)
        return draws.uniform(shape, dtype, -limit, limit)


class MSRAInitializer(_Kaiming):
    """Older name of Kaiming's initializers, uniform or normal.

    Args:
        uniform: True to draw as ``KaimingUniform``, False as ``KaimingNormal``.
        fan_in: number of inputs of one output unit; computed from the shape if None.
        seed: draw from this seed alone if not 0.
        negative_slope: slope of leaky_relu below zero.
        nonlinearity: the activation function that follows the layer.
        mode: "fan_in" or "fan_out".

    Example:
        >>> import jaxeager as paddle
        >>> attr = paddle.nn.initializer.MSRAInitializer(uniform=False)
        >>> paddle.nn.Linear(1, 2, weight_attr=attr).weight.shape
        paddle.Size([1, 2])
    """

    def __init__(
        self,
        uniform: bool = True,
        fan_in: float | None = None,
        seed: int = 0,
        negative_slope: float = 0,
        nonlinearity: str = "relu",
        mode: str = "fan_in",
    ):
        super().__init__(fan_in, negative_slope, nonlinearity, mode)
        self._seed = seed
        self._kind = KaimingUniform if uniform else KaimingNormal
        self._op_name = self._kind._op_name

    def compute(self, shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
        with drawing_from_seed(self._seed):
            return self._kind.compute(self, shape, dtype)  # pyright: ignore[reportArgumentType]
