"""The geometry of a filter that moves over an image or a volume, and the elements it reads."""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.core.symbolic import is_symbolic


class Geometry(NamedTuple):
    """The attributes of a convolution: one number per spatial dimension, pads as (low, high)."""

    strides: tuple[int, ...]
    pads: tuple[tuple[int, int], ...]
    dilations: tuple[int, ...]
    groups: int
    layout: str

    def out_size(self, size: tuple[int, ...], kernel: tuple[int, ...]) -> tuple[int, ...]:
        """Return the spatial sizes of the output for an input and a filter of these sizes."""
        return tuple(
            _not_negative((n + sum(p) - d * (k - 1) - 1) // s + 1)
            for n, k, s, p, d in zip(
                size, kernel, self.strides, self.pads, self.dilations, strict=True
            )
        )

    def seen_along(self, axis: int, position: int, out: int) -> tuple[int, int, int]:
        """Return start, end and step of a filter position's reads along a padded axis."""
        start, step = position * self.dilations[axis], self.strides[axis]
        return start, start + (out - 1) * step + 1, step

    def seen_from(self, position: tuple[int, ...], out: tuple[int, ...]) -> tuple:
        """Return starts, ends and steps, per axis, of a filter position's reads when padded."""
        places = zip(range(len(out)), position, out, strict=True)
        return tuple(zip(*[self.seen_along(*each) for each in places], strict=True))


def _not_negative(size: int) -> int:
    return size if is_symbolic(size) else max(size, 0)


LAYOUTS = {"NCHW": 2, "NHWC": 2, "NCDHW": 3, "NDHWC": 3}


def check_format(data_format: str, dims: int) -> None:
    """Raise ValueError unless a layout is one for this number of spatial dimensions."""
    allowed = [name for name, count in LAYOUTS.items() if count == dims]
    if data_format not in allowed:
        names = " or ".join(map(repr, allowed))
        raise ValueError(f"data_format must be {names}, but received {data_format!r}.")


def channels_first(x, data_format: str):
    """Return an image in a channels-first layout."""
    return x if data_format[1] == "C" else jnp.moveaxis(x, -1, 1)


def spatial_size(x, data_format: str) -> tuple[int, ...]:
    """Return the height and width, or depth, height and width, of an image."""
    return x.shape[2:] if data_format[1] == "C" else x.shape[1:-1]


def channels_back(x, data_format: str):
    """Return a channels-first image in the given layout."""
    return x if data_format[1] == "C" else jnp.moveaxis(x, 1, -1)


def geometry(
    strides, paddings, dilations, groups: int, data_format: str, dims: int = 2
) -> Geometry:
    """Return the attributes of a convolution over ``dims`` spatial dimensions in one form.

    Raises:
        ValueError: for an invalid number or layout.
    """
    strides, dilations = per_axis(strides, dims), per_axis(dilations, dims)
    for name, numbers in (("stride", strides), ("dilation", dilations)):
        if any(n < 1 for n in numbers):
            raise ValueError(f"the {name} must be larger than 0, but received {list(numbers)}.")
    if groups < 1:
        raise ValueError(f"groups must be larger than 0, but received {groups}.")
    check_format(data_format, dims)
    return Geometry(strides, pad_pairs(paddings, dims), dilations, groups, data_format)


def per_axis(value, dims: int = 2) -> tuple[int, ...]:
    """Return a number for each spatial dimension, from one number or one for each.

    Raises:
        ValueError: for any other count.
    """
    numbers = tuple(value) if isinstance(value, (list, tuple)) else (value,) * dims
    if len(numbers) != dims:
        count = "two" if dims == 2 else dims
        raise ValueError(f"expected one number or {count}, but received {list(numbers)}.")
    return numbers


def check_window(kernel: tuple[int, ...], filters: int = 1) -> None:
    """Raise ValueError for a window without elements, or when there are no filters."""
    if min(kernel) < 1:
        raise ValueError(f"the kernel must be larger than 0, but its size is {list(kernel)}.")
    if filters < 1:
        raise ValueError("there are no filters: the output would have no channels.")


def check_fit(size: tuple[int, ...], kernel: tuple[int, ...], g: Geometry) -> None:
    """Raise ValueError if a filter is larger than a padded image of a spatial size."""
    axes = zip(size, kernel, g.pads, g.dilations, strict=True)
    if any(n + sum(p) <= d * (k - 1) for n, k, p, d in axes if not is_symbolic(n)):
        dilation = f" with dilation {list(g.dilations)}" if max(g.dilations) > 1 else ""
        raise ValueError(
            f"a filter of {list(kernel)}{dilation} does not fit into an image of {list(size)} with "
            f"padding {[n for p in g.pads for n in p]}."
        )


def pad_pairs(value, dims: int = 2) -> tuple[tuple[int, int], ...]:
    """Return (low, high) per dimension from one number, one per dimension, or all of them.

    Raises:
        ValueError: for any other count, or a negative number.
    """
    numbers = tuple(value) if isinstance(value, (list, tuple)) else (value,) * dims
    if len(numbers) == dims:
        numbers = tuple(n for n in numbers for _ in range(2))
    if len(numbers) != 2 * dims or any(n < 0 for n in numbers):
        counts = "two or four" if dims == 2 else f"{dims} or {2 * dims}"
        raise ValueError(
            f"the padding must be one, {counts} numbers of at least 0, but received "
            f"{list(numbers)}."
        )
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


# ---- sizes and views of channels-first operands


def plane(filter) -> int:
    """Return the number of elements of one output channel's filter."""
    return int(np.prod(filter.shape[1:]))


def counts(x, filter, g: Geometry) -> tuple[int, int, int]:
    """Return the number of pixels of an image and of an output, and of the filter's positions."""
    outputs = g.out_size(x.shape[2:], filter.shape[2:])
    return int(np.prod(x.shape[2:])), int(np.prod(outputs)), int(np.prod(filter.shape[2:]))


def views(x, kernel: tuple[int, ...], g: Geometry) -> list:
    """Return the elements each filter position reads: arrays of the output's spatial sizes."""
    out = g.out_size(x.shape[2:], kernel)
    x = jnp.pad(x, ((0, 0), (0, 0), *g.pads))
    found = []
    for position in np.ndindex(*kernel):
        starts, ends, steps = g.seen_from(position, out)
        found.append(lax.slice(x, (0, 0, *starts), (*x.shape[:2], *ends), (1, 1, *steps)))
    return found


def from_columns(columns, shape: tuple[int, ...], kernel: tuple[int, ...], g: Geometry):
    """Add columns, [C * positions, N * outputs], up into an image: the transpose of ``views``."""
    batch, channels, *size = shape
    out = g.out_size(tuple(size), kernel)
    columns = columns.reshape(channels, int(np.prod(kernel)), batch, *out)
    padded = [n + sum(p) for n, p in zip(size, g.pads, strict=True)]
    zero = jnp.zeros((), columns.dtype)
    image = jnp.zeros((channels, batch, *padded), columns.dtype)
    for number, position in enumerate(np.ndindex(*kernel)):
        starts, ends, steps = g.seen_from(position, out)
        margins = [
            (a, n - b, s - 1) for a, b, n, s in zip(starts, ends, padded, steps, strict=True)
        ]
        image = image + lax.pad(columns[:, number], zero, ((0, 0, 0), (0, 0, 0), *margins))
    inside = tuple(slice(low, low + n) for (low, _), n in zip(g.pads, size, strict=True))
    return image[:, :, *inside].swapaxes(0, 1)


def rows_of(out):
    """Return a channels-first array as [C, N * outputs]."""
    return out.swapaxes(0, 1).reshape(out.shape[1], -1)
