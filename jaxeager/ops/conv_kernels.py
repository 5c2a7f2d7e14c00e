"""How convolutions are computed: by XLA's own op, and on a CPU by what is faster there.

Note [Convolutions on a CPU]. XLA's CPU convolution is slow in two cases. With few input channels a
1-to-6-channel 3x3 convolution takes 2 to 10 times as long as the same numbers as one matrix
product; with a filter for each channel (depthwise) it takes 20 to 30 times as long as adding up
shifted images. So these lower to slices, dots and sums on a CPU and to ``conv_general_dilated``
everywhere else. The choice is made by ``lax.platform_dependent`` when a kernel is lowered, for the
device its operands are on, and costs nothing at run time. Above 8 MiB of columns the copy costs
more than the matrix product gains.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

COLUMN_BYTES = 8 << 20


class Geometry(NamedTuple):
    """How a filter moves over an image: two numbers each, pads as (low, high) pairs."""

    strides: tuple[int, int]
    pads: tuple[tuple[int, int], tuple[int, int]]
    dilations: tuple[int, int]
    groups: int
    layout: str

    def out_size(self, size: tuple[int, ...], kernel: tuple[int, ...]) -> tuple[int, int]:
        """Returns (height, width) of the output for an input and a filter of these sizes."""
        height, width = (
            max((n + sum(p) - d * (k - 1) - 1) // s + 1, 0)
            for n, k, s, p, d in zip(
                size, kernel, self.strides, self.pads, self.dilations, strict=True
            )
        )
        return height, width


def geometry(strides, paddings, dilations, groups: int, data_format: str) -> Geometry:
    """Returns the attributes of a convolution in one form.

    Raises:
        ValueError: for a number that cannot be, or another layout.
    """
    strides, dilations = pair(strides), pair(dilations)
    for name, numbers in (("stride", strides), ("dilation", dilations)):
        if min(numbers) < 1:
            raise ValueError(f"the {name} must be larger than 0, but received {list(numbers)}.")
    if groups < 1:
        raise ValueError(f"groups must be larger than 0, but received {groups}.")
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError(f"data_format must be 'NCHW' or 'NHWC', but received {data_format!r}.")
    return Geometry(strides, pad_pairs(paddings), dilations, groups, data_format)


def pair(value) -> tuple[int, int]:
    """Returns (height, width) for one number or two.

    Raises:
        ValueError: for any other count.
    """
    numbers = (value, value) if isinstance(value, int) else tuple(value)
    if len(numbers) != 2:
        raise ValueError(f"expected one number or two, but received {list(numbers)}.")
    return numbers


def pad_pairs(value) -> tuple[tuple[int, int], tuple[int, int]]:
    """Returns ((top, bottom), (left, right)) for one number, (height, width) or all four.

    Raises:
        ValueError: for any other count, or a negative number.
    """
    numbers = (value, value) if isinstance(value, int) else tuple(value)
    if len(numbers) == 2:
        numbers = (numbers[0], numbers[0], numbers[1], numbers[1])
    if len(numbers) != 4 or min(numbers) < 0:
        raise ValueError(
            "the padding must be one, two or four numbers of at least 0, but received "
            f"{list(numbers)}."
        )
    return numbers[:2], numbers[2:]


# ---- the two ways to compute


def _convolve(x, filter, g: Geometry):
    """The convolution as XLA has it."""
    return lax.conv_general_dilated(
        x,
        filter,
        g.strides,
        g.pads,
        rhs_dilation=g.dilations,
        dimension_numbers=(g.layout, "OIHW", g.layout),
        feature_group_count=g.groups,
    )


def _columns(x, kernel: tuple[int, int], g: Geometry):
    """Returns what each filter position sees of an NCHW image: [C * kh * kw, N * h * w]."""
    oh, ow = g.out_size(x.shape[2:], kernel)
    (sh, sw), (dh, dw) = g.strides, g.dilations
    channels, batch = x.shape[1], x.shape[0]
    x = jnp.pad(x.transpose(1, 0, 2, 3), ((0, 0), (0, 0), *g.pads))
    seen = [
        lax.slice(
            x,
            (0, 0, i * dh, j * dw),
            (channels, batch, i * dh + (oh - 1) * sh + 1, j * dw + (ow - 1) * sw + 1),
            (1, 1, sh, sw),
        )
        for i in range(kernel[0])
        for j in range(kernel[1])
    ]
    return jnp.stack(seen, 1).reshape(-1, batch * oh * ow)


def _from_columns(columns, shape: tuple[int, ...], kernel: tuple[int, int], g: Geometry):
    """The transpose of ``_columns``: adds [C * kh * kw, N * h * w] up into an NCHW image."""
    batch, channels, *size = shape
    oh, ow = g.out_size(tuple(size), kernel)
    (sh, sw), (dh, dw) = g.strides, g.dilations
    columns = columns.reshape(channels, kernel[0] * kernel[1], batch, oh, ow)
    padded = [n + sum(p) for n, p in zip(size, g.pads, strict=True)]
    zero = jnp.zeros((), columns.dtype)
    image = jnp.zeros((channels, batch, *padded), columns.dtype)
    for position, (i, j) in enumerate(np.ndindex(*kernel)):
        top, left = i * dh, j * dw
        bottom = padded[0] - top - (oh - 1) * sh - 1
        right = padded[1] - left - (ow - 1) * sw - 1
        margins = ((0, 0, 0), (0, 0, 0), (top, bottom, sh - 1), (left, right, sw - 1))
        image = image + lax.pad(columns[:, position], zero, margins)
    (top, _), (left, _) = g.pads
    return image[:, :, top : top + size[0], left : left + size[1]].transpose(1, 0, 2, 3)


def _rows_of(out):
    """Returns an NCHW array as [C, N * h * w]."""
    return out.transpose(1, 0, 2, 3).reshape(out.shape[1], -1)


def _dot_forward(x, filter, g: Geometry):
    """The convolution of an NCHW image as one matrix product."""
    out_channels = filter.shape[0]
    out = filter.reshape(out_channels, -1) @ _columns(x, filter.shape[2:], g)
    oh, ow = g.out_size(x.shape[2:], filter.shape[2:])
    return out.reshape(out_channels, x.shape[0], oh, ow).transpose(1, 0, 2, 3)


def _dot_input_grad(x, filter, dout, g: Geometry):
    """The gradient of an NCHW image as one matrix product."""
    columns = filter.reshape(filter.shape[0], -1).T @ _rows_of(dout)
    return _from_columns(columns, x.shape, filter.shape[2:], g)


def _dot_filter_grad(x, filter, dout, g: Geometry):
    """The gradient of the filter as one matrix product."""
    columns = _columns(x, filter.shape[2:], g)
    return (_rows_of(dout) @ columns.T).reshape(filter.shape)


# ---- which of them a CPU takes: measured on 2 cores, see Note [Convolutions on a CPU]


def _columns_fit(x, filter, g: Geometry) -> bool:
    """Says whether the columns of an NCHW image are few enough for a matrix product to win."""
    if g.groups != 1 or x.dtype not in (jnp.float32, jnp.float64) or x.size == 0:
        return False
    oh, ow = g.out_size(x.shape[2:], filter.shape[2:])
    count = _plane(filter) * x.shape[0] * oh * ow
    return 0 < count * x.dtype.itemsize <= COLUMN_BYTES or (_is_pointwise(filter) and count > 0)


def _plane(filter) -> int:
    """Returns how many numbers one output channel's filter has."""
    return int(np.prod(filter.shape[1:]))


