"""Rows of paddle.sparse: ops on the values of sparse tensors, with coordinates as operands.

A sparse tensor has values [nnz, ...] and integer coordinates. ``jaxeager/sparse`` determines the
entries of a result on the host; the rows here move and combine the values.
"""

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.rules.attrs import Shape
from jaxeager.ops.rules.axes import index_dtype
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values

ROW, COLUMN = np.array([0, 1, 1]), np.array([2, 0, 2])
BOTH = np.stack([ROW, COLUMN])


# ---- the same values


def copy_forward(x):
    """Return the values."""
    return x


def copy_vjp(dout):
    """Return the gradient unchanged."""
    return dout


def copy_samples():
    """Yield vectors, values that are vectors, no values."""
    yield Sample(values((4,)))
    yield Sample(values((4, 2)))
    yield Sample(values((0,)))


def _copy_row(name: str, grad_name: str, doc: str):
    return op(
        name,
        copy_forward,
        vjp=copy_vjp,
        public=None,
        grad_name=grad_name,
        reference=np.asarray,
        samples=copy_samples,
        dtypes=WITH_COMPLEX,
        formula="dx = dout",
        doc=doc,
    )


sparse_coo_tensor = _copy_row(
    "sparse_coo_tensor", "SparseCooTensorGradNode", "Store values into a sparse tensor."
)
sparse_values = _copy_row(
    "sparse_values", "ValuesGradNode", "Take the values out of a sparse tensor."
)


# ---- between dense and sparse


def _check_coordinates(indices, dims: int) -> None:
    index_dtype(indices)
    if indices.ndim != 2 or indices.shape[0] > dims:
        raise ValueError(
            f"takes coordinates [sparse dims, nnz] of at most {dims} dims, but received "
            f"{list(indices.shape)}."
        )


def to_dense_forward(x, indices, *, shape: Shape = ()):
    """Add the values up at their coordinates."""
    _check_coordinates(indices, len(shape))
    places = jnp.zeros(shape, x.dtype).at[tuple(indices)]
    return places.max(x) if x.dtype == bool else places.add(x)


def to_dense_vjp(indices, dout):
    """Read the gradient at the coordinates."""
    return dout[tuple(indices)]


def to_dense_reference(x, indices, shape):
    """Use NumPy's unbuffered sum."""
    out = np.zeros(shape, x.dtype)
    np.add.at(out, tuple(indices), x)
    return out


def to_dense_samples():
    """Yield a matrix, values that are vectors, an entry given twice, no entries."""
    yield Sample(values((3,)), BOTH, shape=(2, 3))
    yield Sample(values((3, 2)), BOTH, shape=(2, 3, 2))
    yield Sample(values((3,)), np.array([[1, 0, 1]]), shape=(2,))
    yield Sample(values((0,)), BOTH[:, :0], shape=(2, 3))


def to_dense_errors():
    """Yield more coordinates than dimensions."""
    bad = (np.ones(3), BOTH)
    yield BadInput(bad, {"shape": (2,)}, InvalidArgumentError, "takes coordinates")


to_dense = op(
    "to_dense",
    to_dense_forward,
    vjp=to_dense_vjp,
    saves="indices",
    nondiff="indices",
    public=None,
    reference=to_dense_reference,
    samples=to_dense_samples,
    errors=to_dense_errors,
    dtypes=WITH_COMPLEX,
    formula="dx = gather_nd(dout, indices^T)",
    doc="Add up the values of a sparse tensor in a dense one.",
)


def entries_forward(x, indices):
    """Read a dense tensor at coordinates."""
    _check_coordinates(indices, x.ndim)
    return x[tuple(indices)]


def entries_vjp(x, indices, dout):
    """Add the gradient up where the values were read."""
    return jnp.zeros(x.shape, dout.dtype).at[tuple(indices)].add(dout)


def entries_reference(x, indices):
    """Use NumPy's indexing."""
    return x[tuple(indices)]


def entries_samples():
    """Yield a matrix, values that are vectors, no entries."""
    yield Sample(values((2, 3)), BOTH)
    yield Sample(values((2, 3, 2)), BOTH)
    yield Sample(values((2, 3)), BOTH[:, :0])


def entries_errors():
    """Yield more coordinates than dimensions."""
    yield BadInput((np.ones(3), BOTH), {}, InvalidArgumentError, "takes coordinates")


def _entries_row(name: str, doc: str):
    return op(
        name,
        entries_forward,
        vjp=entries_vjp,
        saves="indices",
        shapes="x",
        nondiff="indices",
        public=None,
        reference=entries_reference,
        samples=entries_samples,
        errors=entries_errors,
        dtypes=WITH_COMPLEX,
        formula="dx = dout, put where x was read",
        doc=doc,
    )


