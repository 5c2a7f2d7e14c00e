"""Functions of paddle.compat: those of paddle with PyTorch's argument names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import jaxeager as paddle
from jaxeager.arrays import random
from jaxeager.errors import InvalidTypeError
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class MedianRetType(NamedTuple):
    """Medians along an axis, and their indices."""

    values: Tensor
    indices: Tensor


class MinMaxRetType(NamedTuple):
    """Extremes along an axis, and their indices."""

    values: Tensor
    indices: Tensor


class SortRetType(NamedTuple):
    """Sorted elements, and their previous indices."""

    values: Tensor
    indices: Tensor


class SlogdetResult(NamedTuple):
    """The sign of a determinant, and the logarithm of its absolute value."""

    sign: Tensor
    logabsdet: Tensor


def _given(found: Any, out: Any) -> Any:
    """Return the result, after writing it to ``out``, if given: a tensor, or two.

    Raises:
        InvalidTypeError: when ``out`` has another number of tensors.
    """
    if out is None:
        return found
    wanted = 2 if isinstance(found, tuple) else 1
    given = tuple(out) if isinstance(out, (tuple, list)) else (out,)
    is_list = isinstance(out, (tuple, list))
    is_tensors = all(isinstance(each, Tensor) for each in given)
    if len(given) != wanted or is_list != (wanted == 2) or not is_tensors:
        expected = "a list or tuple of two tensors" if wanted == 2 else "a Tensor"
        raise InvalidTypeError(f"Expected {expected}, got {type(out)} instead.")
    if wanted == 1:
        return paddle.assign(found, given[0])
    for value, target in zip(found, given, strict=True):
        paddle.assign(value, target)
    return type(found)(*given)


def equal(input: Tensor, other: Tensor) -> bool:
    """Return whether two tensors have the same shape and elements, whatever their dtypes.

    Args:
        input: of any dtype and shape.
        other: of any dtype and shape.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.compat.equal(paddle.to_tensor([3.0, 1.0]), paddle.to_tensor([3, 1]))
        True
    """
    if input.shape != other.shape:
        return False
    return bool((input.numpy() == other.numpy()).all())


def _middle(function: Callable, input: Tensor, dim: int | None, keepdim: bool, out: Any) -> Any:
    if dim is None:
        return _given(function(input, keepdim=keepdim, mode="min"), out)
    values, indices = function(input, axis=dim, keepdim=keepdim, mode="min")
    return _given(MedianRetType(values, paddle.clip(indices, min=0)), out)


def median(
    input: Tensor, dim: int | None = None, keepdim: bool = False, *, out: Any = None
) -> Tensor | MedianRetType:
    """Return the median; the lower one if there are two.

    Args:
        input: float or int tensor.
        dim: the axis; None for all elements.
        keepdim: whether the axis is kept, with length 1.
        out: where the result is also written: a tensor, or two with ``dim``.

    Returns:
        The median; with ``dim`` (values, indices).

    Raises:
        InvalidTypeError: for another ``out``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.compat.median(paddle.to_tensor([[3.0, 1.0, 2.0, 7.0]]), 1).values.tolist()
        [2.0]
    """
    return _middle(paddle.median, input, dim, keepdim, out)


def nanmedian(
    input: Tensor, dim: int | None = None, keepdim: bool = False, *, out: Any = None
) -> Tensor | MedianRetType:
    """Return the median of the elements that are not NaN; the lower one if there are two.

    Args:
        input: float tensor.
        dim: the axis; None for all elements.
        keepdim: whether the axis is kept, with length 1.
        out: where the result is also written: a tensor, or two with ``dim``.

    Returns:
        The median; with ``dim`` (values, indices).

    Raises:
        InvalidTypeError: for another ``out``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.compat.nanmedian(paddle.to_tensor([3.0, float("nan"), 2.0])).item()
        2.0
    """
    return _middle(paddle.nanmedian, input, dim, keepdim, out)


_UNSAID = object()


def _extreme(names: tuple[str, str, str], input: Tensor, args: tuple, kwargs: dict, out: object):
    """Return the extreme of all elements, of two tensors, or along an axis."""
    name, pairwise, where = names
    given = dict(zip(("dim", "keepdim"), args, strict=False)) | kwargs
    other = given.pop("other", given.get("dim", _UNSAID))
    keepdim = given.get("keepdim", False)
    is_tensor = isinstance(other, Tensor)
    known = set(given) <= {"dim", "keepdim"} and len(args) + len(kwargs) <= 2
    is_other = (other is _UNSAID and not given) or (is_tensor and "keepdim" not in given)
    if not known or not (is_other or type(other) is int):
        raise InvalidTypeError(
            f"Invalid arguments for `paddle.compat.{name}`: it takes a tensor alone, with another "
            f"tensor, or with an int dim and keepdim, but received {args} and {kwargs}."
        )
    if other is _UNSAID:
        return _given(getattr(paddle, name)(input), out)
    if is_tensor:
        return _given(getattr(paddle, pairwise)(input, other), out)
    if input.ndim == 0:
        return _given(MinMaxRetType(input, paddle.zeros([], "int64")), out)
    indices = getattr(paddle, where)(input, axis=other, keepdim=True)
    values = paddle.take_along_axis(input, indices, other)
    if not keepdim:
        values, indices = values.squeeze(other), indices.squeeze(other)
    return _given(MinMaxRetType(values, indices), out)


def min(input: Tensor, *args: Any, out: Any = None, **kwargs: Any) -> Tensor | MinMaxRetType:
    """Return the least element, of all or along an axis, or the elementwise minimum of two tensors.

    Args:
        input: float or int tensor.
        args: nothing; ``other``, a tensor; or ``dim``, an int, and ``keepdim``.
        out: where the result is also written: a tensor, or two with ``dim``.
        kwargs: the same by name.

    Returns:
        A tensor; with ``dim`` (values, indices).

    Raises:
        InvalidTypeError: for other arguments.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.compat.min(paddle.to_tensor([[3.0, 1.0]]), 1).indices.tolist()
        [1]
    """
    return _extreme(("min", "minimum", "argmin"), input, args, kwargs, out)


def max(input: Tensor, *args: Any, out: Any = None, **kwargs: Any) -> Tensor | MinMaxRetType:
    """Return the greatest element, of all or along an axis, or the maximum of two tensors.

    Args:
        input: float or int tensor.
        args: nothing; ``other``, a tensor; or ``dim``, an int, and ``keepdim``.
        out: where the result is also written: a tensor, or two with ``dim``.
        kwargs: the same by name.

    Returns:
        A tensor; with ``dim`` (values, indices).

    Raises:
        InvalidTypeError: for other arguments.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.compat.max(paddle.to_tensor([[3.0, 1.0]]), 1).indices.tolist()
        [0]
    """
    return _extreme(("max", "maximum", "argmax"), input, args, kwargs, out)


def seed() -> int:
    """Seed the random numbers with a number that is not chosen by the user, and return it.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.compat.seed() == paddle.random.initial_seed()
        True
    """
    return random.default_generator.seed()


def slogdet(x: Tensor, out: Sequence[Tensor] | None = None) -> SlogdetResult:
    """Return the sign of a determinant and the logarithm of its absolute value.

    Args:
        x: float[..., n, n].
        out: two tensors where the results are also written.

    Raises:
        InvalidTypeError: for another ``out``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.compat.slogdet(-paddle.eye(3)).sign.item()
        -1.0
    """
    sign, logarithm = paddle.linalg.slogdet(x)
    return _given(SlogdetResult(sign, logarithm), out)


def sort(
    input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False, out: Any = None
) -> SortRetType:
    """Return the elements sorted along an axis, and their previous indices.

    Args:
        input: float or int tensor.
        dim: the axis.
        descending: whether the greatest element is first.
        stable: whether equal elements keep their order; they always do.
        out: two tensors where the results are also written.

    Raises:
        InvalidTypeError: for another ``out``.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.compat.sort(paddle.to_tensor([3.0, 1.0, 2.0])).indices.tolist()
        [1, 2, 0]
    """
    indices = paddle.argsort(input, dim, descending, True)
    values = paddle.take_along_axis(input, indices, dim) if input.ndim else input
    return _given(SortRetType(values, indices), out)


def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Return the distinct elements.

    Args:
        input: float or int tensor.
        sorted: whether they are sorted; they always are.
        return_inverse: whether the index of each element among them is returned.
        return_counts: whether the count of each is returned.
        dim: the axis whose slices are compared; None for all elements.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.compat.unique(paddle.to_tensor([3, 1, 1])).tolist()
        [1, 3]
    """
    return paddle.unique(
        input, return_inverse=return_inverse, return_counts=return_counts, axis=dim
    )
