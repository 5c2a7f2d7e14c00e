"""Rows unpool and unpool3d: the elements of a pooling written back to the places in its mask."""

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.conv.geometry import per_axis
from jaxeager.ops.register import op
from jaxeager.ops.rules.attrs import Ints
from jaxeager.ops.rules.axes import index_dtype
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values


def _unpool(x, indices, output_size, dims: int):
    if x.ndim != dims + 2 or x.shape != indices.shape:
        raise ValueError(
            f"x and indices must have {dims + 2} dimensions and one shape, but have "
            f"{list(x.shape)} and {list(indices.shape)}."
        )
    index_dtype(indices)
    size, count = per_axis(output_size, dims), x.shape[0] * x.shape[1]
    flat = jnp.zeros((count, int(np.prod(size))), x.dtype)
    at = flat.at[jnp.arange(count)[:, None], indices.reshape(count, -1)]
    return at.set(x.reshape(count, -1), mode="drop").reshape(*x.shape[:2], *size)


def unpool_forward(x, indices, *, output_size: Ints):
    """Write [N, C, H, W] into zeros [N, C, *output_size] at positions in the flat image."""
    return _unpool(x, indices, output_size, 2)


def unpool3d_forward(x, indices, *, output_size: Ints):
    """Write [N, C, D, H, W] into zeros [N, C, *output_size] at positions in the flat volume."""
    return _unpool(x, indices, output_size, 3)


def unpool_vjp(indices, dout):
    """Take each gradient from the place where its element was written."""
    shape = indices.shape
    flat = dout.reshape(*shape[:2], -1)
    return jnp.take_along_axis(flat, indices.reshape(*shape[:2], -1), 2, mode="fill").reshape(shape)


def unpool_reference(x, indices, output_size):
    """Write one element after the other."""
    size = per_axis(output_size, x.ndim - 2)
    out = np.zeros((*x.shape[:2], int(np.prod(size))), x.dtype)
    for n, c in np.ndindex(*x.shape[:2]):
        out[n, c, indices[n, c].reshape(-1)] = x[n, c].reshape(-1)
    return out.reshape(*x.shape[:2], *size)


def _places(shape: tuple[int, ...], count: int) -> np.ndarray:
    """Return different positions below ``count`` for each image."""
    draw = np.random.default_rng(3)
    rows = [draw.permutation(count)[: int(np.prod(shape[2:]))] for _ in range(shape[0] * shape[1])]
    return np.array(rows, np.int32).reshape(shape)


def unpool_samples():
    """Yield images of two sizes."""
    yield Sample(values((2, 2, 2, 3)), _places((2, 2, 2, 3), 20), output_size=(4, 5))
    yield Sample(values((1, 1, 2, 2)), _places((1, 1, 2, 2), 9), output_size=3)


def unpool_errors():
    """Yield indices of another shape or kind."""
    x, bad = values((1, 1, 2, 2)), InvalidArgumentError
    yield BadInput((x, np.zeros((1, 1, 2, 1), int)), {"output_size": 4}, bad, "and one shape")
    yield BadInput((x, x), {"output_size": 4}, bad, "must hold integers")


_UNPOOL = {
    "vjp": unpool_vjp,
    "saves": "indices",
    "nondiff": "indices",
    "public": None,
    "reference": unpool_reference,
    "dtypes": WITH_COMPLEX,
    "formula": "dx = dout[indices]",
    "boundary": "of elements with one position the last is written; all of them get its gradient, "
    "as in Paddle.",
}

unpool = op(
    "unpool",
    unpool_forward,
    samples=unpool_samples,
    errors=unpool_errors,
    doc="Place elements at the positions in a mask, zeros elsewhere; recorded by F.max_unpool2d.",
    example="paddle.nn.functional.max_unpool2d("
    "paddle.ones([1, 1, 1, 1]), paddle.zeros([1, 1, 1, 1], 'int32'), 2)",
    **_UNPOOL,
)


def unpool3d_samples():
    """Yield a volume."""
    shape = (1, 2, 2, 1, 2)
    yield Sample(values(shape), _places(shape, 24), output_size=(4, 2, 3))


unpool3d = op(
    "unpool3d",
    unpool3d_forward,
    samples=unpool3d_samples,
    doc="Place elements at the positions in a mask, zeros elsewhere; recorded by F.max_unpool3d.",
    example="paddle.nn.functional.max_unpool3d("
    "paddle.ones([1, 1, 1, 1, 1]), paddle.zeros([1, 1, 1, 1, 1], 'int32'), 2)",
    **_UNPOOL,
)
