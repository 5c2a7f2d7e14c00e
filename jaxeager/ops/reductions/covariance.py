"""Covariance and correlation of variables observed together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax.numpy as jnp

from jaxeager.arrays.as_array import on_device
from jaxeager.core.size_comparisons import equal_sizes
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.call.dispatch import raw, wrap
from jaxeager.ops.elementwise.complex import complex as complex_of
from jaxeager.ops.elementwise.complex import imag as imag_of
from jaxeager.ops.elementwise.complex import real as real_of
from jaxeager.ops.elementwise.composite_math import clip
from jaxeager.ops.linalg.matrix_operands import conjugate_transpose
from jaxeager.ops.linalg.products import matmul
from jaxeager.ops.reductions.reduction import sum as sum_over
from jaxeager.ops.register import composite
from jaxeager.ops.rules.domains import NOT_NEGATIVE, POSITIVE, Domain, check_values
from jaxeager.ops.shape.manipulation import squeeze, transpose, unsqueeze
from jaxeager.ops.shape.matrices import diag

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


@composite(public=None)
def cov(
    x: Tensor,
    rowvar: bool = True,
    ddof: bool = True,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Return the covariance matrix of variables, from observations of them.

    Paddle: weights that are negative, not integers (``fweights``) or add up to 0 are refused there;
    here only if they are in host or CPU memory. Complex variables are refused there.

    Args:
        x: float or complex tensor [variables, observations], or of one variable [observations].
        rowvar: False when the rows are the observations.
        ddof: whether to divide by one less than the number of observations.
        fweights: tensor [observations] of integers: how often each was observed.
        aweights: tensor [observations]: the weight of each.
        name: accepted for compatibility.

    Returns:
        Tensor [variables, variables]; 0-D for one variable.

    Raises:
        InvalidArgumentError: for more than 2 dimensions, and for invalid weights.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.linalg.cov(paddle.to_tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])).tolist()
        [[1.0, -1.0], [-1.0, 1.0]]
    """
    x = _variables(x, rowvar, "cov")
    frequencies = _weights(fweights, x, "fweights", is_whole=True)
    importances = _weights(aweights, x, "aweights")
    count, given = wrap(on_device(x.shape[1], raw(x).dtype)), [frequencies, importances]
    given = [each for each in given if each is not None]
    if not given:
        return _scaled_products(x, None, count, 1.0 if ddof else 0.0)
    weights = given[0].multiply(given[1]) if len(given) == 2 else given[0]
    total = sum_over(weights)
    check_values(jnp.real(raw(total)), POSITIVE, _no_total)
    correction = 1.0 if ddof else 0.0
    if importances is not None and ddof:
        correction = sum_over(weights.multiply(importances)).divide(total)
    return _scaled_products(x, weights, total, correction)


def _scaled_products(x, weights, total, correction):
    """Return the products of deviations from the mean, divided by the total minus ``correction``.

    The mean is subtracted on both sides, though one is enough in exact arithmetic: the rounding
    error of the sum of the deviations would be multiplied by the mean.
    """
    mean = sum_over(x if weights is None else x.multiply(weights), 1).divide(total)
    off = x.subtract(unsqueeze(mean, 1))
    weighted = off if weights is None else off.multiply(weights)
    products = matmul(off, conjugate_transpose(weighted))
    factor = total.subtract(correction)
    if jnp.iscomplexobj(raw(factor)):
        factor = real_of(factor)
    return squeeze(products.divide(clip(factor, 0.0)))


def _variables(x, rowvar: bool, name: str):
    """Return observations as [variables, observations]."""
    if x.ndim not in (1, 2):
        raise InvalidArgumentError(
            f"Input(x) only support N-D (1<=N<=2) tensor in {name}, but received length of "
            f"Input(input) is {x.ndim}."
        )
    if x.ndim == 1:
        return x.reshape([1, -1])
    return x if rowvar or equal_sizes(x._array.shape[0], 1) else transpose(x, [1, 0])


def _weights(weights, x, name: str, is_whole: bool = False):
    """Return valid weights in the dtype of x."""
    if weights is None:
        return None
    if weights.ndim != 1 or weights.shape[0] != x.shape[1]:
        raise InvalidArgumentError(
            f"cov: {name} must have shape [{x.shape[1]}], one number an observation, but has "
            f"{weights.shape}."
        )
    check_values(
        weights,
        NOT_NEGATIVE,
        lambda found: InvalidArgumentError(
            f"The value of Input({name}) cannot be negative, but received {found}."
        ),
    )
    if is_whole:
        check_values(
            weights,
            _WHOLE,
            lambda found: InvalidArgumentError(
                f"Input({name}) must be integer, but a number is {found} above one."
            ),
        )
    return weights.astype(x.dtype)


_WHOLE = Domain("must be whole", 0, 0, of=lambda values: values % 1)


def _no_total(found) -> InvalidArgumentError:
    return InvalidArgumentError(f"The sum of weights is zero, can't be normalized: {found}.")


@composite(public=None)
def corrcoef(x: Tensor, rowvar: bool = True, name: str | None = None) -> Tensor:
    """Return the correlation coefficients of variables, from observations of them.

    Args:
        x: float or complex tensor [variables, observations], or of one variable [observations].
        rowvar: False when the rows are the observations.
        name: accepted for compatibility.

    Returns:
        Tensor [variables, variables] of numbers in [-1, 1]; 0-D for one variable. nan where a
        variable does not vary.

    Raises:
        InvalidArgumentError: for more than 2 dimensions.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
        >>> paddle.linalg.corrcoef(x).numpy().round(4).tolist()
        [[1.0, -1.0], [-1.0, 1.0]]
    """
    if x.ndim not in (1, 2):
        _variables(x, rowvar, "corrcoef")
    found = cov(x, rowvar)
    if found.ndim == 0:
        return found.divide(found)
    spread = diag(found)
    is_complex = jnp.iscomplexobj(raw(spread))
    spread = (real_of(spread) if is_complex else spread).sqrt()
    found = found.divide(unsqueeze(spread, 1)).divide(unsqueeze(spread, 0))
    if is_complex:
        return complex_of(*(clip(part(found), -1.0, 1.0) for part in (real_of, imag_of)))
    return clip(found, -1.0, 1.0)
