"""Random indices, reading, writing and the gradients of both, against NumPy."""

import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import JaxEagerError, OutOfRangeError
from tests.support.random_indices import SHAPES, random_index

REFUSED = (IndexError, ValueError, TypeError)


def blocks(deep):
    """Return the start of each block of draws: a few in every run, many in the deep one."""
    return range(10_000, 12_000, 500) if deep else range(0, 60, 30)


def draw(seed):
    """Return a generator, an array, and an index of it in both forms."""
    rng = np.random.default_rng(seed)
    shape = SHAPES[int(rng.integers(len(SHAPES)))]
    array = rng.permutation(int(np.prod(shape))).reshape(shape).astype("float32")
    return rng, array, *random_index(rng, shape)


def numpys(array, index):
    """Return NumPy's result, or None if it refuses the index."""
    try:
        return array[index]
    except REFUSED:
        return None


def is_out_of_range(x, given, found):
    """Return whether an empty index holds one out of range, which NumPy ignores."""
    if found.size:
        return False
    try:
        x[given]
    except OutOfRangeError:
        return True
    return False


def check_refused(act, what):
    """Check that a call raises an error of the library, of a type that NumPy's is of."""
    found = None
    try:
        act()
    except REFUSED as error:
        found = error
    assert isinstance(found, JaxEagerError), what


def check_read(rng, array, index, given, what):
    """Check the read values, their gradient, and whether they are a view."""
    want = array[index]
    x = paddle.to_tensor(array, stop_gradient=False)
    found = x[given]
    assert found.numpy().shape == want.shape, what
    np.testing.assert_array_equal(found.numpy(), want, err_msg=what)
    weight = rng.standard_normal(want.shape).astype("float32")
    (found * paddle.to_tensor(weight)).sum().backward()
    grad = np.zeros_like(array)
    np.add.at(grad, index, weight)
    np.testing.assert_allclose(x.grad.numpy(), grad, rtol=1e-5, atol=1e-6, err_msg=what)
    check_view(array, index, given, what)


def check_view(array, index, given, what):
    """Check that writing into the result changes the tensor when it does in NumPy."""
    want, x = array.copy(), paddle.to_tensor(array)
    view = want[index]
    if not isinstance(view, np.ndarray):  # NumPy returns a number for a single element: a view here
        view = want[(*index, ...) if isinstance(index, tuple) else (index, ...)]
    view[...] = 7.0
    x[given].fill_(7.0)
    np.testing.assert_array_equal(x.numpy(), want, err_msg=what)


def smaller(rng, shape):
    """Return a shape that broadcasts to another one."""
    kept = [1 if rng.random() < 0.3 else n for n in shape]
    return tuple(kept[int(rng.integers(len(kept) + 1)) :])


def check_write(rng, array, index, given, what):
    """Check the written values, and the gradients of both."""
    picked = array[index].shape
    value = rng.standard_normal(smaller(rng, picked)).astype("float32")
    want, owner = array.copy(), np.full(array.shape, -1)
    want[index] = value
    owner[index] = np.arange(int(np.prod(picked))).reshape(picked)
    x = paddle.to_tensor(array, stop_gradient=False)
    number = paddle.to_tensor(value, stop_gradient=False)
    y = x * 1.0
    y[given] = number
    np.testing.assert_array_equal(y.numpy(), want, err_msg=what)
    weight = rng.standard_normal(array.shape).astype("float32")
    (y * paddle.to_tensor(weight)).sum().backward()
    kept = owner == -1
    np.testing.assert_array_equal(x.grad.numpy(), np.where(kept, weight, 0), err_msg=what)
    each = np.zeros(picked, "float32").reshape(-1)
    each[owner[~kept]] = weight[~kept]
    summed = each.reshape(picked)
    summed = summed.sum(tuple(range(summed.ndim - value.ndim)))
    ones = tuple(i for i, n in enumerate(value.shape) if n == 1)
    # The order of float32 sums over broadcast elements is XLA's, not NumPy's.
    np.testing.assert_allclose(
        number.grad.numpy(), summed.sum(ones, keepdims=True), rtol=1e-4, atol=1e-5, err_msg=what
    )
    z = paddle.to_tensor(array)
    z[given] = 5.0
    want[index] = 5.0
    np.testing.assert_array_equal(z.numpy()[~kept], 5.0, err_msg=what)
    np.testing.assert_array_equal(z.numpy()[kept], array[kept], err_msg=what)


def check_draws(start, count, both):
    """Check draws, reading or writing or both; return the number of refusals."""
    refused = 0
    for seed in range(start, start + count):
        rng, array, index, given = draw(seed)
        what = f"seed {seed}: shape {array.shape}, index {given!r}"
        x = paddle.to_tensor(array)
        if numpys(array, index) is None or is_out_of_range(x, given, array[index]):
            refused += 1
            check_refused(lambda x=x, given=given: x[given], what)
            check_refused(lambda x=x, given=given: x.__setitem__(given, 5.0), what)
            np.testing.assert_array_equal(x.numpy(), array, err_msg=what)
            continue
        if both or seed % 2:
            check_read(rng, array, index, given, what)
        if both or not seed % 2:
            check_write(rng, array, index, given, what)
    return refused


@pytest.mark.parametrize("start", blocks(deep=False))
def test_random_indices(start):
    """Thirty draws, reading and writing in turn: as NumPy, refused where NumPy refuses."""
    assert 0 < check_draws(start, 30, both=False) < 20


@pytest.mark.deep
@pytest.mark.parametrize("start", blocks(deep=True))
def test_many_random_indices(start):
    """Each block has five hundred draws."""
    assert 0 < check_draws(start, 500, both=True) < 250
