"""LKJCholesky: Cholesky factors of random correlation matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.distribution.beta import Beta
from jaxeager.distribution.distribution import Distribution, as_shape
from jaxeager.distribution.parameters import dtype_name
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.ops.rules.domains import Domain, check_domain

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

METHODS = ("onion", "cvine")


class LKJCholesky(Distribution):
    """The distribution of Cholesky factors L of correlation matrices C = L @ L.T.

    The density of C is proportional to ``det(C) ** (concentration - 1)``; Lewandowski, Kurowicka
    and Joe (2009) describe it and both methods to draw from it. The host checks the values of
    ``concentration``, which waits for the device.

    Args:
        dim: the number of rows and columns, at least 2.
        concentration: above 0; the larger, the closer C is to the identity; a float, a sequence, an
            array or a Tensor.
        sample_method: "onion", row by row, or "cvine", by partial correlations.

    Raises:
        InvalidArgumentError: for a ``dim`` below 2, a ``concentration`` that is not above 0, or
            another method.
        InvalidTypeError: for a ``dim`` that is not an integer, or an int for the concentration.

    Paddle: from 3 rows on, "onion" draws correlations that vary too much.

    Example:
        >>> import jaxeager as paddle
        >>> drawn = paddle.distribution.LKJCholesky(3, 2.0).sample([5])
        >>> drawn.shape, bool(paddle.allclose(drawn.square().sum(-1), paddle.ones([5, 3])))
        (paddle.Size([5, 3, 3]), True)
    """

    def __init__(self, dim: int = 2, concentration: Any = 1.0, sample_method: str = "onion"):
        if not self._validate_args(concentration):
            (concentration,) = self._to_tensor(concentration, dtype=paddle.get_default_dtype())
        self.concentration = concentration
        self.dtype = dtype_name(concentration)
        if dim < 2:
            raise InvalidArgumentError(f"Expected dim greater than or equal to 2. Found dim={dim}.")
        if not isinstance(dim, int):
            raise InvalidTypeError(f"Expected dim to be an integer. Found dim={dim}.")
        check_domain(
            "The arg of `concentration`", concentration, Domain("must be positive", 0, above=True)
        )
        if sample_method not in METHODS:
            raise InvalidArgumentError(
                f"`method` should be one of 'cvine' or 'onion'., but is {sample_method!r}"
            )
        self.dim, self.sample_method = dim, sample_method
        super().__init__(concentration.shape, (dim, dim))

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Return draws, without gradients.

        Args:
            sample_shape: the sample shape.
        """
        draw = self._onion if self.sample_method == "onion" else self._cvine
        with paddle.no_grad():
            return draw(as_shape(sample_shape))

    def _onion(self, shape):
        """Draw the length of each row from its Beta distribution, and its direction uniformly."""
        row = paddle.arange(1, self.dim, dtype=self.dtype)
        rest = self.concentration.unsqueeze(-1) + 0.5 * (self.dim - 1 - row)
        square = Beta((0.5 * row).expand(rest.shape), rest).sample(shape)
        noise = paddle.standard_normal([*square.shape, self.dim], self.dtype).tril()
        length = noise.square().sum(-1, keepdim=True)
        below = noise * (square.unsqueeze(-1) / length).sqrt()
        first = paddle.zeros([*square.shape[:-1], 1, self.dim], self.dtype)
        diagonal = paddle.concat([paddle.ones_like(square[..., :1]), (1 - square).sqrt()], -1)
        return paddle.concat([first, below], -2) + paddle.diag_embed(diagonal)

    def _cvine(self, shape):
        """Draw the partial correlation of each pair, given the previous columns."""
        column = paddle.arange(self.dim, dtype=self.dtype)
        shapes = self.concentration.unsqueeze(-1) + 0.5 * (self.dim - 2 - column).clip(min=0)
        shapes = shapes.unsqueeze(-2).expand([*self.batch_shape, self.dim, self.dim])
        partial = (2 * Beta(shapes, shapes).sample(shape) - 1).tril(-1)
        left = (1 - partial.square()).sqrt().cumprod(-1)
        before = paddle.concat([paddle.ones_like(left[..., :1]), left[..., :-1]], -1)
        return (partial + paddle.eye(self.dim, dtype=self.dtype)) * before

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density of a Cholesky factor.

        Args:
            value: float[..., dim, dim], lower triangular, with rows of length 1.
        """
        value = self._check_values_dtype_in_probs(self.concentration, value)
        diagonal = value.diagonal(axis1=-2, axis2=-1)[..., 1:]
        left = self.dim - paddle.arange(2, self.dim + 1, dtype=self.dtype)
        power = 2 * (self.concentration - 1).unsqueeze(-1) + left
        return (power * paddle.log(diagonal)).sum(-1) - self._log_normalizer()

    def _log_normalizer(self):
        count = self.dim - 1
        alpha = self.concentration + 0.5 * count
        steps = paddle.arange(1, count + 1, dtype=self.dtype)
        gammas = paddle.lgamma((alpha - 0.5).unsqueeze(-1) + (1 - steps) / 2).sum(-1)
        constant = (0.5 * count + 0.25 * count * (count - 1)) * math.log(math.pi)
        return constant + gammas - paddle.lgamma(alpha) * count


def mvlgamma(a: Tensor, p: int) -> Tensor:
    """Return the logarithm of the multivariate gamma function with ``p`` dimensions.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distribution.lkj_cholesky import mvlgamma
        >>> mvlgamma(paddle.to_tensor([2.0]), 2).round(decimals=4).tolist()
        [0.45159998536109924]
    """
    return paddle.multigammaln(a, p)


def tril_indices(n: int, k: int = 0) -> tuple[Tensor, Tensor]:
    """Return the rows and the columns of the lower triangle of a square matrix.

    Args:
        n: the number of rows.
        k: the last diagonal that belongs to it.
    """
    rows, columns = paddle.tril_indices(n, n, k).unbind(0)
    return rows, columns


def matrix_to_tril(x: Tensor, diagonal: int = 0) -> Tensor:
    """Return the elements of the lower triangles of matrices, all in one vector."""
    mask = paddle.tril(paddle.ones(x.shape, "bool"), diagonal)
    return paddle.masked_select(x, mask)


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """Return the lower triangle of each matrix as a vector, row by row.

    Args:
        mat: [..., n, n].
        diag: the last diagonal that belongs to it.

    Raises:
        InvalidArgumentError: when the matrices have no such diagonal.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distribution.lkj_cholesky import tril_matrix_to_vec
        >>> tril_matrix_to_vec(paddle.to_tensor([[1, 2], [3, 4]])).tolist()
        [1, 3, 4]
    """
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise InvalidArgumentError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    return mat[(..., *tril_indices(n, diag))]


def vec_to_tril_matrix(
    p_flatten: Tensor,
    dim: int,
    last_dim: int,
    flatten_shape: int,
    sample_shape: Sequence[int] = (),
    diag: int = 0,
) -> Tensor:
    """Return square matrices with given elements below their diagonals, and 0 elsewhere.

    Args:
        p_flatten: the elements, row by row.
        dim: the number of rows.
        last_dim: the number of elements of a matrix.
        flatten_shape: the number of all elements.
        sample_shape: the first dimensions of the result.
        diag: does nothing, as in Paddle.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distribution.lkj_cholesky import vec_to_tril_matrix
        >>> vec_to_tril_matrix(paddle.to_tensor([5.0]), 2, 1, 1).tolist()
        [[[0.0, 0.0], [5.0, 0.0]]]
    """
    count = flatten_shape // last_dim
    matrices = paddle.zeros([count, dim, dim], p_flatten.dtype)
    rows, columns = tril_indices(dim, -1)
    matrices[(slice(None), rows, columns)] = p_flatten.reshape([count, last_dim])
    return matrices.reshape([*sample_shape, count // math.prod(sample_shape), dim, dim])