def _is_pointwise(filter) -> bool:
    return filter.shape[2:] == (1, 1)


def _forward_by_dot(x, filter, g: Geometry) -> bool:
    channels, out_channels = filter.shape[1], filter.shape[0]
    few = channels <= 3 or (channels <= 8 and out_channels <= 16)
    return (few or _is_pointwise(filter)) and _columns_fit(x, filter, g)


def _input_grad_by_dot(x, filter, g: Geometry) -> bool:
    return (filter.shape[1] <= 8 or _is_pointwise(filter)) and _columns_fit(x, filter, g)


def _filter_grad_by_dot(x, filter, g: Geometry) -> bool:
    one_plane = filter.shape[1] == 1 and _plane(filter) <= 9
    return (one_plane or _is_pointwise(filter)) and _columns_fit(x, filter, g)


def _is_depthwise(x, filter, g: Geometry) -> bool:
    """Says whether shifted sums win: one input channel a filter, of at most 49 numbers."""
    if not g.groups == x.shape[1] > 1 or x.dtype not in (jnp.float32, jnp.float64):
        return False
    has_pixels = x.size > 0 and min(g.out_size(x.shape[2:], filter.shape[2:])) > 0
    return has_pixels and _plane(filter) <= 49


# ---- depthwise: sums of shifted images


