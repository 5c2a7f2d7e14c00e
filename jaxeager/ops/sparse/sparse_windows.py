"""Convolution and pooling of sparse images, with a table of the entries that each output reads.

Note [Window tables]
    ``jaxeager/sparse/nn/functional/windows.py`` makes ``table``, int[positions of the window,
    outputs], on the host: the index of the input entry that an output reads at a position, or the
    number of entries if there is none. With it, both ops are a gather and one contraction.
"""

import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.rules.axes import index_dtype
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import BadInput, Sample, values

TABLE = np.array([[0, 3, 1], [3, 2, 0], [1, 3, 3], [3, 3, 2]])  # for three entries


def _seen(x, table, missing):
    """Return the entries that each output reads: [positions, outputs, channels]."""
    index_dtype(table)
    return x.at[table].get(mode="fill", fill_value=missing)


def conv_forward(x, y, table):
    """Multiply the entries that each output reads by the filter y."""
    flat = y.reshape(-1, *y.shape[-2:])
    if table.shape[0] != flat.shape[0] or x.shape[1] != flat.shape[1]:
        raise ValueError(
            f"takes a filter [{table.shape[0]} positions, {x.shape[1]} channels, filters], but "
            f"received shape {list(y.shape)}."
        )
    return jnp.einsum("pnc,pco->no", _seen(x, table, 0), flat)


def conv_reference(x, y, table):
    """Use NumPy's product, one position after another."""
    padded = np.concatenate([x, np.zeros((1, x.shape[1]), x.dtype)])
    flat = y.reshape(-1, *y.shape[-2:])
    return sum(padded[row] @ each for row, each in zip(table, flat, strict=True))


def conv_samples():
    """Yield a 2x2 filter, and one position."""
    yield Sample(values((3, 2)), values((2, 2, 2, 3), seed=1), TABLE)
    yield Sample(values((3, 2)), values((1, 1, 2, 1), seed=1), TABLE[:1])


def conv_errors():
    """Yield a filter of another size."""
    bad = (np.ones((3, 2)), np.ones((3, 2, 1)), TABLE)
    yield BadInput(bad, {}, InvalidArgumentError, "takes a filter")


sparse_conv = op(
    "sparse_conv",
    conv_forward,
    saves="x y table",
    nondiff="table",
    promote="strict",
    public=None,
    grad_name="Conv3dGradNode",
    reference=conv_reference,
    samples=conv_samples,
    errors=conv_errors,
    dtypes="float32 float64 bfloat16 complex128",
    formula="dx and dy of the contraction, added up where an entry was seen",
    doc="Convolve a sparse image whose outputs see the entries in a table.",
)


@real_only
def max_pool_forward(x, table):
    """Return the largest entry that each output reads."""
    return jnp.max(_seen(x, table, -jnp.inf), axis=0)


def max_pool_reference(x, table):
    """Use NumPy's maximum."""
    padded = np.concatenate([x, np.full((1, x.shape[1]), -np.inf, x.dtype)])
    return padded[table].max(axis=0)


def max_pool_samples():
    """Yield a window, and ties."""
    yield Sample(values((3, 2)), TABLE)
    yield Sample(np.array([[1.0], [1.0], [0.5]]), TABLE, grad=False)


sparse_max_pool = op(
    "sparse_max_pool",
    max_pool_forward,
    saves="x table",
    nondiff="table",
    public=None,
    grad_name="MaxpoolGradNode",
    reference=max_pool_reference,
    samples=max_pool_samples,
    formula="dx = dout where x is the maximum",
    boundary="entries that tie share it equally (Paddle: each of them gets all of it).",
    doc="The largest of the entries that each output of a sparse image sees.",
)
