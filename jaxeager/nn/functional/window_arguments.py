"""Arguments of windows: sizes as one or several numbers, layouts, and all forms of padding."""

from collections.abc import Sequence

import numpy as np

from jaxeager.core.symbolic import is_symbolic
from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.rules.attrs import as_int

# By the number of spatial dimensions.
FORMATS = {1: ("NCL", "NLC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


def check_layout(data_format: str, allowed: tuple[str, ...] = ("NCHW", "NHWC")) -> None:
    """Raise unless the layout is an allowed one."""
    if data_format not in allowed:
        names = " or ".join(repr(name) for name in allowed)
        raise InvalidArgumentError(
            f"Attr(data_format) should be {names}. Received Attr(data_format): {data_format}."
        )


def check_ndim(x, ndim: int) -> None:
    """Raise unless a tensor has ``ndim`` dimensions."""
    if x.ndim != ndim:
        raise InvalidArgumentError(
            f"Input x should be {ndim}D tensor, but received x with the shape of {list(x.shape)}"
        )


def numbers(value, count: int, what: str) -> tuple[int, ...]:
    """Return ``count`` ints for one int or for a sequence of one or ``count``.

    Raises:
        InvalidArgumentError: for any other length.
    """
    if isinstance(value, (int, np.integer)) or is_symbolic(value):
        return (as_int(value, what),) * count
    items = value.tolist() if hasattr(value, "tolist") else list(value)
    if len(items) == 1:
        items = items * count
    if len(items) != count:
        raise InvalidArgumentError(
            f"{what} must be one int or {count} of them, but received {value}."
        )
    return tuple(item if is_symbolic(item) else int(item) for item in items)


def paddings(
    padding,
    size: tuple[int, ...],
    kernel: tuple[int, ...],
    strides: tuple[int, ...],
    dilations: tuple[int, ...],
    channel_last: bool = False,
) -> tuple[int, ...]:
    """Return (low, high) for each spatial dimension, in turn.

    Args:
        padding: "SAME", "VALID", one int, one or two ints per dimension, or a pair for each
            dimension of the input, including batch and channels.
        size: the input's spatial sizes.
        kernel: the window's spatial sizes.
        strides: the window's strides.
        dilations: the distances of the window's elements.
        channel_last: whether the channels are the last dimension, for the last form of padding.

    Raises:
        InvalidArgumentError: for any other padding, or a negative one.
    """
    count = len(size)
    if isinstance(padding, str):
        return _named(padding, size, kernel, strides, dilations)
    flat = padding if isinstance(padding, (int, np.integer)) else list(padding)
    if isinstance(flat, list) and len(flat) == count + 2 and isinstance(flat[0], (list, tuple)):
        pairs = [tuple(pair) for pair in flat]
        outside = [pairs[0], pairs[-1 if channel_last else 1]]
        if any(pair != (0, 0) for pair in outside):
            raise InvalidArgumentError(
                f"Non-zero padding({padding}) in the batch or channel dimensions is not supported."
            )
        flat = [n for pair in (pairs[1:-1] if channel_last else pairs[2:]) for n in pair]
    if isinstance(flat, list) and any(isinstance(n, (list, tuple)) for n in flat):
        raise InvalidArgumentError(f"In valid padding: {padding}")
    if isinstance(flat, list) and len(flat) == 2 * count:
        ends = tuple(flat)
    else:
        ends = tuple(n for n in numbers(flat, count, "padding") for _ in range(2))
    if min(ends) < 0:
        raise InvalidArgumentError(
            "Invalid padding, all value should be larger than or equal to 0, but received: "
            f"{padding}"
        )
    return tuple(int(n) for n in ends)


def _named(padding: str, size, kernel, strides, dilations) -> tuple[int, ...]:
    """Return the numbers for "VALID" and "SAME"."""
    if padding.upper() == "VALID":
        return (0,) * (2 * len(size))
    if padding.upper() != "SAME":
        raise InvalidArgumentError(
            f"Unknown padding: '{padding.upper()}'. It can only be 'SAME' or 'VALID'."
        )
    ends = []
    for n, k, s, d in zip(size, kernel, strides, dilations, strict=True):
        total = max((-(-n // s) - 1) * s + d * (k - 1) + 1 - n, 0)
        ends += [total // 2, total - total // 2]
    return tuple(ends)


def dilations_beside(padding, size, kernel, strides, dilations) -> tuple[tuple[int, ...], str]:
    """Return the dilations to use: ones with "SAME", as in Paddle.

    Paddle ignores them silently; here a warning states it, and the numbers to pass instead.

    Args:
        padding, size, kernel, strides, dilations: as for ``paddings``.

    Returns:
        the dilations, and the warning, which is empty if they are used.
    """
    if not isinstance(padding, str) or padding.upper() != "SAME" or max(dilations) == 1:
        return dilations, ""
    instead = list(_named(padding, size, kernel, strides, dilations))
    return (1,) * len(dilations), (
        f'padding="{padding}" sets the dilation to 1, as in Paddle: dilation={list(dilations)} is '
        f"not used. For a dilated convolution give the padding as numbers: padding={instead}."
    )


def spatial(shape: Sequence[int], data_format: str) -> tuple[int, ...]:
    """Return the sizes of a shape that are neither batch nor channels."""
    return tuple(shape[2:] if data_format[1] == "C" else shape[1:-1])


def by_axis_paddings(paddings: int | Sequence[int]) -> int | Sequence[int]:
    """Return the paddings of ``fold`` and ``unfold`` in the order of the rows: axis by axis."""
    if isinstance(paddings, (list, tuple)) and len(paddings) == 4:
        top, left, bottom, right = paddings
        return top, bottom, left, right
    return paddings
