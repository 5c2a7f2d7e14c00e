"""MultivariateNormal: correlated normal draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.distribution.distribution import Distribution
from jaxeager.distribution.parameters import (
    check_parameters,
    check_same_class,
    dtype_name,
    spread,
)
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.ops.rules.domains import Domain

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

POSITIVE_DIAGONAL = Domain(
    "must be above 0 on its diagonal", 0, above=True, of=lambda matrix: matrix.diagonal(0, -2, -1)
)


class MultivariateNormal(Distribution):
    """The normal distribution of vectors, given by one of three matrices.

    Args:
        loc: float[..., n], the mean; a number is a vector of one element.
        covariance_matrix: float[..., n, n], positive definite.
        precision_matrix: the inverse of the covariance, instead.
        scale_tril: the lower triangular L such that ``L @ L.T`` is the covariance, instead.

    Attributes:
        loc, covariance_matrix, precision_matrix, scale_tril: as given, broadcast to the batch; the
            matrices that were not given are None.

    Raises:
        InvalidArgumentError: unless exactly one matrix of two dimensions or more is given.
        InvalidTypeError: when ``loc`` is neither a number nor a Tensor.

    Example:
        >>> import jaxeager as paddle
        >>> normal = paddle.distribution.MultivariateNormal(paddle.zeros([2]), paddle.eye(2) * 4)
        >>> normal.variance.tolist(), normal.sample([3]).shape
        ([4.0, 4.0], paddle.Size([3, 2]))
    """

    def __init__(
        self,
        loc: Any,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
    ):
        if isinstance(loc, (float, int)):
            loc = paddle.to_tensor([loc], dtype=paddle.get_default_dtype())
        if not isinstance(loc, paddle.Tensor):
            raise InvalidTypeError(f"loc must be a number or a Tensor, but is {type(loc)}.")
        loc = loc.reshape([1]) if loc.dim() < 1 else loc
        self.dtype = dtype_name(loc)
        name, matrix = _the_matrix(scale_tril, covariance_matrix, precision_matrix)
        matrix = matrix.astype(self.dtype)
        batch = paddle.broadcast_shape(list(matrix.shape[:-2]), list(loc.shape[:-1]))
        self.covariance_matrix = self.precision_matrix = self.scale_tril = None
        setattr(self, name, spread(matrix, [*batch, *matrix.shape[-2:]]))
        self.loc = spread(loc, [*batch, loc.shape[-1]])
        self._tril = _LOWER[name](matrix)
        if name == "scale_tril":
            check_parameters(self, POSITIVE_DIAGONAL, scale_tril=matrix)
        super().__init__(batch, self.loc.shape[-1:])

    @property
    def mean(self) -> Tensor:
        """Return the mean, ``loc``."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """Return the variance of each component."""
        return spread(self._tril.square().sum(-1), self.batch_shape + self.event_shape)

    def sample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws, without gradients."""
        with paddle.no_grad():
            return self.rsample(shape)

    def rsample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws; gradients reach the mean and the matrix."""
        noise = paddle.standard_normal(self._extend_shape(shape), self.dtype)
        return self.loc + paddle.matmul(self._tril, noise.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        value = self._check_values_dtype_in_probs(self.loc, value)
        square = _mahalanobis(self._tril, value - self.loc)
        return -0.5 * (self.event_shape[0] * math.log(2 * math.pi) + square) - self._half_log_det()

    def _half_log_det(self):
        return self._tril.diagonal(axis1=-2, axis2=-1).log().sum(-1)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        each = 0.5 * (1.0 + math.log(2 * math.pi))
        return spread(self.event_shape[0] * each + self._half_log_det(), self.batch_shape)

    def kl_divergence(self, other: MultivariateNormal) -> Tensor:
        """Return the divergence from another MultivariateNormal with the same number of components.

        Raises:
            InvalidArgumentError: when the numbers of components differ.
        """
        check_same_class(self, other)
        if self.event_shape != other.event_shape:
            raise InvalidArgumentError(
                "KL divergence of two Multivariate Normal distributions should share the same "
                "`batch_shape` and `event_shape`, but their event shapes are "
                f"{self.event_shape} and {other.event_shape}."
            )
        within = paddle.linalg.triangular_solve(other._tril, self._tril, upper=False)
        square = within.square().sum([-2, -1]) + _mahalanobis(other._tril, self.loc - other.loc)
        logs = other._half_log_det() - self._half_log_det()
        return logs + 0.5 * (square - self.event_shape[0])


def _the_matrix(scale_tril, covariance_matrix, precision_matrix) -> tuple:
    """Return the name and value of the one matrix that was given."""
    named = {
        "scale_tril": scale_tril,
        "covariance_matrix": covariance_matrix,
        "precision_matrix": precision_matrix,
    }
    given = [(name, matrix) for name, matrix in named.items() if matrix is not None]
    if len(given) != 1:
        raise InvalidArgumentError(
            "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified., "
            f"but received {[name for name, _ in given]}"
        )
    name, matrix = given[0]
    if matrix.dim() < 2:
        what = "scale_tril matrix" if name == "scale_tril" else name
        raise InvalidArgumentError(
            f"{what} must be at least two-dimensional, with optional leading batch dimensions, but "
            f"has shape {list(matrix.shape)}."
        )
    return name, matrix


def _lower_of_precision(matrix):
    """Return the lower triangular L such that L @ L.T is the inverse of the matrix."""
    backwards = paddle.linalg.cholesky(paddle.flip(matrix, [-2, -1]))
    inverse = paddle.flip(backwards, [-2, -1]).mT
    identity = paddle.eye(matrix.shape[-1], dtype=matrix.dtype)
    return paddle.linalg.triangular_solve(inverse, spread(identity, matrix.shape), upper=False)


_LOWER = {
    "scale_tril": lambda matrix: matrix,
    "covariance_matrix": paddle.linalg.cholesky,
    "precision_matrix": _lower_of_precision,
}


def _mahalanobis(tril, gap):
    """Return the squared length of L^-1 gap; solve once for all gaps if there is one L."""
    if tril.dim() == 2:
        flat = gap.reshape([-1, gap.shape[-1]]).t()
        found = paddle.linalg.triangular_solve(tril, flat, upper=False)
        return found.square().sum(0).reshape(gap.shape[:-1])
    found = paddle.linalg.triangular_solve(tril, gap.unsqueeze(-1), upper=False)
    return found.squeeze(-1).square().sum(-1)
