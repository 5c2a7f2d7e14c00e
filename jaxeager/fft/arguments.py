"""Checks of the transforms' arguments: sizes, axes and norms."""

from collections.abc import Sequence

from jaxeager.errors import InvalidArgumentError, InvalidAxisError

NORMS = ("forward", "backward", "ortho")


def check_norm(norm) -> None:
    """Raise unless a norm is one of the three."""
    if norm not in NORMS:
        raise InvalidArgumentError(
            f"Unexpected norm: {norm}. Norm should be forward, backward or ortho."
        )


def _is_int(value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def check_size(n) -> None:
    """Raise unless a number of points is a positive int."""
    if not _is_int(n) or n <= 0:
        raise InvalidArgumentError(
            f"Invalid FFT argument n({n}), it should be {'positive' if _is_int(n) else 'an int'}."
        )


def axis_of(x, axis) -> int:
    """Return one axis counted from the front; the last one for None."""
    axis = -1 if axis is None else axis
    if not _is_int(axis) or not -x.ndim <= axis < x.ndim:
        raise InvalidAxisError(
            f"Invalid FFT axis ({axis}), it should be an int in the range [-{x.ndim}, {x.ndim})."
        )
    return axis % x.ndim


def axes_of(x, s, axes) -> list[int]:
    """Return axes counted from the front; by default the last ``len(s)``, or all of them.

    Raises:
        InvalidArgumentError: for sizes or axes that do not fit the tensor or each other.
    """
    if s is not None:
        _check_sequence("sizes s", s, x.ndim)
        for size in s:
            check_size(size)
    if axes is None:
        return list(range(0 if s is None else x.ndim - len(s), x.ndim))
    _check_sequence("axes", axes, x.ndim)
    found = [axis_of(x, axis) for axis in axes]
    if s is not None and len(s) != len(axes):
        raise InvalidArgumentError(
            f"There must be one size an axis, but received s={list(s)} for axes={list(axes)}."
        )
    return found


def _check_sequence(what: str, value, ndim: int) -> None:
    if not isinstance(value, Sequence):
        raise InvalidArgumentError(
            f"The FFT {what} must be a sequence of ints, but received {value!r}."
        )
    if len(value) > ndim:
        raise InvalidArgumentError(
            f"There must be no more FFT {what} than the {ndim} dimensions of the input, but "
            f"received {list(value)}."
        )


def check_plane(x, s, axes) -> None:
    """Raise unless there are two sizes and two axes, and the tensor has two dimensions."""
    if x.ndim < 2:
        raise InvalidArgumentError(
            f"The input must have 2 dimensions or more, but its shape is {list(x.shape)}."
        )
    for what, value in (("s", s), ("axes", axes)):
        if value is not None and (not isinstance(value, Sequence) or len(value) != 2):
            raise InvalidArgumentError(
                f"Invalid FFT argument {what} ({value}), it should be a sequence of 2 integers."
            )
