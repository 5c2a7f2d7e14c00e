"""Reads and writes of the places of graph/views/view_places.py, by the ``view`` rules of rows.

A rule defines how to write back what the row reads. The row ``<name>_write`` with the operands
(base, value) is made from it. It records a write through a view, and its VJP needs no separate
rule: the part of the gradient that the view reads belongs to the value, and the rest to the base.
"""

import inspect
import math
import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.arrays.as_array import on_device
from jaxeager.core import ports
from jaxeager.core.symbolic import typical
from jaxeager.errors import InvalidArgumentError
from jaxeager.graph.views import view_places
from jaxeager.ops.call import dispatch
from jaxeager.ops.call.kernels import forward_rule, numbers_of
from jaxeager.ops.row import DERIVED
from jaxeager.ops.rules.far_places import place_dtype

# ---- reading and writing, on Tensors


def carrier(array, meta):
    """Return a Tensor of an array and an AutogradMeta; it does not share memory."""
    tensor = dispatch.wrap(array)
    tensor._meta = meta
    return tensor


def zeros(shape, dtype):
    """Return a Tensor of zeros."""
    return carrier(jnp.zeros(shape, dtype), None)


def read(place, tensor):
    """Return the result of reading a place from the tensor above it."""
    if place.row is None:
        return tensor
    return dispatch.call(place.row, (tensor, *_arrays(place.extras)), place.attrs)


def _arrays(extras: tuple) -> list:
    """Return a place's arrays; those of unbind are on the host, because few parts need them."""
    return [on_device(each) if type(each) is np.ndarray else each for each in extras]


def write_back(path: list, base, value) -> Any:
    """Return ``base`` with ``value`` written where the last place of a path below it reads."""
    bases = []
    for place in path:
        bases.append(base)
        base = read(place, base) if place is not path[-1] else base
    shape = value._array.shape
    for number in range(len(path) - 1, -1, -1):
        row, extras = path[number].row, path[number].extras
        if row is not None:
            if row.view.overlaps:
                extras = (_ranks(path[number + 1 :], value._array.shape, shape), *extras)
            operands = (bases[number], value, *_arrays(extras))
            value = dispatch.call(write_row(row), operands, path[number].attrs)
    return value


def _ranks(below: list, shape: tuple, written: tuple):
    """Return the ranks, from 1, of the elements that a write through a path sets; 0 for the others.

    If the place above shows one element several times, the highest rank counts.

    Args:
        below: the path.
        shape: the shape of the tensor above it.
        written: the shape of the value that is written at its end.
    """
    if any(each.row is not None and each.row.view.retypes for each in below):
        below, written = [], shape
    dtype = place_dtype(math.prod(written))
    marks = np.arange(1, math.prod(written) + 1, dtype=dtype).reshape(written)
    above: Any = carrier(jnp.zeros(shape, dtype), None)
    return write_back(below, above, carrier(on_device(marks), None))._array


def overlaps_itself(place) -> bool:
    """Return whether a place may read an element of the tensor above it several times."""
    return place.row is not None and place.row.view.overlaps


# ---- the row that writes back


def write_row(row):
    """Return the row that writes back what a row reads; it is made once."""
    if row.write_row is None:
        row.write_row = _make_write_row(row)
    return row.write_row


def _make_write_row(row):
    others = [operand.name for operand in row.operands[1:]]
    rule = row.view
    if rule.overlaps:
        write, added = _written_by_rank(row), ["ranks"]
    else:
        write, added = rule.write or _written_where_read(row), []
    return type(row)(
        name=f"{row.name}_write",
        forward=_with_operands(row, write, ["base", "value", *added]),
        vjp=DERIVED if rule.overlaps else _write_vjp(row, write, others),
        saves=(*added, *others),
        shapes=("value",) if rule.covers else ("base", "value"),
        nondiff=frozenset([*added, *others, *["base"] * rule.covers]),
    )


def _with_operands(row, function: Callable, names: list[str]) -> Callable:
    """Return a function with the named operands, then a row's others, and its attributes."""
    first, *rest = inspect.signature(row.forward).parameters.values()

    def forward(*operands, **attrs):
        return function(*operands, **attrs)

    parameters = [first.replace(name=name) for name in names]
    forward.__signature__ = inspect.Signature([*parameters, *rest])  # type: ignore[attr-defined]
    return forward


def _write_vjp(row, write: Callable, others: list[str]) -> Callable:
    """Return the VJP: the value gets the part of the gradient that the view reads.

    The base gets the rest.
    """

    def vjp(**given):
        dout = given.pop("dout")
        base = given.pop("base", None)
        extras = [given.pop(name) for name in others]
        dvalue = row.forward(dout, *extras, **given)
        if base is None:
            return dvalue
        return write(dout, jnp.zeros_like(dvalue), *extras, **given), dvalue

    names = [*([] if row.view.covers else ["base"]), *others, "dout", *row.attrs]
    parameters = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in names]
    vjp.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return vjp


def _positions(row, base, others: tuple, attrs: dict):
    """Return the flat positions in ``base`` that a row reads, in order."""
    numbers = jnp.arange(base.size).reshape(base.shape)
    return row.forward(numbers, *others, **attrs).reshape(-1)