to_sparse_coo = _entries_row("to_sparse_coo", "Read a dense tensor where it is not 0.")
to_sparse_csr = _entries_row("to_sparse_csr", "Read a dense tensor where it is not 0, row by row.")
mask_as = _entries_row("mask_as", "Read a dense tensor where a sparse one has entries.")


# ---- moving and merging values


def take_forward(x, order):
    """Read values in another order."""
    index_dtype(order)
    return x[order]


def take_vjp(x, order, dout):
    """Add the gradient up where the values were read."""
    return jnp.zeros(x.shape, dout.dtype).at[order].add(dout)


def take_reference(x, order):
    """Use NumPy's indexing."""
    return x[order]


def take_samples():
    """Yield a permutation, a part, one value read twice, values that are vectors."""
    yield Sample(values((3,)), np.array([2, 0, 1]))
    yield Sample(values((3,)), np.array([1]))
    yield Sample(values((3, 2)), np.array([1, 1]))


def _take_row(name: str, grad_name: str, doc: str):
    return op(
        name,
        take_forward,
        vjp=take_vjp,
        saves="order",
        shapes="x",
        nondiff="order",
        public=None,
        grad_name=grad_name,
        reference=take_reference,
        samples=take_samples,
        dtypes=WITH_COMPLEX,
        formula="dx = dout, put where x was read",
        doc=doc,
    )


take_values = _take_row("sparse_take", "SparseTakeGradNode", "Read values in another order.")
reshape = _take_row("sparse_reshape", "ReshapeGradNode", "The values of a reshaped sparse tensor.")
transpose = _take_row(
    "sparse_transpose", "TransposeGradNode", "The values of a transposed sparse tensor."
)
slice_values = _take_row(
    "sparse_slice", "SliceGradNode", "The values inside a slice of a sparse tensor."
)


def merge_forward(x, at, *, size: int = 0):
    """Add up the values with the same place; a place without values is 0."""
    index_dtype(at)
    return jnp.zeros((size, *x.shape[1:]), x.dtype).at[at].add(x)


def merge_vjp(at, dout):
    """Return, for each value, the gradient of its place."""
    return dout[at]


def merge_reference(x, at, size):
    """Use NumPy's unbuffered sum."""
    out = np.zeros((size, *x.shape[1:]), x.dtype)
    np.add.at(out, at, x)
    return out


def merge_samples():
    """Yield values with equal places, an empty place, values that are vectors, no values."""
    yield Sample(values((3,)), np.array([0, 2, 0]), size=3)
    yield Sample(values((3, 2)), np.array([0, 1, 1]), size=2)
    yield Sample(values((0,)), np.zeros(0, np.int64), size=2)


def _merge_row(name: str, grad_name: str, doc: str):
    return op(
        name,
        merge_forward,
        vjp=merge_vjp,
        saves="at",
        nondiff="at",
        public=None,
        grad_name=grad_name,
        reference=merge_reference,
        samples=merge_samples,
        dtypes=WITH_COMPLEX,
        formula="dx = dout[at]",
        doc=doc,
    )


merge_values = _merge_row("sparse_merge", "SparseMergeGradNode", "Store values at other places.")
coalesce = _merge_row("coalesce", "CoalesceGradNode", "Add up the values of one coordinate.")
sum_values = _merge_row("sparse_sum", "SumGradNode", "Sum the values of a sparse tensor.")


# ---- products


def matmul_forward(x, y, row, column, *, size: int = 0):
    """Add up, for each row of the result, the entries of x times their rows of y."""
    if y.ndim != 2:
        raise ValueError(f"takes a matrix y, but received shape {list(y.shape)}.")
    return jax.ops.segment_sum(x[:, None] * y[column], row, size)


def matmul_vjp(x, y, row, column, dout):
    """Multiply, for each entry, its rows of dout and y, and its value by its row of dout."""
    there, back = dout[row], jnp.conj(x)[:, None]
    dx = jnp.sum(there * jnp.conj(y[column]), axis=1)
    return dx, jax.ops.segment_sum(back * there, column, y.shape[0])


def matmul_reference(x, y, row, column, size):
    """Use NumPy's product with the dense matrix."""
    dense = np.zeros((size, y.shape[0]), x.dtype)
    np.add.at(dense, (row, column), x)
    return dense @ y


