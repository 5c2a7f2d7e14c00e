"""Decibels, and the matrix of the discrete cosine transform."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

import jaxeager as paddle
from jaxeager.core import dtypes
from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.kernels.size_limit import check_size
from jaxeager.ops.call.bad_operands import names_operands
from jaxeager.ops.creation.creation import from_numpy

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor


@names_operands
def power_to_db(
    spect: Tensor, ref_value: float = 1.0, amin: float = 1e-10, top_db: float | None = 80.0
) -> Tensor:
    """Convert powers to decibels: ``10 * log10(spect / ref_value)``.

    Args:
        spect: floating tensor of powers.
        ref_value: the power of 0 dB.
        amin: lower bound that powers, and ``ref_value``, are clipped to.
        top_db: maximum distance of values below the largest; None for no limit.

    Returns:
        differentiable Tensor of the same shape.

    Raises:
        InvalidArgumentError: if ``amin`` or ``ref_value`` is not positive, or ``top_db`` is
            negative.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.audio.functional.power_to_db(paddle.to_tensor([1.0, 0.1])).tolist()
        [0.0, -10.0]
    """
    for name, value in (("amin", amin), ("ref_value", ref_value)):
        if value <= 0:
            raise InvalidArgumentError(f"{name} must be strictly positive, but is {value}.")
    if top_db is not None and top_db < 0:
        raise InvalidArgumentError(f"top_db must be non-negative, but is {top_db}.")
    ones = paddle.ones_like(spect)
    decibels = 10.0 * paddle.log10(paddle.maximum(ones * amin, spect))
    decibels = decibels - 10.0 * math.log10(max(ref_value, amin))
    if top_db is None:
        return decibels
    return paddle.maximum(decibels, ones * (decibels.max() - top_db))


def create_dct(
    n_mfcc: int, n_mels: int, norm: str | float = "ortho", dtype: str = "float32"
) -> Tensor:
    """Return the matrix of the discrete cosine transform of type 2.

    Args:
        n_mfcc: number of coefficients.
        n_mels: number of values to transform.
        norm: "ortho" makes the columns orthonormal, None returns twice the plain cosines.
        dtype: element type.

    Returns:
        Tensor of shape [n_mels, n_mfcc], for multiplication from the right.

    Raises:
        InvalidArgumentError: for any other ``norm``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.audio.functional.create_dct(1, 4).tolist()
        [[0.5], [0.5], [0.5], [0.5]]
    """
    if norm not in (None, "ortho"):
        raise RefusedArgumentError(f"norm must be 'ortho' or None, but received {norm!r}.")
    check_size("create_dct", (n_mels, n_mfcc), np.float64)
    angles = math.pi / n_mels * np.outer(np.arange(n_mels) + 0.5, np.arange(n_mfcc))
    factors = np.full(n_mfcc, 2.0)
    if norm == "ortho":
        factors[:] = math.sqrt(2.0 / n_mels)
        factors[:1] = math.sqrt(1.0 / n_mels)
    return from_numpy((np.cos(angles) * factors).astype(dtypes.to_numpy(dtype)))
