"""The pool2d and pool3d rows: max and average pooling, also adaptive."""

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.conv.geometry import channels_back, per_axis
from jaxeager.ops.pooling.max_windows import max_with_index
from jaxeager.ops.pooling.pool_kernels import (
    Pool,
    adaptive_average,
    adaptive_average_vjp,
    average_over,
    average_vjp,
    bins,
    even_pool,
    floating_image,
    max_over,
    max_vjp,
    pool_of,
    scatter_to,
    without_elements,
)
from jaxeager.ops.register import op
from jaxeager.ops.rules.attrs import Ints
from jaxeager.ops.rules.samples import BadInput, Sample, values


def _pool(x, kernel_size, data_format: str, pooling_type: str, adaptive: bool, dims: int, **rest):
    """Take the largest or the average of each window."""
    if pooling_type not in ("max", "avg"):
        raise ValueError(f"pooling_type must be 'max' or 'avg', but received {pooling_type!r}.")
    image, exclusive = floating_image(x, data_format), rest.pop("exclusive")
    if adaptive:
        size = per_axis(kernel_size, dims)
        nothing = without_elements(image, size, True)
        pool = even_pool(image, size) if nothing is None else None
        if nothing is not None:
            return channels_back(nothing, data_format)
        if pool is None and pooling_type == "avg":
            return channels_back(adaptive_average(image, size), data_format)
        if pool is None:
            return channels_back(max_with_index(image, None, size)[0], data_format)
    else:
        pool = pool_of(x, kernel_size, data_format=data_format, dims=dims, **rest)
    if (nothing := without_elements(image, pool.out, False)) is not None:
        return channels_back(nothing, data_format)
    out = max_over(image, pool) if pooling_type == "max" else average_over(image, pool, exclusive)
    return channels_back(out, data_format)


def pool2d_forward(
    x,
    *,
    kernel_size: Ints,
    strides: Ints = 1,
    paddings: Ints = 0,
    ceil_mode: bool = False,
    exclusive: bool = True,
    data_format: str = "NCHW",
    pooling_type: str = "max",
    adaptive: bool = False,
):
    """Take the largest or the average of each window; adaptive: kernel_size is the output's."""
    moves = {"strides": strides, "paddings": paddings, "ceil_mode": ceil_mode}
    return _pool(
        x, kernel_size, data_format, pooling_type, adaptive, 2, exclusive=exclusive, **moves
    )


def pool3d_forward(
    x,
    *,
    kernel_size: Ints,
    strides: Ints = 1,
    paddings: Ints = 0,
    ceil_mode: bool = False,
    exclusive: bool = True,
    data_format: str = "NCDHW",
    pooling_type: str = "max",
    adaptive: bool = False,
):
    """Take the largest or the average of each window; adaptive: kernel_size is the output's."""
    moves = {"strides": strides, "paddings": paddings, "ceil_mode": ceil_mode}
    return _pool(
        x, kernel_size, data_format, pooling_type, adaptive, 3, exclusive=exclusive, **moves
    )


def pool_vjp(
    x,
    out,
    dout,
    *,
    kernel_size,
    strides,
    paddings,
    ceil_mode,
    exclusive,
    data_format,
    pooling_type,
    adaptive,
):
    """Add each gradient to the first largest element, or divide it among its window."""
    dims = x.ndim - 2
    image, out, dout = (floating_image(each, data_format) for each in (x, out, dout))
    if without_elements(image, out.shape[2:], adaptive) is not None:
        return jnp.zeros(x.shape, x.dtype)
    if adaptive:
        size = per_axis(kernel_size, dims)
        pool = even_pool(image, size)
        if pool is None and pooling_type == "avg":
            return channels_back(adaptive_average_vjp(image, dout, size), data_format)
        if pool is None:
            place = max_with_index(image, None, size)[1]
            return channels_back(scatter_to(place, dout, image.shape), data_format)
    else:
        pool = pool_of(x, kernel_size, strides, paddings, ceil_mode, data_format, dims)
    if pooling_type == "max":
        return channels_back(max_vjp(image, out, dout, pool), data_format)
    return channels_back(average_vjp(image, dout, pool, exclusive), data_format)


def pool_reference(
    x,
    kernel_size,
    strides=1,
    paddings=0,
    ceil_mode=False,
    exclusive=True,
    data_format=None,
    pooling_type="max",
    adaptive=False,
):
    """Loop over the windows."""
    dims = x.ndim - 2
    layout = data_format or ("NCHW" if dims == 2 else "NCDHW")
    image = x if layout[1] == "C" else np.moveaxis(x, -1, 1)
    if adaptive:
        wanted = zip(image.shape[2:], per_axis(kernel_size, dims), strict=True)
        windows = [[(s, e, e - s) for s, e in bins(n, o)] for n, o in wanted]
    else:
        pool = pool_of(x, kernel_size, strides, paddings, ceil_mode, layout, dims)
        windows = [_reference_windows(image.shape[2 + i], i, pool, exclusive) for i in range(dims)]
    out = np.zeros((*image.shape[:2], *map(len, windows)), image.dtype)
    axes = tuple(range(2, dims + 2))
    for at in np.ndindex(*map(len, windows)):
        edges = [windows[axis][i] for axis, i in enumerate(at)]
        window = image[:, :, *(slice(start, end) for start, end, _ in edges)]
        count = np.prod([divisor for _, _, divisor in edges])
        out[:, :, *at] = window.max(axes) if pooling_type == "max" else window.sum(axes) / count
    return out if layout[1] == "C" else np.moveaxis(out, 1, -1)


