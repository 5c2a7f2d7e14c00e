"""Normal: the normal distribution, real or complex."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import jax
import numpy as np

import jaxeager as paddle
from jaxeager.arrays.random import drawing_from
from jaxeager.distribution.densities import excess
from jaxeager.distribution.distribution import Distribution
from jaxeager.distribution.parameters import (
    check_parameters,
    check_same_class,
    dtype_name,
    shape_of,
    spread,
)
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.rules.domains import NOT_NEGATIVE

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


class Normal(Distribution):
    """The normal distribution with mean ``loc`` and standard deviation ``scale``.

    With a complex ``loc`` it is the circular complex normal distribution: ``scale ** 2`` is the
    mean squared distance from ``loc``.

    Args:
        loc: the mean; a number, a sequence, an array or a Tensor.
        scale: the standard deviation, real; a Tensor when ``loc`` is a Tensor.
        name: accepted for compatibility.

    Raises:
        InvalidArgumentError: when one of the two is a Tensor and the other is not.
        InvalidTypeError: for any other type.

    Paddle: the batch shape is that of ``loc`` alone, so ``rsample`` fails when ``scale`` has more
    dimensions; and float64 arrays are rounded to float32.

    Example:
        >>> import jaxeager as paddle
        >>> normal = paddle.distribution.Normal(0.0, 2.0)
        >>> round(normal.log_prob(paddle.to_tensor(1.0)).item(), 4), normal.sample([3]).shape
        (-1.7371, paddle.Size([3]))
    """

    def __init__(
        self,
        loc: float | Sequence[float] | np.ndarray | Tensor,
        scale: float | Sequence[float] | np.ndarray | Tensor,
        name: str | None = None,
    ):
        self.name = name or "Normal"
        self._complex_gaussian = _is_complex(loc)
        if self._complex_gaussian:
            self.loc, self.scale = _complex_parameters(loc, scale)
        else:
            self.loc, self.scale = self._float_parameters(loc, scale)
        check_parameters(self, NOT_NEGATIVE, scale=self.scale)
        self.dtype = dtype_name(self.loc)
        super().__init__(shape_of(self.loc, self.scale))

    @property
    def mean(self) -> Tensor:
        """Return the mean, ``loc``."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """Return the variance, the square of ``scale``."""
        return self.scale.pow(2)

    def sample(self, shape: Sequence[int] = (), seed: int = 0) -> Tensor:
        """Return draws; gradients reach the parameters, as in Paddle.

        Args:
            shape: the sample shape.
            seed: draw from this seed alone, unless it is 0.
        """
        source = drawing_from(jax.random.key(seed)) if seed else contextlib.nullcontext()
        with source:
            return self.rsample(shape)

    def rsample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return ``loc + scale * noise``; gradients reach both."""
        return self.loc + self._noise(self._extend_shape(shape)) * self.scale

    def _noise(self, shape):
        if not self._complex_gaussian:
            return paddle.standard_normal(shape, self.dtype)
        parts = paddle.standard_normal([2, *shape], self.scale.dtype) * math.sqrt(0.5)
        return paddle.complex(parts[0], parts[1])

    def entropy(self) -> Tensor:
        """Return the entropy."""
        logarithm = paddle.log(self.scale)
        if self._complex_gaussian:
            found = 2.0 * logarithm + (1.0 + math.log(math.pi))
        else:
            found = logarithm + (0.5 + 0.5 * math.log(2.0 * math.pi))
        return spread(found, self.batch_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density; for complex ``loc`` with a zero imaginary part."""
        value = self._check_values_dtype_in_probs(self.loc, value)
        z = (value - self.loc) / self.scale
        if self._complex_gaussian:
            return -(z.conj() * z) - (2.0 * paddle.log(self.scale) + math.log(math.pi))
        return -0.5 * (z * z) - (paddle.log(self.scale) + 0.5 * math.log(2.0 * math.pi))

    def probs(self, value: Tensor) -> Tensor:
        """Return the density."""
        return paddle.exp(self.log_prob(value))

    def kl_divergence(self, other: Normal) -> Tensor:
        """Return the divergence from another Normal.

        Raises:
            InvalidArgumentError: when one is real and the other complex.
        """
        check_same_class(self, other)
        if self._complex_gaussian != other._complex_gaussian:
            raise InvalidArgumentError(
                "The kl divergence must be computed between two distributions in the same number "
                f"field, but they are of {self.dtype} and {other.dtype}."
            )
        ratio = (self.scale / other.scale).square()
        gap = (self.scale - other.scale) * (self.scale + other.scale) / other.scale.square()
        spread = excess(ratio, paddle.ones_like(ratio), gap)
        z = (self.loc - other.loc) / other.scale
        if self._complex_gaussian:
            return z.conj() * z + spread
        return 0.5 * (z * z + spread)


def _is_complex(loc) -> bool:
    if isinstance(loc, paddle.Tensor):
        return loc.is_complex()
    return not isinstance(loc, str) and np.iscomplexobj(loc)


def _complex_parameters(loc, scale):
    """Return a complex location and a real scale as tensors."""
    if not isinstance(loc, paddle.Tensor):
        array = np.asarray(loc)
        keep = isinstance(loc, np.ndarray) and array.dtype == np.complex128
        loc = paddle.to_tensor(array, dtype="complex128" if keep else "complex64")
    if not isinstance(scale, paddle.Tensor):
        wide = dtype_name(loc) == "complex128"
        scale = paddle.to_tensor(scale, dtype="float64" if wide else "float32")
    return loc, scale
