"""Normal and TruncatedNormal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.nn.initializer import draws
from jaxeager.nn.initializer.initializer import Initializer, check_floating


def check_given(owner: Initializer, **settings) -> None:
    """Raise RefusedArgumentError for the first setting that is None, and name it."""
    for name, value in settings.items():
        if value is None:
            raise RefusedArgumentError(f"{name} of {type(owner).__name__} should not be None.")


class Normal(Initializer):
    """Initializer that draws from a normal distribution.

    Args:
        mean: its mean.
        std: its standard deviation.

    Raises:
        RefusedArgumentError: if one of them is None.

    Example:
        >>> import jaxeager as paddle
        >>> attr = paddle.nn.initializer.Normal(mean=3.0, std=0.0)
        >>> paddle.nn.Linear(1, 2, weight_attr=attr).weight.tolist()
        [[3.0, 3.0]]
    """

    _op_name = "gaussian"

    def __init__(self, mean: float = 0.0, std: float = 1.0, name: str | None = None):
        super().__init__()
        check_given(self, mean=mean, std=std)
        self._mean, self._std_dev = mean, std

    def compute(self, shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
        check_floating(self, dtype)
        return draws.normal(shape, dtype, self._mean, self._std_dev)


class TruncatedNormal(Initializer):
    """Initializer that draws from a normal distribution truncated at ``a`` and ``b``.

    Args:
        mean: mean of the distribution before truncation.
        std: standard deviation before truncation.
        a: lower bound of the values.
        b: upper bound of the values.

    Raises:
        RefusedArgumentError: if one of them is None.
        InvalidArgumentError: if a is greater than b.

    Example:
        >>> import jaxeager as paddle
        >>> attr = paddle.nn.initializer.TruncatedNormal(std=5.0, a=-0.5, b=0.5)
        >>> bool((paddle.nn.Linear(20, 20, weight_attr=attr).weight.abs() <= 0.5).all())
        True
    """

    _op_name = "truncated_gaussian_random"

    def __init__(
        self,
        mean: float = 0.0,
        std: float = 1.0,
        a: float = -2.0,
        b: float = 2.0,
        name: str | None = None,
    ):
        super().__init__()
        check_given(self, mean=mean, std=std, a=a, b=b)
        if a > b:
            raise InvalidArgumentError(
                f"a of TruncatedNormal must not be greater than b, but received a={a} and b={b}."
            )
        self._mean, self._std_dev, self._a, self._b = mean, std, a, b

    def compute(self, shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
        check_floating(self, dtype)
        return draws.truncated_normal(shape, dtype, self._mean, self._std_dev, self._a, self._b)
