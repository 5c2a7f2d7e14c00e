"""The rows that read and write at integer indices, by NumPy's rules."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.ops.indexing.box_rows import without_leading
from jaxeager.ops.indexing.index_parse import rebuild, with_bool_dims
from jaxeager.ops.register import op
from jaxeager.ops.rules.attrs import Scalar, Static, Tensors
from jaxeager.ops.rules.samples import WITH_COMPLEX, Sample, values


def index_elementwise_get_forward(x, index: Tensors, *, pattern: Static):
    return with_bool_dims(x, pattern)[rebuild(pattern, index)]


def index_elementwise_get_reference(x, index, *, pattern):
    return x[_with_bools(pattern, index)]


def _with_bools(pattern, index) -> tuple:
    """Return the NumPy index for a pattern."""
    found = rebuild(pattern, index)
    return tuple(
        bool(len(each)) if part == "bool" else each
        for part, each in zip(pattern, found, strict=True)
    )


def index_samples():
    x = values((4, 3, 5))
    rows, columns = np.array([[0, 2], [3, 0]]), np.array([1, -1])
    full = ("slice", None, None, None)
    yield Sample(x, [rows], pattern=("array", full, full))
    yield Sample(x, [rows, columns], pattern=("array", full, "array"))
    yield Sample(x, [columns], pattern=(("slice", 1, None, 2), None, "array", full))
    yield Sample(x, [np.zeros(0, np.int64)], pattern=("array", full, full))
    yes, no = np.zeros(1, np.int64), np.zeros(0, np.int64)
    yield Sample(x, [yes], pattern=(full, "bool", full, full))
    yield Sample(x, [no, np.array(2)], pattern=("bool", "array", full, full))
    yield Sample(x, [columns, yes], pattern=("array", full, full, "bool"))


index_get = op(
    "index_elementwise_get", index_elementwise_get_forward, saves="index", shapes="x",
    nondiff="index", public=None, reference=index_elementwise_get_reference,
    samples=index_samples,
    formula="dx = dout, added where x was read",
    doc="Read elements at integer indices, by NumPy's rules.",
    example="paddle.to_tensor([1.0, 2.0, 3.0])[[2, 0]]",
    dtypes=WITH_COMPLEX,
)  # fmt: skip


def index_put_scalar_forward(x, index: Tensors, *, value: Scalar, pattern: Static):
    wide = with_bool_dims(x, pattern)
    return wide.at[rebuild(pattern, index)].set(value.astype(x.dtype)).reshape(x.shape)


def index_put_scalar_reference(x, index, *, value, pattern):
    out = np.array(x)
    out[_with_bools(pattern, index)] = value
    return out


def index_put_scalar_samples():
    for sample in index_samples():
        yield Sample(*sample.inputs, value=1.5, **sample.attrs)


index_put_scalar = op(
    "index_elementwise_put", index_put_scalar_forward, saves="index", shapes="x", nondiff="index",
    public=None, reference=index_put_scalar_reference, samples=index_put_scalar_samples,
    formula="dx = dout, put where x stayed: 0 where the number was written",
    doc="Write a number at integer indices.",
    example="paddle.zeros([3])",
    dtypes=WITH_COMPLEX,
)  # fmt: skip


def index_put_tensor_forward(x, index: Tensors, values, *, pattern: Static):
    wide, where = with_bool_dims(x, pattern), rebuild(pattern, index)
    shape = jax.eval_shape(lambda a, *i: a[rebuild(pattern, i)], wide, *index).shape
    values = jnp.broadcast_to(without_leading(values, shape), shape)
    return wide.at[where].set(values.astype(x.dtype)).reshape(x.shape)


def index_put_tensor_reference(x, index, values, *, pattern):
    out = np.array(x)
    out[_with_bools(pattern, index)] = values
    return out


def index_put_tensor_samples():
    x = values((4, 3))
    full = ("slice", None, None, None)
    yield Sample(x, [np.array([0, 2])], values((2, 3), seed=1), pattern=("array", full))
    yield Sample(x, [np.array([3, 1])], values((3,), seed=1), pattern=("array", full))
    pair = [np.array([0, 2]), np.array([1, 0])]
    yield Sample(x, pair, values((), seed=1), pattern=("array", "array"))
    yes, no = np.zeros(1, np.int64), np.zeros(0, np.int64)
    yield Sample(x, [yes], values((4, 1, 3), seed=1), pattern=(full, "bool", full))
    yield Sample(x, [no, np.array(2)], values((3,), seed=1), pattern=("bool", "array", full))


index_put_tensor = op(
    "index_elementwise_put_with_tensor", index_put_tensor_forward, saves="index",
    shapes="x values", nondiff="index", public=None, reference=index_put_tensor_reference,
    samples=index_put_tensor_samples,
    formula="dx = dout, put where x stayed; dvalues = dout, added where values stayed",
    doc="Write a tensor, broadcast, at integer indices; the last of equal indices is kept.",
    example="paddle.zeros([3])",
    dtypes=WITH_COMPLEX,
)  # fmt: skip
