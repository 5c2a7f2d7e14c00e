"""The rows that read and write boxes, the parts of a tensor that ints and slices select.

The start of a box is a run-time array, so ``x[i]`` in a loop compiles once per shape.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.ops.call.kernels import known_array
from jaxeager.ops.register import op
from jaxeager.ops.row import ViewRule
from jaxeager.ops.rules.attrs import Scalar, Static
from jaxeager.ops.rules.far_places import place_dtype
from jaxeager.ops.rules.samples import WITH_COMPLEX, Sample, values

_starts_cache: dict = {}


def starts_array(starts: tuple) -> jax.Array:
    """Return the start of a box as an array, from a cache."""
    array = _starts_cache.get(starts)
    if array is None:
        if len(_starts_cache) >= 65536:
            _starts_cache.clear()
        array = known_array(np.asarray(starts, place_dtype(*starts)))
        _starts_cache[starts] = array
    return array


def _region(x, starts, spans):
    return jax.lax.dynamic_slice(x, [starts[i] for i in range(len(spans))], spans)


def _put_region(x, region, starts):
    return jax.lax.dynamic_update_slice(x, region, [starts[i] for i in range(x.ndim)])


def _strides(steps: tuple) -> tuple:
    return tuple(slice(None, None, step) for step in steps)


def kept_sizes(sizes, squeeze) -> tuple:
    """Return the sizes of a box without the dimensions that were indexed by an int."""
    return tuple(size for dim, size in enumerate(sizes) if dim not in squeeze)


def _write(x, update, starts, spans, steps):
    """Return x with a box (or every n-th element of it) replaced."""
    if all(step == 1 for step in steps):
        return _put_region(x, update, starts)
    region = _region(x, starts, spans).at[_strides(steps)].set(update)
    return _put_region(x, region, starts)


def _sizes(spans, steps) -> tuple:
    return tuple(-(-span // abs(step)) for span, step in zip(spans, steps, strict=True))


# ---- reading


def slice_forward(x, starts, *, spans: Static, steps: Static, squeeze: Static):
    picked = _region(x, starts, spans)[_strides(steps)]
    return picked.reshape(kept_sizes(picked.shape, squeeze))


def slice_vjp(x, starts, dout, *, spans, steps):
    region = jnp.zeros(spans, dout.dtype)
    strides = _strides(steps)
    picked = dout.reshape(region[strides].shape)
    if all(step == 1 for step in steps):
        return _put_region(jnp.zeros(x.shape, dout.dtype), picked, starts)
    return _put_region(jnp.zeros(x.shape, dout.dtype), region.at[strides].set(picked), starts)


def slice_reference(x, starts, *, spans, steps, squeeze):
    region = x[tuple(slice(s, s + n) for s, n in zip(starts, spans, strict=True))]
    picked = region[_strides(steps)]
    return picked.reshape(kept_sizes(picked.shape, squeeze))


def write_slice(base, value, starts, *, spans, steps, squeeze):
    """Write the box back."""
    return _write(base, value.reshape(_sizes(spans, steps)), starts, spans, steps)


def slice_samples():
    x = values((4, 5))
    yield Sample(x, np.array([1, 2]), spans=(2, 3), steps=(1, 1), squeeze=())
    yield Sample(x, np.array([3, 0]), spans=(1, 5), steps=(1, 1), squeeze=(0,))
    yield Sample(x, np.array([0, 0]), spans=(0, 5), steps=(1, 1), squeeze=())
    yield Sample(values((3,)), np.array([2]), spans=(1,), steps=(1,), squeeze=(0,))


read_slice = op(
    "slice", slice_forward, vjp=slice_vjp, saves="starts", shapes="x", nondiff="starts",
    view=ViewRule(write_slice),
    public=None, reference=slice_reference, samples=slice_samples,
    formula="dx = dout, put where x was read",
    doc="Read a box out of a tensor; dimensions given by an int disappear.",
    example="paddle.to_tensor([1.0, 2.0, 3.0])[1:]",
    dtypes=WITH_COMPLEX,
)  # fmt: skip


def strided_slice_samples():
    x = values((5, 6))
    yield Sample(x, np.array([0, 1]), spans=(5, 5), steps=(2, 2), squeeze=())
    yield Sample(x, np.array([0, 2]), spans=(5, 1), steps=(-1, 1), squeeze=(1,))
    yield Sample(values((7,)), np.array([1]), spans=(6,), steps=(-3,), squeeze=())


read_strided_slice = op(
    "strided_slice", slice_forward, vjp=slice_vjp, saves="starts", shapes="x", nondiff="starts",
    view=ViewRule(write_slice),
    public=None, reference=slice_reference, samples=strided_slice_samples,
    formula="dx = dout, put where x was read",
    doc="Read every n-th element of a box; negative steps read backwards.",
    example="paddle.to_tensor([1.0, 2.0, 3.0])[::2]",
    dtypes=WITH_COMPLEX,
)  # fmt: skip


# ---- writing


def set_value_forward(x, starts, *, value: Scalar, spans: Static, steps: Static):
    return _write(x, jnp.full(_sizes(spans, steps), value, x.dtype), starts, spans, steps)


def set_value_vjp(starts, dout, *, spans, steps):
    zeros = jnp.zeros(_sizes(spans, steps), dout.dtype)
    return _write(dout, zeros, starts, spans, steps)


def set_value_reference(x, starts, *, value, spans, steps):
    out = np.array(x)
    out[(*_numpy_box(starts, spans), ...)][(*_strides(steps), ...)] = value
    return out


def _numpy_box(starts, spans) -> tuple:
    return tuple(slice(s, s + n) for s, n in zip(starts, spans, strict=True))


def set_value_samples():
    x = values((4, 5))
    yield Sample(x, np.array([1, 2]), value=3.0, spans=(2, 3), steps=(1, 1))
    yield Sample(x, np.array([0, 0]), value=-1.0, spans=(3, 5), steps=(2, -2))
    yield Sample(x, np.array([0, 0]), value=-1.0, spans=(0, 5), steps=(1, 1))
    yield Sample(values(()), np.zeros(0, np.int64), value=2.0, spans=(), steps=())


set_value = op(
    "set_value", set_value_forward, vjp=set_value_vjp, saves="starts", nondiff="starts",
    public=None, reference=set_value_reference, samples=set_value_samples,
    formula="dx = dout, put where x stayed: 0 where the number was written",
    doc="Write a number into a box of a tensor.",
    example="paddle.zeros([3])",
    dtypes=WITH_COMPLEX,
)  # fmt: skip


def set_value_with_tensor_forward(x, values, starts, *, spans: Static, steps: Static, kept: Static):
    sizes = _sizes(spans, steps)
    box = jnp.broadcast_to(without_leading(values, kept), kept).reshape(sizes)
    return _write(x, box.astype(x.dtype), starts, spans, steps)


def without_leading(values, kept):
    """Drop leading dimensions of size 1 that the box does not have."""
    extra = max(values.ndim - len(kept), 0)
    return values.reshape(values.shape[extra:]) if set(values.shape[:extra]) <= {1} else values


def set_value_with_tensor_vjp(values, starts, dout, *, spans, steps, kept):
    sizes = _sizes(spans, steps)
    dx = _write(dout, jnp.zeros(sizes, dout.dtype), starts, spans, steps)
    dbox = _region(dout, starts, spans)[_strides(steps)].reshape(kept)
    extra = dbox.ndim - values.ndim
    shape = (1,) * extra + values.shape if extra >= 0 else values.shape[-extra:]
    axes = tuple(i for i, n in enumerate(shape) if n == 1)
    return dx, dbox.sum(axis=axes, dtype=dbox.dtype).reshape(values.shape)


def set_value_with_tensor_reference(x, values, starts, *, spans, steps, kept):
    out = np.array(x)
    view = out[_numpy_box(starts, spans)][_strides(steps)]
    view[...] = np.broadcast_to(values, kept).reshape(view.shape)
    return out


def set_value_with_tensor_samples():
    x = values((4, 5))
    box: dict[str, Any] = {"spans": (2, 3), "steps": (1, 1), "kept": (2, 3)}
    yield Sample(x, values((2, 3), seed=1), np.array([1, 2]), **box)
    yield Sample(x, values((3,), seed=1), np.array([1, 2]), **box)
    yield Sample(x, values((), seed=1), np.array([1, 2]), **box)
    column = {"spans": (4, 1), "steps": (-2, 1), "kept": (2,)}
    yield Sample(x, values((2,), seed=1), np.array([0, 2]), **column)


set_value_with_tensor = op(
    "set_value_with_tensor", set_value_with_tensor_forward, vjp=set_value_with_tensor_vjp,
    saves="values starts", nondiff="starts", public=None,
    reference=set_value_with_tensor_reference, samples=set_value_with_tensor_samples,
    formula="dx = dout, put where x stayed; dvalues = dout, added where values were written",
    doc="Write a tensor, broadcast, into a box of another.",
    example="paddle.zeros([3])",
    dtypes=WITH_COMPLEX,
)  # fmt: skip
