"""Checks of every row whose output shares its operand's memory."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.graph.views import view_places
from jaxeager.ops.derived import view_steps
from jaxeager.ops.row import ROWS
from tests.support.cases import as_outputs, cases_of, cotangents, inputs, tensors
from tests.support.compare import assert_close
from tests.support.often import every

VIEWS = [row for row in ROWS.values() if row.view is not None]
CASES = [case for row in VIEWS for case in cases_of(row) if case.dtype == row.dtypes[0]]


# A 0-D tensor is copied by reshape, as in Paddle: only the version is shared.
COPIES = ("reshape", "view_shape", "flatten")
SHARED = [c for c in CASES if c.sample.inputs[0].ndim or c.row.name not in COPIES]
GRADIENTS = [c for c in SHARED if c.sample.grad and all(np.size(e) for e in c.sample.inputs)]


def over(cases):
    return pytest.mark.parametrize("case", cases, ids=[case.id for case in cases])


def read(case, number=-1):
    """Return operands, the view that the row creates of the first, and its place."""
    operands = tensors(inputs(case))
    view = as_outputs(case.row.function(*operands, **case.sample.attrs))[number]
    return operands, view, view._view


def write(place, base, value):
    """Write a value back by the rule of a place, on arrays."""
    base, value = (view_steps.carrier(jnp.asarray(each), None) for each in (base, value))
    return view_steps.write_back([place], base, value)._array


def look(place, base):
    """Read the values of a place from an array."""
    return view_steps.read(place, view_steps.carrier(jnp.asarray(base), None))._array


def other_values(like):
    """Return other values of the shape and dtype of an array."""
    if like.dtype.kind not in "fcV":
        return np.arange(like.size, dtype=like.dtype).reshape(like.shape)
    return (np.arange(like.size).reshape(like.shape) / 7 + 0.25).astype(like.dtype)


def test_every_op_that_shares_in_paddle_is_here():
    """These are those of Table 5.4 of Paddle's semantics, by the names of their rows."""
    assert {row.name for row in VIEWS} == set(
        "reshape view_shape view_dtype flatten squeeze unsqueeze slice strided_slice narrow "
        "transpose diagonal as_strided tensor_unfold unbind real imag as_real as_complex".split()
    )


@over(CASES)
def test_the_output_shares_memory_and_version(case):
    operands, view, place = read(case)
    assert view._storage is operands[0]._storage
    assert place.parent is operands[0]._view
    operands[0]._bump_inplace_version()
    assert view.inplace_version == 1
    np.testing.assert_array_equal(look(place, operands[0]._array), view._array)


@over(CASES)
def test_writing_a_view_back_changes_nothing(case):
    operands, view, place = read(case)
    base = operands[0]._array
    np.testing.assert_array_equal(write(place, base, view._array), base)


@over(CASES)
def test_a_view_reads_the_values_written_through_it(case):
    operands, view, place = read(case)
    value = other_values(np.asarray(view._array))
    written = write(place, operands[0]._array, value)
    assert (written.shape, written.dtype) == (operands[0]._array.shape, operands[0]._array.dtype)
    if not case.row.view.overlaps:
        np.testing.assert_array_equal(look(place, written), value)
        return
    cells = np.asarray(look(place, np.arange(base_size(operands)).reshape(operands[0].shape)))
    expected = np.asarray(operands[0]._array).reshape(-1).copy()
    for cell, each in zip(cells.reshape(-1), value.reshape(-1), strict=True):
        expected[cell] = each  # the last one stays
    np.testing.assert_array_equal(written.reshape(-1), expected)


def base_size(operands):
    return operands[0]._array.size


@pytest.mark.parametrize("name", COPIES)
def test_a_0d_operand_is_copied(name):
    x = paddle.ones([])
    view = ROWS[name].function(x, *[(1,)] * (name != "flatten"))
    view.zero_()
    assert (x.item(), x.inplace_version, view.shape) == (1.0, 1, [1])


@over(SHARED)
def test_strides_and_offset_are_those_of_the_elements(case):
    """The stand-in of the place has the addresses of the elements that the row reads."""
    operands, view, place = read(case)
    base = view_places.stand_in(operands[0]._view)
    found = view_places.stand_in(place)
    assert found.shape == tuple(view.shape)
    assert found.dtype == view._array.dtype
    if found.dtype != base.dtype or not found.size:
        return
    steps = [np.arange(n) * stride for n, stride in zip(found.shape, found.strides, strict=True)]
    offsets = sum(np.ix_(*steps), np.zeros(found.shape, int)) if steps else np.zeros((), int)
    cells = (found.ctypes.data - base.ctypes.data + offsets) // base.itemsize
    numbers = np.arange(base.size).reshape(base.shape).astype(base.dtype)
    np.testing.assert_array_equal(cells, look(place, numbers))


def value_and_gradients(pure, x, w, seed):
    """Return the value of a function of two tensors' arrays, and Paddle's gradients by jax.vjp."""

    @jax.jit
    def both(x, w, seed):
        value, pull = jax.vjp(pure, x, w)
        return value, [jnp.conj(each) for each in pull(jnp.conj(seed))]

    return both(x._array, w._array, seed)


def assert_gradients(leaves, expected, case):
    """Compare gradients; there may be none if a view without elements made them all zeros."""
    for leaf, want in zip(leaves, expected, strict=True):
        if leaf.grad is None:
            assert not np.any(want)
        else:
            assert_close(leaf.grad.to_dense().numpy(), want, case.dtype, f"{case.id}: {leaf.name}")


@pytest.mark.parametrize("case", every(2, GRADIENTS), ids=[case.id for case in GRADIENTS])
def test_the_gradient_of_a_write_through_it(case):
    """base = x * 1; view(base) *= w; the gradients of base are those of the pure function."""
    arrays = inputs(case)
    operands = tensors(arrays)
    x = operands[0]
    x.stop_gradient = False
    base = x * 1.0
    view = as_outputs(case.row.function(base, *operands[1:], **case.sample.attrs))[-1]
    place = view._view
    w = paddle.to_tensor(other_values(np.asarray(view._array)), stop_gradient=False)
    view.multiply_(w)
    (seed,) = cotangents([base])
    base.backward(tensors(seed))

    def pure(x, w):
        return write(place, x, look(place, x) * w)

    _, expected = value_and_gradients(pure, x, w, seed)
    assert_gradients((x, w), expected, case)


@over(GRADIENTS)
def test_a_view_has_value_and_gradient_of_a_write_to_its_base(case):
    """base = x * 1; v = view(base); base *= w; v is the view of the product, with its gradient."""
    arrays = inputs(case)
    operands = tensors(arrays)
    x = operands[0]
    x.stop_gradient = False
    base = x * 1.0
    view = as_outputs(case.row.function(base, *operands[1:], **case.sample.attrs))[-1]
    place = view._view
    w = paddle.to_tensor(other_values(np.asarray(x._array)), stop_gradient=False)
    base.multiply_(w)
    (seed,) = cotangents([view])
    view.backward(tensors(seed))
    value, expected = value_and_gradients(lambda x, w: look(place, x * w), x, w, seed)
    np.testing.assert_array_equal(view._array, value)
    assert_gradients((x, w), expected, case)
