"""StudentT: a normal draw divided by an estimated standard deviation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.distribution.densities import excess, log_minus_digamma, stirling_error
from jaxeager.distribution.distribution import Distribution
from jaxeager.distribution.parameters import dtype_name
from jaxeager.ops.random.implicit_gamma import log_gamma_draws
from jaxeager.ops.rules.domains import Domain, check_domain

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

NONNEGATIVE = Domain("should be nonnegative", 0)


class StudentT(Distribution):
    """Student's t-distribution, shifted by ``loc`` and scaled by ``scale``.

    The host checks the values of ``df`` and ``scale``, which waits for the device.

    Args:
        df: degrees of freedom, not negative; a float, a sequence, an array or a Tensor.
        loc: the median; likewise.
        scale: not negative; likewise.
        name: accepted for compatibility.

    Raises:
        InvalidArgumentError: for a negative ``df`` or ``scale``.
        InvalidTypeError: for any other type, including int.

    Paddle: gradients of ``variance`` do not reach ``df``, those of ``sample`` reach it along only
    one of two paths, and there is no ``rsample``.

    Example:
        >>> import jaxeager as paddle
        >>> student = paddle.distribution.StudentT(4.0, 0.0, 1.0)
        >>> student.variance.item(), student.sample([2]).shape
        (2.0, paddle.Size([2]))
    """

    def __init__(
        self,
        df: float | Tensor,
        loc: float | Tensor,
        scale: float | Tensor,
        name: str | None = None,
    ):
        self.name = name or "StudentT"
        self.df, self.loc, self.scale = self._broadcast_all(df, loc, scale)
        self.dtype = dtype_name(self.df)
        for name, value in (("df", self.df), ("scale", self.scale)):
            check_domain(f"Every element of input parameter `{name}`", value, NONNEGATIVE)
        super().__init__(self.df.shape)

    @property
    def mean(self) -> Tensor:
        """Return the mean, nan for ``df`` up to 1."""
        return paddle.where(self.df > 1, self.loc, paddle.full_like(self.loc, float("nan")))

    @property
    def variance(self) -> Tensor:
        """Return the variance, inf for ``df`` up to 2, nan up to 1."""
        finite = self.df > 2
        df = paddle.where(finite, self.df, paddle.full_like(self.df, 3))
        found = self.scale.square() * df / (df - 2)
        found = paddle.where(finite, found, paddle.full_like(found, float("inf")))
        return paddle.where(self.df > 1, found, paddle.full_like(found, float("nan")))

    def sample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws; gradients reach the parameters, as in Paddle."""
        return self.rsample(shape)

    def rsample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws; gradients reach ``df`` by implicit differentiation."""
        shape = self._extend_shape(shape)
        noise = paddle.standard_normal(shape, self.dtype)
        half = 0.5 * self.df
        narrow = paddle.exp(-0.5 * log_gamma_draws(half.expand(shape))) * paddle.sqrt(half)
        return self.loc + self.scale * noise * narrow

    def _log_normalizer(self):
        half = 0.5 * self.df
        errors = stirling_error(half) - stirling_error(half + 0.5)
        return half * excess(half + 0.5, half, 0.5 / half) + errors + 0.5 * math.log(2.0)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        half = 0.5 * self.df
        gap = paddle.log1p(0.5 / half) - log_minus_digamma(half + 0.5) + log_minus_digamma(half)
        constant = self._log_normalizer() + 0.5 * math.log(math.pi)
        return self.scale.log() + (half + 0.5) * gap + constant

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        value = self._check_values_dtype_in_probs(self.df, value)
        z = (value - self.loc) / self.scale
        constant = self.scale.log() + self._log_normalizer() + 0.5 * math.log(math.pi)
        return -0.5 * (self.df + 1.0) * paddle.log1p(z.square() / self.df) - constant
