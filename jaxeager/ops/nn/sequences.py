"""Integer rows of sequences: sequence_mask, and gather_tree of a beam search."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxeager.errors import InvalidArgumentError
from jaxeager.ops.register import op
from jaxeager.ops.row import NONDIFF
from jaxeager.ops.rules.attrs import Count, DType
from jaxeager.ops.rules.far_places import place_dtype
from jaxeager.ops.rules.samples import BadInput, Sample


def sequence_mask_forward(x, *, maxlen: Count, dtype: DType = "int64"):
    """Return 1 at the positions before each length, and 0 from it on."""
    if x.dtype == bool:
        raise ValueError("lengths must be numbers, not bool.")
    return (jnp.arange(maxlen) < x[..., None]).astype(dtype)


def sequence_mask_reference(x, maxlen: Any = None, dtype="int64"):
    """Count up to each length."""
    return (np.arange(maxlen) < np.asarray(x)[..., None]).astype(dtype)


def sequence_mask_samples():
    """Yield a vector, a matrix, floats, 0-D, zero-size."""
    yield Sample(np.array([1, 3, 0]), maxlen=4)
    yield Sample(np.array([[1, 3], [9, -2]]), maxlen=3, dtype="float32")
    yield Sample(np.array([1.5, 2.0]), maxlen=3, dtype="bool")
    yield Sample(np.array(2), maxlen=3)
    yield Sample(np.zeros((0, 2), int), maxlen=3)


def sequence_mask_errors():
    """Yield lengths that are not numbers."""
    bad = InvalidArgumentError
    yield BadInput((np.array([True]),), {"maxlen": 2}, bad, "lengths must be numbers")


sequence_mask = op(
    "sequence_mask",
    sequence_mask_forward,
    vjp=NONDIFF,
    public=None,
    reference=sequence_mask_reference,
    samples=sequence_mask_samples,
    errors=sequence_mask_errors,
    dtypes="float32 float64",
    doc="Mark the places before each length; run by F.sequence_mask.",
)


def gather_tree_forward(ids, parents):
    """Return whole sequences: from the last step back, each beam takes the id of its parent."""
    if ids.ndim != 3 or ids.shape != parents.shape:
        raise ValueError(
            "The shape of Input(Parents) must be same with the shape of Input(Ids), both [length, "
            f"batch, beams], but they are {list(parents.shape)} and {list(ids.shape)}."
        )
    for what, array in (("ids", ids), ("parents", parents)):
        if not jnp.issubdtype(array.dtype, jnp.integer):
            raise ValueError(f"{what} must be int32 or int64, not {array.dtype}.")
    parents = parents.astype(jnp.promote_types(parents.dtype, place_dtype(ids.shape[2])))
    beams = jnp.broadcast_to(jnp.arange(ids.shape[2], dtype=parents.dtype), ids.shape[1:])

    def step(beams, now):
        ids, parents = now
        found = jnp.take_along_axis(ids, beams, 1)
        return jnp.take_along_axis(parents, beams, 1), found

    return lax.scan(step, beams, (ids, parents), reverse=True)[1]


def gather_tree_reference(ids, parents):
    """Walk each beam back separately."""
    out = np.zeros_like(ids)
    for n in range(ids.shape[1]):
        for k in range(ids.shape[2]):
            beam = k
            for t in reversed(range(ids.shape[0])):
                out[t, n, k] = ids[t, n, beam]
                beam = parents[t, n, beam]
    return out


def gather_tree_samples():
    """Yield beams that cross, and no steps."""
    ids = np.array([[[2, 2], [6, 1]], [[3, 9], [6, 1]], [[0, 1], [9, 0]]])
    parents = np.array([[[0, 0], [1, 1]], [[1, 0], [1, 0]], [[0, 0], [0, 1]]])
    yield Sample(ids, parents)
    yield Sample(np.zeros((0, 2, 2), int), np.zeros((0, 2, 2), int))


def gather_tree_errors():
    """Yield shapes that differ, and floats."""
    ids, bad = np.zeros((2, 1, 2), int), InvalidArgumentError
    yield BadInput((ids, ids[:1]), {}, bad, "must be same with the shape of Input(Ids)")
    yield BadInput((ids, ids.astype(float)), {}, bad, "parents must be int32 or int64")


gather_tree = op(
    "gather_tree",
    gather_tree_forward,
    vjp=NONDIFF,
    public=None,
    reference=gather_tree_reference,
    samples=gather_tree_samples,
    errors=gather_tree_errors,
    doc="Follow the parents of a beam search back to whole sequences; F.gather_tree.",
)
