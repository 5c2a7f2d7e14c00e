"""Elementwise functions that keep 0, so the coordinates do not change."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.core import dtypes
from jaxeager.sparse.tensors import SparseCooTensor, SparseCsrTensor, checked

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike
    from jaxeager.sparse.tensors import SparseTensor

_DOC = """Return {what} of each entry of a sparse tensor.

    Args:
        x: SparseCooTensor or SparseCsrTensor.
        name: ignored.

    Returns:
        a sparse tensor of the same coordinates.

    Raises:
        UnimplementedError: for a dense tensor.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_coo_tensor([[1]], [0.5], [3])
        >>> paddle.sparse.{name}(x).nnz()
        1
    """


def map_values(x, function, what: str):
    """Return a sparse tensor with the same coordinates and a function of the values."""
    return checked(x, what).like(function(x._values))


def _unary(label: str, what: str, dense=None):
    dense = dense or getattr(paddle, label)

    def function(x: SparseTensor, name: str | None = None) -> SparseTensor:
        return map_values(x, dense, label)

    function.__name__ = function.__qualname__ = label
    function.__doc__ = _DOC.format(what=what, name=label)
    return function


abs = _unary("abs", "the absolute value")
asin = _unary("asin", "the inverse sine")
asinh = _unary("asinh", "the inverse hyperbolic sine")
atan = _unary("atan", "the inverse tangent")
atanh = _unary("atanh", "the inverse hyperbolic tangent")
deg2rad = _unary("deg2rad", "the radians", lambda x: paddle.scale(_as_float(x), math.pi / 180))
expm1 = _unary("expm1", "exp(x) - 1")
isnan = _unary("isnan", "isnan(x)")
log1p = _unary("log1p", "log(1 + x)")
neg = _unary("neg", "the negative", lambda x: paddle.scale(x, -1.0))
rad2deg = _unary("rad2deg", "the degrees", lambda x: paddle.scale(_as_float(x), 180 / math.pi))
sin = _unary("sin", "the sine")
sinh = _unary("sinh", "the hyperbolic sine")
sqrt = _unary("sqrt", "the square root")
square = _unary("square", "the square")
tan = _unary("tan", "the tangent")
tanh = _unary("tanh", "the hyperbolic tangent")


def _as_float(x):
    """Return integers as float32; floats unchanged."""
    return x if x.is_floating_point() or x.is_complex() else x.astype("float32")


def pow(x: SparseTensor, factor: float, name: str | None = None) -> SparseTensor:
    """Return a power of each entry of a sparse tensor.

    Args:
        x: SparseCooTensor or SparseCsrTensor.
        factor: the exponent, a number; not 0, with which elements that are not stored would become
            1.
        name: ignored.

    Raises:
        UnimplementedError: for a dense tensor.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_coo_tensor([[1]], [3.0], [3])
        >>> paddle.sparse.pow(x, 2).to_dense().tolist()
        [0.0, 9.0, 0.0]
    """
    return map_values(x, lambda values: paddle.pow(values, factor), "pow")


def cast(
    x: SparseTensor,
    index_dtype: DTypeLike | None = None,
    value_dtype: DTypeLike | None = None,
    name: str | None = None,
) -> SparseTensor:
    """Return a sparse tensor with other dtypes.

    Args:
        x: SparseCooTensor or SparseCsrTensor.
        index_dtype: the dtype of the coordinates; None keeps it.
        value_dtype: the dtype of the values; None keeps it (Paddle needs one).
        name: ignored.

    Raises:
        UnimplementedError: for a dense tensor.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_coo_tensor([[1]], [3.0], [3])
        >>> y = paddle.sparse.cast(x, "int32", "float64")
        >>> y.indices().dtype, y.dtype
        (paddle.int32, paddle.float64)
    """
    checked(x, "cast")
    values = x._values if value_dtype is None else paddle.cast(x._values, value_dtype)
    if index_dtype is None:
        return x.like(values)
    integer = dtypes.as_dtype(dtypes.to_numpy(index_dtype))
    if isinstance(x, SparseCooTensor):
        indices = x._indices.astype(integer)
        return SparseCooTensor(indices, values, x.shape, x._is_coalesced)
    return SparseCsrTensor(x._crows.astype(integer), x._cols.astype(integer), values, x.shape)
