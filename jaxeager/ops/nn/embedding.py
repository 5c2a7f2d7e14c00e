"""Embedding rows: embedding, one_hot, label_smooth."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.core import Tracer

from jaxeager.errors import InvalidArgumentError
from jaxeager.graph import events
from jaxeager.graph import rows as graph_rows
from jaxeager.graph.node import GradNodeAccumulation
from jaxeager.graph.saved import recover
from jaxeager.ops.call.gradient import vjp_of
from jaxeager.ops.register import op
from jaxeager.ops.row import NONDIFF, ROWS
from jaxeager.ops.rules.attrs import Count
from jaxeager.ops.rules.axes import index_dtype
from jaxeager.ops.rules.norms import norm_over
from jaxeager.ops.rules.precision import wide_dtype
from jaxeager.ops.rules.real_only import real_only
from jaxeager.ops.rules.samples import WITH_COMPLEX, BadInput, Sample, values


def embedding_forward(x, weight, *, padding_idx: int = -1, scale_grad_by_freq: bool = False):
    """Take rows of a table; the padding row reads as zeros, a row out of range as nan."""
    index_dtype(x)
    if weight.ndim != 2:
        raise ValueError(
            "ShapeError: The dimensions of the 'lookup table' must be 2. But received lookup "
            f"table's dimensions = {weight.ndim}, lookup table's shape = {list(weight.shape)}."
        )
    place = jnp.where(x < 0, weight.shape[0], x)
    rows = jnp.take(weight, place, axis=0, mode="fill", fill_value=jnp.nan)
    if padding_idx >= 0:
        rows = jnp.where((x == padding_idx)[..., None], jnp.zeros((), rows.dtype), rows)
    return rows


def embedding_vjp(x, weight, dout, *, padding_idx, scale_grad_by_freq):
    """Add each row's gradient at the row's place in the table."""
    flat = jnp.where(x < 0, weight.shape[0], x).reshape(-1)
    if padding_idx >= 0:
        flat = jnp.where(flat == padding_idx, weight.shape[0], flat)
    wide = wide_dtype(dout.dtype)
    table = jnp.zeros(weight.shape, wide)
    grad = table.at[flat].add(dout.reshape(-1, weight.shape[1]).astype(wide), mode="drop")
    if scale_grad_by_freq:
        uses = jnp.zeros(weight.shape[:1], wide).at[flat].add(1, mode="drop")
        grad = grad / jnp.maximum(uses, 1)[:, None]
    return grad


def embedding_reference(x, weight, padding_idx=-1, scale_grad_by_freq=False):
    """Index with NumPy."""
    rows = weight[x]
    return np.where((x == padding_idx)[..., None], 0, rows) if padding_idx >= 0 else rows


def embedding_samples():
    """Yield ids that occur twice, a padding row, one id, no ids."""
    table = values((5, 3))
    yield Sample(np.array([[0, 2], [2, 4]]), table)
    yield Sample(np.array([[0, 2, 1], [2, 4, 4]], np.int32), table, padding_idx=2)
    yield Sample(np.array(3), table)
    yield Sample(np.zeros((0, 2), int), table)


def embedding_errors():
    """Yield ids that are not integers, and a table of one dimension."""
    ids, bad = np.array([0, 1]), InvalidArgumentError
    yield BadInput((np.array([0.5]), values((3, 2))), {}, bad, "the index must hold integers")
    yield BadInput((ids, values((3,))), {}, bad, "The dimensions of the 'lookup table' must be 2")


embedding = op(
    "embedding",
    embedding_forward,
    vjp=embedding_vjp,
    saves="x",
    shapes="weight",
    nondiff="x",
    public=None,
    reference=embedding_reference,
    samples=embedding_samples,
    errors=embedding_errors,
    formula="dweight[x[i]] += dout[i], except at padding_idx; over the number of these i with "
    "scale_grad_by_freq",
    doc="Take the rows of a table that ids name; recorded by F.embedding.",
    example="paddle.nn.functional.embedding(paddle.to_tensor([1, 0]), paddle.rand([2, 3]))",
    dtypes=WITH_COMPLEX,
)


def embedding_of_rows_vjp(x, weight, dout, *, padding_idx):
    """Add each row's gradient at the row's place in the table, also that of the padding row."""
    return embedding_vjp(x, weight, dout, padding_idx=-1, scale_grad_by_freq=False)


def embedding_of_rows_forward(x, weight, *, padding_idx: int = -1):
    """Call the forward of embedding."""
    return embedding_forward(x, weight, padding_idx=padding_idx)


def embedding_of_rows_samples():
    """Yield ids that occur twice, one id, no ids; the padding row has a separate test."""
    table = values((5, 3))
    yield Sample(np.array([[0, 2], [2, 4]]), table)
    yield Sample(np.array(3), table)
    yield Sample(np.zeros((0, 2), int), table)


embedding_of_rows = op(
    "embedding_of_rows",
    embedding_of_rows_forward,
    vjp=embedding_of_rows_vjp,
    saves="x",
    shapes="weight",
    nondiff="x",
    public=None,
    grad_name="EmbeddingGradNode",
    reference=embedding_reference,
    samples=embedding_of_rows_samples,
    errors=embedding_errors,
    formula="dweight[x[i]] += dout[i], at padding_idx too",
    boundary="padding_idx=: the row reads as zeros, and has a gradient all the same, as in Paddle.",
    doc="Take the rows of a table that ids name; recorded by F.embedding(sparse=True).",
    example="paddle.nn.functional.embedding(paddle.to_tensor([1]), paddle.rand([2, 3]), "
    "sparse=True)",
    dtypes=WITH_COMPLEX,
)


def _noting_rows(row):
    """Return a function that runs the VJP of a look-up and notes the rows that were read."""
    run = vjp_of(row)

    def run_vjp(node, grads: list) -> tuple:
        ids, edge, (table,) = recover(node.saved[0], node), node.edges[0], node.shapes
        if edge is not None and _may_be_few_rows(edge.node, ids, grads[0], table):
            return (graph_rows.few_looked_up(ids, grads[0], table.shape[0]),)
        (grad,) = results = run(node, grads)
        if edge is not None and edge.node.is_leaf:
            graph_rows.note(grad, graph_rows.looked_up(ids, grads[0], grad.shape[0]))
        return results

    return run_vjp


def _may_be_few_rows(leaf, ids, values, table) -> bool:
    """Return whether a gradient may be FewRows: see Note [Rows of a gradient]."""
    return (
        type(leaf) is GradNodeAccumulation
        and ids.size < table.shape[0]
        and values.dtype == table.dtype
        and not events.has_nodes
        and not isinstance(values, Tracer)
    )


def _no_kernel(node, absent=()) -> None:
    """Return None: which kernels run depends on where the gradient goes."""


_row: Any = ROWS["embedding_of_rows"]
_row.run_vjp, _row.vjp_kernel = _noting_rows(_row), _no_kernel


@real_only
def embedding_renorm_forward(weight, x, *, max_norm: float, norm_type: float = 2.0):
    """Scale the rows that ids name down to a norm of at most max_norm."""
    index_dtype(x)
    place = jnp.where(x < 0, weight.shape[0], x).reshape(-1)
    is_read = jnp.zeros(weight.shape[:1], bool).at[place].set(True, mode="drop")
    norm = norm_over(weight, norm_type, (1,), True)
    scale = max_norm / (norm + 1e-7)
    return jnp.where(is_read[:, None] & (norm > max_norm), weight * scale, weight)


def embedding_renorm_reference(weight, x, max_norm, norm_type=2.0):
    """Compute the plain formula, row by row."""
    out = np.array(weight)
    for row in np.unique(x):
        norm = np.linalg.norm(out[row], norm_type)
        out[row] *= max_norm / (norm + 1e-7) if norm > max_norm else 1
    return out


def embedding_renorm_samples():
    """Yield ids that occur twice, another norm, no ids."""
    table = values((5, 3), 0.5, 2.0)
    yield Sample(table, np.array([[0, 2], [2, 4]]), max_norm=1.0)
    yield Sample(table, np.array([3]), max_norm=2.0, norm_type=1.0)
    yield Sample(table, np.zeros((0, 2), int), max_norm=1.0)


embedding_renorm = op(
    "embedding_renorm",
    embedding_renorm_forward,
    vjp=NONDIFF,
    nondiff="x",
    inplace=True,
    public=None,
    reference=embedding_renorm_reference,
    samples=embedding_renorm_samples,
    doc="Limit the norm of the rows that ids name; run by F.embedding(max_norm=).",
    example="paddle.nn.functional.embedding(paddle.to_tensor([1]), paddle.rand([2, 3]), "
    "max_norm=1.0)",
)


def one_hot_forward(x, *, num_classes: Count):
    """Write a 1 at each id's place in a new last axis, in float32."""
    index_dtype(x)
    classes = lax.broadcasted_iota(x.dtype, (*x.shape, num_classes), x.ndim)
    return (classes == x[..., None]).astype(jnp.float32)