def _written_where_read(row) -> Callable:
    """Return a write rule that scatters to the positions that the row reads."""

    def write(base, value, *others, **attrs):
        positions = _positions(row, base, others, attrs)
        return base.reshape(-1).at[positions].set(value.reshape(-1)).reshape(base.shape)

    return write


def _written_by_rank(row) -> Callable:
    """Return the write rule of a row that reads an element several times.

    Of several values for one element the one of the highest rank is kept, on every backend.
    """

    def write(base, value, ranks, *others, **attrs):
        positions, count = _positions(row, base, others, attrs), value.size
        order = jnp.where(ranks > 0, count + ranks, 0).reshape(-1)
        order = jnp.maximum(order, jnp.arange(count, dtype=order.dtype))
        kept = jnp.full(base.size, -1, order.dtype).at[positions].max(order)
        is_kept = kept[positions] == order  # for one value of each element that is read
        source = (
            jnp.zeros(base.size, order.dtype)
            .at[positions]
            .max(jnp.where(is_kept, jnp.arange(count, dtype=order.dtype), 0))
        )
        new = value.reshape(-1)[source] if count else base.reshape(-1)
        return jnp.where(kept < 0, base.reshape(-1), new).reshape(base.shape)

    return write


# ---- places in memory


def memory_of(x, count: int):
    """Return a tensor whose flat elements are the memory of ``x`` from its beginning.

    That is ``x`` if it is contiguous, begins where the memory does and has ``count`` elements, else
    the next such tensor among those that it is a view of.

    Raises:
        InvalidArgumentError: when no such tensor exists any more.
    """
    place = view_places.place_of(x)
    if place is None:
        return x
    path = view_places.path_to(x._view)
    start = view_places.stand_in(path[0]).ctypes.data
    living = view_places.living_on(x._storage, path)
    is_cut = False
    for each in reversed(path):
        base, found = living.get(id(each)), view_places.stand_in(each)
        is_whole = found.flags.c_contiguous and found.ctypes.data == start and count <= found.size
        if base is not None and is_whole and found.dtype == place.dtype:
            return base.detach() if is_cut else base
        is_cut = is_cut or each.is_cut
    raise InvalidArgumentError(
        "as_strided: this tensor is a view, and the tensor whose memory it shows no longer exists "
        f"or does not have the {count} elements requested. Keep that tensor, or call contiguous() "
        "first."
    )


def stand_in(shape: tuple, dtype) -> np.ndarray:
    """Return a NumPy array that has a shape and strides but no elements: it must not be read.

    An open size is replaced by some number.
    """
    shape = tuple(map(typical, shape))
    strides, step = [], np.dtype(dtype).itemsize
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return np.lib.stride_tricks.as_strided(np.empty(1, dtype), shape, strides[::-1])


def place(each, above: np.ndarray) -> tuple[np.ndarray, bool]:
    """Return the stand-in of a place below another stand-in, and whether the place is a copy."""
    row, attrs, extras = each.row, each.attrs, each.extras
    if row is None:
        return above, False
    rule = row.view.place or row.reference
    static = dict(zip(row.attrs, map(_typical, attrs), strict=True))
    found = rule(above, *map(numbers_of, extras), **static)
    if found is not None:
        return found, False
    like = jax.ShapeDtypeStruct(above.shape, above.dtype)
    out = jax.eval_shape(forward_rule(row, attrs), like, *extras)
    return stand_in(out.shape, out.dtype), True


def _typical(attribute):
    """Return an attribute with each open size replaced by some number."""
    return tuple(map(typical, attribute)) if type(attribute) is tuple else typical(attribute)


def retyped(above: np.ndarray, dtype, shape: tuple, strides: tuple) -> np.ndarray:
    """Return a stand-in that begins where another one does, with elements of another dtype."""
    count = max(np.dtype(dtype).itemsize // above.itemsize, 1)
    first = np.lib.stride_tricks.as_strided(above, (count,), (above.itemsize,)).view(dtype)
    return np.lib.stride_tricks.as_strided(first, shape, strides)


def write_reshaped(base, value, **attrs):
    """Write back all the elements, which were read in another shape."""
    return value.reshape(base.shape)


def reshaped(above: np.ndarray, shape: tuple[int, ...]) -> np.ndarray | None:
    """Return a stand-in of another shape over the same memory, None if no strides describe it.

    Neighboring dimensions of the old shape that are consecutive in memory are merged into runs;
    each new dimension must be within one run. A 0-D tensor is always copied, as in Paddle.
    """
    if not above.ndim and shape:
        return None
    if above.size == 0 or 0 in shape:
        return stand_in(shape, above.dtype)
    strides: list[int] = []
    left = list(reversed(shape))
    sizes = [(n, s) for n, s in zip(above.shape, above.strides, strict=True) if n != 1]
    while sizes:
        count, step = sizes.pop()
        inner = step
        while sizes and sizes[-1][1] == count * inner:
            count *= sizes.pop()[0]
        while left and (count > 1 or left[0] == 1):
            size = left.pop(0)
            if count % size:
                return None
            strides.append(step)
            count //= size
            step *= size
        if count > 1:
            return None
    strides += [above.itemsize] * len(left)
    return np.lib.stride_tricks.as_strided(above, shape, strides[::-1])


ports.view_steps = sys.modules[__name__]
