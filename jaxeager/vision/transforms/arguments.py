"""Checks of the arguments of transforms, shared by images of every kind."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from jaxeager.errors import InvalidArgumentError, InvalidTypeError, RefusedArgumentError

PADDING_MODES = ("constant", "edge", "reflect", "symmetric")


def is_number(value: object) -> bool:
    """Return whether a value is a number."""
    return isinstance(value, numbers.Real)


def demand(holds: bool, message: str) -> None:
    """Raise InvalidArgumentError with a message unless a condition holds."""
    if not holds:
        raise InvalidArgumentError(message)


def affirm(holds: bool, message: str) -> None:
    """Raise RefusedArgumentError, where Paddle asserts, unless a condition holds."""
    if not holds:
        raise RefusedArgumentError(message)


def one_of(name: str, value: str, known: Iterable[str]) -> str:
    """Return a value after checking that it is a known one.

    Raises:
        InvalidArgumentError: if it is not.
    """
    known = [*known]
    demand(value in known, f"{name} should be one of {known}, but got {value!r}.")
    return value


def pair(size: Any) -> tuple[int, int]:
    """Return height and width from one number or two."""
    if is_number(size):
        return int(size), int(size)
    demand(len(size) == 2, f"size should be an integer or two, but got {size}.")
    return tuple(size)


def resized(size: int | Sequence[int], width: int, height: int) -> tuple[int, int]:
    """Return height and width of an image after a resize; one number is the shorter side.

    Raises:
        InvalidTypeError: if ``size`` is neither one number nor two.
        InvalidArgumentError: if the image has no pixels.
    """
    if not isinstance(size, int) and not (isinstance(size, (tuple, list)) and len(size) == 2):
        raise InvalidTypeError(f"Got inappropriate size arg: {size}; give an integer or two.")
    if not isinstance(size, int):
        return size[0], size[1]
    demand(width > 0 and height > 0, f"an image of {width} x {height} pixels cannot be resized.")
    if min(width, height) == size:
        return height, width
    if width < height:
        return int(size * height / width), size
    return size, int(size * width / height)


def centered(size, width: int, height: int) -> tuple[int, int, int, int]:
    """Return top, left, height and width of the center of an image."""
    high, wide = pair(size)
    return round((height - high) / 2), round((width - wide) / 2), high, wide


def borders(padding: Any, fill: Any, padding_mode: Any) -> tuple[int, int, int, int]:
    """Return the widths of the borders: left, top, right and bottom.

    Raises:
        InvalidTypeError: if an argument has an invalid type.
        InvalidArgumentError: unless there are one, two or four numbers, or for any other mode.
    """
    for name, value, kinds in (
        ("padding", padding, (numbers.Real, list, tuple)),
        ("fill", fill, (numbers.Real, str, list, tuple)),
        ("padding_mode", padding_mode, (str,)),
    ):
        if not isinstance(value, kinds):
            raise InvalidTypeError(f"Got inappropriate {name} arg: {value!r}.")
    affirm(
        padding_mode in PADDING_MODES,
        f"padding_mode should be one of {[*PADDING_MODES]}, but got {padding_mode!r}.",
    )
    if is_number(padding):
        return (padding,) * 4
    if len(padding) not in (2, 4):
        raise InvalidArgumentError(
            f"Padding must be an int or a 2, or 4 element tuple, not a {len(padding)} element tuple"
        )
    return (*padding, *padding)[:4]


def shears(
    angle: object,
    translate: Sequence[float],
    scale: float,
    shear: Any,
    interpolation: object,
    center: object,
) -> tuple[float, float]:
    """Check the arguments of ``affine``; return the angles of the shear along x and y.

    Raises:
        InvalidTypeError: if an argument has an invalid type.
        InvalidArgumentError: if an argument has an invalid length or value.
    """
    for name, value, kinds, what in (
        ("angle", angle, (int, float), "int or float"),
        ("translate", translate, (list, tuple), "a sequence"),
        ("shear", shear, (numbers.Real, list, tuple), "a single value or a sequence of two"),
        ("interpolation", interpolation, (str,), "a string"),
        ("center", center, (list, tuple, type(None)), "a sequence"),
    ):
        if not isinstance(value, kinds):
            raise InvalidTypeError(f"Argument {name} should be {what}, but got {value!r}.")
    demand(len(translate) == 2, "Argument translate should be a sequence of length 2")
    demand(scale > 0, f"Argument scale should be positive, but got {scale}.")
    if is_number(shear):
        return shear, 0.0
    angles = [*shear, *shear] if len(shear) == 1 else [*shear]
    demand(len(angles) == 2, f"Shear should be a sequence containing two values. Got {[*shear]}")
    return angles[0], angles[1]


def factor(name: str, value: float) -> float:
    """Return a factor of brightness, contrast or saturation, after checking it.

    Raises:
        InvalidArgumentError: if it is negative.
    """
    affirm(value >= 0, f"{name} should be non-negative, but got {value}.")
    return value


def hue(value: float, check: Callable[[bool, str], None] = demand) -> float:
    """Return a hue shift as a fraction of the hue circle, after checking it.

    Args:
        value: the shift.
        check: ``demand`` or ``affirm``, by the class of error that Paddle raises.

    Raises:
        InvalidArgumentError: if its absolute value exceeds one half.
    """
    check(-0.5 <= value <= 0.5, f"hue_factor:{value} is not in [-0.5, 0.5].")
    return value


def channels(count: int) -> int:
    """Return the number of channels of a gray image, after checking it.

    Raises:
        InvalidArgumentError: if it is neither 1 nor 3.
    """
    demand(count in (1, 3), f"num_output_channels should be either 1 or 3, but got {count}.")
    return count


def layout(data_format: str) -> str:
    """Return "CHW" or "HWC".

    Raises:
        InvalidArgumentError: for anything else.
    """
    demand(
        str(data_format).upper() in ("CHW", "HWC"),
        f"data_format should be CHW or HWC. Got {data_format}",
    )
    return data_format.upper()


def spread(value: Any, name: str, center=1, bound=(0, math.inf)) -> list[float] | None:
    """Return the range of a random factor, or None if it contains only the center.

    Args:
        value: both ends of the range; or one number, the distance of the ends from the center.
        name: name of the argument, for errors.
        center: the factor that changes nothing.
        bound: limits of the ends. The range of a single number is clipped to them.

    Raises:
        InvalidArgumentError: if the number is negative, or an end is outside the bound.
        InvalidTypeError: if it is neither a number nor a sequence of two.
    """
    if is_number(value):
        demand(value >= 0, f"If {name} is a single number, it must be non negative.")
        ends = [center - value, center + value]
        if center == 1:
            ends[0] = max(ends[0], 0)
    elif isinstance(value, (tuple, list)) and len(value) == 2:
        ends = [*value]
    else:
        raise InvalidTypeError(f"{name} should be a single number or a list/tuple with length 2.")
    demand(
        bound[0] <= ends[0] <= ends[1] <= bound[1],
        f"{name} values should be between {bound}, but are {ends}.",
    )
    return None if ends[0] == ends[1] == center else ends


def sequence(value, name: str, lengths: tuple[int, ...]) -> Sequence:
    """Return a sequence after checking its type and length.

    Raises:
        InvalidTypeError: if it is not a sequence.
        InvalidArgumentError: if it has any other length.
    """
    wanted = " or ".join(map(str, lengths))
    if not isinstance(value, Sequence):
        raise InvalidTypeError(f"{name} should be a sequence of length {wanted}.")
    demand(len(value) in lengths, f"{name} should be sequence of length {wanted}.")
    return value


def angles(value: Any, name: str, lengths: tuple[int, ...] = (2,)) -> list[float]:
    """Return the ends of a range of angles; one number is the absolute value of both ends.

    Raises:
        InvalidTypeError: if it is neither a number nor a sequence.
        InvalidArgumentError: if the number is negative, or the length is invalid.
    """
    if is_number(value):
        demand(value >= 0, f"If {name} is a single number, it must be positive.")
        return [-float(value), float(value)]
    return [float(each) for each in sequence(value, name, lengths)]