def one_hot_reference(x, num_classes):
    """Index an identity matrix."""
    return np.eye(num_classes, dtype=np.float32)[x]


def one_hot_samples():
    """Yield a matrix, one id, no ids."""
    yield Sample(np.array([[0, 2], [1, 1]]), num_classes=4)
    yield Sample(np.array(1, np.int32), num_classes=2)
    yield Sample(np.zeros((0,), int), num_classes=3)


one_hot = op(
    "one_hot",
    one_hot_forward,
    vjp=NONDIFF,
    public=None,
    reference=one_hot_reference,
    samples=one_hot_samples,
    dtypes="int64",
    doc="Turn ids into vectors that are 1 at the id and 0 elsewhere; recorded by F.one_hot.",
    example="paddle.nn.functional.one_hot(paddle.to_tensor([1, 0]), 3)",
)


@real_only
def label_smooth_forward(label, prior_dist=None, *, epsilon: float = 0.1):
    """Mix labels with a distribution, the uniform one by default."""
    if not 0 <= epsilon <= 1:
        raise ValueError(f"the value of epsilon must be between 0 and 1, but is {epsilon}.")
    if prior_dist is None:
        return ((1 - epsilon) * label + epsilon / label.shape[-1]).astype(label.dtype)
    return ((1 - epsilon) * label + epsilon * prior_dist).astype(label.dtype)


def label_smooth_vjp(dout, *, epsilon):
    """Multiply by the label's share, 1 - epsilon."""
    return (1 - epsilon) * dout


def label_smooth_reference(label, prior_dist=None, epsilon=0.1):
    """Compute the formula in NumPy."""
    prior = 1 / label.shape[-1] if prior_dist is None else prior_dist
    return (1 - epsilon) * label + epsilon * prior


def label_smooth_samples():
    """Yield the uniform distribution and another one."""
    yield Sample(values((2, 3), 0.0, 1.0), None)
    yield Sample(values((2, 3), 0.0, 1.0), values((1, 3), 0.0, 1.0, seed=1), epsilon=0.3)


label_smooth = op(
    "label_smooth",
    label_smooth_forward,
    vjp=label_smooth_vjp,
    shapes="label",
    nondiff="prior_dist",
    public="functional",
    reference=label_smooth_reference,
    samples=label_smooth_samples,
    formula="dlabel = (1 - epsilon) * dout",
    doc="Mix labels with a prior distribution: (1 - epsilon) * label + epsilon * prior.",
    example="paddle.nn.functional.label_smooth(paddle.to_tensor([[0.0, 1.0]]))",
)