def _shifted(x, kernel: tuple[int, int], g: Geometry) -> list:
    """Returns what each filter position sees of an NCHW image: [N, C, 1, h, w] each."""
    (sh, sw), (dh, dw) = g.strides, g.dilations
    oh, ow = g.out_size(x.shape[2:], kernel)
    x = jnp.pad(x, ((0, 0), (0, 0), *g.pads))
    return [
        lax.slice(
            x,
            (0, 0, i * dh, j * dw),
            (*x.shape[:2], i * dh + (oh - 1) * sh + 1, j * dw + (ow - 1) * sw + 1),
            (1, 1, sh, sw),
        )[:, :, None]
        for i, j in np.ndindex(*kernel)
    ]


def _taps(filter, channels: int):
    """Returns a depthwise filter as [positions, C, M / C, 1, 1]."""
    return filter.reshape(channels, filter.shape[0] // channels, -1, 1, 1).transpose(2, 0, 1, 3, 4)


def _shift_forward(x, filter, g: Geometry):
    """A depthwise convolution as a sum of scaled, shifted images."""
    taps = _taps(filter, x.shape[1])
    seen = _shifted(x, filter.shape[2:], g)
    total = seen[0] * taps[0]
    for each, tap in zip(seen[1:], taps[1:], strict=True):
        total = total + each * tap
    return total.reshape(x.shape[0], filter.shape[0], *total.shape[3:])


def _shift_input_grad(x, filter, dout, g: Geometry):
    """The gradient of the image of a depthwise convolution."""
    batch, channels = x.shape[:2]
    grouped = dout.reshape(batch, channels, -1, *dout.shape[2:])
    taps = _taps(filter, channels)
    columns = [jnp.sum(grouped * tap, 2) for tap in taps]
    stacked = jnp.stack([each.transpose(1, 0, 2, 3) for each in columns], 1)
    return _from_columns(stacked, x.shape, filter.shape[2:], g)


def _shift_filter_grad(x, filter, dout, g: Geometry):
    """The gradient of the filter of a depthwise convolution."""
    grouped = dout.reshape(x.shape[0], x.shape[1], -1, *dout.shape[2:])
    sums = [jnp.sum(each * grouped, (0, 3, 4)) for each in _shifted(x, filter.shape[2:], g)]
    return jnp.stack(sums, -1).reshape(filter.shape)


# ---- the choice


def _on_cpu(fast, plain, g: Geometry, *arrays):
    """Runs ``fast`` on a CPU, when there is such a way, and ``plain`` otherwise."""
    if fast is None:
        return plain(*arrays, g)
    return lax.platform_dependent(*arrays, cpu=partial(fast, g=g), default=partial(plain, g=g))


def forward(x, filter, g: Geometry):
    """Returns the convolution of an NCHW image."""
    fast = None
    if _is_depthwise(x, filter, g):
        fast = _shift_forward
    elif _forward_by_dot(x, filter, g):
        fast = _dot_forward
    return _on_cpu(fast, _convolve, g, x, filter)


def input_grad(x, filter, dout, g: Geometry):
    """Returns the gradient of the NCHW image."""
    fast = None
    if _is_depthwise(x, filter, g):
        fast = _shift_input_grad
    elif _input_grad_by_dot(x, filter, g):
        fast = _dot_input_grad
    return _on_cpu(fast, _plain_input_grad, g, x, filter, dout)


def _plain_input_grad(x, filter, dout, g: Geometry):
    return jax.vjp(lambda x: _convolve(x, filter, g), x)[1](dout)[0]


def filter_grad(x, filter, dout, g: Geometry):
    """Returns the gradient of the filter."""
    fast = None
    if _is_depthwise(x, filter, g):
        fast = _shift_filter_grad
    elif _filter_grad_by_dot(x, filter, g):
        fast = _dot_filter_grad
    return _on_cpu(fast, _plain_filter_grad, g, x, filter, dout)


def _plain_filter_grad(x, filter, dout, g: Geometry):
    return jax.vjp(lambda w: _convolve(x, w, g), filter)[1](dout)[0]