def _reference_windows(size: int, axis: int, pool: Pool, exclusive: bool) -> list:
    """Return (start, end, divisor) of each window along one axis."""
    found = []
    for i in range(pool.out[axis]):
        start = i * pool.strides[axis] - pool.pads[axis][0]
        end = min(start + pool.kernel[axis], size + pool.pads[axis][1])
        inside = max(start, 0), min(end, size)
        found.append((*inside, inside[1] - inside[0] if exclusive else end - start))
    return found


def pool2d_samples():
    """Yield both kinds: adjacent, overlapping and large windows, pad, ceil, adaptive, NHWC."""
    image = values((2, 3, 6, 5))
    for kind in ("max", "avg"):
        yield Sample(image, kernel_size=2, strides=2, pooling_type=kind)
        yield Sample(
            image, kernel_size=(3, 2), strides=(2, 1), paddings=1, ceil_mode=True, pooling_type=kind
        )
        yield Sample(values((1, 2, 7, 7)), kernel_size=5, strides=2, pooling_type=kind)
        yield Sample(image, kernel_size=(3, 2), pooling_type=kind, adaptive=True)
        yield Sample(image, kernel_size=(3, 5), pooling_type=kind, adaptive=True)
    channels_last = values((2, 4, 4, 3))
    yield Sample(channels_last, kernel_size=2, strides=2, ceil_mode=True, data_format="NHWC")
    yield Sample(
        image,
        kernel_size=3,
        strides=2,
        paddings=(1, 0, 0, 1),
        exclusive=False,
        ceil_mode=True,
        pooling_type="avg",
    )
    padded = {"strides": 5, "paddings": 2, "ceil_mode": True, "pooling_type": "avg"}
    yield Sample(values((1, 2, 6, 11)), kernel_size=5, **padded)
    yield Sample(values((0, 2, 4, 4)), kernel_size=2, strides=2)
    over = {"kernel_size": (4, 7), "strides": (2, 7), "pooling_type": "avg"}
    yield Sample(values((1, 2, 3, 5)), **over)
    yield Sample(values((1, 2, 3, 5)), **over, paddings=(0, 1), exclusive=False)
    for kind in ("max", "avg"):
        yield Sample(values((1, 2, 2, 5)), kernel_size=(4, 2), strides=2, pooling_type=kind)
        yield Sample(values((1, 2, 2, 5)), kernel_size=(0, 2), pooling_type=kind, adaptive=True)


def pool2d_errors():
    """Yield invalid windows."""
    image, bad = values((1, 1, 3, 3)), InvalidArgumentError
    yield BadInput((image,), {"kernel_size": 7, "strides": 2}, bad, "does not fit into an image")
    yield BadInput((image,), {"kernel_size": 2, "strides": 0}, bad, "must be larger than 0")
    yield BadInput((image[0],), {"kernel_size": 2}, bad, "must have 4 dimensions, but has 3")
    yield BadInput((image,), {"kernel_size": (1, 2, 3)}, bad, "expected one number or two")
    yield BadInput((image,), {"kernel_size": 2, "pooling_type": "min"}, bad, "pooling_type must")


_POOL = {
    "vjp": pool_vjp,
    "saves": "x out",
    "public": None,
    "reference": pool_reference,
    "formula": "max: dx = dout at the first largest element of each window; "
    "avg: dx = dout / elements of the window",
    "boundary": "max: of equal elements the first one gets the gradient, of several nan the first.",
}

pool2d = op(
    "pool2d",
    pool2d_forward,
    samples=pool2d_samples,
    errors=pool2d_errors,
    doc="Take the largest element or the average of each window; recorded by F.max_pool2d and "
    "F.avg_pool2d.",
    example="paddle.nn.functional.max_pool2d(paddle.ones([1, 1, 4, 4]), 2)",
    **_POOL,
)


def pool3d_samples():
    """Yield both kinds: adjacent, overlapping and large windows, pad, ceil, adaptive, NDHWC."""
    volume = values((1, 2, 4, 5, 3))
    for kind in ("max", "avg"):
        yield Sample(volume, kernel_size=2, strides=2, pooling_type=kind)
        attrs = {"strides": (2, 1, 1), "paddings": 1, "ceil_mode": True, "pooling_type": kind}
        yield Sample(volume, kernel_size=(3, 2, 2), **attrs)
        yield Sample(values((1, 1, 4, 4, 4)), kernel_size=3, pooling_type=kind)
        yield Sample(volume, kernel_size=(2, 3, 2), pooling_type=kind, adaptive=True)
    last = volume.transpose(0, 2, 3, 4, 1)
    yield Sample(last, kernel_size=2, strides=2, ceil_mode=True, data_format="NDHWC")
    attrs = {"exclusive": False, "ceil_mode": True, "pooling_type": "avg"}
    yield Sample(volume, kernel_size=2, strides=2, paddings=(1, 0, 0, 1, 0, 1), **attrs)
    yield Sample(volume, kernel_size=3, strides=3, paddings=1, **attrs)


def pool3d_errors():
    """Yield invalid windows."""
    volume, bad = values((1, 1, 2, 2, 2)), InvalidArgumentError
    yield BadInput((volume,), {"kernel_size": 4, "strides": 1}, bad, "does not fit into an image")
    yield BadInput((volume[0],), {"kernel_size": 2}, bad, "must have 5 dimensions, but has 4")
    yield BadInput((volume,), {"kernel_size": (1, 2)}, bad, "expected one number or 3")


pool3d = op(
    "pool3d",
    pool3d_forward,
    samples=pool3d_samples,
    errors=pool3d_errors,
    doc="Take the largest element or the average of each window of volumes; recorded by "
    "F.max_pool3d and F.avg_pool3d.",
    example="paddle.nn.functional.max_pool3d(paddle.ones([1, 1, 4, 4, 4]), 2)",
    **_POOL,
)
