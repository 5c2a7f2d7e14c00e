"""XavierNormal and XavierUniform: variance 2 / (fan_in + fan_out)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from jaxeager.arrays.random import drawing_from_seed
from jaxeager.nn.initializer import draws
from jaxeager.nn.initializer.initializer import Initializer, check_floating, compute_fans


class _Xavier(Initializer):
    """Base of both distributions."""

    def __init__(
        self,
        fan_in: float | None = None,
        fan_out: float | None = None,
        gain: float = 1.0,
        name: str | None = None,
    ):
        super().__init__()
        self._fan_in, self._fan_out, self._gain = fan_in, fan_out, gain

    def _std(self, shape) -> float:
        fan_in, fan_out = compute_fans(shape)
        fan_in = fan_in if self._fan_in is None else self._fan_in
        fan_out = fan_out if self._fan_out is None else self._fan_out
        total = fan_in + fan_out
        return self._gain * math.sqrt(2.0 / total) if total else 0.0


class XavierNormal(_Xavier):
    """Initializer that draws from a normal distribution.

    Its standard deviation is gain * sqrt(2 / (fan_in + fan_out)).

    Args:
        fan_in: number of inputs of one output unit; computed from the shape if None.
        fan_out: number of outputs fed by one input unit; computed from the shape if None.
        gain: a factor, see ``calculate_gain``.

    Example:
        >>> import jaxeager as paddle
        >>> attr = paddle.nn.initializer.XavierNormal(gain=0.0)
        >>> paddle.nn.Linear(1, 2, weight_attr=attr).weight.tolist()
        [[0.0, 0.0]]
    """

    _op_name = "gaussian"

    def compute(self, shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
        check_floating(self, dtype)
        return draws.normal(shape, dtype, 0.0, self._std(shape))


class XavierUniform(_Xavier):
    """Initializer that draws from [-limit, limit), limit = gain * sqrt(6 / (fan_in + fan_out)).

    Args:
        fan_in: number of inputs of one output unit; computed from the shape if None.
        fan_out: number of outputs fed by one input unit; computed from the shape if None.
        gain: a factor, see ``calculate_gain``.

    Example:
        >>> import jaxeager as paddle
        >>> attr = paddle.nn.initializer.XavierUniform()
        >>> bool((paddle.nn.Linear(3, 3, weight_attr=attr).weight.abs() <= 1).all())
        True
    """

    _op_name = "uniform"

    def compute(self, shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
        check_floating(self, dtype)
        limit = math.sqrt(3.0) * self._std(shape)
        return draws.uniform(shape, dtype, -limit, limit)


class XavierInitializer(_Xavier):
    """Older name of Xavier's initializers, uniform or normal.

    Args:
        uniform: True to draw as ``XavierUniform``, False as ``XavierNormal``.
        fan_in: number of inputs of one output unit; computed from the shape if None.
        fan_out: number of outputs fed by one input unit; computed from the shape if None.
        seed: draw from this seed alone if not 0.
        gain: a factor, see ``calculate_gain``.

    Example:
        >>> import jaxeager as paddle
        >>> attr = paddle.nn.initializer.XavierInitializer(gain=0.0)
        >>> paddle.nn.Linear(1, 2, weight_attr=attr).weight.tolist()
        [[0.0, 0.0]]
    """

    def __init__(
        self,
        uniform: bool = True,
        fan_in: float | None = None,
        fan_out: float | None = None,
        seed: int = 0,
        gain: float = 1.0,
    ):
        super().__init__(fan_in, fan_out, gain)
        self._seed = seed
        self._kind = XavierUniform if uniform else XavierNormal
        self._op_name = self._kind._op_name

    def compute(self, shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
        with drawing_from_seed(self._seed):
            return self._kind.compute(self, shape, dtype)  # pyright: ignore[reportArgumentType]