def matmul_samples():
    """Yield a product, an empty row, no entries, no columns."""
    y = values((3, 2), seed=1)
    yield Sample(values((3,)), y, ROW, COLUMN, size=2)
    yield Sample(values((3,)), y, ROW, COLUMN, size=4)
    yield Sample(values((0,)), y, ROW[:0], COLUMN[:0], size=2)
    yield Sample(values((3,)), y[:, :0], ROW, COLUMN, size=2)


def matmul_errors():
    """Yield a vector."""
    bad = (np.ones(3), np.ones(3), ROW, COLUMN)
    yield BadInput(bad, {"size": 2}, InvalidArgumentError, "takes a matrix y")


def _matmul_row(name: str, grad_name: str, doc: str):
    return op(
        name,
        matmul_forward,
        vjp=matmul_vjp,
        saves="x y row column",
        nondiff="row column",
        promote="strict",
        public=None,
        grad_name=grad_name,
        reference=matmul_reference,
        samples=matmul_samples,
        errors=matmul_errors,
        dtypes=WITH_COMPLEX,
        formula="dx = sum(dout[row] * conj(y[column])); dy[column] += conj(x) * dout[row]",
        doc=doc,
    )


matmul = _matmul_row("sparse_matmul", "MatmulGradNode", "A sparse matrix times a dense one.")
mv = _matmul_row("sparse_mv", "MvGradNode", "A sparse matrix times a dense vector.")


def masked_matmul_forward(x, y, row, column):
    """Compute only the entries of x @ y at (row, column), with y given transposed."""
    return jnp.sum(x[row] * y[column], axis=-1)


def masked_matmul_vjp(x, y, row, column, dout):
    """Add up, for each row of x and of y, dout times the rows it was multiplied by."""
    grad = dout[:, None]
    dx = jax.ops.segment_sum(grad * jnp.conj(y[column]), row, x.shape[0])
    return dx, jax.ops.segment_sum(grad * jnp.conj(x[row]), column, y.shape[0])


def masked_matmul_reference(x, y, row, column):
    """Use NumPy's full product."""
    return (x @ y.T)[row, column]


def masked_matmul_samples():
    """Yield a mask, an empty one, vectors of length 0."""
    x, y = values((2, 4)), values((3, 4), seed=1)
    yield Sample(x, y, ROW, COLUMN)
    yield Sample(x, y, ROW[:0], COLUMN[:0])
    yield Sample(x[:, :0], y[:, :0], ROW, COLUMN)


masked_matmul = op(
    "masked_matmul",
    masked_matmul_forward,
    vjp=masked_matmul_vjp,
    saves="x y row column",
    nondiff="row column",
    promote="strict",
    public=None,
    reference=masked_matmul_reference,
    samples=masked_matmul_samples,
    dtypes=WITH_COMPLEX,
    formula="dx[row] += dout * conj(y[column]); dy[column] += dout * conj(x[row])",
    doc="The entries of a product of dense matrices that a sparse mask has.",
)


# ---- softmax


@real_only
def softmax_forward(x, group, *, size: int = 0):
    """Divide exp(x) by its sum over the values of the same group."""
    index_dtype(group)
    most = jax.ops.segment_max(x, group, size)
    raised = jnp.exp(x - most[group])
    return raised / jax.ops.segment_sum(raised, group, size)[group]


def softmax_vjp(group, out, dout, *, size):
    """Return the gradient of softmax, group by group."""
    mean = jax.ops.segment_sum(out * dout, group, size)
    return out * (dout - mean[group])


def softmax_reference(x, group, size):
    """Compute softmax with NumPy, one group after another."""
    out = np.zeros_like(x)
    for each in range(size):
        raised = np.exp(x[group == each])
        out[group == each] = raised / raised.sum(axis=0)
    return out


def softmax_samples():
    """Yield groups of one and more, an empty one, large values, vectors."""
    yield Sample(values((4,)), np.array([0, 2, 0, 0]), size=3)
    yield Sample(values((4, 2)), np.array([1, 1, 0, 0]), size=2)
    yield Sample(np.array([100.0, 101.0, -300.0]), np.array([0, 0, 0]), size=1)
    yield Sample(values((0,)), np.zeros(0, np.int64), size=2)


sparse_softmax = op(
    "sparse_softmax",
    softmax_forward,
    vjp=softmax_vjp,
    saves="group out",
    nondiff="group",
    public=None,
    grad_name="SoftmaxGradNode",
    reference=softmax_reference,
    samples=softmax_samples,
    formula="dx = out * (dout - sum(out * dout) of the group)",
    doc="Softmax over the entries of each row of a sparse tensor; absent entries are ignored.",
)
